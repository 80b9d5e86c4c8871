"""Which findings are known already: fingerprints, baselines, suppressions."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compactctl.model.audit import Finding

SCHEMA = "compactctl.baseline/1"
_LENGTH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """
    Findings that a team has decided to live with, and why.

    ``rule`` is a code or a name; ``path`` a pattern of the whole path (``*`` crosses folders);
    ``contains`` a part of what the finding is about. ``None`` fits everything.
    """

    rule: str
    reason: str
    path: str | None = None
    contains: str | None = None

    def covers(self, finding: "Finding") -> bool:
        """Return whether a finding is one of these."""
        return (
            self.rule in (finding.code, finding.name)
            and (self.path is None or fnmatchcase(finding.path, self.path))
            and (self.contains is None or self.contains in finding.subject)
        )


def fingerprints(findings: "Sequence[Finding]") -> Iterator[str]:
    """
    Yield a fingerprint for each finding, in their order.

    It follows from rule, path, conversation and content, not from line numbers, so that lines
    added before a finding leave it the same. Equal findings are told apart by their number.
    """
    seen: Counter[str] = Counter()
    for finding in findings:
        parts = (finding.code, finding.path, str(finding.conversation), finding.subject)
        key = "\0".join(parts)
        seen[key] += 1
        digest = hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "surrogatepass"))
        yield digest.hexdigest()[:_LENGTH]


def baseline_document(findings: "Sequence[Finding]") -> dict[str, object]:
    """Return the baseline that makes all these findings known (``compactctl.baseline/1``)."""
    known = zip(fingerprints(findings), findings, strict=True)
    return {
        "schema": SCHEMA,
        "findings": [
            {"fingerprint": mark, "code": f.code, "name": f.name, "path": f.path}
            for mark, f in known
        ],
    }


def known_of(document: Mapping[str, object]) -> frozenset[str]:
    """Return the fingerprints of a baseline that fits its schema."""
    findings = document["findings"]
    assert isinstance(findings, list)  # noqa: S101 -- the schema says so
    return frozenset(str(finding["fingerprint"]) for finding in findings)
