"""A tool call has no result although the session went on.

Why it matters: providers refuse a request in which a call has no result, and every later turn of
such a session fails.

How to fix: drop the call together with its message, or add a result that says what happened.

Limits: a call at the end of a session may still be running and is no finding. Some clients add
the missing result themselves when they resume.

Source: openclaw/openclaw#3243; anthropics/claude-code#24670.
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule, quote
from compactctl.model.audit import Confidence, Finding, Severity
from compactctl.model.entry import Author, Kind


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    entries = subject.transcript.entries
    answered = {(e.chain, e.call_id) for e in entries if e.kind is Kind.TOOL_RESULT}
    last: dict[str, tuple[int, str | None]] = {}
    for entry in entries:
        if entry.author is Author.ASSISTANT:
            last[entry.chain] = (entry.line, entry.message)
    for entry in entries:
        if entry.kind is not Kind.TOOL_CALL or entry.call_id is None:
            continue
        line, message = last.get(entry.chain, (0, None))
        went_on = line > entry.line and message != entry.message
        if went_on and (entry.chain, entry.call_id) not in answered:
            yield rule.finding(
                subject,
                f"the call of {entry.tool} has no result although the session went on",
                line=entry.line,
                about=entry.call_id,
                evidence=(quote(entry.line, subject.content.text(entry)),),
            )


RULE = Rule(
    code="CC201",
    name="orphan-call",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    remedy="drop the call with its message, or add a result that says what happened",
    check=_check,
)
