"""Follows one statement through a session: who said it, what became of it, who acted on it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactctl.audit.case import Case, Subject
from compactctl.audit.survival import fate_of
from compactctl.audit.wording import normal
from compactctl.model.audit import PinFate, Survival
from compactctl.model.classification import (
    Pin,
    PinKind,
    PinPlace,
    PinStatus,
    Strength,
    ToolResult,
)
from compactctl.model.entry import AUTHORITIES, Author, Kind

_ID = re.compile(r"[0-9a-f]{4,12}")
_CODE = re.compile(r"`([^`\n]{2,80})`|\b([a-z]{1,30}[A-Z]\w{0,60})|\b(\w{1,60})\(\)")
_PATH = re.compile(r"[\w./\-]{2,200}")
_JOINTS = frozenset("/._-")
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody said it."""

    line: int
    entry: str
    author: Author
    text: str


@dataclass(frozen=True, slots=True)
class Touch:
    """A later call that names what the statement names; ``in_view`` when the statement was too."""

    line: int
    result: ToolResult
    named: str
    in_view: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementTrace:
    """
    A statement through a session.

    ``fates`` pairs each compaction after it with what became of it there.
    """

    text: str
    pin: Pin | None
    places: tuple[Place, ...]
    fates: tuple[tuple[Case, PinFate], ...]
    touches: tuple[Touch, ...]


def trace(subject: Subject, wanted: str) -> tuple[StatementTrace, ...]:
    """
    Return the trace of each statement that ``wanted`` names.

    That is a pin's id (4 to 12 hex digits), a text that pins hold, or, where no pin holds it, any
    text that a person, delegator or system prompt said. Nothing said: no traces.
    """
    pins = _pins(subject, wanted)
    if pins:
        return tuple(_traced(subject, pin.text, pin, _places(subject, pin.text)) for pin in pins)
    places = _places(subject, wanted)
    return (_traced(subject, wanted, None, places),) if places else ()


def _pins(subject: Subject, wanted: str) -> list[Pin]:
    found = list(subject.classification.pins)
    if _ID.fullmatch(wanted):
        by_id = [pin for pin in found if pin.id.startswith(wanted)]
        if by_id:
            return by_id
    return [pin for pin in found if normal(wanted) in normal(pin.text)]


def _places(subject: Subject, text: str) -> tuple[Place, ...]:
    wanted = normal(text)
    return tuple(
        Place(entry.line, entry.id, entry.author, said)
        for entry in subject.transcript.entries
        if entry.author in AUTHORITIES and entry.kind is not Kind.TOOL_CALL
        for said in [subject.content.text(entry)]
        if wanted and wanted in normal(said)
    )


def _traced(
    subject: Subject, text: str, pin: Pin | None, places: tuple[Place, ...]
) -> StatementTrace:
    first = pin.line if pin else places[0].line
    followed = pin or _as_pin(text, places[0])
    fates = tuple(
        (
            case,
            fate_of(followed, case.line, case.before, case.after, case.text, opaque=case.opaque),
        )
        for case in subject.cases
        if case.line > first
    )
    touches = tuple(_touches(subject, text, first, fates))
    return StatementTrace(text=text, pin=pin, places=places, fates=fates, touches=touches)


def _as_pin(text: str, place: Place) -> Pin:
    """A statement that no rule pinned, followed as if one had."""
    return Pin(
        id="",
        kind=PinKind.CONSTRAINT,
        strength=Strength.WEAK,
        text=text,
        line=place.line,
        entry=place.entry,
        author=place.author,
        places=(PinPlace(place.line, place.entry),),
        status=PinStatus.ACTIVE,
        why="named on the command line",
    )


def _touches(
    subject: Subject, text: str, first: int, fates: Sequence[tuple[Case, PinFate]]
) -> Iterator[Touch]:
    wanted = {name.casefold() for name in _names(text)}
    for result in subject.classification.results:
        if result.call_line <= first:
            continue
        said = result.subject.casefold()
        named = next((name for name in sorted(wanted) if name and name in said), None)
        if named is not None:
            yield Touch(result.call_line, result, named, _in_view(result.call_line, fates))


def _names(text: str) -> Iterator[str]:
    """Paths, files and identifiers in a statement: what a call can be about."""
    for found in _CODE.finditer(text):
        yield next(group for group in found.groups() if group)
    for found in _PATH.finditer(text):
        name = found.group().rstrip(".-")
        if not _JOINTS.isdisjoint(name) and len(name.strip("./-")) >= _SHORTEST:
            yield name.strip("./")


def _in_view(line: int, fates: Sequence[tuple[Case, PinFate]]) -> bool | None:
    """Whether the statement stood in view at a line; ``None`` where nobody can say."""
    seen: bool | None = True
    for case, fate in fates:
        if case.line < line:
            unknown = fate.survival is Survival.UNKNOWN
            seen = None if unknown else fate.survival is not Survival.LOST
    return seen
