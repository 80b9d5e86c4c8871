"""The proof: what must hold of a written compaction, checked on what was read back."""

from collections.abc import Iterator, Sequence
from itertools import chain

from compactctl.compact.material import Material
from compactctl.compact.plan import Plan
from compactctl.formats.state_block import StateBlock, parse
from compactctl.model.classification import Pin, PinStatus, Strength
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Kind, Seen

_NEVER_PINNED = frozenset({Author.TOOL, Author.SUMMARY, Author.HARNESS})


def violations(before: Material, plan: Plan, after: Material) -> tuple[str, ...]:
    """
    Return a sentence for each promise that the written view breaks; empty where all hold.

    ``after`` must have been read back from the bytes that are about to become the output.
    """
    checks = (
        _smaller(before, after),
        _tail_unchanged(before, plan, after),
        _paired(before, after),
        _pins_present(before, after),
        _block_intact(plan, after),
    )
    return tuple(chain.from_iterable(checks))


def _smaller(before: Material, after: Material) -> Iterator[str]:
    if after.total > before.total:
        yield f"the view grew from {before.total:,} to {after.total:,} tokens"


def _tail_unchanged(before: Material, plan: Plan, after: Material) -> Iterator[str]:
    cut = plan.cut.at if plan.cut else 0
    tail = before.view[cut:]
    there = after.view[len(after.view) - len(tail) :] if tail else ()
    if len(there) < len(tail):
        yield f"{len(tail) - len(there)} entries of the tail are missing"
        return
    for old, new in zip(tail, there, strict=True):
        if not _as_planned(before, plan, old, after, new):
            yield f"{old.entry.id} is not what it was (now {new.entry.id})"


def _as_planned(before: Material, plan: Plan, old: Seen, after: Material, new: Seen) -> bool:
    if old.entry.kind is not new.entry.kind or old.entry.call_id != new.entry.call_id:
        return False
    match plan.rewrites.get(old.entry.id):
        case None:
            return before.digests[old.entry.id] == after.digests[new.entry.id]
        case NewText(text=text):
            return after.text(new) == text
        case NewArguments(values=values):
            there = after.content.arguments(new.entry)
            return all(there.get(name) == value for name, value in values.items())


def _paired(before: Material, after: Material) -> Iterator[str]:
    lonely_before = _unpaired(before)
    for call in sorted(_unpaired(after) - lonely_before):
        yield f"the call {call[1]} has lost its {call[0]}"


def _unpaired(material: Material) -> frozenset[tuple[str, str]]:
    calls, results = set(), set()
    for seen in material.view:
        if seen.entry.call_id is not None and seen.entry.kind is Kind.TOOL_CALL:
            calls.add(seen.entry.call_id)
        elif seen.entry.call_id is not None and seen.entry.kind is Kind.TOOL_RESULT:
            results.add(seen.entry.call_id)
    return frozenset(
        [("result", call) for call in calls - results]
        + [("call", call) for call in results - calls]
    )


def _pins_present(before: Material, after: Material) -> Iterator[str]:
    needed = [
        pin
        for pin in before.classification.pins
        if pin.status is PinStatus.ACTIVE
        and pin.strength is Strength.STRONG
        and (pin.chain in before.chains or pin.source is not None)
    ]
    for pin in missing_pins(needed, [after.text(seen) for seen in after.view]):
        yield f"the pin of line {pin.line} is not in the output: {pin.text[:80]!r}"


def missing_pins(pins: Sequence[Pin], texts: Sequence[str]) -> tuple[Pin, ...]:
    """Return the pins whose exact text stands in none of the texts."""
    whole = "\0".join(texts)
    return tuple(pin for pin in pins if pin.text not in whole)


def _block_intact(plan: Plan, after: Material) -> Iterator[str]:
    if plan.block is None:
        return
    blocks = [
        block
        for seen in after.view
        if seen.entry.author is Author.CARRIED
        and isinstance(block := parse(after.text(seen)), StateBlock)
    ]
    if len(blocks) != 1:
        yield f"{len(blocks)} state blocks are read back, one was written"
        return
    if blocks[0].pins != plan.block.pins:
        yield "the pinned part is not read back as it was written"
    if any(pin.author in _NEVER_PINNED for pin in blocks[0].pins):
        yield "words of a tool, summary or harness stand in the pinned part"
