"""A call that had failed before a compaction was made again after it, and failed again.

Why it matters: the failure was known and was forgotten. Each repetition costs a turn, and a loop
across compactions never ends.

How to fix: keep a do-not-retry line with the exact error across the compaction, as
``compactctl run`` does.

Limits: only the same tool with the same arguments counts. A call repeated after something that
could mend its failure (an edit since) is no finding, and where the failure is still in view the
compaction did not cause the repetition.

Source: openclaw/openclaw#1084.
"""

from collections.abc import Iterator

from compactctl.audit.case import Case, Subject
from compactctl.audit.rule import Rule, quote
from compactctl.model.audit import Confidence, Finding, Severity
from compactctl.model.classification import Outcome, ResultKind, ToolResult


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    results = subject.classification.results
    for case in subject.cases:
        end = subject.next_line(case)
        before = _failures(case, results)
        if not before:
            continue
        later = [r for r in results if case.line < r.call_line < end and not r.chain]
        for key, first in before.items():
            again = [r for r in later if _key(r) == key and r.outcome is Outcome.FAILURE]
            if not again or _mended(results, first, again[0]):
                continue
            yield rule.finding(
                subject,
                f"{first.tool} failed at line {first.result_line}, was repeated after the "
                f"compaction of line {case.line} and failed again ({len(again)} times)",
                line=again[0].call_line,
                about=f"{first.tool} {first.arguments_digest}",
                case=case,
                evidence=(
                    quote(first.result_line or first.call_line, first.one_line),
                    quote(again[0].call_line, again[0].one_line),
                ),
            )


def _failures(case: Case, results: tuple[ToolResult, ...]) -> dict[tuple[str, str], ToolResult]:
    """The last failure of each call that was in view before and is not afterwards."""
    found: dict[tuple[str, str], ToolResult] = {}
    for result in results:
        seen = result.result_entry in case.before_ids
        if (
            seen
            and result.outcome is Outcome.FAILURE
            and result.result_entry not in case.after_ids
        ):
            found[_key(result)] = result
    return found


def _key(result: ToolResult) -> tuple[str, str]:
    return result.tool, result.arguments_digest


def _mended(results: tuple[ToolResult, ...], first: ToolResult, again: ToolResult) -> bool:
    start = first.result_line or first.call_line
    return any(
        start < r.call_line < again.call_line
        and r.kind is ResultKind.EDIT
        and r.outcome is Outcome.SUCCESS
        for r in results
    )


RULE = Rule(
    code="CC107",
    name="retry-after-boundary",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    remedy="carry a do-not-retry line with the exact error across the compaction",
    check=_check,
)
