"""Decisions and constraints: pinned verbatim, and all human text in the order said."""

from collections.abc import Iterator

from compactctl.compact.head import Head
from compactctl.formats.state_block import BlockPin, BlockText
from compactctl.model.classification import Pin, PinStatus
from compactctl.model.entry import Author, Seen

_SAID = frozenset({Author.HUMAN, Author.DELEGATOR})


def pins(head: Head) -> tuple[BlockPin, ...]:
    """
    Return the active pins that nothing outside the block holds, in first-said order.

    They come from the whole file: a session that was compacted before still binds its agent to
    what its human said then.
    """
    found = head.material.classification.pins
    return tuple(_block_pin(head, pin) for pin in found if _belongs(head, pin))


def human_text(head: Head) -> tuple[BlockText, ...]:
    """Return the human text of the head, verbatim and in order, earlier rounds first."""
    earlier = tuple(said for block in head.carried for said in block.human)
    return earlier + tuple(said for seen in head.folded for said in _said(head, seen))


def _belongs(head: Head, pin: Pin) -> bool:
    return (
        pin.status is PinStatus.ACTIVE
        and (pin.chain in head.material.chains or pin.source is not None)
        and (pin.entry not in head.staying or _answers_the_head(head, pin))
    )


def _answers_the_head(head: Head, pin: Pin) -> bool:
    """A short approval in the tail means nothing without the offer that it answers."""
    return pin.referent is not None and pin.referent.entry in head.folded_ids


def _block_pin(head: Head, pin: Pin) -> BlockPin:
    return BlockPin(
        ref=head.ref(pin.entry, pin.source),
        kind=pin.kind,
        strength=pin.strength,
        author=pin.author,
        text=pin.text,
        referent=pin.referent.text if pin.referent else None,
    )


def _said(head: Head, seen: Seen) -> Iterator[BlockText]:
    entry = seen.entry
    if entry.author not in _SAID or not entry.authored:
        return
    text = head.material.text(seen)
    for span in entry.authored:
        part = text[span.start : span.end]
        if part.strip():
            tokens = head.material.count(part)
            ref = head.ref(entry.id)
            yield BlockText(ref=ref, author=entry.author, text=part, tokens=tokens)
