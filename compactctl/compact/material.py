"""What planning works on: a view, its classes and tokens, and the settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from compactctl.model.classification import Classification, ToolResult
from compactctl.model.compaction import Level
from compactctl.model.entry import Entry, Seen, View
from compactctl.model.pointer import PREFIX_LENGTH, SnapshotPointer
from compactctl.model.transcript import Content, Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    What a run is asked for; sizes in tokens.

    ``target`` is the wanted size of the view after; ``budget`` bounds everything written in
    place of the head; ``keep_recent`` is a number of tool results.
    """

    level: Level = Level.FOLD
    target: int | None = None
    budget: int | None = None
    keep_recent: int = 3
    keep_tail: int = 10_000
    keep_human: int = 20_000
    min_item: int = 200
    """Smaller items are not cleared."""
    state_share: float = 0.1
    """Share of the head that the state part may take where no budget is given."""
    min_tail_groups: int = 2
    max_tail_share: float = 0.25
    weak_ratio: float = 0.5
    pressed_share: float = 0.85
    """Over this share of the window clearing goes ahead without a boundary."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """
    A view with everything that is known of it.

    ``tokens`` and ``digests`` are keyed by entry id, over the view's entries as shown. ``count``
    counts the tokens of a text with the run's encoding.
    """

    transcript: Transcript
    view: View
    classification: Classification
    content: Content
    tokens: Mapping[str, int]
    digests: Mapping[str, str]
    count: Callable[[str], int]
    encoding: str

    def text(self, seen: Seen) -> str:
        """Return what the model sees of an entry."""
        return self.content.text(seen.entry) if seen.shown is None else seen.shown

    def pointer(self, entry: Entry) -> str:
        """Return the pointer to an entry's original."""
        return str(SnapshotPointer(self.snapshot, entry.id))

    @property
    def snapshot(self) -> str:
        """The prefix that pointers name the snapshot of this transcript by."""
        return self.transcript.sha256[:PREFIX_LENGTH]

    @cached_property
    def total(self) -> int:
        """Tokens of the whole view."""
        return sum(self.tokens[seen.entry.id] for seen in self.view)

    @cached_property
    def result_of_entry(self) -> Mapping[str, ToolResult]:
        """Tool results by the ids of their call entry and of their result entry."""
        found: dict[str, ToolResult] = {}
        for result in self.classification.results:
            found[result.call_entry] = result
            if result.result_entry is not None:
                found[result.result_entry] = result
        return found

    @cached_property
    def chains(self) -> frozenset[str]:
        """The chains that the view belongs to: one, as a rule."""
        return frozenset(seen.entry.chain for seen in self.view)
