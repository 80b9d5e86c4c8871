"""Briefs as Markdown and as a JSON document, and what a hand-edited brief no longer holds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactctl.model.brief import Brief, BriefItem, Part
from compactctl.report.printable import printable
from compactctl.report.secrets import mask
from compactctl.report.words import safe

Document = dict[str, object]
_TITLES = {
    Part.GOAL: "Goal",
    Part.DECISIONS: "Decisions and constraints (verbatim; they bind)",
    Part.EXAMPLES: "Examples to follow (verbatim)",
    Part.FACTS: "Verified facts",
    Part.TROUBLE: "Failed or unsettled",
    Part.OPEN: "Open work",
    Part.DO_NOT_RETRY: "Do not try again",
}
_SAID = frozenset({Part.GOAL, Part.DECISIONS, Part.EXAMPLES})
_RECORD = 400
_READING = (
    " by compactctl. Quotations are what people said, word for word. The rest is a record of what "
    "tools returned; verify it before you build on it. The original of an item: "
    "`compactctl show FILE --entry ENTRY`."
)
_REF = re.compile(r"(?<![\w.])(?:snap:[0-9a-f]{8,64}#)?((?:C\d+\.)?L\d+\.\d+)(?![\w.])")
_QUOTE = re.compile(r"^[ \t]{0,3}>[ \t]?", re.MULTILINE)


def brief_document(brief: Brief) -> Document:
    """Return a brief (``compactctl.brief/1``)."""
    return {
        "schema": "compactctl.brief/1",
        "session": {
            "path": brief.path,
            "format": brief.format,
            "sha256": brief.sha256,
            "lines": brief.lines,
        },
        "tokens": {"value": brief.tokens, "source": "counted", "encoding": brief.encoding},
        "budget": brief.budget,
        "left_out": brief.left_out,
        "items": [
            {
                "part": item.part,
                "text": item.text,
                "label": item.label,
                "line": item.line,
                "pointer": f"snap:{brief.sha256[:12]}#{item.source}",
                "answers": item.answers,
                "verify": item.verify,
            }
            for item in brief.items
        ],
    }


def render_brief(brief: Brief) -> str:
    """Return a brief as Markdown: what people said stands as quotations, line for line."""
    head = [
        "# Brief",
        "",
        f"Taken from `{safe(brief.path, 200)}` ({brief.lines:,} lines, sha256 {brief.sha256[:12]})"
        + _READING,
    ]
    return "\n".join([*head, *_body(brief.items), *_left_out(brief)]) + "\n"


def _body(items: Sequence[BriefItem]) -> Iterator[str]:
    for part in Part:
        mine = [item for item in items if item.part is part]
        if mine:
            yield from ("", f"## {_TITLES[part]}", "")
        for item in mine:
            yield from _quoted(item) if part in _SAID else _recorded(item)


def _quoted(item: BriefItem) -> Iterator[str]:
    for line in _plain(item.text).split("\n"):
        yield f"> {line}"
    yield ">"
    yield f"> ({item.label}, {item.source})"
    if item.answers is not None:
        yield ">"
        yield "> in answer to:"
        yield from (f">> {line}" for line in _plain(item.answers).split("\n"))
    yield ""


def _recorded(item: BriefItem) -> Iterator[str]:
    label = f" ({safe(item.label, _RECORD)})" if item.label else ""
    yield f"- {safe(item.text, _RECORD)}{label}, {item.source}"
    if item.verify:
        yield f"  verify: `{safe(item.verify, _RECORD).replace('`', chr(39))}`"


def _left_out(brief: Brief) -> Iterator[str]:
    if brief.left_out:
        yield ""
        yield f"{brief.left_out} more items did not fit into {brief.budget:,} tokens."


def _plain(text: str) -> str:
    """Words of a person: as they are, but for secrets and what could move a cursor."""
    return printable(mask(text), keep_newlines=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something that a brief should hold and does not, or holds and should not."""

    kind: str
    """``pin``, ``fact`` or ``pointer``."""
    text: str
    line: int
    essential: bool


def missing_from(text: str, brief: Brief, entries: frozenset[str]) -> Iterator[Missing]:
    """
    Yield what a brief (Markdown or JSON, perhaps edited by hand) does not hold of a session.

    ``brief`` is the full one of the session, ``entries`` are the ids that there are. A pin is held
    where its words stand in the text, a fact where its text does; a pointer is wrong where the
    session has no such entry.
    """
    held = " ".join(_QUOTE.sub("", _QUOTE.sub("", text)).split())
    for item in brief.items:
        wanted = " ".join((_plain(item.text) if item.part in _SAID else item.text).split())
        shown = wanted if item.part in _SAID else safe(item.text, _RECORD)
        if wanted not in held and shown not in held:
            kind = "pin" if item.part in _SAID else "fact"
            yield Missing(kind=kind, text=item.text, line=item.line, essential=item.essential)
    for found in _REF.finditer(text):
        if found[1] not in entries:
            yield Missing(kind="pointer", text=found[0], line=0, essential=True)
