# ruff: noqa: RUF001 -- these are the marks that people of other scripts write
"""Finds the assistant's words that a short answer settles: the exact option, offer or question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compactctl.classify.pins.cues import Table, tables
from compactctl.classify.pins.sentences import split, trimmed
from compactctl.model.classification import Referent
from compactctl.model.entry import Entry, Span

_LINE_OPTION = re.compile(
    r"^[ \t]{0,12}(?:[-*+•][ \t]+)?(?:#{1,6}[ \t]+)?(?:\*\*|__)?\(?"
    r"(?:(?:[^\W\d_]{2,12}[ \t]+)?(?P<key>\d{1,2}|[A-Ha-h])|(?P<circled>[①-⑨]))"
    r"(?:[.):、．：]|[ \t]*[-–—:][ \t]|(?<=[①-⑨]))(?:\*\*|__)?[ \t]*(?=\S)",
    re.MULTILINE,
)
_INLINE_OPTION = re.compile(
    r"(?<![\w.])(?:\((?P<round>\d{1,2}|[A-Ha-h])\)"
    r"|(?P<half>\d{1,2}|[A-Ha-h])\)|(?P<colon>[A-H])[:：]|(?P<circled>[①-⑨])"
    r"|(?:[^\W\d_]{4,12}[ \t](?P<word>\d{1,2}|[A-H])(?=[ \t:：,])"
    r"|(?:方案|选项|案|プラン|방안|옵션)[ \t]?(?P<han>[一二三四五六\dA-H])))[ \t]*"
)
_BULLET = re.compile(r"^[ \t]{0,12}[-*+•][ \t]+(?=\S)", re.MULTILINE)
_HAN_DIGITS = {"一": "1", "二": "2", "三": "3", "四": "4", "五": "5", "六": "6"}
_KEY_TOKEN = re.compile(r"(?<![\w.])(\d{1,2}|[a-h])(?![\w]|\.\d)")
_QUESTION = re.compile(r"[?？؟][\s\"'”’»)\]*_!]{0,4}$")
_TAIL = 6000
"""An answer answers the end of a message; so much of it is looked at."""
_GENERIC = 45
"""A question shorter than this ("Shall I go on?") does not say what was offered."""
_CLOSED_BLOCK = 1500


@dataclass(frozen=True, slots=True)
class Said:
    """The last text of the assistant in a chain."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """One of the options that a message offers; ``key`` is its number or letter."""

    key: str
    span: Span


def options(text: str) -> tuple[Option, ...]:
    """Return the options of a message in order; ``()`` where it offers fewer than two."""
    start = max(0, len(text) - _TAIL)
    tail = text[start:]
    for pattern in (_LINE_OPTION, _INLINE_OPTION):
        found = _enumerated(text, pattern, start)
        if len(found) > 1:
            return found
    bullets = list(_BULLET.finditer(tail))
    if len(bullets) > 1:
        return tuple(
            Option(str(number), _line_rest(text, start + b.end()))
            for number, b in enumerate(_last_run(tail, bullets), 1)
        )
    return ()


def asks(text: str) -> bool:
    """Return whether a message ends in a question or offers options."""
    tail = text[-_TAIL:].rstrip()
    last = tail[-400:]
    return "?" in last or "？" in last or "؟" in last or len(options(text)) > 1


def referent(answer: str, said: Said, codes: Sequence[str]) -> Referent | None:
    """
    Return the assistant's words that the answer settles, an exact substring of what it said.

    An option named by number, letter or ordinal is that option; several are the range that
    holds them; a bare yes or no is the question or proposal that stands last.
    """
    offered = options(said.text)
    keys = _keys(answer, offered, codes)
    chosen = [o for o in offered if o.key in keys]
    if chosen:
        span = Span(chosen[0].span.start, chosen[-1].span.end)
        return Referent(said.entry.id, said.text[span.start : span.end])
    offer = _last_offer(said.text)
    return Referent(said.entry.id, said.text[offer.start : offer.end]) if offer else None


def _enumerated(text: str, pattern: re.Pattern[str], start: int) -> tuple[Option, ...]:
    marks: list[tuple[str, int, int]] = []
    for found in pattern.finditer(text, start):
        key = next((v for v in found.groupdict().values() if v), "").lower()
        key = _HAN_DIGITS.get(key, key)
        if len(key) == 1 and "①" <= key <= "⑨":
            key = str(ord(key) - ord("①") + 1)
        if key in ("1", "a"):
            marks = []
        marks.append((key, found.start(), found.end()))
    if len(marks) < 2 or marks[0][0] not in ("1", "a"):  # noqa: PLR2004 -- one is no choice
        return ()
    made = []
    for number, (key, _, begin) in enumerate(marks):
        limit = marks[number + 1][1] if number + 1 < len(marks) else len(text)
        made.append(Option(key, _option_span(text, begin, limit, last=number + 1 == len(marks))))
    return tuple(made)


def _option_span(text: str, begin: int, limit: int, *, last: bool) -> Span:
    """An option ends at the next one, or at its line or sentence where it is the last."""
    line = text.find("\n", begin, limit)
    stop = limit if line < 0 else line
    if last and line < 0:
        stop = next(split(text, begin, stop), Span(begin, stop)).end
    span = trimmed(text, begin, stop) or Span(begin, stop)
    end = span.end
    while end > span.start and text[end - 1] in ",;，、；。.?？ \t":
        end -= 1
    for joiner in (" or", " and", " oder", " ou", " o", " или", " veya", "、または"):
        if text[span.start : end].endswith(joiner):
            end -= len(joiner)
            break
    while end > span.start and text[end - 1] in ",;，、； \t":
        end -= 1
    return Span(span.start, end)


def _line_rest(text: str, begin: int) -> Span:
    stop = text.find("\n", begin)
    return trimmed(text, begin, len(text) if stop < 0 else stop) or Span(begin, begin)


def _last_run(tail: str, bullets: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The bullets of the last list: no blank line between two of them."""
    run: list[re.Match[str]] = []
    for bullet in bullets:
        if run and "\n\n" in tail[run[-1].end() : bullet.start()]:
            run = []
        run.append(bullet)
    return run


def _keys(answer: str, offered: Sequence[Option], codes: Sequence[str]) -> frozenset[str]:
    if not offered:
        return frozenset()
    known = {o.key for o in offered}
    lower = answer[:200].lower()
    keys = {k for k in _KEY_TOKEN.findall(lower) if k in known and not _is_article(k, lower)}
    keys |= {k for k in _HAN_DIGITS.values() if k in known and _han(k, lower)}
    if keys:
        return frozenset(keys)
    for code in codes:
        if place := _ordinal(answer, tables()[code], len(offered)):
            return frozenset({offered[place - 1].key})
    return frozenset()


def _is_article(key: str, lower: str) -> bool:
    """The letter a inside a sentence is an article."""
    return key == "a" and len(lower.split()) > 4  # noqa: PLR2004 -- "a", "go with a please"


def _han(key: str, lower: str) -> bool:
    han = next(h for h, k in _HAN_DIGITS.items() if k == key)
    return any(f"{lead}{han}" in lower for lead in ("方案", "选项", "第", "案"))


def _ordinal(answer: str, table: Table, count: int) -> int:
    tokens = table.tokens(answer[:200])
    places = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": count}
    best, best_size = 0, 0
    for key, place in places.items():
        for words in table.ordinals.get(key, ()):
            size = len(words)
            if size <= best_size or place > count:
                continue
            if any(tuple(tokens[i : i + size]) == words for i in range(len(tokens) - size + 1)):
                best, best_size = place, size
    return best


def _last_offer(text: str) -> Span | None:
    """The last question or sentence of a message, with what a generic question is about."""
    start = max(0, len(text) - _TAIL)
    found = list(split(text, start, len(text)))
    if not found:
        return None
    last = next((s for s in reversed(found) if _QUESTION.search(text[s.start : s.end])), found[-1])
    last = _last_line(text, last)
    if last.end - last.start >= _GENERIC:
        return last
    block = text.rfind("\n\n", start, last.start)
    above = block >= 0 and not text[block : last.start].strip()
    before = text.rfind("\n\n", start, block) if above else block
    wide = trimmed(text, before + 2 if before >= 0 else start, last.end)
    if wide and wide.end - wide.start <= _CLOSED_BLOCK:
        return wide
    return last


def _last_line(text: str, span: Span) -> Span:
    """Without an end mark between them, lines of a list run into one sentence: keep the last."""
    line = text.rfind("\n", span.start, span.end)
    return trimmed(text, line + 1, span.end) or span if line >= 0 else span
