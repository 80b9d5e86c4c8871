"""Bytes of the session are broken: torn lines, NUL bytes, lone surrogates and the like.

Why it matters: readers stop at such a place, or drop what follows, and a lone surrogate makes
every later request fail.

How to fix: take the session from a snapshot or backup; ``compactctl run --repair`` replaces lone
surrogates in its output.

Limits: rows that a client wrote twice, links to rows outside the file and records glued onto one
line are no damage here: all of them are read. A torn last line is a note: the writer may still be
at work.

Source: anthropics/claude-code#49876, #50347, #56064.
"""

from collections.abc import Iterator

from compactctl.audit.case import Subject
from compactctl.audit.rule import Rule
from compactctl.model.audit import Confidence, Finding, Severity
from compactctl.model.damage import DamageKind

_OTHER = frozenset(
    {
        DamageKind.DUPLICATE_UUID,
        DamageKind.DANGLING_PARENT,
        DamageKind.UNEXPECTED_SHAPE,
        DamageKind.GLUED,
        DamageKind.BOM,
    }
)
"""Nothing is lost by these: they are read as what they stand for."""


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    for fault in subject.transcript.damage:
        if fault.kind in _OTHER:
            continue
        torn = fault.kind is DamageKind.TRUNCATED
        yield rule.finding(
            subject,
            f"{fault.kind} at byte {fault.byte_offset:,}, {fault.length:,} bytes",
            line=fault.line,
            about=f"{fault.kind} {fault.length}",
            severity=Severity.NOTE if torn else None,
        )


RULE = Rule(
    code="CC205",
    name="damage",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    remedy="take the session from a snapshot, or repair it with compactctl run --repair",
    check=_check,
)
