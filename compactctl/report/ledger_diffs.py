"""Diffs read from stored ledgers: of one run, and from one run to a later one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from compactctl.compact.pin_diff import diff_pins
from compactctl.model.classification import Pin, PinKind, PinStatus, Strength
from compactctl.model.entry import Author
from compactctl.report.documents import Document, pins_document

Doc = Mapping[str, Any]


def diff_of_ledger(ledger: Doc) -> Document:
    """Return what a run did as a diff of both sides (``compactctl.diff/1``)."""
    return {
        "schema": "compactctl.diff/1",
        "path": ledger["path"],
        "reason": ledger["reason"],
        "tokens": ledger["tokens"],
        "classes": ledger["classes"],
        "pins": ledger["pin_diff"],
        "entries": [
            {**entry, "side": "after" if entry["action"] == "insert" else "before"}
            for entry in ledger["entries"]
        ],
        "cache": ledger["cache"],
    }


def diff_of_ledgers(first: Doc, second: Doc) -> Document:
    """
    Return what lies between the start of one run and the end of a later one.

    A pin that stood before or after the first run and is not there after the second is gone,
    whoever lost it; ``reason`` says how many were lost between the two runs. Entries are not
    compared: the ledgers of each run hold its own.
    """
    start = [*_before(first), *_after(first)]
    end = [*_after(second), *_superseded(second)]
    now = {pin.id for pin in _before(second)} | {pin.id for pin in _superseded(second)}
    lost = sum(pin.id not in now for pin in _unique(_after(first)))
    tokens = {**second["tokens"], "before": first["tokens"]["before"]}
    ratio = tokens["after"] / tokens["before"] if tokens["before"] else 1.0
    tokens |= {"ratio": round(ratio, 4), "recorded": None}
    return {
        "schema": "compactctl.diff/1",
        "path": second["path"],
        "reason": (
            f"from before {first['id']} to after {second['id']}: {lost} pins that stood after "
            "the first were gone before the second began"
        ),
        "tokens": tokens,
        "classes": list(_classes(first["classes"], second["classes"])),
        "pins": pins_document(diff_pins(_unique(start), _unique(end))),
        "entries": [],
        "cache": second["cache"],
    }


def _classes(first: Sequence[Doc], second: Sequence[Doc]) -> Iterator[Document]:
    ends = {row["state"]: row for row in second}
    for row in first:
        end = ends[row["state"]]
        yield {
            "state": row["state"],
            "entries_before": row["entries_before"],
            "entries_after": end["entries_after"],
            "tokens_before": row["tokens_before"],
            "tokens_after": end["tokens_after"],
        }


def _before(ledger: Doc) -> list[Pin]:
    return [_pin(pin) for pin in ledger["pins"] if pin["status"] == PinStatus.ACTIVE]


def _after(ledger: Doc) -> list[Pin]:
    pins = ledger["pin_diff"]
    if ledger["status"] != "compacted":
        return _before(ledger)
    stood = [*pins["kept"], *(change["after"] for change in pins["changed"]), *pins["added"]]
    return [_pin(pin) for pin in stood]


def _superseded(ledger: Doc) -> list[Pin]:
    return [
        _pin({**pin, "status": PinStatus.SUPERSEDED}) for pin in ledger["pin_diff"]["superseded"]
    ]


def _unique(pins: Iterable[Pin]) -> list[Pin]:
    return list({pin.id: pin for pin in pins}.values())


def _pin(pin: Doc) -> Pin:
    """A pin of a ledger; its short form in a diff names no author, which a diff does not need."""
    return Pin(
        id=pin["id"],
        kind=PinKind(pin["kind"]),
        strength=Strength(pin["strength"]),
        text=pin["text"],
        line=pin["line"],
        entry=pin.get("entry") or f"L{pin['line']}",
        author=Author(pin.get("author") or Author.HUMAN),
        status=PinStatus(pin.get("status") or PinStatus.ACTIVE),
        superseded_by=pin.get("superseded_by"),
        why=pin.get("why") or "from a ledger",
    )
