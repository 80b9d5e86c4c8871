"""What an earlier compaction of ours carries on: its pins, facts and do-not-retry lines."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from compactctl.formats.state_block import BlockPin, Ref, StateBlock, parse
from compactctl.model.classification import Pin, PinPlace, Referent
from compactctl.model.entry import Author, Entry
from compactctl.model.pointer import SnapshotPointer
from compactctl.model.transcript import Content, Transcript


def carried_pins(transcript: Transcript, content: Content) -> tuple[Pin, ...]:
    """
    Return the pins of the state blocks that stand where compactctl writes them.

    Their text stands in the block's entry; ``source`` points at where it was first said.
    """
    return tuple(
        _pin(entry, pin) for entry, block in _blocks(transcript, content) for pin in block.pins
    )


def merge_pins(carried: tuple[Pin, ...], said: tuple[Pin, ...]) -> tuple[Pin, ...]:
    """
    Return carried pins, then what was said since, in first-said order; one pin a text.

    A text that was carried and said again keeps its first source and gains the places.
    """
    merged = {pin.id: pin for pin in carried}
    for pin in said:
        first = merged.get(pin.id)
        merged[pin.id] = pin if first is None else _joined(first, pin)
    return tuple(merged.values())


def _joined(first: Pin, again: Pin) -> Pin:
    return replace(
        first,
        places=first.places + tuple(p for p in again.places if p not in first.places),
        status=again.status,
        superseded_by=again.superseded_by,
    )


def _blocks(transcript: Transcript, content: Content) -> Iterator[tuple[Entry, StateBlock]]:
    for entry in transcript.entries:
        if entry.author is Author.CARRIED:
            block = parse(content.text(entry))
            if isinstance(block, StateBlock):
                yield entry, block


def _pin(entry: Entry, pin: BlockPin) -> Pin:
    digest = hashlib.sha256(pin.text.encode("utf-8", "surrogatepass")).hexdigest()
    return Pin(
        id=digest[:12],
        kind=pin.kind,
        strength=pin.strength,
        text=pin.text,
        line=entry.line,
        entry=entry.id,
        author=pin.author,
        chain=entry.chain,
        places=(PinPlace(entry.line, entry.id),),
        referent=Referent(entry.id, pin.referent) if pin.referent is not None else None,
        source=_source(pin.ref),
        why="carried over from an earlier compaction",
    )


def _source(ref: Ref) -> str:
    return str(SnapshotPointer(ref.snapshot, ref.entry))
