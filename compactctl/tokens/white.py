r"""
Long runs of white space, which tiktoken's regular expression engine gives up on.

It stops with a panic at a run of about a million characters (its backtrack limit, reached by
``\s+(?!\S)``). What the patterns make of a run is known, so its pieces are cut out here and
encoded by themselves, and the rest of the text is left to tiktoken:

- line ends at the start belong to a run of punctuation before it, where there is one;
- all up to the last line end is one piece;
- the rest is one piece but for its last character, which the next word may take along;
- at the end of the text there is no next word. There cl100k_base takes the whole run as one piece.
"""

import unicodedata
from collections.abc import Iterator

WHITE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's White_Space, which is what ``\\s`` means to tiktoken."""

_STRIDE = 50_000
_LONG = 2 * _STRIDE
"""Far below what the engine gives up on, far above what is written by anyone."""


def long_runs(text: str, encoding: str) -> Iterator[tuple[int, tuple[str, ...], int]]:
    """
    Yield, for each long run: where its own pieces start, the pieces, where the rest goes on.

    Takes no time to speak of for texts without such runs, and is linear in all others.
    """
    for start, end in _runs(text):
        begin = start
        if _takes_line_ends(text, start, encoding):
            while begin < end and text[begin] in "\r\n":
                begin += 1
        if end - begin >= _STRIDE:
            pieces = _pieces(text, begin, end, encoding)
            yield begin, pieces, begin + sum(map(len, pieces))


def _runs(text: str) -> Iterator[tuple[int, int]]:
    # A long run covers one of the places that are looked at.
    end = 0
    for at in range(0, len(text), _STRIDE):
        if at < end or text[at] not in WHITE:
            continue
        before = text[max(end, at - _STRIDE) : at]
        start, end = at - (len(before) - len(before.rstrip(WHITE))), at
        blank = _STRIDE
        while blank == _STRIDE:
            there = text[end : end + _STRIDE]
            blank = len(there) - len(there.lstrip(WHITE))
            end += blank
        if end - start >= _LONG:
            yield start, end


def _pieces(text: str, start: int, end: int, encoding: str) -> tuple[str, ...]:
    if encoding == "cl100k_base" and end == len(text):
        return (text[start:end],)
    last = max(text.rfind("\n", start, end), text.rfind("\r", start, end))
    middle = max(last + 1, start)
    stop = end if end == len(text) else max(middle, end - 1)
    return tuple(piece for piece in (text[start:middle], text[middle:stop]) if piece)


def _takes_line_ends(text: str, end: int, encoding: str) -> bool:
    """
    Return whether the piece that ends at ``end`` takes line ends behind it along.

    One of punctuation does. A combining mark is punctuation to cl100k_base; to o200k_base it is
    so only in the middle of punctuation, else it is a letter.
    """
    kind = _kind(text, end - 1)
    if kind in "LNZ":
        return False
    if kind != "M" or encoding == "cl100k_base":
        return True
    start = end
    while _kind(text, start - 1) not in "LNZ":
        start -= 1
    if text[start - 1 : start] == " " and _kind(text, start) != "M":
        return True
    at = start
    while at < end:
        # A mark, or one other character before marks, begins a word of marks.
        if _kind(text, at) != "M" and _kind(text, at + 1) != "M":
            return True
        at += 1
        while at < end and _kind(text, at) == "M":
            at += 1
    return False


def _kind(text: str, at: int) -> str:
    """``L``, ``N``, ``M`` (mark), ``Z`` (white space or no character) or ``P`` (all others)."""
    if not 0 <= at < len(text) or text[at] in WHITE:
        return "Z"
    category = unicodedata.category(text[at])[0]
    return category if category in "LNM" else "P"
