"""The pointers that a session itself holds, with what each must still find."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compactctl.model.pointer import KeptPointer, PointerStatus

if TYPE_CHECKING:
    from compactctl.engine.sessions import Session
    from compactctl.formats.state_block import Ref, StateBlock


def block_pointers(session: "Session") -> Iterator[KeptPointer]:
    """
    Yield a pointer for each item of the state blocks in view.

    Of a pin or a human text the original must hold the very words; of other items it must be
    there.
    """
    from compactctl.formats.state_block import StateBlock, parse  # noqa: PLC0415 -- not for --help
    from compactctl.model.entry import Author  # noqa: PLC0415 -- as above

    for seen in session.view:
        if seen.entry.author is not Author.CARRIED:
            continue
        block = parse(session.material.text(seen))
        if isinstance(block, StateBlock):
            yield from _items(block)


def file_pointers(session: "Session") -> Iterator[KeptPointer]:
    """Yield the files and addresses that state blocks and summaries in view send a reader to."""
    from compactctl.model.entry import TELLERS  # noqa: PLC0415 -- not for --help
    from compactctl.store.external import external_pointers  # noqa: PLC0415 -- as above

    for seen in session.view:
        if seen.entry.author in TELLERS:
            yield from external_pointers(session.material.text(seen), seen.entry.id)


def _items(block: "StateBlock") -> Iterator[KeptPointer]:
    yield from (_pointer(pin.ref, pin.text) for pin in block.pins)
    yield from (_pointer(said.ref, said.text or "") for said in block.human)
    yield from (_pointer(fact.ref, "") for fact in block.facts)
    yield from (_pointer(line.ref, "") for line in block.lines)


def _pointer(ref: "Ref", evidence: str) -> KeptPointer:
    return KeptPointer(
        pointer=f"snap:{ref.snapshot}#{ref.entry}",
        entry=ref.entry,
        evidence=evidence,
        status=PointerStatus.UNVERIFIABLE,
    )
