"""What a rule is: a code, a name, how bad and how sure, and a function from a subject."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from compactctl.audit.case import Case, Subject
from compactctl.model.audit import Confidence, Evidence, Finding, Severity

Check = Callable[["Rule", Subject], Iterator[Finding]]
_SHOWN = 400
"""Characters of a line that a finding shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """
    A rule: its file's docstring is its documentation.

    ``code`` and ``name`` are stable; ``remedy`` says what to do about a finding.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    remedy: str
    check: Check

    @property
    def documentation(self) -> str:
        """The rule's page: what it does, why it matters, how to fix, limits, source."""
        module = inspect.getmodule(self.check)
        return inspect.cleandoc((module.__doc__ if module else None) or "")

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.documentation.partition("\n")[0]

    def findings(self, subject: Subject) -> tuple[Finding, ...]:
        """Return what the rule finds, in line order."""
        return tuple(sorted(self.check(self, subject), key=lambda f: (f.line, f.subject)))

    def finding(
        self,
        subject: Subject,
        message: str,
        *,
        line: int,
        about: str,
        case: Case | None = None,
        evidence: tuple[Evidence, ...] = (),
        severity: Severity | None = None,
        confidence: Confidence | None = None,
    ) -> Finding:
        """Return a finding of this rule; ``about`` is the content that tells it from others."""
        return Finding(
            code=self.code,
            name=self.name,
            severity=severity or self.severity,
            confidence=confidence or self.confidence,
            message=message,
            path=subject.path,
            line=line,
            boundary_line=case.line if case else None,
            evidence=evidence,
            remedy=self.remedy,
            subject=about,
            conversation=subject.transcript.conversation,
        )


def quote(line: int, text: str) -> Evidence:
    """Return a line as evidence, cut to what a person reads."""
    one = " ".join(text.split())
    return Evidence(line, one if len(one) <= _SHOWN else one[: _SHOWN - 1] + "…")
