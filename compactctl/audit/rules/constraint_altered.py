"""A statement that binds the agent came through a compaction in other words.

Why it matters: a rule in other words is another rule. "A background agent" became "background
agents" in one report, and ten of them were started.

How to fix: compare the two wordings (the finding shows both) and say it again where they differ.

Limits: other words are told by the words that the two share; whether they mean the same is for
a person to judge.

Source: anthropics/claude-code#94564.
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule, quote
from compactctl.compact.pin_diff import word_diff
from compactctl.model.audit import Confidence, Finding, Severity, Survival
from compactctl.model.classification import PinKind, Strength

_LONGEST = 300
"""Words of each side that are compared."""


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        for fate in case.fates:
            changed = fate.survival in (Survival.ALTERED, Survival.PARTIAL)
            if not fate.held or not changed or fate.pin.kind is PinKind.GOAL:
                continue
            pin = fate.pin
            part = "in part" if fate.survival is Survival.PARTIAL else "in other words"
            line = fate.shown_line or case.summary_line
            strong = pin.strength is Strength.STRONG
            yield rule.finding(
                subject,
                f"a {pin.strength} {pin.kind} of line {pin.line} came through the compaction of "
                f"line {case.line} {part}: {_word_diff(pin.text, fate.shown)}",
                line=line,
                about=pin.text,
                case=case,
                evidence=(quote(pin.line, pin.text), quote(line, fate.shown)),
                severity=Severity.WARNING if strong else Severity.NOTE,
            )


def _word_diff(before: str, after: str) -> str:
    return word_diff(before.split()[:_LONGEST], after.split()[:_LONGEST])


RULE = Rule(
    code="CC102",
    name="constraint-altered",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    remedy="compare the two wordings; say it again where they differ",
    check=_check,
)
