"""Turns the compactions recorded inside a session into cases, each with a ``Compaction``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from compactctl.audit.case import Case
from compactctl.audit.survival import fates
from compactctl.compact.comparison import decisions_between, token_report
from compactctl.compact.material import Material
from compactctl.compact.pins_there import pins_of_chains
from compactctl.compact.views import cache_impact, text_digest, view_entries
from compactctl.model.audit import PinFate, Survival
from compactctl.model.classification import Classification, CutPoint
from compactctl.model.compaction import (
    Compaction,
    Level,
    Origin,
    PinChange,
    PinDiff,
    Status,
)
from compactctl.model.entry import TELLERS, Author, Entry, Kind, View
from compactctl.model.transcript import BoundaryKind, Content, RecordedBoundary, Transcript

_JUDGED = frozenset({BoundaryKind.FULL, BoundaryKind.MICRO, BoundaryKind.SNIP})


class Viewer(Protocol):
    """What a format knows of views (``formats.base.Format.view``)."""

    def view(self, transcript: Transcript, content: Content, records: int) -> View:
        """Return what the model sees after the first ``records`` records."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A session with everything computed over all of it; ``tokens`` and ``digests`` by entry."""

    transcript: Transcript
    content: Content
    classification: Classification
    tokens: Mapping[str, int]
    digests: Mapping[str, str]
    count: "Counter"
    encoding: str


class Counter(Protocol):
    """Counts the tokens of a text."""

    def __call__(self, text: str, /) -> int:
        """Return them."""


def recorded_cases(whole: Whole, viewer: Viewer) -> tuple[Case, ...]:
    """
    Return the compactions that a session records, in order.

    A summary that stands in a session without a boundary record (old versions, continued
    sessions, message lists) counts as one: what was said before it in the file is its head.
    """
    return tuple(_case(whole, viewer, boundary) for boundary in _boundaries(whole.transcript))


def _boundaries(transcript: Transcript) -> Iterator[RecordedBoundary]:
    recorded = {b.record: b for b in transcript.boundaries if b.kind in _JUDGED}
    announced = False
    for at, record in enumerate(transcript.records):
        if at in recorded:
            announced = recorded[at].kind is BoundaryKind.FULL
            yield recorded[at]
            continue
        first = record.first_entry
        entries = transcript.entries[first : first + record.entry_count]
        if any(entry.author in TELLERS and entry.kind is Kind.TEXT for entry in entries):
            if not announced:
                yield RecordedBoundary(
                    record=at, line=record.line, kind=BoundaryKind.FULL, detail={}
                )
            announced = True
        elif any(entry.author is Author.ASSISTANT for entry in entries):
            announced = False


def _case(whole: Whole, viewer: Viewer, boundary: RecordedBoundary) -> Case:
    transcript, content = whole.transcript, whole.content
    end = _settled(transcript, boundary)
    before = viewer.view(transcript.first(boundary.record), content, boundary.record)
    after = viewer.view(transcript.first(end), content, end)
    texts = _Texts(content)
    opaque = boundary.opaque or _unreadable(boundary, before, after, texts)
    chain = transcript.records[boundary.record].chain
    found = fates(
        pins_of_chains(whole.classification.pins, frozenset({chain})),
        boundary.line,
        before,
        after,
        texts,
        opaque=opaque,
        reread=_reread(transcript),
    )
    return Case(
        line=boundary.line,
        source="compactctl" if boundary.ours else transcript.format,
        recorded=boundary,
        compaction=_compaction(whole, boundary, before, after, found),
        before=before,
        after=after,
        fates=found,
        opaque=opaque,
        text=texts,
    )


class _Texts:
    """Reads what a view shows; one text is kept, for the same one is asked for in turn."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def __call__(self, entry: Entry, shown: str | None) -> str:
        return self._content.text(entry) if shown is None else shown


def _settled(transcript: Transcript, boundary: RecordedBoundary) -> int:
    """
    Number of records up to where the compaction is complete.

    Its summary and what the harness puts back follow the boundary; it is over where the
    assistant or a person speaks.
    """
    chain = transcript.records[boundary.record].chain
    for at in range(boundary.record + 1, len(transcript.records)):
        record = transcript.records[at]
        if record.chain != chain:
            continue
        entries = transcript.entries[record.first_entry : record.first_entry + record.entry_count]
        if any(e.author in (Author.ASSISTANT, Author.HUMAN, Author.DELEGATOR) for e in entries):
            return at
    return len(transcript.records)


def _unreadable(boundary: RecordedBoundary, before: View, after: View, texts: _Texts) -> bool:
    """A full compaction after which neither a summary nor any earlier entry can be read."""
    if boundary.kind is not BoundaryKind.FULL:
        return False
    known = {seen.entry.id for seen in before}
    return not any(
        seen.entry.author in TELLERS and texts(seen.entry, seen.shown).strip()
        for seen in after
        if seen.entry.id not in known
    ) and len(after) < len(before)


def _reread(transcript: Transcript) -> frozenset[str]:
    """System prompts, which every request holds; an attached instruction file comes back only
    where it is attached again.
    """
    return frozenset(
        entry.id
        for entry in transcript.entries
        if entry.author is Author.SYSTEM
        and not transcript.records[entry.record].type.startswith("attachment")
    )


def _compaction(
    whole: Whole,
    boundary: RecordedBoundary,
    before: View,
    after: View,
    found: tuple[PinFate, ...],
) -> Compaction:
    old, new = _material(whole, before), _material(whole, after)
    old_entries, new_entries = view_entries(old), view_entries(new)
    decisions = decisions_between(old, new, old_entries, new_entries)
    cleared = boundary.kind in (BoundaryKind.MICRO, BoundaryKind.SNIP)
    return Compaction(
        origin=Origin.RECORDED,
        path=whole.transcript.path,
        format=whole.transcript.format,
        sha256=whole.transcript.sha256,
        conversation=whole.transcript.conversation,
        status=Status.COMPACTED,
        reason=f"recorded at line {boundary.line}"
        + (f", trigger {boundary.trigger}" if boundary.trigger else ""),
        level=Level.CLEAR if cleared else Level.SUMMARIZE,
        boundary=None if cleared else _cut(whole, boundary),
        no_cut=tuple(
            z for z in whole.classification.no_cut if z.from_line < boundary.line <= z.to_line
        ),
        before=old_entries,
        after=new_entries,
        decisions=decisions,
        pins_before=tuple(fate.pin for fate in found),
        pins_after=tuple(f.pin for f in found if f.survival is Survival.VERBATIM),
        pins=_pin_diff(found),
        tokens=token_report(old, new, decisions),
        cache=cache_impact(old_entries, new_entries),
        extra={
            "recorded_before": boundary.tokens_before,
            "recorded_after": boundary.tokens_after,
        },
    )


def _cut(whole: Whole, boundary: RecordedBoundary) -> CutPoint:
    """The offered boundary that the recorded one used, or one of score 0."""
    earlier = [r.line for r in whole.transcript.records[: boundary.record] if r.entry_count]
    last = earlier[-1] if earlier else boundary.line
    offered = [p for p in whole.classification.boundaries if p.after_line <= last]
    near = [p for p in offered if not _work_between(whole, p.after_line, last)]
    best = max(near, key=lambda p: (p.score, p.after_line), default=None)
    return best or CutPoint(last, 0.0, "no good place: work was under way")


def _work_between(whole: Whole, start: int, end: int) -> bool:
    return any(start < r.call_line <= end for r in whole.classification.results)


def _pin_diff(found: tuple[PinFate, ...]) -> PinDiff:
    held = [fate for fate in found if fate.held]
    changed = (Survival.ALTERED, Survival.PARTIAL)
    return PinDiff(
        kept=tuple(f.pin for f in held if f.survival is Survival.VERBATIM),
        changed=tuple(
            PinChange(before=f.pin, after=replace(f.pin, text=f.shown))
            for f in held
            if f.survival in changed
        ),
        removed=tuple(f.pin for f in held if f.survival is Survival.LOST),
    )


def _material(whole: Whole, view: View) -> Material:
    shown = {seen.entry.id: seen.shown for seen in view if seen.shown is not None}
    tokens = {i: whole.count(text) for i, text in shown.items()}
    digests = {i: text_digest(text) for i, text in shown.items()}
    return Material(
        transcript=whole.transcript,
        view=view,
        classification=whole.classification,
        content=whole.content,
        tokens={**whole.tokens, **tokens},
        digests={**whole.digests, **digests},
        count=whole.count,
        encoding=whole.encoding,
    )
