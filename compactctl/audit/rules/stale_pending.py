"""A summary lists work as open that had been done before it.

Why it matters: finished work is done a second time, or the error is handed on from summary to
summary.

How to fix: take the item off the list; the finding names the result that shows it done.

Limits: an item counts as done where a plan marked it completed, or where it asks for a commit or
push that succeeded after the last edit.

Source: anomalyco/opencode#50816; openai/codex#38931.
"""

import re
from collections.abc import Iterator, Sequence

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule, quote
from compactctl.audit.summaries import pending_items
from compactctl.audit.wording import Reading
from compactctl.classify.open_items import PlanReader
from compactctl.model.audit import Confidence, Finding, Severity, Survival
from compactctl.model.classification import Outcome, ResultKind, ToolResult
from compactctl.model.entry import Kind

_ASKS_GIT = re.compile(r"^(?:\*\*)?(?:git )?(?P<verb>commit|push)\b", re.IGNORECASE)
_SHORTEST = 3


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        items = list(pending_items(case.summary))
        if not items:
            continue
        results = [r for r in subject.classification.results if r.call_line < case.line]
        done = _completed(subject, case.line)
        for item in items:
            proof = _by_plan(item, done) or _by_git(item, results)
            if proof is None:
                continue
            line, text = proof
            yield rule.finding(
                subject,
                f"the summary of line {case.summary_line} lists as open what line {line} shows "
                "to be done",
                line=case.summary_line,
                about=item,
                case=case,
                evidence=(quote(case.summary_line, item), quote(line, text)),
            )


def _completed(subject: Subject, line: int) -> list[tuple[int, str]]:
    """Steps that the last plan before a line marks as completed, with their lines."""
    plan = PlanReader()
    for at, entry in enumerate(subject.transcript.entries):
        if entry.line >= line:
            break
        if entry.kind is Kind.TOOL_CALL and not entry.chain:
            plan.call(at, entry, subject.content.arguments(entry))
    still_open = {item.text for item in plan.open_items()}
    return [(step.line, step.text) for step in plan.steps if step.text not in still_open]


def _by_plan(item: str, done: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    reading = Reading(item)
    for line, text in reversed(done):
        if len(text.split()) >= _SHORTEST and reading.trace(text).survival is Survival.VERBATIM:
            return line, text
    return None


def _by_git(item: str, results: Sequence[ToolResult]) -> tuple[int, str] | None:
    asked = _ASKS_GIT.match(item)
    if asked is None:
        return None
    wanted = f"git {asked['verb'].lower()}"
    for result in reversed(results):
        if result.kind is ResultKind.EDIT and result.outcome is Outcome.SUCCESS:
            return None
        if wanted in result.subject and result.outcome is Outcome.SUCCESS:
            return result.result_line or result.call_line, result.one_line
    return None


RULE = Rule(
    code="CC105",
    name="stale-pending",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    remedy="take the item off the list",
    check=_check,
)
