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
    "manner",
    "choice",
    "approval",
    "rejection",
    "wish",
    "request",
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

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|#")
_MARKED_LETTER = re.compile(r"[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0951-\u0957\u064b-\u0652]")
_DEVANAGARI_WORD = re.compile(r"[\u0900-\u0963\u0966-\u097f]+|[^\W_]+(?:['’][^\W_]+)*|#")
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
_CLOSED = frozenset(
    {"filler", "politeness", "prohibition", "obligation", "permission", "change", "limit"}
)
_LONGEST = 9
"""Words (or characters, in tables of unit ``text``) of the longest cue that is looked up."""
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

    def has(self, *groups: str) -> bool:
        """Return whether the sentence holds a cue of one of the groups, wherever."""
        return (
            not self.any.isdisjoint(groups)
            or not self.starts.isdisjoint(groups)
            or not self.ends.isdisjoint(groups)
        )


class Table:
    """The cues of one language, indexed so that looking up is linear in the sentence."""

    def __init__(self, data: Mapping[str, object]) -> None:
        """Index a table as its TOML file holds it."""
        self.language = str(data["language"])
        self.unit = str(data["unit"])
        scripts = data["scripts"]
        self.scripts = frozenset(str(s) for s in scripts) if isinstance(scripts, list) else frozenset()
        self._start: _Index = {}
        self._any: _Index = {}
        self._end: list[tuple[tuple[str, ...], str]] = []
        self._affix: dict[str, list[tuple[str, bool, str, str]]] = {}
        self.ordinals: dict[str, frozenset[tuple[str, ...]]] = {}
        self.function_words: frozenset[str] = frozenset()
        self._closed: set[str] = set()
        for name, group in data.items():
            if isinstance(group, dict):
                self._add(name, group)

    def _add(self, name: str, group: Mapping[str, object]) -> None:
        if name == "function_words":
            self.function_words = frozenset(_strings(group.get("any")))
            return
        if name == "ordinal":
            for key in ORDINALS:
                self.ordinals[key] = frozenset(map(self._split, _strings(group.get(key))))
            return
        if name in _CLOSED:
            for place in ("start", "any", "end"):
                for cue in _strings(group.get(place)):
                    self._closed.update(self._split(cue))
        for place, index in (("start", self._start), ("any", self._any)):
            for cue in _strings(group.get(place)):
                if self.unit == "word" and "*" in cue:
                    self._add_affix(cue, place, name)
                elif words := self._split(cue):
                    index.setdefault(words[0], {}).setdefault(words, set()).add(name)
        for cue in _strings(group.get("end")):
            if self.unit == "word" and "*" in cue:
                self._add_affix(cue, "end", name)
            elif words := self._split(cue):
                self._end.append((words, name))

    def _add_affix(self, cue: str, place: str, name: str) -> None:
        bare = cue.strip("*").casefold()
        suffix = cue.startswith("*")
        key = f"*{bare[-2:]}" if suffix else f"{bare[:2]}*"
        self._affix.setdefault(key, []).append((bare, suffix, place, name))

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
        if self.language == "hi":
            return _DEVANAGARI_WORD.findall(lower)
        return _WORD.findall(_MARKED_LETTER.sub("", lower) if self.language == "ar" else lower)

    def hits(self, text: str) -> Hits:
        """Return what the sentence holds."""
        tokens = self.tokens(text[:8000])
        if len(tokens) > _WORDS_READ:
            tokens = tokens[: _WORDS_READ // 2] + tokens[-_WORDS_READ // 2 :]
        start = self._skip_fillers(tokens)
        starts: dict[str, int] = {}
        found: set[str] = set()
        ends: set[str] = set()
        self._lookup_start(tokens, start, starts)
        self._lookup_any(tokens, found)
        for words, name in self._end:
            if tuple(tokens[-len(words) :]) == words:
                ends.add(name)
        if self._affix:
            self._lookup_affixes(tokens, start, starts, found, ends)
        return Hits(
            tuple(tokens), start, frozenset(starts), frozenset(found), frozenset(ends), starts
        )

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
            for key in (f"{token[:2]}*", f"*{token[-2:]}"):
                for bare, suffix, place, name in self._affix.get(key, ()):
                    if not (token.endswith(bare) if suffix else token.startswith(bare)):
                        continue
                    if place == "any":
                        found.add(name)
                    elif place == "start" and at == start:
                        starts[name] = max(starts.get(name, 0), at + 1)
                    elif place == "end" and at == last:
                        ends.add(name)


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


def scripts(text: str) -> dict[str, int]:
    """Return how many letters of each script a text holds, of those that it holds."""
    counted = ((name, len(pattern.findall(text))) for name, pattern in _SCRIPTS)
    return {name: count for name, count in counted if count}


def languages(text: str, around: Sequence[str] = ()) -> tuple[str, ...]:
    """
    Return the codes of the tables to judge a text by, best first; ``()`` where none fits.

    ``around`` are the languages of the message, which settle what a few words alone cannot.
    """
    found = scripts(text)
    if not found:
        return tuple(around)
    codes = [
        code
        for code, table in tables().items()
        if "latin" not in table.scripts and _fits(table, found, around)
    ]
    latin = found.get("latin", 0)
    if latin and (not codes or latin > sum(found.values()) // 3):
        codes += _latin(text, around)
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
    words = set(_WORD.findall(text[:4000].casefold().replace("’", "'")))
    counted = {
        code: len(words & table.function_words)
        for code, table in tables().items()
        if "latin" in table.scripts
    }
    best = max(counted.values(), default=0)
    if best == 0:
        return [code for code in around if code in counted]
    ranked = [code for code, count in counted.items() if count == best]
    kept = [code for code in ranked if code in around]
    return kept or ranked
