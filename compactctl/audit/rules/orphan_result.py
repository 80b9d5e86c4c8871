"""A tool result answers a call that is not there.

Why it matters: providers refuse a request that holds a result without its call.

How to fix: drop the result, or restore the call from a snapshot.

Limits: a session that begins in the middle may hold results of calls before its first line.

Source: openclaw/openclaw#3243; anomalyco/opencode#8525.
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule, quote
from compactctl.model.audit import Confidence, Finding, Severity
from compactctl.model.entry import Kind


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    entries = subject.transcript.entries
    called = {e.call_id for e in entries if e.kind is Kind.TOOL_CALL}
    for entry in entries:
        if entry.kind is not Kind.TOOL_RESULT or entry.call_id is None:
            continue
        if entry.call_id not in called:
            yield rule.finding(
                subject,
                f"a result answers the call {entry.call_id}, which is not there",
                line=entry.line,
                about=entry.call_id,
                evidence=(quote(entry.line, subject.content.text(entry)),),
            )


RULE = Rule(
    code="CC202",
    name="orphan-result",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    remedy="drop the result, or restore the call from a snapshot",
    check=_check,
)
