"""The head of a view: what a fold replaces, and what of it lives on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from compactctl.compact.boundary import leading_system
from compactctl.compact.material import Material
from compactctl.formats.state_block import Ref, StateBlock, parse
from compactctl.model.entry import Author, Entry, Seen
from compactctl.model.pointer import parse_pointer


@dataclass(frozen=True, kw_only=True)
class Head:
    """
    The part of the view before the cut.

    ``kept`` of its first entries (the initial context) stay as they are in front of the block.
    """

    material: Material
    cut: int
    kept: int

    @cached_property
    def folded(self) -> tuple[Seen, ...]:
        """The entries that the block replaces."""
        return self.material.view[self.kept : self.cut]

    @cached_property
    def tokens(self) -> int:
        """Tokens of the folded entries."""
        return sum(self.material.tokens[seen.entry.id] for seen in self.folded)

    @cached_property
    def staying(self) -> frozenset[str]:
        """Ids of the entries that stay outside the block: initial context and tail."""
        view = self.material.view
        return frozenset(seen.entry.id for seen in (*view[: self.kept], *view[self.cut :]))

    @cached_property
    def folded_ids(self) -> frozenset[str]:
        """Ids of the folded entries."""
        return frozenset(seen.entry.id for seen in self.folded)

    @cached_property
    def carried(self) -> tuple[StateBlock, ...]:
        """State blocks of earlier rounds that the head holds, in order."""
        return tuple(self._carried())

    @cached_property
    def last_line(self) -> int:
        """The highest line that a folded entry stands on."""
        return max((seen.entry.line for seen in self.folded), default=0)

    @cached_property
    def entry_of(self) -> Mapping[str, Entry]:
        """All entries of the transcript by id."""
        return {entry.id: entry for entry in self.material.transcript.entries}

    def is_past(self, entry_id: str) -> bool:
        """Return whether an entry of this conversation lies before the tail."""
        entry = self.entry_of.get(entry_id)
        return (
            entry is not None
            and entry.id not in self.staying
            and entry.line <= self.last_line
            and entry.chain in self.material.chains
        )

    def ref(self, entry_id: str, source: str | None = None) -> Ref:
        """Return where an original stands: ``source`` where an earlier round said so."""
        pointer = parse_pointer(source) if source else None
        if pointer:
            return Ref(pointer.snapshot, pointer.entry)
        return Ref(self.material.snapshot, entry_id)

    def _carried(self) -> Iterator[StateBlock]:
        for seen in self.folded:
            if seen.entry.author is Author.CARRIED:
                block = parse(self.material.text(seen))
                if isinstance(block, StateBlock):
                    yield block


def take_head(material: Material, cut: int, *, keeps_initial: bool) -> Head:
    """Return the head before ``cut``; ``keeps_initial`` says whether the format can keep it."""
    entries = tuple(seen.entry for seen in material.view[:cut])
    return Head(material=material, cut=cut, kept=leading_system(entries) if keeps_initial else 0)
