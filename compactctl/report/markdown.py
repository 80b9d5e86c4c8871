"""The reports as Markdown, for issues and summaries; text of sessions is escaped."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compactctl.report.words import percent, plural, safe, signed, tokens_label, words_diff

Doc = Mapping[str, Any]
_LONGEST = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#!|<>~&@])")


def markdown_run(ledger: Doc, *, resume_hint: str = "") -> str:
    """Return a run as Markdown."""
    lines = [f"## compactctl: {ledger['status']}", "", f"{_escape(ledger['reason'])}.", ""]
    if ledger["hint"]:
        lines += [f"What to do: {_escape(ledger['hint'])}.", ""]
    trigger = ledger["trigger"]
    if trigger:
        lines += [
            (
                f"Window: {trigger['tokens']:,} of {trigger['window']:,} tokens "
                f"({percent(trigger['share'])}, {trigger['source']})."
            ),
            "",
        ]
    if ledger["entries"]:
        lines += [*_sides(ledger["tokens"], ledger["pin_diff"], ledger["classes"])]
    if ledger["snapshot"]:
        snapshot = ledger["snapshot"]["id"]
        lines += ["", f"Undo: `compactctl restore {snapshot} -o FILE`"]
    if resume_hint:
        lines += ["", f"Resume: `{safe(resume_hint, 400).replace('`', chr(39))}`"]
    return "\n".join(lines) + "\n"


def markdown_diff(document: Doc) -> str:
    """Return a diff as Markdown."""
    lines = ["## compactctl diff", ""]
    lines += _sides(document["tokens"], document["pins"], document["classes"])
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
        "| line | strength | kind | pin |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {pin['line']} | {pin['strength']} | {pin['kind']} | {_escape(pin['text'])} |"
        for pin in document["pins"]
    ]
    claims = [c for c in document["claims"] if c["supported"] is False]
    if claims:
        lines += ["", "### Claims that the record contradicts", ""]
        lines += [f"- line {c['line']}: {_escape(c['text'])}" for c in claims]
    return "\n".join(lines) + "\n"


def _sides(tokens: Doc, pins: Doc, classes: Sequence[Doc]) -> Iterator[str]:
    before, after = tokens["before"], tokens["after"]
    change = signed(after / before - 1) if before else "0 %"
    yield f"Tokens: {before:,} to {after:,} ({change}), {tokens_label(tokens)}."
    yield ""
    yield "| class | entries before | after | tokens before | after |"
    yield "|---|---|---|---|---|"
    for row in classes:
        yield (
            f"| {row['state']} | {row['entries_before']:,} | {row['entries_after']:,} "
            f"| {row['tokens_before']:,} | {row['tokens_after']:,} |"
        )
    yield ""
    total = len(pins["kept"]) + len(pins["changed"]) + len(pins["removed"])
    yield f"Pinned: {len(pins['kept'])} of {total} intact."
    changes = [
        *(
            f"- **changed** {_escape(words_diff(c['before'], c['after']))}"
            for c in pins["changed"]
        ),
        *(f"- **removed** line {p['line']}: {_escape(p['text'])}" for p in pins["removed"]),
        *(f"- superseded line {p['line']}: {_escape(p['text'])}" for p in pins["superseded"]),
        *(f"- added line {p['line']}: {_escape(p['text'])}" for p in pins["added"]),
    ]
    if changes:
        yield ""
        yield from changes


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", safe(text, _LONGEST))
