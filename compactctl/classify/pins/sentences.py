# ruff: noqa: RUF001 -- these are the marks that people of other scripts write
"""Splits text into sentences; each is an exact range of the text."""

import re
from collections.abc import Iterator

from compactctl.model.entry import Span

_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_`]{0,8}(?=\s|$)"  # alphabets: an end mark before white space
    r"|[。！？｡]+[」』）”’】\]*_]{0,8}"  # Chinese and Japanese: no space follows
    r"|[।॥؟۔]+[\"'”’»)\]*_]{0,8}"  # danda, Arabic question mark, Urdu full stop
)
_CODE = re.compile(r"`[^`\n]{1,300}`")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|esp|resp|incl|excl|no|nr|fig|eq|sec|ch|pp?|vol|al|st|dr|mr"
    r"|mrs|ms|prof|inc|ltd|z\.b|d\.h|u\.a|bzw|ca|usw|ggf|evtl|inkl|p\.\s?ej|ej|sr|sra|dott|т\.е|т\.д|т\.п|напр"
    r"|vb|örn|n\.b|[a-z])$",
    re.IGNORECASE,
)
_NUMBER_ONLY = re.compile(r"\s*(?:\d{1,3}|[a-zA-Z])\.$")
_LOOK_BACK = 16


def split(text: str, start: int, end: int) -> Iterator[Span]:
    """
    Yield the sentences of ``text[start:end]`` without the white space around them.

    A dot inside a file name, number, address, abbreviation or inline code ends nothing. Linear
    in the length of the range.
    """
    code = _code_ranges(text, start, end)
    inside = next(code, None)
    at = start
    for found in _END.finditer(text, start, end):
        while inside is not None and inside[1] <= found.start():
            inside = next(code, None)
        if inside is not None and inside[0] <= found.start():
            continue
        if found.group()[0] == "." and _ends_nothing(text, at, found):
            continue
        span = trimmed(text, at, found.end())
        if span is not None:
            yield span
        at = found.end()
    span = trimmed(text, at, end)
    if span is not None:
        yield span


def trimmed(text: str, start: int, end: int) -> Span | None:
    """Return the range without white space at its ends, ``None`` where nothing is left."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return Span(start + left, start + right) if left < right else None


def _code_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _CODE.finditer(text, start, end):
        yield found.span()


def _ends_nothing(text: str, at: int, found: re.Match[str]) -> bool:
    if found.group().startswith(".."):
        # An ellipsis ends a sentence only where the next one begins like one.
        follows = text[found.end() : found.end() + 3].strip()
        return bool(follows) and follows[0].islower()
    before = text[max(at, found.start() - _LOOK_BACK) : found.start()]
    if _ABBREVIATION.search(before):
        return True
    head = text[at : found.start() + 1] if found.start() - at < _LOOK_BACK else ""
    return bool(head) and bool(_NUMBER_ONLY.fullmatch(head))
