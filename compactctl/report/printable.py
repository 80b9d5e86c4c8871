"""Text of transcripts made safe to print: nothing in it can move a cursor or hide."""

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Controls, formats (bidi, zero-width, tags), surrogates, private use, line separators."""
_JOINERS = "\u200c\u200d"
"""Zero-width joiners, which Persian, Hindi and emoji need."""


def printable(text: str, *, limit: int | None = None, keep_newlines: bool = False) -> str:
    """
    Return text with everything invisible shown as an escape, cut to ``limit`` characters.

    Line ends and tabs become spaces, or stay with ``keep_newlines``.
    """
    flat = text if keep_newlines else " ".join(text.split())
    kept = "\n\t" if keep_newlines else ""
    shown = flat if flat.isascii() and flat.isprintable() else "".join(_shown(flat, kept))
    if limit is not None and len(shown) > limit:
        return shown[: max(0, limit - 1)] + "…"
    return shown


def _shown(text: str, kept: str) -> list[str]:
    return [c if c in kept or not _hides(c) else _escape(c) for c in text]


def _hides(char: str) -> bool:
    return unicodedata.category(char) in _HIDDEN and char not in _JOINERS


def _escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:  # noqa: PLR2004 -- what two digits hold
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- as above
