"""Tells the languages of a text by its script and its function words."""

import re
from collections.abc import Mapping, Sequence

from compactctl.classify.pins.cues import Table, tables

_SCRIPTS = (
    ("kana", re.compile(r"[\u3040-\u30ff]")),
    ("hangul", re.compile(r"[\uac00-\ud7af\u3131-\u318e]")),
    ("han", re.compile(r"[\u4e00-\u9fff\u3400-\u4dbf]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("devanagari", re.compile(r"[\u0900-\u097f]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f]")),
    ("other", re.compile(r"[\u0370-\u03ff\u0530-\u05ff\u0980-\u10ff\u1200-\u18af]")),
)
_READ = 4000
_FOREIGN = 3
"""Of the letters of a text in another script, Latin ones above one in so many are read too."""


def scripts(text: str) -> dict[str, int]:
    """Return how many letters of each script a text holds, of those that it holds."""
    counted = ((name, len(pattern.findall(text))) for name, pattern in _SCRIPTS)
    return {name: count for name, count in counted if count}


def languages(text: str, around: Sequence[str] = ()) -> tuple[str, ...]:
    """
    Return the codes of the tables to judge a text by, best first; ``()`` where none fits.

    ``around`` are the languages of the message or of the talk before it; they settle what a few
    words alone cannot. Looks at the first 4,000 characters.
    """
    head = text[:_READ]
    found = scripts(head)
    if not found:
        return tuple(around)
    codes = [
        code
        for code, table in tables().items()
        if "latin" not in table.scripts and _fits(table, found, around)
    ]
    latin = found.get("latin", 0)
    if latin and (not codes or latin > sum(found.values()) // _FOREIGN):
        codes += _latin(head, around)
    return tuple(dict.fromkeys(codes))


def _fits(table: Table, found: Mapping[str, int], around: Sequence[str]) -> bool:
    if table.scripts.isdisjoint(found):
        return False
    if table.language == "zh":
        return "kana" not in found and ("ja" not in around or "zh" in around)
    if table.language == "ja":
        return "kana" in found or "ja" in around
    return True


def _latin(text: str, around: Sequence[str]) -> list[str]:
    """The tables with most function words in the text; without any, those that fit by cues."""
    latin = {code: table for code, table in tables().items() if "latin" in table.scripts}
    counted = {
        code: len(table.function_words.intersection(table.tokens(text)))
        for code, table in latin.items()
    }
    best = max(counted.values(), default=0)
    if best == 0:
        known = [code for code in around if code in latin]
        return known or [code for code, table in latin.items() if table.hits(text).starts]
    ranked = [code for code, count in counted.items() if count == best]
    return [code for code in ranked if code in around] or ranked
