"""Branches: retry loops and abandoned approaches, one line each, with the exact error."""

from bisect import bisect_right
from collections.abc import Sequence

from compactctl.classify.abandoned import Abandoned, find_abandoned
from compactctl.classify.results.events import Event
from compactctl.classify.retries import Loop, find_loops
from compactctl.classify.session import Session
from compactctl.model.classification import Branch, BranchKind


def find_branches(session: Session) -> tuple[Branch, ...]:
    """Return the branches of a session in order of their first line."""
    turns = turn_numbers(session)
    loops = find_loops(session.events, turns)
    found = [_of_loop(loop) for loop in loops]
    found += [
        _of_abandoned(one) for one in find_abandoned(session.events, session.speeches, turns)
    ]
    return tuple(sorted(found, key=lambda b: (b.start_line, b.end_line, b.kind)))


def turn_numbers(session: Session) -> tuple[int, ...]:
    """Return for each event how many human requests stand before it."""
    requests = [speech.at for speech in session.requests]
    return tuple(bisect_right(requests, event.at) for event in session.events)


def _of_loop(loop: Loop) -> Branch:
    first, last = loop.failures[0], loop.failures[-1]
    hard: Sequence[Event] = [e for e in loop.failures if e.failed] or loop.failures
    return Branch(
        kind=BranchKind.RETRY_LOOP,
        start_line=first.line,
        end_line=loop.events[-1].end_line,
        lines=tuple(dict.fromkeys(n for e in loop.events for n in (e.line, e.end_line))),
        attempts=len(loop.failures),
        what=last.result.one_line,
        failure=hard[-1].error,
        resolved=loop.end is not None,
        entry=hard[-1].result.result_entry or hard[-1].result.call_entry,
        chain=first.result.chain,
    )


def _of_abandoned(one: Abandoned) -> Branch:
    return Branch(
        kind=BranchKind.ABANDONED,
        start_line=one.start_line,
        end_line=one.end_line,
        lines=one.lines,
        attempts=one.attempts,
        what=one.what,
        failure=one.failure,
        resolved=False,
        entry=one.entry,
        chain=one.chain,
    )
