"""One pass over a transcript: every text is read once, in file order, into small values."""

from dataclasses import dataclass

from compactctl.classify.open_items import PlanReader
from compactctl.classify.results.events import Event, EventReader
from compactctl.model.entry import Author, Entry, Kind
from compactctl.model.transcript import Content, Transcript

_FLAGGED_FORMATS = frozenset({"claude-code", "pi", "anthropic"})
"""Formats that mark every failed result, so that a result without a mark has not failed."""
MAX_SPEECH = 60_000


@dataclass(frozen=True, slots=True)
class Speech:
    """A text of the assistant's or a human's; ``at`` is its position in the entries."""

    at: int
    entry: Entry
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What one pass over a transcript found."""

    entries: tuple[Entry, ...]
    events: tuple[Event, ...]
    speeches: tuple[Speech, ...]
    """Texts of the assistant."""
    requests: tuple[Speech, ...]
    """Texts of humans and delegators that ask for something."""
    plan: PlanReader


def read_session(transcript: Transcript, content: Content) -> Session:
    """Return the session of a transcript; reads the text of each entry once, in file order."""
    plan = PlanReader()
    reader = EventReader(flags=_marks_failures(transcript))
    speeches: list[Speech] = []
    requests: list[Speech] = []
    last_at: dict[str, int] = {}
    for at, entry in enumerate(transcript.entries):
        if entry.kind is Kind.TOOL_CALL:
            arguments = content.arguments(entry)
            reader.call(at, entry, content.text(entry), arguments)
            plan.call(at, entry, arguments)
            continue
        if entry.kind is Kind.TOOL_RESULT:
            reader.result(at, entry, content.text(entry))
        elif entry.kind is Kind.TEXT and entry.author is Author.ASSISTANT:
            speeches.append(Speech(at, entry, content.text(entry)[:MAX_SPEECH]))
        elif entry.kind is Kind.TEXT and entry.author in {Author.HUMAN, Author.DELEGATOR}:
            requests.append(Speech(at, entry, content.text(entry)[:MAX_SPEECH]))
        else:
            continue
        if entry.kind is not Kind.TOOL_RESULT:
            last_at[entry.chain] = at
    events = reader.events(last_at)
    return Session(
        entries=transcript.entries,
        events=events,
        speeches=tuple(speeches),
        requests=tuple(requests),
        plan=plan,
    )


def _marks_failures(transcript: Transcript) -> bool:
    if transcript.format in _FLAGGED_FORMATS:
        return True
    return any(e.failed is not None for e in transcript.entries if e.kind is Kind.TOOL_RESULT)
