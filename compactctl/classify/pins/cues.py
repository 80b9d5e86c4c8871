# ruff: noqa: RUF001 -- these are the marks that people of other scripts write
"""Cue tables of the languages people write in, and what of them a sentence holds."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

GROUPS = (
    "filler",
    "politeness",
    "imperative",
    "prohibition",
    "obligation",
    "advice",
    "permission",
    "limit",
    "measure",
    "manner",
    "choice",
    "approval",
    "rejection",
    "wish",
    "request",
    "condition",
    "question",
    "thanks",
    "observation",
    "correction",
    "change",
    "example",
    "handover",
    "paste",
    "heading_binding",
    "heading_work",
    "heading_context",
)
"""The groups of cues that every table has, each with its ``source``."""

ORDINALS = ("first", "second", "third", "fourth", "last", "option")
"""The keys of the group ``ordinal``: which of several options is meant."""

PLACES = ("start", "any", "end")
"""Where in a sentence a cue counts: after its fillers, anywhere, as its last words."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|#")
_ARABIC_MARK = re.compile(r"[\u0640\u064b-\u0652\u0670]")
_ARABIC_LETTERS = str.maketrans("أإآٱىة", "اااايه")
"""Letters that people write interchangeably."""
_DEVANAGARI_WORD = re.compile(r"[\u0900-\u0963\u0966-\u097f]+|[^\W_]+(?:['’][^\W_]+)*|#")
_CLOSED = frozenset(
    {"filler", "politeness", "prohibition", "obligation", "permission", "change", "limit"}
)
_LONGEST = 9
"""Words (or characters, in tables of unit ``text``) of the longest cue that is looked up."""
_CHARACTERS_READ = 8000
_WORDS_READ = 400
"""A longer sentence is judged by its first and last words."""


@dataclass(frozen=True, slots=True)
class Hits:
    """
    Groups whose cues a sentence holds: at its start (after fillers), anywhere, at its end.

    ``tokens`` are its words in lower case (characters for languages written without spaces);
    ``start`` is the index of the first word after the fillers; ``spans`` says for each group at
    the start how many words its cue takes.
    """

    tokens: tuple[str, ...]
    start: int
    starts: frozenset[str]
    any: frozenset[str]
    ends: frozenset[str]
    spans: Mapping[str, int]

    def at_start(self, *groups: str) -> bool:
        """Return whether the sentence begins with a cue of one of the groups."""
        return not self.starts.isdisjoint(groups)

    def at_edge(self, *groups: str) -> bool:
        """Return whether the sentence begins or ends with a cue of one of the groups."""
        return self.at_start(*groups) or not self.ends.isdisjoint(groups)

    def has(self, *groups: str) -> bool:
        """Return whether the sentence holds a cue of one of the groups, wherever."""
        return (
            not self.any.isdisjoint(groups)
            or not self.starts.isdisjoint(groups)
            or not self.ends.isdisjoint(groups)
        )


@dataclass(frozen=True, slots=True)
class _Affix:
    """A cue that is the beginning (``use*``) or the end (``*ing``) of a word."""

    letters: str
    suffix: bool
    place: str
    group: str

    def key(self) -> str:
        return f"*{self.letters[-2:]}" if self.suffix else f"{self.letters[:2]}*"

    def fits(self, token: str) -> bool:
        if self.suffix:
            return token.endswith(self.letters)
        return token.startswith(self.letters)


class Table:
    """The cues of one language, indexed so that looking up is linear in the sentence."""

    def __init__(self, data: Mapping[str, object]) -> None:
        """Index a table as its TOML file holds it."""
        self.language = str(data["language"])
        self.unit = str(data["unit"])
        self.scripts = frozenset(_strings(data["scripts"]))
        groups = {name: group for name, group in data.items() if isinstance(group, dict)}
        self.function_words = frozenset(_strings(groups.pop("function_words").get("any")))
        ordinals = groups.pop("ordinal")
        self.ordinals = {
            key: frozenset(map(self._split, _strings(ordinals.get(key)))) for key in ORDINALS
        }
        self._noun_before = frozenset(_strings(groups["imperative"].get("unless_next")))
        self._trailing = frozenset(map(self._split, _strings(groups["filler"].get("end"))))
        self._start: _Index = {}
        self._any: _Index = {}
        self._end: list[tuple[tuple[str, ...], str]] = []
        self._affixes: dict[str, list[_Affix]] = {}
        self._closed: set[str] = set()
        for name, group in groups.items():
            self._add(name, group)

    def _add(self, name: str, group: Mapping[str, object]) -> None:
        for place in PLACES:
            for cue in _strings(group.get(place)):
                words = self._split(cue)
                if self.unit == "word" and "*" in cue:
                    affix = _Affix(words[0], cue.startswith("*"), place, name)
                    self._affixes.setdefault(affix.key(), []).append(affix)
                elif place == "end":
                    self._end.append((words, name))
                else:
                    index = self._start if place == "start" else self._any
                    index.setdefault(words[0], {}).setdefault(words, set()).add(name)
                if name in _CLOSED:
                    self._closed.update(words)

    def _split(self, text: str) -> tuple[str, ...]:
        return tuple(self.tokens(text))

    def closed_words(self) -> frozenset[str]:
        """Return the words that say how a sentence binds and not what it is about."""
        return self.function_words | self._closed

    def tokens(self, text: str) -> list[str]:
        """Return the words of a text in lower case; its characters where unit is ``text``."""
        lower = text.casefold().replace("’", "'").replace("i\u0307", "i")
        if self.unit == "text":
            return [c for c in lower if c.isalnum() or c in "#ー"]
        if "devanagari" in self.scripts:
            return _DEVANAGARI_WORD.findall(lower)
        if "arabic" in self.scripts:
            lower = _ARABIC_MARK.sub("", lower).translate(_ARABIC_LETTERS)
        return _WORD.findall(lower)

    def size(self, hits: Hits) -> int:
        """Return the words of a sentence; two characters count as one where unit is ``text``."""
        return len(hits.tokens) if self.unit == "word" else (len(hits.tokens) + 1) // 2

    def hits(self, text: str) -> Hits:
        """Return what the sentence holds."""
        tokens = self.tokens(text[:_CHARACTERS_READ])
        if len(tokens) > _WORDS_READ:
            tokens = tokens[: _WORDS_READ // 2] + tokens[-_WORDS_READ // 2 :]
        start = self._skip_fillers(tokens)
        starts: dict[str, int] = {}
        found: set[str] = set()
        ends: set[str] = set()
        self._lookup_start(tokens, start, starts)
        self._lookup_any(tokens, found)
        tail = self._without_trailing(tokens)
        ends.update(name for words, name in self._end if tuple(tail[-len(words) :]) == words)
        if self._affixes:
            self._lookup_affixes(tail, start, starts, found, ends)
        if "imperative" in starts and self._is_noun(tokens, starts["imperative"]):
            del starts["imperative"]
        return Hits(
            tuple(tokens), start, frozenset(starts), frozenset(found), frozenset(ends), starts
        )

    def _is_noun(self, tokens: Sequence[str], after: int) -> bool:
        """A finite verb follows: the word that looks like an order is its subject."""
        return after < len(tokens) and tokens[after] in self._noun_before

    def _without_trailing(self, tokens: Sequence[str]) -> Sequence[str]:
        """Words of courtesy after the end of a sentence do not hide its last word."""
        end = len(tokens)
        while end > 1:
            size = next(
                (n for n in (3, 2, 1) if tuple(tokens[max(0, end - n) : end]) in self._trailing),
                0,
            )
            if not size or size >= end:
                break
            end -= size
        return tokens[:end]

    def _skip_fillers(self, tokens: Sequence[str]) -> int:
        at = 0
        while at < len(tokens) - 1:
            size = next(
                (
                    len(words)
                    for words, names in _matches(self._start, tokens, at)
                    if "filler" in names and at + len(words) < len(tokens)
                ),
                0,
            )
            if not size or self._longer_cue(tokens, at, size):
                return at
            at += size
        return at

    def _longer_cue(self, tokens: Sequence[str], at: int, size: int) -> bool:
        """A longer cue begins with the filler's words ("now that", "first one")."""
        return any(
            len(words) > size and "filler" not in names
            for words, names in _matches(self._start, tokens, at)
        )

    def _lookup_start(self, tokens: Sequence[str], start: int, starts: dict[str, int]) -> None:
        for at in {0, start}:
            for words, names in _matches(self._start, tokens, at):
                for name in names:
                    starts[name] = max(starts.get(name, 0), at + len(words))
                if self.unit == "word":
                    break

    def _lookup_any(self, tokens: Sequence[str], found: set[str]) -> None:
        at = 0
        while at < len(tokens):
            longest = next(_matches(self._any, tokens, at), None)
            if longest is None:
                at += 1
                continue
            words, names = longest
            found |= names
            at += len(words)

    def _lookup_affixes(
        self,
        tokens: Sequence[str],
        start: int,
        starts: dict[str, int],
        found: set[str],
        ends: set[str],
    ) -> None:
        last = len(tokens) - 1
        for at, token in enumerate(tokens):
            for affix in self._candidates(token):
                if affix.place == "any":
                    found.add(affix.group)
                elif affix.place == "start" and at == start:
                    starts[affix.group] = max(starts.get(affix.group, 0), at + 1)
                elif affix.place == "end" and at == last:
                    ends.add(affix.group)

    def _candidates(self, token: str) -> Iterator[_Affix]:
        for key in (f"{token[:2]}*", f"*{token[-2:]}"):
            yield from (a for a in self._affixes.get(key, ()) if a.fits(token))


_Index = dict[str, dict[tuple[str, ...], set[str]]]


def _matches(
    index: _Index, tokens: Sequence[str], at: int
) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Yield the cues that stand at a place, longest first."""
    if at >= len(tokens):
        return
    cues = index.get(tokens[at])
    if cues is None:
        return
    window = tuple(tokens[at : at + _LONGEST])
    for size in range(len(window), 0, -1):
        names = cues.get(window[:size])
        if names is not None:
            yield window[:size], names


def _strings(value: object) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list) else []


@lru_cache(maxsize=1)
def tables() -> Mapping[str, Table]:
    """Return every cue table by language code; read once from the package's own data."""
    found = {}
    folder = files("compactctl.classify.lexicon")
    for item in sorted(folder.iterdir(), key=lambda i: i.name):
        if item.name.endswith(".toml"):
            table = Table(tomllib.loads(item.read_text(encoding="utf-8")))
            found[table.language] = table
    return found
