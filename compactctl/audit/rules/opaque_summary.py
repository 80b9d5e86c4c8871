"""What stands in place of the history cannot be read, so nobody can say what it kept.

Why it matters: an encrypted or absent summary is no proof of loss and none of survival; every
verdict about its compaction is unknown.

How to fix: keep the rules that must survive in an instruction file, and take a snapshot before
each compaction (``compactctl hook``).

Limits: what the harness adds without recording it is not seen either.

Source: Codex replacement histories with encrypted content; anthony-chaudhary/fak#10678.
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule
from compactctl.model.audit import Confidence, Finding, Severity, Survival


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        if not case.opaque:
            continue
        unknown = sum(1 for fate in case.fates if fate.survival is Survival.UNKNOWN)
        yield rule.finding(
            subject,
            f"the summary of the compaction of line {case.line} cannot be read: the fate of "
            f"{unknown} pins is unknown",
            line=case.line,
            about=f"opaque {case.line}",
            case=case,
        )


RULE = Rule(
    code="CC109",
    name="opaque-summary",
    severity=Severity.NOTE,
    confidence=Confidence.HIGH,
    remedy="keep what must survive in an instruction file; take snapshots with compactctl hook",
    check=_check,
)
