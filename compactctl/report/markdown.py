"""The reports as Markdown, for issues and summaries; text of sessions is escaped."""

import re
from collections.abc import Iterator, Sequence

from compactctl.report.words import (
    Doc,
    change,
    intact,
    percent,
    plural,
    safe,
    tokens_label,
    words_diff,
)

_LONGEST = 300
_PINS_SHOWN = 20
_DROPS_SHOWN = 5
_SPECIAL = re.compile(r"[\\`*_{}\[\]()#!|<>~&@]|^[-+=]|(?<=^\d)\.|(?<=http):|(?<=https):")
"""What Markdown reads as more than text; of a web address the colon, so that none is a link."""


def markdown_run(ledger: Doc, *, resume_hint: str = "", store_option: str = "") -> str:
    """Return a run as Markdown (see ``text.render_run`` for what it answers)."""
    level = f" ({ledger['level']})" if ledger["level"] else ""
    lines = [f"## compactctl: {ledger['status']}{level}", "", f"{_escape(ledger['reason'])}.", ""]
    if ledger["hint"]:
        lines += [f"What to do: {_escape(ledger['hint'])}.", ""]
    lines += _where(ledger)
    if ledger["entries"]:
        lines += ["", *_sides(ledger["tokens"], ledger["pin_diff"], ledger["classes"])]
        lines += _gave_way(ledger["entries"])
        lines += _again(ledger)
    lines += [f"- advice: {_escape(advice)}" for advice in ledger["advice"]]
    lines += ["", *_kept(ledger, resume_hint, store_option)]
    return "\n".join(lines).rstrip() + "\n"


def markdown_diff(document: Doc) -> str:
    """Return a diff as Markdown."""
    lines = ["## compactctl diff", "", f"{_escape(document['reason'])}.", ""]
    lines += _sides(document["tokens"], document["pins"], document["classes"])
    lines += _gave_way(document["entries"])
    return "\n".join(lines) + "\n"


def markdown_classification(document: Doc) -> str:
    """Return a classification as Markdown."""
    transcript = document["transcript"]
    lines = [
        f"## {_escape(transcript['path'])}",
        "",
        (
            f"{transcript['format']}, {plural(transcript['records'], 'record')}, "
            f"{transcript['tokens']['value']:,} tokens in view ({transcript['tokens']['source']})."
        ),
        "",
        "| line | strength | kind | status | pin |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {pin['line']} | {pin['strength']} | {pin['kind']} | {pin['status']} "
        f"| {_escape(pin['text'])} |"
        for pin in document["pins"]
    ]
    if document["branches"]:
        lines += ["", "### Branches", ""]
        lines += [
            f"- lines {b['start_line']} to {b['end_line']}, {b['kind'].replace('_', ' ')}: "
            f"{_escape(b['what'])}: {_escape(b['failure'])}"
            for b in document["branches"]
        ]
    claims = [c for c in document["claims"] if c["supported"] is False]
    if claims:
        lines += ["", "### Claims without support in the record", ""]
        lines += [f"- line {c['line']}: {_escape(c['text'])}" for c in claims]
    return "\n".join(lines) + "\n"


def _where(ledger: Doc) -> Iterator[str]:
    yield f"- file: {_code(ledger['path'])} ({ledger['format']})"
    trigger = ledger["trigger"]
    if trigger:
        yield (
            f"- window: {percent(trigger['share'])} full, {trigger['tokens']:,} "
            f"({trigger['source']}) of {trigger['window']:,} tokens ({trigger['window_source']})"
        )
    boundary = ledger["boundary"]
    if boundary:
        yield f"- cut after line {boundary['after_line']}: {_escape(boundary['why'])}"
    if ledger["damage"]:
        yield f"- damage: {plural(ledger['damage'], 'fault')}"


def _sides(tokens: Doc, pins: Doc, classes: Sequence[Doc]) -> Iterator[str]:
    before, after = tokens["before"], tokens["after"]
    weak = "; the view shrank by less than half" if tokens["weak"] else ""
    yield (
        f"Tokens: {before:,} to {after:,} ({change(before, after)}), {tokens_label(tokens)}{weak}."
    )
    yield ""
    yield "| class | entries before | after | tokens before | after |"
    yield "|---|---|---|---|---|"
    for row in classes:
        yield (
            f"| {row['state']} | {row['entries_before']:,} | {row['entries_after']:,} "
            f"| {row['tokens_before']:,} | {row['tokens_after']:,} |"
        )
    yield ""
    yield f"Pinned: {intact(pins)}."
    yield ""
    for edit in pins["changed"]:
        yield f"- **changed** {_escape(words_diff(edit['before'], edit['after']))}"
    for name in ("removed", "superseded", "added"):
        mark = f"**{name}**" if name == "removed" else name
        yield from (f"- {mark} line {p['line']}: {_escape(p['text'])}" for p in pins[name])
    for pin in pins["kept"][:_PINS_SHOWN]:
        yield f"- line {pin['line']} ({pin['strength']}): {_escape(pin['text'])}"
    if len(pins["kept"]) > _PINS_SHOWN:
        yield f"- and {len(pins['kept']) - _PINS_SHOWN} more"


def _gave_way(entries: Sequence[Doc]) -> Iterator[str]:
    gone = [entry for entry in entries if entry["action"] in ("drop", "rewrite")]
    if not gone:
        return
    yield ""
    yield f"Gave way: {plural(len(gone), 'entry', 'entries')}; the largest:"
    yield ""
    yield "| entry | class | tokens before | after | what stays |"
    yield "|---|---|---|---|---|"
    largest = sorted(gone, key=lambda e: e["tokens_after"] - e["tokens_before"])[:_DROPS_SHOWN]
    for entry in largest:
        yield (
            f"| {entry['id']} | {entry['state']} | {entry['tokens_before']:,} "
            f"| {entry['tokens_after']:,} | {_escape(entry['reason'])} |"
        )


def _again(ledger: Doc) -> Iterator[str]:
    cache, lost = ledger["cache"], ledger["not_refetchable"]
    yield ""
    if cache["first_changed"] is not None:
        yield (
            f"- cache: first change at {cache['first_changed']}, {cache['kept']:,} tokens stay "
            f"cached, {cache['rebilled']:,} are billed again"
        )
    if lost:
        text = plural(len(lost), "result")
        yield f"- {text} cannot be fetched again the same, e.g. {_escape(lost[0])}"


def _kept(ledger: Doc, resume: str, store_option: str) -> Iterator[str]:
    option = f" {store_option}" if store_option else ""
    if ledger["output"]:
        yield f"- output: {_code(ledger['output']['path'])}"
    if ledger["snapshot"]:
        name = ledger["snapshot"]["id"]
        yield f"- snapshot: `{name}` ({ledger['snapshot']['bytes']:,} bytes)"
        if ledger["output"]:
            yield f"- undo: {_code(f'compactctl restore {name}{option}')}"
    if ledger["output"] and resume:
        yield f"- resume: {_escape(resume)}"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", safe(text, _LONGEST))


def _code(text: str) -> str:
    """A code span, which nothing in the text can end."""
    return f"`{safe(text, _LONGEST).replace('`', chr(39))}`"
