"""A compaction left more than half of the window as it was.

Why it matters: it cost a summary and the whole prompt cache, and the next one is near.

How to fix: fold more of the head, clear large tool results, or split the task.

Limits: both sides are counted over what is recorded; system prompt and tool definitions, which
no compaction can reduce, are not in the file.

Source: reports of compactions that follow each other within a few turns (cline#9510).
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule
from compactctl.model.audit import Confidence, Finding, Severity
from compactctl.model.compaction import Level

_HALF = 2


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        tokens = case.compaction.tokens
        if case.compaction.level is Level.CLEAR or case.opaque:
            continue
        if tokens.after * _HALF > tokens.before > 0:
            yield rule.finding(
                subject,
                f"the compaction of line {case.line} left {tokens.after:,} of {tokens.before:,} "
                "tokens (counted)",
                line=case.line,
                about="weak",
                case=case,
            )


RULE = Rule(
    code="CC112",
    name="weak-compaction",
    severity=Severity.NOTE,
    confidence=Confidence.MEDIUM,
    remedy="fold more of the head, clear large results, or split the task",
    check=_check,
)
