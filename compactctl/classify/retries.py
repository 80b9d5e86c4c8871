"""Retry loops: the same goal failing again and again, resolved or not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.model.classification import Outcome, ResultKind

MAX_GAP = 60
"""Calls of other work that may lie between two attempts."""
_MAX_TRAILS = 8
"""Goals of one program that are followed at a time: bounds the work, keeps it linear."""
_CHECKS = frozenset({ResultKind.TEST, ResultKind.BUILD, ResultKind.LINT})
_SOFT = frozenset({ResultKind.SEARCH, ResultKind.READ})
_NOT_TRIED = frozenset({Family.PLAN, Family.ASK})


@dataclass(slots=True)
class Trail:
    """Attempts at one goal, the last of them by number among the events."""

    attempts: list[Event] = field(default_factory=list)
    failures: list[Event] = field(default_factory=list)
    last: int = 0
    hard: int = 0
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """A retry loop: its failing attempts, and the attempt that ended it where one did."""

    failures: tuple[Event, ...]
    end: Event | None

    @property
    def events(self) -> tuple[Event, ...]:
        """All attempts in order."""
        return (*self.failures, self.end) if self.end else self.failures


def find_loops(events: Sequence[Event], turn_of: Sequence[int]) -> tuple[Loop, ...]:
    """
    Return loops of at least two failing attempts at the same goal, in order of their start.

    Two attempts have the same goal where tool and program are the same and their arguments are
    alike; the later is called when the earlier has answered; no new human request lies between.
    ``turn_of`` gives the turn of each event. Work is linear in the number of events.
    """
    follow = _Follower(turn_of)
    for number, event in enumerate(events):
        if event.family not in _NOT_TRIED:
            follow.take(number, event)
    return tuple(sorted(follow.finish(), key=lambda loop: loop.failures[0].at))


class _Follower:
    def __init__(self, turn_of: Sequence[int]) -> None:
        self.turn_of = turn_of
        self.trails: dict[tuple[str, str], list[Trail]] = {}
        self.found: list[Loop] = []

    def take(self, number: int, event: Event) -> None:
        outcome = event.result.outcome
        if outcome in {Outcome.UNKNOWN, Outcome.REJECTED}:
            return
        trails = self.trails.setdefault((event.result.chain, head_of(event)), [])
        trail = self._trail(trails, number, event)
        if outcome is Outcome.PENDING:
            return
        soft = outcome is Outcome.SUCCESS and event.empty and event.result.kind in _SOFT
        if event.failed or soft:
            if trail is None:
                trail = Trail()
                trails.append(trail)
                if len(trails) > _MAX_TRAILS:
                    self._close(trails.pop(0), None)
            trail.attempts.append(event)
            trail.failures.append(event)
            trail.hard += event.failed
            trail.last = number
        elif trail is not None and _settles(event, trail):
            trails.remove(trail)
            self._close(trail, event)

    def finish(self) -> Iterator[Loop]:
        for trails in self.trails.values():
            for trail in trails:
                self._close(trail, None)
        yield from self.found

    def _trail(self, trails: list[Trail], number: int, event: Event) -> Trail | None:
        for trail in reversed(trails):
            last = trail.attempts[-1]
            same_turn = self.turn_of[trail.last] == self.turn_of[number]
            near = number - trail.last <= MAX_GAP and same_turn
            if near and event.at > last.until and same_goal(last, event):
                return trail
        return None

    def _close(self, trail: Trail, end: Event | None) -> None:
        if len(trail.failures) > 1 and trail.hard:
            self.found.append(Loop(tuple(trail.failures), end))


def head_of(event: Event) -> str:
    """Return what two attempts at one goal must share: the program with its verb, or the tool."""
    if event.result.kind in _CHECKS:
        return f"{event.result.kind}"
    if event.result.kind in _SOFT and event.family in {Family.SHELL, Family.SEARCH, Family.READ}:
        return "look"
    if event.family is Family.EDIT:
        return "edit"
    return event.act


def same_goal(one: Event, other: Event) -> bool:
    """Return whether two events of the same head try for the same thing."""
    if one.result.key == other.result.key:
        return True
    if one.tests and other.tests and set(one.tests) & set(other.tests):
        return True
    if one.family is Family.EDIT:
        return bool(set(one.paths) & set(other.paths))
    if one.result.kind in _CHECKS:
        if one.result.kind is not other.result.kind:
            return False
        return one.act == other.act and (alike(one, other) >= 0.4 or _related(one, other))  # noqa: PLR2004 -- two of five words
    if one.result.kind is ResultKind.GIT:
        return True
    return alike(one, other) >= 0.4  # noqa: PLR2004 -- as above


def _related(one: Event, other: Event) -> bool:
    """Return whether one check is part of the other: same program, one names no more than it."""
    return one.terms <= other.terms or other.terms <= one.terms


def alike(one: Event, other: Event) -> float:
    """Return the share of words that two key arguments have in common, 0 to 1."""
    union = len(one.terms | other.terms)
    return len(one.terms & other.terms) / union if union else 1.0


def _settles(event: Event, trail: Trail) -> bool:
    """A success ends a trail; of checks only one that covers what failed."""
    del trail
    return event.result.outcome is Outcome.SUCCESS
