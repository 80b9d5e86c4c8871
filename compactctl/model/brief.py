"""A brief: what a clean session needs to know to take over from another one."""

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """The parts of a brief, in the order in which they stand."""

    GOAL = "goal"
    DECISIONS = "decisions"
    EXAMPLES = "examples"
    FACTS = "facts"
    TROUBLE = "trouble"
    OPEN = "open"
    DO_NOT_RETRY = "do_not_retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefItem:
    """
    One item: its text, who or what stands behind it, and where.

    Of goals, decisions and examples ``text`` is what a person said, byte for byte; of the others
    a record. ``verify`` is how to see again that a fact holds. ``essential`` items never give way
    to a budget.
    """

    part: Part
    text: str
    source: str
    line: int
    label: str = ""
    answers: str | None = None
    verify: str | None = None
    essential: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A hand-over: items by part, what gave way to the budget, and its size in tokens."""

    path: str
    format: str
    sha256: str
    lines: int
    items: tuple[BriefItem, ...]
    left_out: int
    tokens: int
    encoding: str
    budget: int | None
