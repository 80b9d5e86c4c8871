"""Reports for people, in plain text: one renderer for fresh and for stored documents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compactctl.report.printable import printable
from compactctl.report.words import percent, plural, safe, signed, tokens_label, words_diff

Doc = Mapping[str, Any]
_PINS_SHOWN = 8
_DROPS_SHOWN = 5
_LABEL = 10
_NOT_DONE = ("deferred", "refused", "skipped")


def render_run(ledger: Doc, *, width: int, resume_hint: str = "", verbose: bool = False) -> str:
    """
    Return one screen about a run.

    It answers how full the window is, what was cut where and why there, tokens on both sides,
    what changed in the pinned block, what each class became, what was dropped, what a prompt
    cache bills again, where the snapshot is, how to undo and how to go on.
    """
    lines = list(_run(ledger, width, resume_hint, verbose=verbose))
    return "\n".join(lines) + "\n"


def render_diff(document: Doc, *, width: int, full: bool = False) -> str:
    """Return the stat of a diff, every change of the pinned block, and a closing sentence."""
    lines = [*_tokens(document["tokens"], width), *_pinned(document["pins"], width, full=True), ""]
    lines += [*_classes(document["classes"]), ""]
    if full:
        lines += [*_entries(document["entries"], width), ""]
    lines.append(_closing(document))
    return "\n".join(lines) + "\n"


def render_classification(document: Doc, *, width: int) -> str:
    """Return classes with tokens, pins in order, branches, unsupported claims, best cuts."""
    return "\n".join(_classification(document, width)) + "\n"


def render_pins(document: Doc, *, width: int) -> str:
    """Return the pins of a classification, in the order in which they were said."""
    lines = [_pin(pin, width) for pin in document["pins"]]
    return "\n".join(lines or ["no pins: nobody with authority said anything that binds"]) + "\n"


def render_verify(document: Doc, *, width: int) -> str:
    """Return how pointers and objects stand; what does not resolve is named."""
    pointers, objects = document["pointers"], document["objects"]
    bad = [p for p in pointers if p["status"] in ("missing", "changed")]
    unsure = sum(p["status"] == "unverifiable" for p in pointers)
    lines = [
        (
            f"pointers  {len(pointers):,}: {len(pointers) - len(bad) - unsure:,} resolve, "
            f"{len(bad):,} do not, {unsure:,} cannot be checked here"
        )
    ]
    lines += [f"  {p['status']}: {p['pointer']}  {safe(p['evidence'], width - 50)}" for p in bad]
    faults = [o for o in objects if o.get("status") != "ok"]
    lines.append(f"store     {plural(len(objects), 'file')}, {len(faults):,} damaged")
    lines += [f"  {o.get('status')}: {safe(str(o.get('path')), width)}" for o in faults]
    return "\n".join(lines) + "\n"


def _run(ledger: Doc, width: int, resume: str, *, verbose: bool) -> Iterator[str]:
    status = ledger["status"]
    level = f" ({ledger['level']})" if ledger["level"] else ""
    yield f"{status}{level}: {safe(ledger['reason'], 3 * width)}"
    if ledger["hint"]:
        yield _row("do", safe(ledger["hint"], 3 * width))
    number = f", conversation {ledger['conversation']}" if ledger["conversation"] else ""
    yield _row("file", f"{safe(ledger['path'], width)} ({ledger['format']}{number})")
    yield from _window(ledger["trigger"])
    if ledger["damage"]:
        yield _row(
            "damage", f"{plural(ledger['damage'], 'fault')}; compactctl classify names them"
        )
    if status in _NOT_DONE and not ledger["entries"]:
        yield from _kept(ledger, resume)
        return
    if status == "skipped":
        yield "what would have been:"
    yield from _cut(ledger)
    yield from _tokens(ledger["tokens"], width)
    yield from _pinned(ledger["pin_diff"], width, full=False)
    yield ""
    yield from _classes(ledger["classes"])
    yield ""
    yield from _dropped(ledger, width)
    yield from _cache(ledger)
    yield from _not_again(ledger, width)
    for advice in ledger["advice"]:
        yield _row("advice", safe(advice, 4 * width))
    if verbose:
        yield from _entries(ledger["entries"], width)
    yield from _kept(ledger, resume)


def _window(trigger: Doc | None) -> Iterator[str]:
    if trigger is None:
        return
    could = (
        "a live harness should compact now"
        if trigger["reached"]
        else "a live harness could have waited"
    )
    yield _row(
        "window",
        f"{trigger['tokens']:,} of {trigger['window']:,} tokens ({percent(trigger['share'])}; "
        f"{trigger['source']}, window {trigger['window_source']}); "
        f"trigger {trigger['threshold']:,}: {could}",
    )


def _cut(ledger: Doc) -> Iterator[str]:
    boundary = ledger["boundary"]
    if boundary is None:
        yield _row("cut", "none: results and arguments were replaced in place")
        return
    yield _row("cut", f"after line {boundary['after_line']}: {safe(boundary['why'], 120)}")
    inside = len(ledger["no_cut"])
    if inside:
        yield _row("", f"{plural(inside, 'zone')} kept whole (retry loops, work not yet verified)")


def _tokens(tokens: Doc, width: int) -> Iterator[str]:
    before, after = tokens["before"], tokens["after"]
    change = signed(after / before - 1) if before else "0 %"
    yield _row("tokens", f"{before:,} -> {after:,} ({change}), {tokens_label(tokens)}")
    if before:
        room = max(10, min(50, width - _LABEL - 4))
        left = min(room, round(room * after / before))
        yield _row("", "#" * left + "." * (room - left))
    if tokens["head_before"]:
        tail = after - tokens["head_after"]
        yield _row(
            "",
            f"head {tokens['head_before']:,} -> {tokens['block']:,} (state block); "
            f"kept as it was {tail:,}",
        )
    images = tokens["estimated_part"]
    if images["before"] or images["after"]:
        yield _row("", f"images and files {images['before']:,} -> {images['after']:,}, estimated")
    recorded = tokens["recorded"]
    if recorded:
        yield _row("", f"{recorded['context']:,} in context, recorded at line {recorded['line']}")
    if tokens["weak"]:
        yield _row("weak", "the view shrank by less than half: a rewrite rather than a compaction")


def _pinned(pins: Doc, width: int, *, full: bool) -> Iterator[str]:
    kept, changed, removed = pins["kept"], pins["changed"], pins["removed"]
    total = len(kept) + len(changed) + len(removed)
    parts = [f"{len(kept)} of {total} intact"]
    parts += [f"{len(pins[key])} {key}" for key in ("added", "superseded") if pins[key]]
    parts += [f"{len(changed)} CHANGED"] if changed else []
    parts += [f"{len(removed)} REMOVED"] if removed else []
    yield _row("pinned", ", ".join(parts))
    for change in changed:
        yield f"  ! L{change['before']['line']}: {words_diff(change['before'], change['after'])}"
    for pin in removed:
        yield f"  - {_brief(pin, width)}"
    for pin in pins["superseded"]:
        yield f"  ~ {_brief(pin, width)} (superseded by {pin['superseded_by']})"
    for pin in pins["added"]:
        yield f"  + {_brief(pin, width)}"
    shown = kept if full else kept[:_PINS_SHOWN]
    for pin in shown:
        yield f"    {_brief(pin, width)}"
    if len(kept) > len(shown):
        yield f"    and {len(kept) - len(shown)} more: compactctl pins FILE"


def _classes(classes: Sequence[Doc]) -> Iterator[str]:
    yield f"  {'class':<10} {'entries':>17} {'tokens':>22}"
    for row in classes:
        entries = f"{row['entries_before']:,} -> {row['entries_after']:,}"
        tokens = f"{row['tokens_before']:,} -> {row['tokens_after']:,}"
        yield f"  {row['state']:<10} {entries:>17} {tokens:>22}"


def _dropped(ledger: Doc, width: int) -> Iterator[str]:
    gone = [e for e in ledger["entries"] if e["action"] in ("drop", "rewrite")]
    if not gone:
        return
    tokens = sum(e["tokens_before"] - e["tokens_after"] for e in gone)
    yield _row("gave way", f"{plural(len(gone), 'entry', 'entries')}, {tokens:,} tokens; largest:")
    largest = sorted(gone, key=lambda e: e["tokens_after"] - e["tokens_before"])[:_DROPS_SHOWN]
    for entry in largest:
        size = f"{entry['tokens_before']:,} -> {entry['tokens_after']:,}"
        yield f"    {entry['id']:<10} {size:>16}  {safe(entry['reason'], width - 34)}"


def _cache(ledger: Doc) -> Iterator[str]:
    cache = ledger["cache"]
    if cache["first_changed"] is None:
        return
    yield _row(
        "cache",
        f"first change at {cache['first_changed']}: {cache['kept']:,} tokens stay cached, "
        f"{cache['rebilled']:,} are billed again",
    )


def _not_again(ledger: Doc, width: int) -> Iterator[str]:
    lost = ledger["not_refetchable"]
    if lost:
        yield _row("note", f"{plural(len(lost), 'result')} may not come the same way again, e.g.")
        yield f"    {safe(lost[0], width - 6)}"


def _kept(ledger: Doc, resume: str) -> Iterator[str]:
    snapshot, output = ledger["snapshot"], ledger["output"]
    if output:
        yield _row("output", printable(output["path"]))
    if snapshot:
        yield _row("snapshot", f"{snapshot['id']} ({snapshot['bytes']:,} bytes)")
        yield _row("undo", f"compactctl restore {snapshot['id']} -o FILE")
    if output and resume:
        yield _row("resume", safe(resume, 400))


def _entries(entries: Sequence[Doc], width: int) -> Iterator[str]:
    marks = {"keep": " ", "rewrite": "~", "drop": "-", "insert": "+", "move": ">"}
    for entry in entries:
        size = f"{entry['tokens_before']:,} -> {entry['tokens_after']:,}"
        yield (
            f"  {marks[entry['action']]} {entry['id']:<12} {entry['state']:<10} {size:>18}  "
            f"{safe(entry['reason'], width - 48)}"
        )


def _closing(document: Doc) -> str:
    actions = [e["action"] for e in document["entries"]]
    counts = ", ".join(
        f"{action} {actions.count(action)}"
        for action in ("keep", "rewrite", "drop", "insert", "move")
        if action in actions
    )
    tokens, pins = document["tokens"], document["pins"]
    total = len(pins["kept"]) + len(pins["changed"]) + len(pins["removed"])
    change = signed(tokens["after"] / tokens["before"] - 1) if tokens["before"] else "0 %"
    return (
        f"Plan: {counts or 'nothing'} ({tokens['before']:,} -> {tokens['after']:,} tokens, "
        f"{change}). Pinned: {len(pins['kept'])} of {total} intact."
    )


def _classification(document: Doc, width: int) -> Iterator[str]:
    transcript = document["transcript"]
    yield (
        f"{safe(transcript['path'], width)}: {transcript['format']}, "
        f"{plural(transcript['records'], 'record')}, "
        f"{plural(transcript['entries'], 'entry', 'entries')}"
    )
    total = transcript["tokens"]
    yield _row(
        "in view", f"{total['value']:,} tokens, {total['source']} {total['encoding'] or ''}"
    )
    yield ""
    yield f"  {'class':<10} {'entries':>9} {'tokens':>12} {'in view':>12}"
    for state in ("decision", "fact", "reasoning", "raw"):
        mine = [e for e in document["entries"] if e["state"] == state]
        view = sum(e["tokens"] for e in mine if e["in_view"])
        yield f"  {state:<10} {len(mine):>9,} {sum(e['tokens'] for e in mine):>12,} {view:>12,}"
    yield ""
    yield _row("pins", plural(len(document["pins"]), "pin"))
    yield from (_pin(pin, width) for pin in document["pins"])
    yield from _branches(document, width)
    claims = [c for c in document["claims"] if c["supported"] is False]
    if claims:
        yield _row("claims", f"{plural(len(claims), 'claim')} that the record contradicts:")
        yield from (f"    L{c['line']:<6} {safe(c['text'], width - 12)}" for c in claims)
    best = sorted(document["boundaries"], key=lambda b: -b["score"])[:5]
    if best:
        yield _row("cuts", "best boundaries:")
        for cut in sorted(best, key=lambda b: b["after_line"]):
            yield f"    after L{cut['after_line']:<6} {cut['score']:.2f}  {safe(cut['why'], 80)}"
    for fault in document["damage"]:
        detail = f" ({safe(fault['detail'], 60)})" if fault["detail"] else ""
        yield (
            f"  damage: line {fault['line']}, byte {fault['byte_offset']:,}, "
            f"{fault['length']:,} bytes: {fault['kind']}{detail}"
        )


def _branches(document: Doc, width: int) -> Iterator[str]:
    branches = document["branches"]
    if not branches:
        return
    yield _row("branches", plural(len(branches), "branch", "branches"))
    for branch in branches:
        span = f"L{branch['start_line']}-{branch['end_line']}"
        kind = branch["kind"].replace("_", " ")
        times = f" x{branch['attempts']}" if branch["kind"] == "retry_loop" else ""
        end = ", resolved" if branch["resolved"] else ""
        yield f"    {span:<12} {kind}{times}{end}: {safe(branch['failure'], width - 44)}"


def _pin(pin: Doc, width: int) -> str:
    gone = f" [{pin['status']}]" if pin["status"] != "active" else ""
    return f"    {_brief(pin, width)}{gone}"


def _brief(pin: Doc, width: int) -> str:
    head = f"L{pin['line']:<5} {pin['strength']:<6} {pin['kind']:<10} "
    return head + safe(pin["text"], max(20, width - len(head) - 6))


def _row(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{text}"
