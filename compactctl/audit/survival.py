"""What became of each pin in a compaction."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from compactctl.audit.wording import Reading
from compactctl.model.audit import PinFate, Survival
from compactctl.model.classification import Pin, PinStatus
from compactctl.model.entry import TELLERS, Entry, View

Texts = Callable[[Entry, str | None], str]


def fates(
    pins: Sequence[Pin],
    line: int,
    before: View,
    after: View,
    texts: Texts,
    *,
    opaque: bool,
    reread: frozenset[str],
) -> tuple[PinFate, ...]:
    """
    Return the fate of each pin that bound when the compaction at ``line`` happened.

    ``reread`` are ids of entries that the harness puts back by itself (system prompt and
    instruction files): what stands there is not lost. Where the summary is ``opaque`` and a pin
    is nowhere else in view, its fate is unknown.
    """
    return tuple(_fates(pins, line, before, after, texts, opaque=opaque, reread=reread))


def fate_of(
    pin: Pin, line: int, before: View, after: View, texts: Texts, *, opaque: bool
) -> PinFate:
    """Return what the compaction at ``line`` made of one statement, superseded or not."""
    followed = replace(pin, status=PinStatus.ACTIVE)
    (fate,) = _fates((followed,), line, before, after, texts, opaque=opaque, reread=frozenset())
    return fate


def binding(pins: Sequence[Pin], line: int) -> Iterator[Pin]:
    """Yield the pins that had been said and not been replaced before ``line``."""
    said = {pin.id: pin.line for pin in pins}
    for pin in pins:
        if pin.line >= line:
            continue
        if pin.status is PinStatus.SUPERSEDED:
            replaced = said.get(pin.superseded_by or "")
            if replaced is None or replaced < line:
                continue
        yield pin


def _fates(
    pins: Sequence[Pin],
    line: int,
    before: View,
    after: View,
    texts: Texts,
    *,
    opaque: bool,
    reread: frozenset[str],
) -> Iterator[PinFate]:
    in_view = {seen.entry.id for seen in before}
    told = Reading(
        "\n\n".join(
            texts(seen.entry, seen.shown) for seen in before if seen.entry.author in TELLERS
        )
    )
    shown = [(seen.entry, texts(seen.entry, seen.shown)) for seen in after]
    readings = [(entry, Reading(text)) for entry, text in shown]
    whole = Reading("\n\n".join(text for _, text in shown))
    for pin in binding(pins, line):
        places = {place.entry for place in pin.places if place.line < line} | {pin.entry}
        held = not places.isdisjoint(in_view) or told.holds(pin.text)
        yield _fate(pin, places, held, whole, readings, opaque=opaque, reread=reread)


def _fate(
    pin: Pin,
    places: set[str],
    held: bool,  # noqa: FBT001 -- one of the facts about a pin, passed on
    whole: Reading,
    readings: Sequence[tuple[Entry, Reading]],
    *,
    opaque: bool,
    reread: frozenset[str],
) -> PinFate:
    at = next((entry.line for entry, _ in readings if entry.id in places), None)
    if at is not None:
        return _as(pin, Survival.VERBATIM, held, pin.text, at, "its own entry stays in view")
    trace = whole.trace(pin.text)
    if trace.survival is Survival.VERBATIM:
        at = next((e.line for e, reading in readings if reading.holds(pin.text)), None)
        return _as(pin, Survival.VERBATIM, held, pin.text, at, "word for word in view")
    if not places.isdisjoint(reread):
        why = "the harness reads its source again at every request"
        return _as(pin, Survival.VERBATIM, held, pin.text, None, why)
    if opaque:
        return _as(pin, Survival.UNKNOWN, held, "", None, "the summary cannot be read")
    if trace.survival is Survival.LOST:
        return _as(
            pin, Survival.LOST, held, "", None, f"nothing like it is in view ({trace.share:.0%})"
        )
    at = next((e.line for e, r in readings if trace.shown and r.holds(trace.shown)), None)
    why = f"{trace.share:.0%} of its telling words stand together"
    return _as(pin, trace.survival, held, trace.shown, at, why)


def _as(
    pin: Pin,
    survival: Survival,
    held: bool,  # noqa: FBT001 -- as above
    shown: str,
    at: int | None,
    why: str,
) -> PinFate:
    return PinFate(pin=pin, survival=survival, held=held, shown=shown, shown_line=at, why=why)
