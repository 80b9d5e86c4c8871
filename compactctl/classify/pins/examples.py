# ruff: noqa: RUF001 -- these are the marks that people of other scripts write
"""Finds examples of style that a person gave: pinned whole, as the form to follow."""

from collections.abc import Iterator, Sequence

from compactctl.classify.pins.cues import tables
from compactctl.classify.pins.parts import Context, Part, PartKind
from compactctl.model.entry import Span

_LONGEST = 4000
"""A longer block is material, not an example of style."""
_MOST = 3
"""So many blocks after one lead count as its examples."""


def examples(text: str, parts: Sequence[Part], codes: Sequence[str]) -> Iterator[Span]:
    """
    Yield the ranges of blocks that the words before them give as the style to follow.

    A block is a code fence or a quotation right below a line that ends in a colon and names an
    example, a format or a style.
    """
    given = 0
    for before, part in _pairs(parts):
        if part.kind not in (PartKind.CODE, PartKind.QUOTE):
            given = given if part.kind is PartKind.BLOCK else 0
            continue
        if given or (before is not None and _leads(text, before, codes)):
            given += 1
            size = part.span.end - part.span.start
            full = text[part.span.start : part.span.end].strip()
            if given <= _MOST and size <= _LONGEST and full:
                yield part.span


def _pairs(parts: Sequence[Part]) -> Iterator[tuple[Part | None, Part]]:
    before: Part | None = None
    for part in parts:
        yield before, part
        before = part


def _leads(text: str, part: Part, codes: Sequence[str]) -> bool:
    if part.kind not in (PartKind.PROSE, PartKind.HEADING, PartKind.ITEM):
        return False
    if part.context in (Context.PASTED, Context.BACKGROUND):
        return False
    tail = text[max(part.span.start, part.span.end - 300) : part.span.end].rstrip(" \t*_\n")
    if not tail.endswith((":", "：", "।")):
        return False
    return any("example" in tables()[code].hits(tail).any for code in codes)
