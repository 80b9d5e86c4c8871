"""Repair of lone surrogates in stored JSON, without touching any other byte."""

import re
from collections.abc import Iterable, Iterator

# Escapes are read one after another, so that an escaped backslash before "ud83d" is no escape.
_ESCAPE = re.compile(
    rb"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_REPLACEMENT = rb"\ufffd"


def repair_surrogates(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes with each lone surrogate escape replaced by that of U+FFFD, line by line."""
    rest = b""
    for chunk in chunks:
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield _repaired(line) + b"\n"
    if rest:
        yield _repaired(rest)


def _repaired(line: bytes) -> bytes:
    return _ESCAPE.sub(lambda m: _REPLACEMENT if m["lone"] else m[0], line)
