"""What was found in a session or a store, for people, in plain text."""

from collections.abc import Iterator, Sequence

from compactctl.report.words import Doc, brief_pin, copyable, plural, row, safe

_LONG = 400
_BEST_CUTS = 5
_DAMAGE_SHOWN = 20


def render_classification(document: Doc, *, width: int) -> str:
    """Return classes with tokens, pins in order, branches, unsupported claims, best cuts."""
    return "\n".join(_classification(document, width)) + "\n"


def render_pins(document: Doc, *, width: int) -> str:
    """Return the pins of a classification, in the order in which they were said."""
    lines = [line for pin in document["pins"] for line in _pin(pin, document["pins"], width)]
    return "\n".join(lines or ["no pins: nobody with authority said anything that binds"]) + "\n"


def render_verify(document: Doc, *, width: int) -> str:
    """Return how pointers and objects stand; what does not resolve is named."""
    pointers, objects = document["pointers"], document["objects"]
    bad = [p for p in pointers if p["status"] in ("missing", "changed")]
    unsure = sum(p["status"] == "unverifiable" for p in pointers)
    resolve = len(pointers) - len(bad) - unsure
    lines = [
        copyable(
            "pointers",
            f"{len(pointers):,}: {resolve:,} resolve, {len(bad):,} do not, "
            f"{unsure:,} cannot be checked here",
        )
    ]
    lines += [f"  {p['status']}: {p['pointer']}  {safe(p['evidence'], width - 50)}" for p in bad]
    if objects:
        faults = [o for o in objects if o["status"] != "ok"]
        text = f"{plural(len(objects), 'file')}, {len(faults):,} not as they should be"
        lines.append(copyable("store", text))
        lines += [f"  {o['status']}: {safe(str(o['path']), _LONG)}" for o in faults]
    return "\n".join(lines) + "\n"


def _classification(document: Doc, width: int) -> Iterator[str]:
    transcript = document["transcript"]
    number = f", conversation {transcript['conversation']}" if transcript["conversation"] else ""
    yield (
        f"{safe(transcript['path'], _LONG)}: {transcript['format']}{number}, "
        f"{plural(transcript['records'], 'record')}, "
        f"{plural(transcript['entries'], 'entry', 'entries')}"
    )
    total = transcript["tokens"]
    encoding = f" with {total['encoding']}" if total["encoding"] else ""
    yield from row("in view", f"{total['value']:,} tokens, {total['source']}{encoding}", width)
    yield ""
    yield from _classes(document["entries"])
    yield ""
    yield from row("pins", plural(len(document["pins"]), "pin"), width)
    for pin in document["pins"]:
        yield from _pin(pin, document["pins"], width)
    yield from _branches(document["branches"], width)
    yield from _claims(document["claims"], width)
    yield from _cuts(document["boundaries"], width)
    yield from _damage(document["damage"], width)


def _classes(entries: Sequence[Doc]) -> Iterator[str]:
    yield f"  {'class':<10} {'entries':>9} {'tokens':>12} {'in view':>12}"
    for state in ("decision", "fact", "reasoning", "raw"):
        mine = [entry for entry in entries if entry["state"] == state]
        tokens = sum(entry["tokens"] for entry in mine)
        view = sum(entry["tokens"] for entry in mine if entry["in_view"])
        yield f"  {state:<10} {len(mine):>9,} {tokens:>12,} {view:>12,}"


def _pin(pin: Doc, pins: Sequence[Doc], width: int) -> Iterator[str]:
    gone = f" [{pin['status']}]" if pin["status"] != "active" else ""
    yield f"    {brief_pin(pin, width - len(gone))}{gone}"
    if pin["referent"]:
        answered = pin["referent"]
        yield f"           answers {answered['entry']}: {safe(answered['text'], width - 30)}"
    by = next((other for other in pins if other["id"] == pin["superseded_by"]), None)
    if by is not None:
        yield f"           superseded by L{by['line']}: {safe(by['text'], width - 36)}"


def _branches(branches: Sequence[Doc], width: int) -> Iterator[str]:
    if not branches:
        return
    yield from row("branches", plural(len(branches), "branch", "branches"), width)
    for branch in branches:
        span = f"L{branch['start_line']}-{branch['end_line']}"
        kind = branch["kind"].replace("_", " ")
        times = f" x{branch['attempts']}" if branch["kind"] == "retry_loop" else ""
        end = ", resolved" if branch["resolved"] else ""
        head = f"    {span:<12} {kind}{times}{end}: "
        yield head + safe(branch["what"], width - len(head))
        if branch["failure"]:
            yield f"                 {safe(branch['failure'], width - 18)}"


def _claims(claims: Sequence[Doc], width: int) -> Iterator[str]:
    wrong = [claim for claim in claims if claim["supported"] is False]
    if wrong:
        text = f"{plural(len(wrong), 'claim')} without support in the record:"
        yield from row("claims", text, width)
        yield from (f"    L{c['line']:<6} {safe(c['text'], width - 12)}" for c in wrong)


def _cuts(boundaries: Sequence[Doc], width: int) -> Iterator[str]:
    best = sorted(boundaries, key=lambda cut: -cut["score"])[:_BEST_CUTS]
    if best:
        yield from row(
            "cuts", f"the best of {plural(len(boundaries), 'boundary', 'boundaries')}:", width
        )
        for cut in sorted(best, key=lambda cut: cut["after_line"]):
            why = safe(cut["why"], width - 26)
            yield f"    after L{cut['after_line']:<6} {cut['score']:.2f}  {why}"


def _damage(damage: Sequence[Doc], width: int) -> Iterator[str]:
    if damage:
        yield from row("damage", f"{plural(len(damage), 'fault')}:", width)
    for fault in damage[:_DAMAGE_SHOWN]:
        detail = f" ({safe(fault['detail'], 60)})" if fault["detail"] else ""
        yield (
            f"    line {fault['line']}, byte {fault['byte_offset']:,}, "
            f"{fault['length']:,} bytes: {fault['kind']}{detail}"
        )
    if len(damage) > _DAMAGE_SHOWN:
        yield f"    and {len(damage) - _DAMAGE_SHOWN:,} more (--format json)"
