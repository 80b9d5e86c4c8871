"""Token numbers that say where they come from."""

from dataclasses import dataclass
from enum import StrEnum


class TokenSource(StrEnum):
    """How a token number was obtained."""

    RECORDED = "recorded"
    """Written into the session by the provider or client."""
    COUNTED = "counted"
    """Counted exactly with a named encoding."""
    ESTIMATED = "estimated"
    """Neither: by size, or calibrated on recorded usage."""


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens with its origin; ``encoding`` is set where it was counted."""

    value: int
    source: TokenSource
    encoding: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOccupancy:
    """What the provider said about the window last: tokens in context, where, of which window."""

    context: int
    line: int
    window: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenReport:
    """
    Tokens on both sides of a compaction, on one basis: exact counts over the view's entries.

    ``estimated_part`` counts what has no text (images, files), on each side, and is not in
    ``before`` and ``after``. ``head_*`` are the folded part, ``block`` is everything written in
    its place. ``recorded`` is the provider's own figure beside ours.
    """

    before: int
    after: int
    head_before: int
    head_after: int
    block: int
    encoding: str
    source: TokenSource = TokenSource.COUNTED
    estimated_part_before: int = 0
    estimated_part_after: int = 0
    recorded: RecordedOccupancy | None = None

    @property
    def ratio(self) -> float:
        """After divided by before, 1.0 for an empty view."""
        return self.after / self.before if self.before else 1.0
