"""Whether a statement stands in a text: word for word, in other words, in part, or not at all."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from compactctl.classify.results.names import names
from compactctl.model.audit import Survival

_MARKS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u2011": "-",
        "\u00a0": " ",
        "\u2026": "...",
        "*": "",
        "`": "",
        "_": " ",
    }
)
_EDGES = " \t\n\r\"'.,;:!?()[]-\u3002\uff01\uff1f\uff0c"
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_COMMON = names(
    "a an the and or but so to of in on at for with from by as is are was were be been am do does "
    "did i we you he she it they me us my our your his her its their this that these those there "
    "here then than if please just can could would should will let lets s t ll ve re d m not no "
    "yes ok okay also some any all into out up have has had"
)
_NEGATIONS = names(
    "not no never don dont doesn didn won without nor cannot cant isn aren neither none"
)
_WINDOW = 1.5
"""A statement in other words takes at most so many times its own words."""
_SLACK = 6
_ALTERED = 0.7
_PARTIAL = 0.4
_RUN = 5
_RUN_SHARE = 0.4
"""A run of so many words, and so much of all words, is a quotation in part."""
_FEW = 3
"""Of so few words all must stand together before other words count as the same statement."""
_STEM = 5
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Trace:
    """How much of a statement stands where: ``start`` and ``end`` are word positions."""

    survival: Survival
    share: float
    shown: str


def normal(text: str) -> str:
    """Return a text with white space, case, quotation marks and emphasis made equal."""
    return " ".join(text.translate(_MARKS).casefold().split())


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case; each ideograph is one."""
    return _WORD.findall(text.translate(_MARKS).casefold())


class Reading:
    """A text made ready to look statements up in; linear in its length."""

    def __init__(self, text: str) -> None:
        """Keep the text; its index is made on first use."""
        self._text = text

    @cached_property
    def _normal(self) -> str:
        return normal(self._text)

    @cached_property
    def _words(self) -> list[tuple[str, int, int]]:
        # Equal length before and after, so that places in one are places in the other.
        folded = self._text.lower()
        source = folded if len(folded) == len(self._text) else self._text
        return [(m.group(), m.start(), m.end()) for m in _WORD.finditer(source)]

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, (word, _, _) in enumerate(self._words):
            found.setdefault(_stem(word), []).append(at)
        return found

    def holds(self, statement: str) -> bool:
        """Return whether a statement stands in the text word for word."""
        wanted = normal(statement).strip(_EDGES)
        return bool(wanted) and wanted in self._normal

    def trace(self, statement: str) -> Trace:
        """
        Return how a statement stands in the text.

        In other words: within a stretch of about twice its length most of its telling words
        stand together, those that negate among them.
        """
        if self.holds(statement):
            return Trace(Survival.VERBATIM, 1.0, statement)
        wanted = _telling(words(statement))
        if not wanted:
            return Trace(Survival.LOST, 0.0, "")
        share, first, last = self._best(wanted, len(words(statement)))
        shown = self._cut(first, last) if share else ""
        if share >= _ALTERED or (share >= 1.0 and len(wanted) <= _FEW):
            survival = Survival.ALTERED
        elif (share >= _PARTIAL and len(wanted) > _FEW) or self._quotes(statement):
            survival = Survival.PARTIAL
        else:
            survival = Survival.LOST
        return Trace(survival, share, shown if survival is not Survival.LOST else "")

    def _quotes(self, statement: str) -> bool:
        """Return whether a long run of the statement's words stands in the text as it is."""
        said = words(statement)
        size = max(_RUN, math.ceil(len(said) * _RUN_SHARE))
        runs = (said[at : at + size] for at in range(len(said) - size + 1))
        return any(" ".join(run) in self._joined for run in runs)

    @cached_property
    def _joined(self) -> str:
        return " ".join(words(self._text))

    def _best(self, wanted: Counter[str], size: int) -> tuple[float, int, int]:
        """
        Weight of the wanted words in the densest stretch, and its first and last word.

        A word weighs the less the more often the text says it: that a text about tests holds
        "tests" somewhere tells nothing.
        """
        span = int(size * _WINDOW) + _SLACK
        weights = {stem: self._weight(stem) for stem in wanted}
        hits = sorted((at, stem) for stem in wanted for at in self._places.get(stem, ()))
        total = sum(weights[stem] * number for stem, number in wanted.items())
        seen: Counter[str] = Counter()
        covered, best, left = 0.0, (0.0, 0, 0), 0
        for right, (at, stem) in enumerate(hits):
            seen[stem] += 1
            covered += weights[stem] if seen[stem] <= wanted[stem] else 0.0
            while at - hits[left][0] > span:
                gone = hits[left][1]
                covered -= weights[gone] if seen[gone] <= wanted[gone] else 0.0
                seen[gone] -= 1
                left += 1
            while seen[hits[left][1]] > wanted[hits[left][1]]:
                seen[hits[left][1]] -= 1
                left += 1
            tighter = at - hits[left][0] < best[2] - best[1]
            gain = covered / total - best[0]
            if gain > _EQUAL or (gain > -_EQUAL and tighter):
                best = covered / total, hits[left][0], hits[right][0]
        return best

    def _weight(self, stem: str) -> float:
        return 1 / (1 + math.log1p(len(self._places.get(stem, ()))))

    def _cut(self, first: int, last: int) -> str:
        """The words from first to last, widened to the line they stand in where that is short."""
        start, end = self._words[first][1], self._words[last][2]
        return " ".join(self._text[start:end].split())


def _telling(found: Sequence[str]) -> Counter[str]:
    """The words that carry a statement; all of them where there are no others."""
    telling = [w for w in found if w not in _COMMON or w in _NEGATIONS]
    return Counter(_stem(word) for word in (telling or found))


def _stem(word: str) -> str:
    # Enough to find "committing" for "commit"; a real stemmer would need the language.
    if not word.isascii() or word.isdigit() or len(word) <= _STEM:
        return word
    return word[:_STEM]
