"""Zones in which no cut is allowed: work that has begun and is not verified, settled or over."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from compactctl.classify.checks import (
    changes_behaviour,
    checks,
    delivers,
    file_name,
    ran_edited,
    verifies,
)
from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.classify.retries import covers
from compactctl.classify.turns import Turn, TurnEnds
from compactctl.model.classification import CHECKS, Branch, BranchKind, NoCut, Outcome, ResultKind

IN_A_ROW = 4
"""Calls that may lie between two checks of one row."""
_READ_FOR = 8
"""Calls between a file's reading and its edit that the reading was for."""


def find_zones(
    events: Sequence[Event], turns: Sequence[Turn], branches: Sequence[Branch], last_line: int
) -> tuple[NoCut, ...]:
    """Return the zones of one chain by line; none lies within another."""
    ends = TurnEnds(turns)
    return _merged(
        [
            *_waiting(events, ends, last_line),
            *_failing(events, ends),
            *_unverified(events, ends),
            *_of_loops(branches),
        ]
    )


def _waiting(events: Sequence[Event], ends: TurnEnds, last_line: int) -> Iterator[NoCut]:
    """From a call that still runs to its end, or to the end of its turn."""
    for number, event in enumerate(events):
        result = event.result
        if result.outcome is not Outcome.PENDING:
            continue
        if result.result_line is None:
            yield NoCut(result.call_line, last_line + 1, "a call has no result yet")
            continue
        turn = ends.of(event.at)
        settled = next(
            (
                later
                for later in events[number + 1 : number + 30]
                if later.result.key == result.key and later.result.outcome is not Outcome.PENDING
            ),
            None,
        )
        # A process that is never asked for again was left running on purpose.
        if settled is not None and settled.at <= turn.last:
            yield NoCut(result.call_line, settled.end_line, "a process still runs")


def _failing(events: Sequence[Event], ends: TurnEnds) -> Iterator[NoCut]:
    """From a failing check to the check that passes, or to the end of the turn."""
    open_at: dict[ResultKind, Event] = {}
    for event in events:
        kind = event.result.kind
        if kind not in CHECKS:
            continue
        first = open_at.get(kind)
        if first is not None and ends.of(first.at) is not ends.of(event.at):
            yield NoCut(first.line, ends.of(first.at).last_line, f"a {kind} fails")
            del open_at[kind]
            first = None
        if event.failed:
            open_at.setdefault(kind, event)
        elif (
            first is not None and event.result.outcome is Outcome.SUCCESS and covers(event, first)
        ):
            yield NoCut(first.line, event.end_line, f"a {kind} fails until here")
            del open_at[kind]
    for kind, event in open_at.items():
        yield NoCut(event.line, ends.of(event.at).last_line, f"a {kind} fails")


def _unverified(events: Sequence[Event], ends: TurnEnds) -> Iterator[NoCut]:
    """
    From an edit to the check, commit or end of turn that closes it.

    What was read for the edit belongs to it: without the text the edit cannot be made. Checks in
    a row are one: the work is verified when the last of them has passed.
    """
    work: _Work | None = None
    read: dict[str, tuple[int, Event]] = {}
    for number, event in enumerate(events):
        if event.family is Family.READ and event.result.outcome is Outcome.SUCCESS:
            read[event.result.subject] = number, event
        changes = changes_behaviour(event)
        if work is not None and work.ends_before(number, ends.of(event.at), changes=changes):
            yield work.zone()
            work = None
        if changes and work is None:
            work = _Work(_read_for(event, number, read, ends), ends.of(event.at))
        if work is not None and changes:
            work.files.update(map(file_name, event.paths))
        elif work is not None:
            work.take(number, event)
            if work.delivered:
                yield work.zone()
                work = None
    if work is not None:
        yield work.zone()


@dataclass(slots=True)
class _Work:
    """Edits that are not verified yet: where they begin, and the last check that passed."""

    start: int
    turn: Turn
    files: set[str] = field(default_factory=set)
    passed: Event | None = None
    at: int = 0
    delivered: bool = False

    def ends_before(self, number: int, turn: Turn, *, changes: bool) -> bool:
        """Return whether what was verified is complete before the event of a number."""
        late = self.passed is not None and (changes or number - self.at > IN_A_ROW)
        return turn is not self.turn or late

    def take(self, number: int, event: Event) -> None:
        """Take a later call: it may verify the edits or hand them on."""
        success = event.result.outcome is Outcome.SUCCESS
        if success and delivers(event):
            self.passed = self.passed or event
            self.delivered = True
        elif success and (verifies(event) or ran_edited(event, self.files)):
            self.passed, self.at = event, number
        elif checks(event) and event.failed:
            self.passed = None

    def zone(self) -> NoCut:
        if self.passed is None:
            return NoCut(self.start, self.turn.last_line, "edits are not verified")
        return NoCut(self.start, self.passed.end_line, "edits are not verified until here")


def _read_for(
    edit: Event, number: int, read: Mapping[str, tuple[int, Event]], ends: TurnEnds
) -> int:
    """Return the line where an edit begins: with the reading of its files right before it."""
    lines = [edit.line]
    for path in edit.paths:
        if (known := read.get(path)) is None:
            continue
        at, event = known
        if number - at <= _READ_FOR and ends.of(event.at) is ends.of(edit.at):
            lines.append(event.line)
    return min(lines)


def _of_loops(branches: Sequence[Branch]) -> Iterator[NoCut]:
    for branch in branches:
        if branch.kind is BranchKind.RETRY_LOOP:
            why = "retry loop" if branch.resolved else "retry loop, not resolved"
            yield NoCut(branch.start_line, branch.end_line, why)


def _merged(zones: Sequence[NoCut]) -> tuple[NoCut, ...]:
    """Return the zones by line; one that lies within another is left out."""
    kept: list[NoCut] = []
    for zone in sorted(zones, key=lambda z: (z.from_line, -z.to_line)):
        if zone.from_line >= zone.to_line or (kept and zone.to_line <= kept[-1].to_line):
            continue
        kept.append(zone)
    return tuple(kept)
