"""A summary quotes the person with words that the person never typed.

Why it matters: what the person said binds. An approval or order that a summary makes up is
obeyed like a real one, and later summaries cite it as evidence.

How to fix: treat the quotation as not said; ask the person.

Limits: only quotations are judged, by words, against everything that people typed in this file
before the summary. Quotations in a session that begins in the middle, or that an earlier summary
already held, cannot be checked and are not reported again. A quotation with some words changed
is no invention.

Source: anthropics/claude-code#46602, #20920, #87937.
"""

import re
from collections.abc import Iterator, Sequence

from compactctl.audit.case import Case, Subject
from compactctl.audit.rule import Rule, quote
from compactctl.audit.summaries import quotations
from compactctl.audit.wording import Reading, words
from compactctl.model.audit import Confidence, Finding, Severity, Survival
from compactctl.model.entry import TELLERS

_GAP = re.compile(r"\.{3}|…|\[[^\]\n]{0,40}\]")


def _check(rule: Rule, subject: Subject) -> Iterator[Finding]:
    if _begins_midway(subject):
        return
    for case in subject.cases:
        said = [text for entry, text in subject.human_texts if entry.line < case.line]
        readings = [Reading(text) for text in said]
        told = Reading("\n".join(_earlier_summaries(case)))
        reported: set[str] = set()
        for quoted in quotations(case.summary):
            if quoted in reported or told.holds(quoted) or _was_said(quoted, readings):
                continue
            reported.add(quoted)
            yield rule.finding(
                subject,
                f"the summary of line {case.summary_line} quotes the user with words that nobody "
                "typed before it",
                line=case.summary_line,
                about=quoted,
                case=case,
                evidence=(quote(case.summary_line, quoted),),
                confidence=Confidence.HIGH if not _like_any(quoted, said) else Confidence.MEDIUM,
            )


def _was_said(quoted: str, readings: Sequence[Reading]) -> bool:
    pieces = [piece for piece in _GAP.split(quoted) if words(piece)]
    return all(any(_holds(reading, piece) for reading in readings) for piece in pieces)


def _holds(reading: Reading, piece: str) -> bool:
    return reading.trace(piece).survival in (Survival.VERBATIM, Survival.ALTERED, Survival.PARTIAL)


def _like_any(quoted: str, said: Sequence[str]) -> bool:
    wanted = set(words(quoted))
    return any(len(wanted & set(words(text))) * 2 >= len(wanted) for text in said)


def _earlier_summaries(case: Case) -> Iterator[str]:
    for seen in case.before:
        if seen.entry.author in TELLERS:
            yield case.text(seen.entry, seen.shown)


def _begins_midway(subject: Subject) -> bool:
    """The first linked record answers one that is not there, or the file opens with a summary."""
    records = subject.transcript.records
    known = {r.uuid for r in records if r.uuid}
    linked = next((r for r in records if r.uuid), None)
    opened = next(iter(subject.transcript.entries), None)
    continued = linked is not None and linked.parent is not None and linked.parent not in known
    return continued or opened is None or opened.author in TELLERS


RULE = Rule(
    code="CC103",
    name="invented-user-text",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    remedy="treat the quotation as not said, and ask the person",
    check=_check,
)
