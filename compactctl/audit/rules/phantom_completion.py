"""A summary says that work is done which nothing before it shows to be done.

Why it matters: the agent goes on from the summary. What it calls done is not looked at again, and
the person is told that it works.

How to fix: run the check that would show it, and say what it printed.

Limits: claims about tests, builds, linters, commits and pushes are judged by results in this
file; claims that all is complete or working by whether anything was checked after the last edit.
Other claims are not judged. A session that begins in the middle may hold the proof elsewhere.

Source: browser-use/browser-use#4403.
"""

from collections.abc import Iterator, Sequence

from compactctl.audit.case import Case, Subject
from compactctl.audit.rule import Rule, quote
from compactctl.audit.summaries import told
from compactctl.classify.claim_sorts import Sort, sentences_of, sort_of
from compactctl.model.audit import Confidence, Evidence, Finding, Severity
from compactctl.model.classification import CHECKS, Outcome, ResultKind, ToolResult

_KINDS = {
    Sort.TESTS: ResultKind.TEST,
    Sort.LINT: ResultKind.LINT,
    Sort.BUILD: ResultKind.BUILD,
}
_GIT = {Sort.COMMITTED: "commit", Sort.PUSHED: "push"}
_MOST = 5
"""Findings for one summary: the first of them say enough."""


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        results = [r for r in subject.classification.results if r.call_line < case.line]
        found = 0
        for sentence in _sentences(case):
            sort = sort_of(sentence)
            verdict = _unsupported(sort, results) if sort is not None else None
            if verdict is None or found >= _MOST:
                continue
            found += 1
            why, against = verdict
            yield rule.finding(
                subject,
                f"the summary of line {case.summary_line} says that it is done, but {why}",
                line=case.summary_line,
                about=sentence,
                case=case,
                evidence=(quote(case.summary_line, sentence), *_shown(against)),
                confidence=Confidence.HIGH if against is not None else Confidence.MEDIUM,
            )


def _sentences(case: Case) -> Iterator[str]:
    for line in told(case.summary):
        yield from sentences_of(line)


def _unsupported(
    sort: Sort, results: Sequence[ToolResult]
) -> tuple[str, ToolResult | None] | None:
    """Why nothing supports a claim, with the result that speaks against it; ``None``: it may."""
    if sort in _KINDS:
        return _by_check(_KINDS[sort], results)
    if sort in _GIT:
        return _by_git(_GIT[sort], results)
    if sort is Sort.FIXED:
        return _by_last_check(results)
    return None


def _by_check(
    kind: ResultKind, results: Sequence[ToolResult]
) -> tuple[str, ToolResult | None] | None:
    ran = [r for r in results if r.kind is kind]
    if any(r.outcome is Outcome.SUCCESS for r in ran):
        return None
    if not ran:
        edited = any(r.kind is ResultKind.EDIT for r in results)
        return (f"no {kind} ran before it", None) if edited else None
    failed = [r for r in ran if r.outcome is Outcome.FAILURE]
    if len(failed) < len(ran):
        return None
    return f"every {kind} before it failed", failed[-1]


def _by_git(verb: str, results: Sequence[ToolResult]) -> tuple[str, ToolResult | None] | None:
    ran = [r for r in results if r.kind is ResultKind.GIT and f"git {verb}" in r.subject]
    if not ran:
        return None
    failed = [r for r in ran if r.outcome in (Outcome.FAILURE, Outcome.REJECTED)]
    return (f"every git {verb} before it failed", failed[-1]) if len(failed) == len(ran) else None


def _by_last_check(results: Sequence[ToolResult]) -> tuple[str, ToolResult | None] | None:
    """The last check failed and nothing passed after it."""
    checks = [r for r in results if r.kind in CHECKS]
    if checks and checks[-1].outcome is Outcome.FAILURE:
        edits = [r for r in results if r.kind is ResultKind.EDIT]
        untried = bool(edits) and edits[-1].call_line > checks[-1].call_line
        return (
            "nothing was checked since the last failure"
            if untried
            else "the last check before it failed"
        ), checks[-1]
    return None


def _shown(result: ToolResult | None) -> tuple[Evidence, ...]:
    if result is None:
        return ()
    return (quote(result.result_line or result.call_line, result.one_line),)


RULE = Rule(
    code="CC104",
    name="phantom-completion",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    remedy="run the check that would show it, and say what it printed",
    check=_check,
)
