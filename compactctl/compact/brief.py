"""Makes the brief for a clean session out of what classifying found."""

from collections.abc import Callable, Iterator, Sequence

from compactctl.model.brief import BriefItem, Part
from compactctl.model.classification import (
    CHECKS,
    Branch,
    BranchKind,
    Classification,
    Fact,
    FactStatus,
    Pin,
    PinKind,
    PinStatus,
    Strength,
)

_GIVES_WAY = (Part.FACTS, Part.OPEN, Part.GOAL, Part.EXAMPLES, Part.DECISIONS)
"""Parts whose items give way to a budget, first to last; within a part the oldest first."""
_PARTS = {PinKind.GOAL: Part.GOAL, PinKind.EXAMPLE: Part.EXAMPLES}
_TROUBLE = {
    FactStatus.FAILED: "failed",
    FactStatus.PENDING: "still running",
    FactStatus.ATTEMPTED: "attempted, not known to be done",
}


def brief_items(found: Classification, chain: str) -> tuple[BriefItem, ...]:
    """
    Return all that a brief can hold, by part, in the order in which it was said or seen.

    Pins of the chain that still bind, verbatim; verified facts with how to verify them again;
    what failed or is not settled; open work; approaches that must not be tried again.
    """
    items = [
        *(
            _pin(pin)
            for pin in found.pins
            if pin.status is PinStatus.ACTIVE and pin.chain == chain
        ),
        *_facts(found.facts),
        *(
            BriefItem(
                part=Part.OPEN,
                text=item.text,
                source=item.entry,
                line=item.line,
                label=item.status.replace("_", " "),
            )
            for item in found.open_items
        ),
        *_branches(found.branches, chain),
    ]
    order = list(Part)
    return tuple(sorted(items, key=lambda item: order.index(item.part)))


def within(
    items: Sequence[BriefItem], budget: int, size: Callable[[Sequence[BriefItem]], int]
) -> tuple[BriefItem, ...] | None:
    """
    Return the items that a budget can hold, ``None`` where the essential ones exceed it.

    ``size`` gives the tokens of a brief with these items. Verified facts give way first, then
    open work, weak goals, examples and last weak decisions; the oldest of each first.
    """
    kept = list(items)
    for item in _giving_way(items):
        if size(kept) <= budget:
            return tuple(kept)
        kept.remove(item)
    return tuple(kept) if size(kept) <= budget else None


def _giving_way(items: Sequence[BriefItem]) -> Iterator[BriefItem]:
    for part in _GIVES_WAY:
        yield from (item for item in items if item.part is part and not item.essential)


def _pin(pin: Pin) -> BriefItem:
    return BriefItem(
        part=_PARTS.get(pin.kind, Part.DECISIONS),
        text=pin.text,
        source=pin.entry,
        line=pin.line,
        label=f"{pin.strength} {pin.kind} of {pin.author}",
        answers=pin.referent.text if pin.referent else None,
        essential=pin.strength is Strength.STRONG,
    )


def _facts(facts: Sequence[Fact]) -> Iterator[BriefItem]:
    for fact in facts:
        if not fact.latest:
            continue
        command = fact.verified_by.command if fact.verified_by else None
        again = command if fact.key.partition(":")[0] in CHECKS else None
        if fact.status is FactStatus.VERIFIED:
            yield BriefItem(
                part=Part.FACTS,
                text=fact.text,
                source=fact.entry,
                line=fact.line,
                label=fact.key,
                verify=again,
            )
        elif fact.status in _TROUBLE:
            yield BriefItem(
                part=Part.TROUBLE,
                text=fact.text,
                source=fact.entry,
                line=fact.line,
                label=f"{fact.key}: {_TROUBLE[fact.status]}",
                verify=again,
                essential=fact.status is not FactStatus.ATTEMPTED,
            )


def _branches(branches: Sequence[Branch], chain: str) -> Iterator[BriefItem]:
    for branch in branches:
        if branch.resolved or branch.chain != chain:
            continue
        times = f" ({branch.attempts} attempts)" if branch.kind is BranchKind.RETRY_LOOP else ""
        yield BriefItem(
            part=Part.DO_NOT_RETRY,
            text=f"{branch.what}{times}",
            source=branch.entry,
            line=branch.end_line,
            label=branch.failure,
            essential=True,
        )
