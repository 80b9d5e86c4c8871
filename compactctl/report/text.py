"""Runs and diffs for people, in plain text: one renderer for fresh and for stored documents."""

from collections.abc import Iterator, Sequence

from compactctl.report.printable import printable
from compactctl.report.words import (
    LABEL,
    Doc,
    brief_pin,
    change,
    copyable,
    intact,
    percent,
    plural,
    row,
    safe,
    tokens_label,
    words_diff,
)

_PINS_SHOWN = 8
_DROPS_SHOWN = 5
_BAR = 50
_LONG = 400
"""Columns of a sentence that is wrapped, not cut."""
_MARKS = {"keep": " ", "rewrite": "~", "drop": "-", "insert": "+", "move": ">"}


def render_run(
    ledger: Doc,
    *,
    width: int,
    resume_hint: str = "",
    store_option: str = "",
    verbose: bool = False,
) -> str:
    """
    Return one screen about a run.

    It answers how full the window is, what was cut where and why there, tokens on both sides,
    what changed in the pinned block, what each class became, what was dropped, what a prompt
    cache bills again, where the snapshot is, how to undo and how to go on. ``store_option`` is
    what the printed commands need to find the store again (``--store DIR``).
    """
    lines = list(_run(ledger, width, verbose=verbose))
    lines += _kept(ledger, resume_hint, store_option)
    return "\n".join(lines) + "\n"


def render_diff(document: Doc, *, width: int, full: bool = False) -> str:
    """Return the stat of a diff, every change of the pinned block, and a closing sentence."""
    lines = [safe(document["reason"], _LONG), *_tokens(document["tokens"], width)]
    lines += [*_pinned(document["pins"], width, full=full), ""]
    lines += [*_classes(document["classes"], width), ""]
    lines += _moved(document["entries"], width)
    if full:
        lines += [*_entries(document["entries"], width), ""]
    lines.append(_closing(document))
    return "\n".join(lines) + "\n"


def _run(ledger: Doc, width: int, *, verbose: bool) -> Iterator[str]:
    status = ledger["status"]
    level = f" ({ledger['level']})" if ledger["level"] else ""
    yield f"{status}{level}: {safe(ledger['reason'], _LONG)}"
    if ledger["hint"]:
        yield from row("do", safe(ledger["hint"], _LONG), width)
    number = f", conversation {ledger['conversation']}" if ledger["conversation"] else ""
    yield copyable("file", f"{safe(ledger['path'], _LONG)} ({ledger['format']}{number})")
    yield from _window(ledger["trigger"], width)
    if ledger["damage"]:
        text = f"{plural(ledger['damage'], 'fault')} in the file; compactctl classify names each"
        yield from row("damage", text, width)
    if ledger["entries"]:
        yield from _changes(ledger, width, verbose=verbose)
    for advice in ledger["advice"]:
        yield from row("advice", safe(advice, _LONG), width)


def _changes(ledger: Doc, width: int, *, verbose: bool) -> Iterator[str]:
    if ledger["status"] == "skipped":
        yield "what would have been:"
    yield from _cut(ledger, width)
    yield from _tokens(ledger["tokens"], width)
    yield from _pinned(ledger["pin_diff"], width, full=verbose)
    yield ""
    yield from _classes(ledger["classes"], width)
    if ledger["tokens"]["block"]:
        yield f"  (decision holds the state block: {ledger['tokens']['block']:,} tokens)"
    yield ""
    yield from _gave_way(ledger, width)
    yield from _cache(ledger["cache"], width)
    yield from _not_again(ledger["not_refetchable"], width)
    if verbose:
        yield from _entries(ledger["entries"], width)


def _window(trigger: Doc | None, width: int) -> Iterator[str]:
    if trigger is None:
        return
    could = (
        "a live harness should compact now"
        if trigger["reached"]
        else "a live harness could have waited"
    )
    yield from row(
        "window",
        f"{percent(trigger['share'])} full: {trigger['tokens']:,} ({trigger['source']}) of "
        f"{trigger['window']:,} tokens ({trigger['window_source']}); trigger "
        f"{trigger['threshold']:,}: {could}",
        width,
    )


def _cut(ledger: Doc, width: int) -> Iterator[str]:
    boundary = ledger["boundary"]
    if boundary is None:
        yield from row("cut", "nowhere: results and arguments gave way in place", width)
        return
    why = safe(boundary["why"], _LONG)
    yield from row("cut", f"after line {boundary['after_line']}: {why}", width)
    zones = ledger["no_cut"]
    if zones:
        first = zones[0]
        yield from row(
            "",
            f"never inside {plural(len(zones), 'zone')}, e.g. lines {first['from_line']} to "
            f"{first['to_line']}: {safe(first['why'], _LONG)}",
            width,
        )


def _tokens(tokens: Doc, width: int) -> Iterator[str]:
    before, after = tokens["before"], tokens["after"]
    text = f"{before:,} -> {after:,} ({change(before, after)}), {tokens_label(tokens)}"
    yield from row("tokens", text, width)
    if before:
        room = max(10, min(_BAR, width - LABEL - 4))
        left = min(room, round(room * after / before))
        yield copyable("", "#" * left + "." * (room - left))
    if tokens["head_before"]:
        tail = after - tokens["head_after"]
        text = f"head {tokens['head_before']:,} -> {tokens['block']:,}, the rest {tail:,}"
        yield from row("", text, width)
    images = tokens["estimated_part"]
    if images["before"] or images["after"]:
        text = f"images and files {images['before']:,} -> {images['after']:,} more, estimated"
        yield from row("", text, width)
    recorded = tokens["recorded"]
    if recorded:
        text = f"{recorded['context']:,} in context, recorded at line {recorded['line']}"
        yield from row("", text, width)
    if tokens["weak"]:
        text = "the view shrank by less than half: a rewrite rather than a compaction"
        yield from row("weak", text, width)


def _pinned(pins: Doc, width: int, *, full: bool) -> Iterator[str]:
    parts = [intact(pins)]
    parts += [f"{len(pins[key])} {key}" for key in ("added", "superseded") if pins[key]]
    parts += [f"{len(pins[key])} {key.upper()}" for key in ("changed", "removed") if pins[key]]
    yield from row("pinned", ", ".join(parts), width)
    for edit in pins["changed"]:
        yield f"  ! L{edit['before']['line']}: {words_diff(edit['before'], edit['after'])}"
    for pin in pins["removed"]:
        yield f"  - {brief_pin(pin, width)}"
    for pin in pins["superseded"]:
        yield f"  ~ {brief_pin(pin, width)}"
        if pin.get("superseded_by"):
            yield f"      superseded by {_said(pin['superseded_by'], pins)}"
    for pin in pins["added"]:
        yield f"  + {brief_pin(pin, width)}"
    # What binds for sure is worth the lines of a screen before what only may bind.
    kept = sorted(pins["kept"], key=lambda pin: pin["strength"] != "strong")[:_PINS_SHOWN]
    shown = pins["kept"] if full else sorted(kept, key=lambda pin: pin["line"])
    for pin in shown:
        yield f"    {brief_pin(pin, width)}"
    if len(pins["kept"]) > len(shown):
        yield f"    and {len(pins['kept']) - len(shown)} more (compactctl diff --full)"


def _said(pin_id: str, pins: Doc) -> str:
    """The human line that took a pin's place, where the diff holds it."""
    for pin in (*pins["kept"], *pins["added"], *pins["superseded"]):
        if pin["id"] == pin_id:
            return f"line {pin['line']}: {safe(pin['text'], 60)}"
    return pin_id


def _classes(classes: Sequence[Doc], width: int) -> Iterator[str]:
    bars = width > 2 * _BAR - 20
    yield f"  {'class':<10} {'entries':>16} {'tokens':>21} {'change':>9}"
    most = max((row["tokens_before"] for row in classes), default=0)
    for each in classes:
        entries = f"{each['entries_before']:,} -> {each['entries_after']:,}"
        before, after = each["tokens_before"], each["tokens_after"]
        line = f"  {each['state']:<10} {entries:>16} {f'{before:,} -> {after:,}':>21} "
        line += f"{change(before, after):>9}"
        yield f"{line}  {_stat(before, after, most)}".rstrip() if bars else line


def _stat(before: int, after: int, most: int) -> str:
    """A bar as of ``git diff --stat``: what stays, what went, what came."""
    unit = max(most, 1) / 20
    stays = round(min(before, after) / unit)
    return (
        "=" * stays
        + "-" * round(max(0, before - after) / unit)
        + "+" * round(max(0, after - before) / unit)
    )


def _gave_way(ledger: Doc, width: int) -> Iterator[str]:
    gone = _gone(ledger["entries"])
    if not gone:
        return
    tokens = sum(e["tokens_before"] - e["tokens_after"] for e in gone)
    text = f"{plural(len(gone), 'entry', 'entries')}, {tokens:,} tokens; the largest:"
    yield from row("gave way", text, width)
    for entry in gone[:_DROPS_SHOWN]:
        size = f"{entry['tokens_before']:,} -> {entry['tokens_after']:,}"
        yield f"    {entry['id']:<10} {size:>16}  {safe(entry['reason'], width - 34)}"


def _gone(entries: Sequence[Doc]) -> list[Doc]:
    """Dropped and rewritten entries, those that lost most first."""
    gone = [entry for entry in entries if entry["action"] in ("drop", "rewrite")]
    return sorted(gone, key=lambda e: e["tokens_after"] - e["tokens_before"])


def _cache(cache: Doc, width: int) -> Iterator[str]:
    if cache["first_changed"] is None:
        return
    yield from row(
        "cache",
        f"first change at {cache['first_changed']}: {cache['kept']:,} tokens stay cached, "
        f"{cache['rebilled']:,} are billed again",
        width,
    )


def _not_again(lost: Sequence[str], width: int) -> Iterator[str]:
    if lost:
        text = f"{plural(len(lost), 'result')} cannot be fetched again the same, e.g."
        yield from row("note", text, width)
        yield f"    {safe(lost[0], width - 6)}"


def _kept(ledger: Doc, resume: str, store_option: str) -> Iterator[str]:
    snapshot, output = ledger["snapshot"], ledger["output"]
    option = f" {store_option}" if store_option else ""
    if output:
        yield copyable("output", printable(output["path"]))
    if snapshot:
        name = snapshot["id"]
        yield copyable("snapshot", f"{name} ({snapshot['bytes']:,} bytes)")
        pointer = next((e["pointer"] for e in _gone(ledger["entries"]) if e["pointer"]), None)
        if pointer is not None:
            yield copyable("look", f"compactctl show '{pointer}'{option}")
        if output:
            yield copyable("undo", f"compactctl restore {name}{option}")
    if output and resume:
        yield copyable("resume", safe(resume, _LONG))


def _moved(entries: Sequence[Doc], width: int) -> Iterator[str]:
    moved = [entry for entry in entries if entry["action"] == "move"]
    if moved:
        ids = ", ".join(entry["id"] for entry in moved)
        yield from row("moved", f"{plural(len(moved), 'entry', 'entries')}: {ids}", width)
        yield ""


def _entries(entries: Sequence[Doc], width: int) -> Iterator[str]:
    for entry in entries:
        size = f"{entry['tokens_before']:,} -> {entry['tokens_after']:,}"
        yield (
            f"  {_MARKS[entry['action']]} {entry['id']:<12} {entry['state']:<10} {size:>18}  "
            f"{safe(entry['reason'], width - 48)}"
        )


def _closing(document: Doc) -> str:
    actions = [entry["action"] for entry in document["entries"]]
    counts = ", ".join(f"{name} {actions.count(name)}" for name in _MARKS if name in actions)
    before, after = document["tokens"]["before"], document["tokens"]["after"]
    return (
        f"Plan: {counts or 'nothing'} ({before:,} -> {after:,} tokens, "
        f"{change(before, after)}). Pinned: {intact(document['pins'])}."
    )
