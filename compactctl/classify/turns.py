"""Turns: what lies between two requests of one chain."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from compactctl.classify.session import Session
from compactctl.model.entry import TELLERS, Author, Entry, Kind


@dataclass(frozen=True, slots=True)
class Turn:
    """What lies between two human requests: entry positions and lines, first and last."""

    first: int
    last: int
    first_line: int
    last_line: int
    answered: bool
    """It ends with words of the assistant's."""


def turns_of(session: Session, chain: str, entries: Sequence[tuple[int, Entry]]) -> list[Turn]:
    """Return the turns of a chain, whose entries are given with their positions."""
    starts = {s.at for s in session.requests if s.entry.chain == chain}
    turns: list[Turn] = []
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
        and entry.author in {Author.HARNESS, *TELLERS}
        and entry.kind is Kind.TEXT
    )


def _turn(entries: Sequence[tuple[int, Entry]]) -> Turn:
    work = {Author.ASSISTANT, Author.TOOL}
    last = next((e for _, e in reversed(entries) if e.author in work), None)
    return Turn(
        first=entries[0][0],
        last=entries[-1][0],
        first_line=entries[0][1].line,
        last_line=max(e.line for _, e in entries),
        answered=last is not None and last.author is Author.ASSISTANT and last.kind is Kind.TEXT,
    )


class TurnEnds:
    """Finds the turn of a position."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Take the turns of one chain in their order."""
        self.turns = turns
        self.firsts = [turn.first for turn in turns]

    def of(self, position: int) -> Turn:
        """Return the turn in which a position lies."""
        return self.turns[max(0, bisect_right(self.firsts, position) - 1)]
