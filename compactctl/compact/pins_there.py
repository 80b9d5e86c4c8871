"""Which pins a view holds."""

from compactctl.compact.invariants import missing_pins
from compactctl.compact.material import Material
from compactctl.model.classification import Pin


def pins_of_chains(pins: tuple[Pin, ...], chains: frozenset[str]) -> tuple[Pin, ...]:
    """Return the pins that bind these chains: their own, and those that were carried over."""
    return tuple(pin for pin in pins if pin.chain in chains or pin.source is not None)


def pins_still_there(pins: tuple[Pin, ...], after: Material) -> tuple[Pin, ...]:
    """
    Return the pins of a view, as far as they are those of ``pins`` or its own.

    A statement may bind by what stood before it, which is gone now: it still counts as there
    where its text stands, verbatim.
    """
    found = pins_of_chains(after.classification.pins, after.chains)
    known = {pin.id for pin in found}
    others = tuple(pin for pin in pins if pin.id not in known)
    lost = missing_pins(others, [after.text(seen) for seen in after.view])
    return found + tuple(pin for pin in others if pin not in lost)
