"""Where cutting is sensible, how much so and why; and the zones where it never is."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from compactctl.classify.checks import (
    CHECKS,
    changes_behaviour,
    check_name,
    checks,
    delivers,
    edits,
    verifies,
)
from compactctl.classify.open_items import PlanStep
from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.classify.retries import covers
from compactctl.classify.session import Session
from compactctl.model.classification import (
    Branch,
    BranchKind,
    CutPoint,
    NoCut,
    Outcome,
    ResultKind,
)
from compactctl.model.entry import Author, Entry, Kind

_SCORES = {
    "request": 0.9,
    "end": 0.85,
    "commit": 0.8,
    "plan done": 0.8,
    "verified": 0.65,
    "step": 0.6,
    "hand-off": 0.5,
    "asked": 0.7,
}
IN_A_ROW = 4
"""Calls that may lie between two checks of one row."""
_READ_FOR = 8
"""Calls between a file's reading and its edit that the reading was for."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """What lies between two human requests: entry positions and lines, first and last."""

    first: int
    last: int
    first_line: int
    last_line: int
    answered: bool
    """It ends with words of the assistant's."""


def find_boundaries(
    session: Session, branches: Sequence[Branch], steps: Sequence[PlanStep]
) -> tuple[tuple[CutPoint, ...], tuple[NoCut, ...]]:
    """
    Return cut points by line, and zones, of the main chain.

    No cut point lies in a zone, inside a group, or between a call and its result.
    """
    chain = main_chain(session.entries)
    entries = [(at, e) for at, e in enumerate(session.entries) if e.chain == chain]
    if not entries:
        return (), ()
    events = [e for e in session.events if e.result.chain == chain]
    turns = _turns(session, chain, entries)
    zones = _merged([*_zones(events, turns, session, chain), *_of_loops(branches, chain)])
    allowed = _Allowed(entries, events, zones)
    best: dict[int, CutPoint] = {}
    for candidate in _candidates(events, turns, steps, chain):
        point = replace(candidate, after_line=allowed.end_of_group(candidate.after_line))
        if allowed.after(point.after_line):
            known = best.get(point.after_line)
            if known is None or point.score > known.score:
                best[point.after_line] = point
    return tuple(best[line] for line in sorted(best)), zones


def main_chain(entries: Sequence[Entry]) -> str:
    """Return the chain that a compaction would compact: the main one, else the first."""
    return "" if not entries or any(not e.chain for e in entries) else entries[0].chain


def _turns(session: Session, chain: str, entries: Sequence[tuple[int, Entry]]) -> list[_Turn]:
    starts = {s.at for s in session.requests if s.entry.chain == chain}
    turns: list[_Turn] = []
    current: list[tuple[int, Entry]] = []
    talked = False
    for at, entry in entries:
        before = current[-1][1] if current else None
        if talked and (at in starts or _hands_over(before, entry)):
            turns.append(_turn(current))
            current, talked = [], False
        current.append((at, entry))
        talked = talked or entry.author is Author.ASSISTANT
    if current:
        turns.append(_turn(current))
    return turns


def _hands_over(before: Entry | None, entry: Entry) -> bool:
    """Return whether a client speaks, or writes a summary, right after the assistant's words."""
    return (
        before is not None
        and before.author is Author.ASSISTANT
        and before.kind is Kind.TEXT
        and entry.author in {Author.HARNESS, Author.SUMMARY, Author.CARRIED}
        and entry.kind is Kind.TEXT
    )


def _turn(entries: Sequence[tuple[int, Entry]]) -> _Turn:
    work = {Author.ASSISTANT, Author.TOOL}
    last = next((e for _, e in reversed(entries) if e.author in work), None)
    return _Turn(
        first=entries[0][0],
        last=entries[-1][0],
        first_line=entries[0][1].line,
        last_line=max(e.line for _, e in entries),
        answered=last is not None and last.author is Author.ASSISTANT and last.kind is Kind.TEXT,
    )


def _candidates(
    events: Sequence[Event], turns: Sequence[_Turn], steps: Sequence[PlanStep], chain: str
) -> Iterator[CutPoint]:
    for number, turn in enumerate(turns):
        last = number == len(turns) - 1
        if turn.answered:
            yield CutPoint(turn.last_line, *(_end() if last else _request()))
    yield from _of_results(events)
    by_line = {e.line: e for e in events if e.family is Family.PLAN}
    for step in steps:
        plan = by_line.get(step.line)
        if step.chain == chain and plan is not None and plan.result.result_line is not None:
            word = "plan done" if step.all_done else "step"
            yield CutPoint(
                plan.result.result_line, _SCORES[word], f"plan step completed: {step.text[:80]}"
            )


def _of_results(events: Sequence[Event]) -> Iterator[CutPoint]:
    edited = False
    row: tuple[int, CutPoint] | None = None
    for number, event in enumerate(events):
        result = event.result
        edited = edited or edits(event)
        again = checks(event) and row is not None and number - row[0] <= IN_A_ROW
        if row is not None and not again and (edits(event) or number - row[0] > IN_A_ROW):
            yield row[1]
            row = None
        if again and (event.failed or verifies(event)):
            row = None
        if result.outcome is not Outcome.SUCCESS or result.result_line is None:
            continue
        if delivers(event):
            yield CutPoint(result.result_line, _SCORES["commit"], f"{event.act} succeeded")
        elif verifies(event) and edited:
            point = CutPoint(
                result.result_line, _SCORES["verified"], f"{check_name(event)} passed"
            )
            row = number, point
        elif event.family is Family.TASK:
            yield CutPoint(result.result_line, _SCORES["hand-off"], "a sub-agent reported back")
    if row is not None:
        yield row[1]


def _request() -> tuple[float, str]:
    return _SCORES["request"], "the turn ended and a human asked for something new"


def _end() -> tuple[float, str]:
    return _SCORES["end"], "the last turn ended"


def _zones(
    events: Sequence[Event], turns: Sequence[_Turn], session: Session, chain: str
) -> Iterator[NoCut]:
    del chain
    ends = _TurnEnds(turns)
    last_line = max(e.line for e in session.entries)
    yield from _waiting(events, ends, last_line)
    yield from _failing(events, ends)
    yield from _unverified(events, ends)


class _TurnEnds:
    """Finds the turn of a position."""

    def __init__(self, turns: Sequence[_Turn]) -> None:
        self.turns = turns
        self.firsts = [turn.first for turn in turns]

    def of(self, position: int) -> _Turn:
        return self.turns[max(0, bisect_right(self.firsts, position) - 1)]


def _waiting(events: Sequence[Event], ends: _TurnEnds, last_line: int) -> Iterator[NoCut]:
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


def _failing(events: Sequence[Event], ends: _TurnEnds) -> Iterator[NoCut]:
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


def _unverified(events: Sequence[Event], ends: _TurnEnds) -> Iterator[NoCut]:
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
        elif work is not None and not changes:
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
    turn: _Turn
    passed: Event | None = None
    at: int = 0
    delivered: bool = False

    def ends_before(self, number: int, turn: _Turn, *, changes: bool) -> bool:
        """Return whether what was verified is complete before the event of a number."""
        late = self.passed is not None and (changes or number - self.at > IN_A_ROW)
        return turn is not self.turn or late

    def take(self, number: int, event: Event) -> None:
        success = event.result.outcome is Outcome.SUCCESS
        if success and (verifies(event) or delivers(event)):
            self.passed, self.at = event, number
            self.delivered = delivers(event)
        elif checks(event) and event.failed:
            self.passed = None

    def zone(self) -> NoCut:
        if self.passed is None:
            return NoCut(self.start, self.turn.last_line, "edits are not verified")
        return NoCut(self.start, self.passed.end_line, "edits are not verified until here")


def _read_for(
    edit: Event, number: int, read: Mapping[str, tuple[int, Event]], ends: _TurnEnds
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


def _of_loops(branches: Sequence[Branch], chain: str) -> Iterator[NoCut]:
    for branch in branches:
        if branch.chain == chain and branch.kind is BranchKind.RETRY_LOOP:
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


class _Allowed:
    """Whether a cut after a line parts no group, no call from its result, and no zone."""

    def __init__(
        self,
        entries: Sequence[tuple[int, Entry]],
        events: Sequence[Event],
        zones: Sequence[NoCut],
    ) -> None:
        closed = [(z.from_line, z.to_line) for z in zones]
        spans = [(e.line, e.end_line) for e in events]
        spans += _message_spans(entries)
        most = max((to for _, to in (*closed, *spans)), default=0)
        self.size = max(most, entries[-1][1].line) + 2
        self.parted = self._depths(spans)
        self.closed = self._depths([*closed, *spans])
        self.ends = list(range(self.size + 1))
        for line in range(self.size - 1, -1, -1):
            if self.parted[line]:
                self.ends[line] = self.ends[line + 1]

    def _depths(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        change = [0] * (self.size + 1)
        for start, to in spans:
            change[start] += 1
            change[min(to, self.size)] -= 1
        return list(accumulate(change))

    def end_of_group(self, line: int) -> int:
        """Return the line where the group ends that a line lies in."""
        return self.ends[line] if line < len(self.ends) else line

    def after(self, line: int) -> bool:
        return line < len(self.closed) and self.closed[line] == 0


def _message_spans(entries: Sequence[tuple[int, Entry]]) -> list[tuple[int, int]]:
    """Return first and last line of each assistant message, with a tool's answer in plain text."""
    spans: dict[str, list[int]] = {}
    said: list[int] = []
    for _, entry in entries:
        if entry.author is Author.TOOL and entry.call_id is None and said:
            said[1] = max(said[1], entry.line)
        said = []
        if entry.author is Author.ASSISTANT and entry.message is not None:
            lines = spans.setdefault(entry.message, [entry.line, entry.line])
            lines[1] = max(lines[1], entry.line)
            said = lines
    return [(first, last) for first, last in spans.values()]
