"""Where cutting is sensible, how much so and why; and the zones where it never is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from compactctl.classify.checks import (
    check_name,
    checks,
    delivers,
    edits,
    file_name,
    ran_edited,
    verifies,
)
from compactctl.classify.open_items import PlanStep
from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.classify.session import Session
from compactctl.classify.turns import Turn, turns_of
from compactctl.classify.zones import IN_A_ROW, find_zones
from compactctl.model.classification import (
    Branch,
    CutPoint,
    NoCut,
    Outcome,
)
from compactctl.model.entry import Author, Entry

_SCORES = {
    "request": 0.9,
    "end": 0.85,
    "commit": 0.8,
    "plan done": 0.8,
    "verified": 0.65,
    "step": 0.6,
    "ran": 0.55,
    "hand-off": 0.5,
}


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
    turns = turns_of(session, chain, entries)
    own = [branch for branch in branches if branch.chain == chain]
    zones = find_zones(events, turns, own, max(e.line for e in session.entries))
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


def _candidates(
    events: Sequence[Event], turns: Sequence[Turn], steps: Sequence[PlanStep], chain: str
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
    row = _Row()
    for number, event in enumerate(events):
        yield from row.end(number, event)
        result = event.result
        if result.outcome is not Outcome.SUCCESS or result.result_line is None:
            continue
        if delivers(event):
            yield CutPoint(result.result_line, _SCORES["commit"], f"{event.act} succeeded")
        elif event.family is Family.TASK:
            yield CutPoint(result.result_line, _SCORES["hand-off"], "a sub-agent reported back")
        else:
            row.take(number, event, result.result_line)
    if row.point is not None:
        yield row.point


@dataclass(slots=True)
class _Row:
    """Checks in a row, of which only the last is a place to cut."""

    edited: bool = False
    files: set[str] = field(default_factory=set)
    point: CutPoint | None = None
    at: int = 0

    def end(self, number: int, event: Event) -> Iterator[CutPoint]:
        """Yield the place that no check takes back before the event of a number."""
        over = edits(event) or number - self.at > IN_A_ROW
        if self.point is not None and over:
            yield self.point
            self.point = None
        if edits(event):
            self.edited = True
            self.files.update(map(file_name, event.paths))
        elif checks(event) and (event.failed or verifies(event)):
            self.point = None

    def take(self, number: int, event: Event, line: int) -> None:
        """Take a call that succeeded: it may say that what was edited holds."""
        if verifies(event) and self.edited:
            self.point = CutPoint(line, _SCORES["verified"], f"{check_name(event)} passed")
            self.at = number
        elif ran_edited(event, self.files):
            self.point = CutPoint(line, _SCORES["ran"], "a program ran that was edited")
            self.at = number


def _request() -> tuple[float, str]:
    return _SCORES["request"], "the turn ended and a human asked for something new"


def _end() -> tuple[float, str]:
    return _SCORES["end"], "the last turn ended"


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
