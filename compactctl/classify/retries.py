"""Retry loops: the same goal failing again and again, resolved or not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.model.classification import CHECKS, Outcome, ResultKind

MAX_GAP = 60
"""Calls of other work that may lie between two attempts."""
_MAX_TRAILS = 8
"""Goals of one program that are followed at a time: bounds the work, keeps it linear."""
_SOFT = frozenset({ResultKind.SEARCH, ResultKind.READ, ResultKind.WEB})
_STAGING = frozenset({"git add", "git commit", "git rm", "git mv"})
_ENOUGH = 0.4
"""Share of words that two calls for the same thing have in common: two of five."""
_MATTER = 6
"""Characters of a word that names a matter, not an option."""
_CAUSE = 12
"""Characters of an error that names a cause."""
_SAYS_LITTLE = re.compile(
    r"exit code|(?:FAIL|ERROR|Error|error|failed)\W*$|.{0,40}\b(?:parse|syntax) error|"
    r".{0,80}command not found"
)
_NOT_TRIED = frozenset({Family.PLAN, Family.ASK})


@dataclass(slots=True)
class Trail:
    """Attempts at one goal, the last of them by number among the events."""

    failures: list[Event] = field(default_factory=list)
    beside: list[Event] = field(default_factory=list)
    """Calls for the same thing that were made at once with an attempt and failed as it did."""
    last: int = 0
    hard: int = 0
    closed: bool = False


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
    alike, or where another program fails with the same error at the same matter; the later is
    called when the earlier has answered; no new human request lies between. Calls made at once
    are one attempt, unless the very same is made again. ``turn_of`` gives the turn of each event.
    Work is linear in the number of events.
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
        self.by_error: dict[tuple[str, str], Trail] = {}
        self.found: list[Loop] = []

    def take(self, number: int, event: Event) -> None:
        outcome = event.result.outcome
        if outcome in {Outcome.UNKNOWN, Outcome.REJECTED}:
            return
        trails = self.trails.setdefault((event.result.chain, head_of(event)), [])
        trail = self._trail(trails, number, event)
        soft = outcome is Outcome.SUCCESS and event.empty and event.result.kind in _SOFT
        if outcome is Outcome.PENDING:
            soft = bool(event.error) and event.result.result_line is not None
            if not soft:
                return
        if event.failed or soft:
            if self._is_beside(trails, event):
                return
            trail = trail or self._of_error(number, event)
            if trail is None:
                trail = Trail()
                trails.append(trail)
                if len(trails) > _MAX_TRAILS:
                    self._close(trails.pop(0), None)
            trail.failures.append(event)
            trail.hard += event.failed
            trail.last = number
            if _tells(event.error):
                self.by_error[event.result.chain, event.error] = trail
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
            last = trail.failures[-1]
            if self._near(trail, number) and event.at > last.until and same_goal(last, event):
                return trail
        return None

    def _near(self, trail: Trail, number: int) -> bool:
        same_turn = self.turn_of[trail.last] == self.turn_of[number]
        return number - trail.last <= MAX_GAP and same_turn

    def _of_error(self, number: int, event: Event) -> Trail | None:
        """Another way to the same matter that runs into the same error is one more attempt."""
        trail = self.by_error.get((event.result.chain, event.error))
        if trail is None or trail.closed or not self._near(trail, number):
            return None
        last = trail.failures[-1]
        matter = event.result.kind is last.result.kind or event.family is last.family
        shared = {t for t in event.terms & last.terms if len(t) >= _MATTER}
        return trail if matter and shared and event.at > last.until else None

    def _is_beside(self, trails: Sequence[Trail], event: Event) -> bool:
        """Take a failure made at once with an attempt at the very same thing."""
        for trail in trails:
            last = trail.failures[-1]
            if last.at < event.at < last.until and last.result.key == event.result.key:
                trail.beside.append(event)
                return True
        return False

    def _close(self, trail: Trail, end: Event | None) -> None:
        trail.closed = True
        failures = trail.failures
        if trail.beside and (end is not None or len(failures) > 1):
            failures = sorted((*failures, *trail.beside), key=lambda e: e.at)
        if len(failures) > 1 and trail.hard:
            self.found.append(Loop(tuple(failures), end))


def _tells(error: str) -> bool:
    """Return whether an error names its cause, so that two of the same are no chance."""
    return len(error) >= _CAUSE and not _SAYS_LITTLE.match(error)


def head_of(event: Event) -> str:
    """Return what two attempts at one goal must share: the program with its verb, or the tool."""
    kind = event.result.kind
    if kind in CHECKS:
        return str(kind)
    if kind in {ResultKind.SEARCH, ResultKind.READ} and event.family in _LOOKS:
        return "look"
    if event.family is Family.EDIT:
        return "edit"
    return "git commit" if event.act in _STAGING else event.act


_LOOKS = frozenset({Family.SHELL, Family.SEARCH, Family.READ})


def same_goal(one: Event, other: Event) -> bool:
    """
    Return whether two events of the same head try for the same thing.

    Checks of a kind do until one passes; a command of program, noun and verb (``gh pr create``)
    does whatever its options; of the rest the key arguments must be alike.
    """
    if one.result.key == other.result.key:
        return True
    if one.family is Family.EDIT:
        return bool(set(one.paths) & set(other.paths))
    kind = one.result.kind
    if kind in CHECKS or kind is ResultKind.GIT:
        return kind is other.result.kind
    if one.act == other.act and one.act.count(" ") > 1:
        return True
    return alike(one, other) >= _ENOUGH


def covers(check: Event, failed: Event) -> bool:
    """Return whether a passed check says that an earlier, failed one would pass now."""
    if check.result.kind is not failed.result.kind:
        return False
    if check.result.key == failed.result.key or check.act != failed.act:
        return True
    return alike(check, failed) >= _ENOUGH or check.terms <= failed.terms


def alike(one: Event, other: Event) -> float:
    """Return the share of words that two key arguments have in common, 0 to 1."""
    union = len(one.terms | other.terms)
    return len(one.terms & other.terms) / union if union else 1.0


def _settles(event: Event, trail: Trail) -> bool:
    """
    Return whether a success ends a trail.

    Of checks only one that covers what failed; of commits only a commit; what found nothing so
    far is ended by the same call only.
    """
    last = trail.failures[-1]
    if event.result.kind in CHECKS:
        return covers(event, last)
    if event.act in _STAGING:
        return event.act == "git commit" or all(f.act == event.act for f in trail.failures)
    return trail.hard > 0 or event.result.key == last.result.key
