"""Auditing open sessions: the recorded compactions and what the rules say of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from compactctl.audit.case import Subject
from compactctl.audit.recorded import Whole, recorded_cases
from compactctl.audit.rule import Rule
from compactctl.audit.rules import RULES
from compactctl.audit.verdicts import judge
from compactctl.engine.sessions import Session
from compactctl.model.audit import Finding
from compactctl.model.entry import TELLERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What an audit of one conversation gives."""

    subject: Subject
    findings: tuple[Finding, ...]


def audit(session: Session, rules: Iterable[Rule] = RULES) -> Audit:
    """Return the audit of a session, over all compactions that it records."""
    subject = subject_of(session)
    return Audit(subject=subject, findings=judge(subject, rules))


def subject_of(session: Session) -> Subject:
    """Return a session with its recorded compactions as cases."""
    transcript, content = session.transcript, session.content
    tells = transcript.boundaries or any(e.author in TELLERS for e in transcript.entries)
    tokens, digests = session.counted_entries() if tells else ({}, {})
    whole = Whole(
        transcript=transcript,
        content=content,
        classification=session.classification,
        tokens=tokens,
        digests=digests,
        count=session.counter.count,
        encoding=session.counter.encoding,
    )
    return Subject(
        transcript=transcript,
        content=content,
        classification=session.classification,
        cases=recorded_cases(whole, session.format),
    )
