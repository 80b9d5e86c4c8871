"""Where: the last good place to cut, or the reason why there is none."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from compactctl.compact.groups import Group, allowed_cuts, group_view
from compactctl.compact.material import Material, Settings
from compactctl.model.classification import CutPoint, NoCut, Outcome, ResultKind
from compactctl.model.entry import AUTHORITIES, Author, Entry, Kind

_WORKERS = frozenset({Author.ASSISTANT, Author.TOOL})
"""Whose entries a fold makes smaller; human text stays, a summary is one already."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut before position ``at`` of the view."""

    at: int
    point: CutPoint


@dataclass(frozen=True, slots=True)
class Deferred:
    """Why there is no place to cut, and when there would be."""

    reason: str
    hint: str


def choose_cut(material: Material, settings: Settings) -> Cut | Deferred:
    """
    Return the last good boundary that leaves enough of a tail.

    Never inside a group, a no-cut zone, or after a call that has no final result. Where the good
    boundaries would leave more than half of the view unfolded, the end of a complete group
    outside the no-cut zones will do.
    """
    finder = _Finder(material, settings)
    if not material.view:
        return Deferred("the view is empty", "name a session with messages")
    good = finder.last(finder.offered())
    if good and finder.head_tokens(good.at) * 2 >= material.total:
        return good
    plain = finder.last(finder.group_ends())
    best = max((c for c in (good, plain) if c), key=lambda c: c.at, default=None)
    return best if best is not None else finder.deferred()


class _Finder:
    def __init__(self, material: Material, settings: Settings) -> None:
        self.material = material
        self.settings = settings
        view = material.view
        self.groups = group_view(view)
        self.allowed = allowed_cuts(view, self.groups)
        self.sums = [0, *accumulate(material.tokens[seen.entry.id] for seen in view)]
        self.lines = [seen.entry.line for seen in view]
        # Lines of a view need not ascend (kept segments); a cut by line is one that parts them.
        self.most_before = [0, *accumulate(self.lines, max)]
        self.least_after = list(accumulate(reversed(self.lines), min))[::-1]
        self.starts = sorted(group.first for group in self.groups)
        self.limit, self.blocker = self._pending()
        self.first_work = next(
            (at for at, seen in enumerate(view) if seen.entry.author in _WORKERS), len(view)
        )

    def head_tokens(self, at: int) -> int:
        return self.sums[at] - self.sums[self._first_cuttable()]

    def offered(self) -> Iterator[Cut]:
        """Yield the boundaries that the classifier offers, latest and best first."""
        points = self.material.classification.boundaries
        for point in sorted(points, key=lambda p: (p.after_line, p.score), reverse=True):
            at = bisect_right(self.most_before, point.after_line) - 1
            if 0 < at < len(self.lines) and self.least_after[at] > point.after_line:
                yield Cut(at, point)

    def group_ends(self) -> Iterator[Cut]:
        """Yield the ends of complete groups, latest first."""
        for at in range(len(self.lines) - 1, 0, -1):
            line = self.most_before[at]
            if self.allowed[at] and self.least_after[at] > line:
                yield Cut(at, CutPoint(line, 0.2, "end of a complete step"))

    def last(self, cuts: Iterator[Cut]) -> Cut | None:
        return next((cut for cut in cuts if self._fits(cut)), None)

    def deferred(self) -> Deferred:
        if self.blocker is not None:
            return Deferred(
                f"the call at line {self.blocker.line} ({self.blocker.tool}) has no final result",
                "run again once it has answered",
            )
        zone = self._zone_in_the_way()
        if zone is not None:
            return Deferred(
                f"lines {zone.from_line} to {zone.to_line} must stay together: {zone.why}",
                "run again once that is resolved or given up",
            )
        return Deferred(
            f"no boundary leaves a tail of {self.settings.min_tail_groups} steps and "
            f"{self._tail_floor():,} tokens",
            "run again when the session has grown, or lower --keep-tail",
        )

    def _fits(self, cut: Cut) -> bool:
        at = cut.at
        return (
            self.allowed[at]
            and at <= self.limit
            and self._leaves_tail(at)
            and not self._zone(cut.point.after_line)
        )

    def _leaves_tail(self, at: int) -> bool:
        return (
            at > self.first_work
            and self.sums[-1] - self.sums[at] >= self._tail_floor()
            and self._tail_groups(at) >= self.settings.min_tail_groups
        )

    def _tail_floor(self) -> int:
        quarter = int(self.settings.max_tail_share * self.sums[-1])
        return min(self.settings.keep_tail, quarter)

    def _tail_groups(self, at: int) -> int:
        return len(self.starts) - bisect_right(self.starts, at - 1)

    def _first_cuttable(self) -> int:
        return leading_system(tuple(seen.entry for seen in self.material.view))

    def _zone(self, line: int) -> NoCut | None:
        zones = self.material.classification.no_cut
        return next((z for z in zones if z.from_line <= line < z.to_line), None)

    def _zone_in_the_way(self) -> NoCut | None:
        """The zone around the last place that would leave enough of a tail."""
        for cut in self.group_ends():
            if self._leaves_tail(cut.at):
                return self._zone(cut.point.after_line)
        return None

    def _pending(self) -> tuple[int, Entry | None]:
        """Position that no cut may pass, and the call that stands there."""
        last_human = max(
            (
                at
                for at, seen in enumerate(self.material.view)
                if seen.entry.author in AUTHORITIES and seen.entry.kind is Kind.TEXT
            ),
            default=-1,
        )
        answered = {
            (seen.entry.chain, seen.entry.call_id)
            for seen in self.material.view
            if seen.entry.kind is Kind.TOOL_RESULT
        }
        first_of = _first_positions(self.groups, len(self.material.view))
        for at, seen in enumerate(self.material.view):
            entry = seen.entry
            if entry.kind is not Kind.TOOL_CALL or entry.author is not Author.ASSISTANT:
                continue
            silent = (entry.chain, entry.call_id) not in answered and at > last_human
            if entry.call_id is not None and (silent or self._waits(entry)):
                return first_of[at], entry
        return len(self.material.view), None

    def _waits(self, entry: Entry) -> bool:
        result = self.material.result_of_entry.get(entry.id)
        return (
            result is not None
            and result.result_entry is not None
            and result.outcome is Outcome.PENDING
            # A process that still runs has answered its call; a confirmation has not.
            and result.kind is ResultKind.OTHER
        )


def leading_system(entries: Sequence[Entry]) -> int:
    """
    Return how many entries of the initial context stand before everything else.

    That is system and developer messages and what the harness put between and right behind them;
    a run of harness text alone is no initial context.
    """
    end = 0
    for at, entry in enumerate(entries, 1):
        if entry.author is Author.SYSTEM or (end and entry.author is Author.HARNESS):
            end = at
        elif entry.author is not Author.HARNESS:
            break
    return end


def _first_positions(groups: Sequence[Group], size: int) -> list[int]:
    first = list(range(size))
    for group in groups:
        for at in (group.first, group.last):
            first[at] = min(first[at], group.first)
    return first
