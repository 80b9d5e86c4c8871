"""The pinned diff: every change of the pinned block, and which human line explains it."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from compactctl.model.classification import Pin, PinStatus
from compactctl.model.compaction import PinChange, PinDiff

_ALIKE = 0.6
"""Share of equal characters from which a pin counts as edited rather than as lost and added."""
_LONGEST_COMPARED = 2_000


def diff_pins(before: Sequence[Pin], after: Sequence[Pin]) -> PinDiff:
    """
    Return what became of each active pin.

    A pin that a later human decision superseded is ``superseded``, whichever side says so; what
    is gone without one is ``removed``, or ``changed`` where an edited form of it appeared.
    """
    active = {pin.id: pin for pin in before if pin.status is PinStatus.ACTIVE}
    now = {pin.id: pin for pin in after if pin.status is PinStatus.ACTIVE}
    ended = {pin.id: pin for pin in after if pin.status is PinStatus.SUPERSEDED}
    replaced = [pin for pin in before if pin.status is PinStatus.SUPERSEDED]
    gone = [pin for key, pin in active.items() if key not in now and key not in ended]
    known = {pin.id for pin in before}
    new = [pin for key, pin in now.items() if key not in known]
    changes = tuple(_edits(gone, new))
    edited = {change.before.id for change in changes}
    edited_to = {change.after.id for change in changes}
    return PinDiff(
        kept=tuple(pin for key, pin in active.items() if key in now),
        added=tuple(pin for pin in new if pin.id not in edited_to),
        superseded=(*replaced, *(ended[key] for key in active if key in ended)),
        changed=changes,
        removed=tuple(pin for pin in gone if pin.id not in edited),
    )


def word_diff(before: Sequence[str], after: Sequence[str]) -> str:
    """Return two texts, given by their words, as one: ``[-gone-]``, ``{+new+}``."""
    said: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            said += before[a:b]
            continue
        if a < b:
            said.append(f"[-{' '.join(before[a:b])}-]")
        if c < d:
            said.append(f"{{+{' '.join(after[c:d])}+}}")
    return " ".join(said)


def _edits(gone: Iterable[Pin], new: Iterable[Pin]) -> Iterable[PinChange]:
    left = list(new)
    for pin in gone:
        best = max(left, key=lambda other: _alike(pin, other), default=None)
        if best is not None and _alike(pin, best) >= _ALIKE:
            left.remove(best)
            yield PinChange(before=pin, after=best)


def _alike(one: Pin, other: Pin) -> float:
    texts = one.text[:_LONGEST_COMPARED], other.text[:_LONGEST_COMPARED]
    matcher = SequenceMatcher(None, *texts, autojunk=False)
    # The cheap upper bound first: most pairs share little.
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
