"""A compaction happened in the middle of a piece of work.

Why it matters: what is half done is known only to the reasoning and raw output that a
compaction drops; the agent then starts over or takes the work for done.

How to fix: compact at a boundary, after a passed check, a commit or a finished step, before the
window is full; ``compactctl classify`` lists them.

Limits: what counts as finished is told by checks, commits, plans and the turn's end, not by
meaning.

Source: reports of agents that re-plan after a compaction
(github/copilot-cli#3144).
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule
from compactctl.model.audit import Confidence, Finding, Severity
from compactctl.model.compaction import Level


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        compaction = case.compaction
        if compaction.level is Level.CLEAR or compaction.boundary is None or not case.before:
            continue
        zones = compaction.no_cut
        if not zones and compaction.boundary.score > 0:
            continue
        why = zones[0].why if zones else compaction.boundary.why
        yield rule.finding(
            subject,
            f"the compaction of line {case.line} happened in the middle of work: {why}",
            line=case.line,
            about=f"mid-task {why}",
            case=case,
            confidence=Confidence.HIGH if zones else Confidence.MEDIUM,
        )


RULE = Rule(
    code="CC108",
    name="compaction-mid-task",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    remedy="compact earlier, at a boundary; compactctl classify lists them",
    check=_check,
)
