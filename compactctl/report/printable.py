"""Text of transcripts made safe to print: nothing in it can move a cursor or hide."""

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Controls, formats (bidi, zero-width, tags), surrogates, private use, line separators."""
_JOINERS = "\u200c\u200d"
"""Zero-width joiners, which Persian, Hindi and emoji need."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that print as nothing: joiner, fillers, the empty braille cell."""
_SELECTORS = range(0xE0100, 0xE01F0)
"""Variation selectors beyond those that emoji need; any text can be hidden in them."""
_WIDE = frozenset({"W", "F"})


def printable(text: str, *, limit: int | None = None, keep_newlines: bool = False) -> str:
    """
    Return text with everything invisible shown as an escape, cut to ``limit`` columns.

    Line ends and tabs become spaces, or stay with ``keep_newlines``.
    """
    flat = text.replace("\r\n", "\n") if keep_newlines else " ".join(text.split())
    kept = "\n\t" if keep_newlines else ""
    shown = flat if flat.isascii() and flat.isprintable() else "".join(_shown(flat, kept))
    return shown if limit is None else _cut(shown, limit)


def _shown(text: str, kept: str) -> list[str]:
    return [c if c in kept or not _hides(c) else _escape(c) for c in text]


def _hides(char: str) -> bool:
    if char in _BLANK or ord(char) in _SELECTORS:
        return True
    return unicodedata.category(char) in _HIDDEN and char not in _JOINERS


def _escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:  # noqa: PLR2004 -- what two digits hold
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- as above


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit and text.isascii():
        return text
    columns, fits = 0, 0
    for at, char in enumerate(text):
        columns += _columns(char)
        if columns > limit:
            return text[:fits] + "…"
        if columns < limit:
            fits = at + 1
    return text


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1
