"""An approach that failed before a compaction is not mentioned after it.

Why it matters: an agent that does not know what was tried tries it again.

How to fix: keep one line for each abandoned approach, with the exact error, across compactions.

Limits: an approach counts as mentioned where its exact error, or most telling words of what was
tried, stand in view afterwards. Attempts that succeeded in the end are not watched.

Source: reports of repeated dead ends (anthropics/claude-code#13642, openclaw/openclaw#1084).
"""

from collections.abc import Iterator

from compactctl.audit.case import Case, Subject
from compactctl.audit.rule import Rule, quote
from compactctl.model.audit import Confidence, Finding, Severity, Survival
from compactctl.model.classification import Branch

_FOUND = (Survival.VERBATIM, Survival.ALTERED)


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for case in subject.cases:
        for branch in subject.classification.branches:
            held = branch.entry in case.before_ids and branch.entry not in case.after_ids
            if branch.end_line >= case.line or not held or branch.resolved:
                continue
            if _mentioned(branch, case):
                continue
            yield rule.finding(
                subject,
                f"an approach given up at line {branch.end_line} is not mentioned after the "
                f"compaction of line {case.line}",
                line=case.summary_line,
                about=f"{branch.what} {branch.failure}",
                case=case,
                evidence=(
                    quote(branch.start_line, branch.what),
                    quote(branch.end_line, branch.failure),
                ),
            )


def _mentioned(branch: Branch, case: Case) -> bool:
    reading = case.after_reading
    return any(
        text.strip() and reading.trace(text).survival in _FOUND
        for text in (branch.failure, branch.what)
    )


RULE = Rule(
    code="CC106",
    name="abandoned-approach-lost",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    remedy="keep one line for it, with the exact error",
    check=_check,
)
