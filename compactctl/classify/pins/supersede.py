"""Says which earlier decisions a later explicit one replaces; doubt keeps both."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from compactctl.classify.pins.cues import tables
from compactctl.classify.pins.languages import languages
from compactctl.model.classification import Pin, PinKind, PinStatus, Strength
from compactctl.model.entry import Author

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SAME = 0.75
"""Share of words that two statements on the same matter have in common."""
_FEWEST = 2
_LOOKED_AT = 40
"""So many earlier pins that share the rarest word are compared."""
_LONGEST = 400
_POLARITY = ("prohibition", "permission")


@dataclass(frozen=True, slots=True)
class _Matter:
    """What a pin is about: its content words, its numbers, whether it forbids."""

    place: int
    words: frozenset[str]
    numbers: tuple[str, ...]
    forbids: bool
    changes: bool
    allows: bool
    dropped: frozenset[str]
    """Content words of what it says to leave ("instead of X", "no longer X")."""


def superseded(pins: Sequence[Pin]) -> tuple[Pin, ...]:
    """
    Return the pins with those marked that a later human decision on the same matter replaces.

    Two rules, both about statements with the same content words in the same chain: the later one
    names another number, or it turns a prohibition into its opposite (or the reverse) and says
    that it changes something. Anything less certain keeps both. Linear in the number of pins but
    for a bounded number of comparisons each.
    """
    replaced: dict[int, str] = {}
    by_word: dict[tuple[str, str], list[_Matter]] = {}
    for place, pin in enumerate(pins):
        matter = _matter(place, pin)
        if matter is None:
            continue
        if pin.author is Author.HUMAN:
            for old in _candidates(by_word, pin.chain, matter):
                if old.place not in replaced and _replaces(matter, old):
                    replaced[old.place] = pin.id
        for word in matter.words:
            by_word.setdefault((pin.chain, word), []).append(matter)
    return tuple(
        replace(p, status=PinStatus.SUPERSEDED, superseded_by=replaced[i]) if i in replaced else p
        for i, p in enumerate(pins)
    )


def _candidates(
    by_word: dict[tuple[str, str], list[_Matter]], chain: str, matter: _Matter
) -> Iterator[_Matter]:
    lists = [by_word[chain, w] for w in matter.words if (chain, w) in by_word]
    if lists:
        yield from reversed(min(lists, key=len)[-_LOOKED_AT:])


def _replaces(new: _Matter, old: _Matter) -> bool:
    common = len(new.words & old.words)
    if common < min(_FEWEST, len(old.words), len(new.words)):
        return False
    if new.forbids is old.forbids:
        if not new.numbers or len(new.numbers) != len(old.numbers) or new.numbers == old.numbers:
            return False
        return common >= _FEWEST and common >= _SAME * len(new.words | old.words)
    return (new.changes or new.allows) and common >= _SAME * len(old.words)


def _matter(place: int, pin: Pin) -> _Matter | None:
    binds = pin.kind in (PinKind.CONSTRAINT, PinKind.DECISION) or bool(_NUMBER.search(pin.text))
    if not binds or pin.strength is not Strength.STRONG or len(pin.text) > _LONGEST:
        return None
    words: set[str] = set()
    forbids = changes = allows = False
    for code in languages(pin.text)[:1]:
        table = tables()[code]
        if table.unit != "word":
            return None
        hits = table.hits(pin.text)
        cues = table.closed_words()
        words |= {t for t in hits.tokens if t not in cues and not t.isdigit() and len(t) > 1}
        forbids = hits.has("prohibition")
        changes = hits.has("change")
        allows = hits.has("permission")
    if not words:
        return None
    numbers = tuple(_NUMBER.findall(pin.text))
    return _Matter(place, frozenset(words), numbers, forbids, changes, allows, frozenset())
