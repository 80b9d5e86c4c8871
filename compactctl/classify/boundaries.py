"""Where cutting is sensible, how much so and why; and the zones where it never is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

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

_CHECKS = frozenset({ResultKind.TEST, ResultKind.BUILD, ResultKind.LINT})
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
_DELIVERS = frozenset({"commit", "push", "merge", "tag"})


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
    for point in _candidates(events, turns, steps, chain):
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
    """Return whether a client speaks for its user: its text right after the assistant's."""
    return (
        before is not None
        and before.author is Author.ASSISTANT
        and before.kind is Kind.TEXT
        and entry.author is Author.HARNESS
        and entry.kind is Kind.TEXT
    )


def _turn(entries: Sequence[tuple[int, Entry]]) -> _Turn:
    said = next((e for _, e in reversed(entries) if e.author is Author.ASSISTANT), None)
    return _Turn(
        first=entries[0][0],
        last=entries[-1][0],
        first_line=entries[0][1].line,
        last_line=max(e.line for _, e in entries),
        answered=said is not None and said.kind is Kind.TEXT,
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
    for event in events:
        result = event.result
        if result.kind is ResultKind.EDIT and result.outcome is Outcome.SUCCESS:
            edited = True
        if result.outcome is not Outcome.SUCCESS or result.result_line is None:
            continue
        if _delivers(event):
            yield CutPoint(result.result_line, _SCORES["commit"], f"{event.act} succeeded")
        elif _verifies(event) and edited:
            yield CutPoint(result.result_line, _SCORES["verified"], f"{event.act} passed")
        elif event.family is Family.TASK:
            yield CutPoint(result.result_line, _SCORES["hand-off"], "a sub-agent reported back")


def _verifies(event: Event) -> bool:
    """Return whether a passed check says that the work holds; a formatter says nothing of it."""
    if event.result.kind is ResultKind.TEST:
        return True
    return event.result.kind is ResultKind.LINT and not _FORMATS.search(event.act)


_FORMATS = re.compile(
    r"(?:^|[\s:._-])(?:fmt|gofmt|format\w*|prettier|black|isort|rustfmt|shfmt)\b"
)


def _request() -> tuple[float, str]:
    return _SCORES["request"], "the turn ended and a human asked for something new"


def _end() -> tuple[float, str]:
    return _SCORES["end"], "the last turn ended"


def _delivers(event: Event) -> bool:
    if event.result.kind is ResultKind.GIT:
        return any(
            words[0] == "git" and len(words) > 1 and words[1] in _DELIVERS for words in event.steps
        )
    return event.act.endswith(("pr create", "pr merge", "release create", "mr create"))


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
    """Finds the turn of a position without walking all turns again."""

    def __init__(self, turns: Sequence[_Turn]) -> None:
        self.turns = turns
        self.at = 0

    def of(self, position: int) -> _Turn:
        if self.turns[self.at].first > position:
            self.at = 0
        while self.at + 1 < len(self.turns) and self.turns[self.at + 1].first <= position:
            self.at += 1
        return self.turns[self.at]


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
        if kind not in _CHECKS:
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
    """From an edit to the check, commit or end of turn that closes it."""
    first: Event | None = None
    for event in events:
        result = event.result
        if first is not None and ends.of(first.at) is not ends.of(event.at):
            yield NoCut(first.line, ends.of(first.at).last_line, "edits are not verified")
            first = None
        if result.kind is ResultKind.EDIT and result.outcome is Outcome.SUCCESS:
            first = first or event
        elif (
            first is not None
            and result.outcome is Outcome.SUCCESS
            and (_verifies(event) or _delivers(event))
        ):
            yield NoCut(first.line, event.end_line, "edits are not verified until here")
            first = None
    if first is not None:
        yield NoCut(first.line, ends.of(first.at).last_line, "edits are not verified")


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
        spans = [(z.from_line, z.to_line) for z in zones]
        spans += [(e.line, e.end_line) for e in events]
        spans += _message_spans(entries)
        size = max(max(to for _, to in spans) if spans else 0, entries[-1][1].line) + 2
        change = [0] * (size + 1)
        for start, to in spans:
            change[start] += 1
            change[min(to, size)] -= 1
        self.closed = list(accumulate(change))

    def after(self, line: int) -> bool:
        return line < len(self.closed) and self.closed[line] == 0


def _message_spans(entries: Sequence[tuple[int, Entry]]) -> list[tuple[int, int]]:
    """Return first and last line of each assistant message."""
    spans: dict[str, list[int]] = {}
    for _, entry in entries:
        if entry.author is Author.ASSISTANT and entry.message is not None:
            lines = spans.setdefault(entry.message, [entry.line, entry.line])
            lines[1] = max(lines[1], entry.line)
    return [(first, last) for first, last in spans.values()]
