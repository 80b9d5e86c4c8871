"""A statement that binds the agent is no longer in view after a compaction.

Why it matters: an agent keeps to the rules that it can read. A rule that a compaction dropped is
broken sooner or later, and nobody sees why.

How to fix: say it again, put it into an instruction file that the harness reads at every
request, or compact with ``compactctl run``, which pins it word for word.

Limits: presence is measured, not use. Statements that the rules for pins do not recognise are
not watched. A summary that cannot be read gives no verdict.

Source: reports of constraints forgotten after compaction (anthropics/claude-code#19736, #13642);
arXiv 2606.22528 measures violations from 0 to 30 percent.
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule, quote
from compactctl.model.audit import Confidence, Finding, Severity, Survival
from compactctl.model.classification import PinKind, Strength


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        for fate in case.fates:
            pin = fate.pin
            if not fate.held or fate.survival is not Survival.LOST or pin.kind is PinKind.GOAL:
                continue
            strong = pin.strength is Strength.STRONG
            yield rule.finding(
                subject,
                f"a {pin.strength} {pin.kind} of line {pin.line} is not in view after the "
                f"compaction of line {case.line}",
                line=case.summary_line,
                about=pin.text,
                case=case,
                evidence=(quote(pin.line, pin.text),),
                severity=Severity.ERROR if strong else Severity.WARNING,
                confidence=Confidence.HIGH if strong else Confidence.MEDIUM,
            )


RULE = Rule(
    code="CC101",
    name="constraint-lost",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    remedy="say it again, or keep it in an instruction file that every request holds",
    check=_check,
)
