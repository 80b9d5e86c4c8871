"""A compaction happened when the window was almost full.

Why it matters: a harness that waits so long compacts wherever the work happens to stand, and a
summary written by a model that is out of room is a poor one.

How to fix: lower the trigger, or compact at the last good boundary (``compactctl run
--if-needed --trigger 0.65``).

Limits: judged by what the client recorded as the size before; without that nothing is said. A
size that a person chose by compacting by hand counts the same.

Source: reports of thrash near the limit (anthropics/claude-code#84187).
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule
from compactctl.compact.trigger import window_size
from compactctl.model.audit import Confidence, Finding, Severity

_LATE = 0.85


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    window, _ = window_size(subject.transcript, None)
    for case in subject.cases:
        before = case.recorded.tokens_before if case.recorded else None
        if before is None or before <= _LATE * window:
            continue
        yield rule.finding(
            subject,
            f"the compaction of line {case.line} happened at {before:,} of {window:,} tokens "
            f"({before / window:.0%}; recorded)",
            line=case.line,
            about="too late",
            case=case,
        )


RULE = Rule(
    code="CC111",
    name="compaction-too-late",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    remedy="lower the trigger, and compact at a boundary",
    check=_check,
)
