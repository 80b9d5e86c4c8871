"""Lone surrogates in stored JSON: where they are, and their repair without any other change."""

import re
from collections.abc import Iterable, Iterator

# Escapes are read one after another, so that an escaped backslash before "ud83d" is no escape.
_ESCAPE = re.compile(
    rb"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_REPLACEMENT = rb"\ufffd"


def lone_surrogates(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of each escape of half a surrogate pair."""
    if b"\\ud" in data or b"\\uD" in data:
        yield from (found.span() for found in _ESCAPE.finditer(data) if found["lone"])


def repair_surrogates(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes with each lone surrogate escape replaced by that of U+FFFD, line by line."""
    rest: list[bytes] = []
    for chunk in chunks:
        first, *more = chunk.split(b"\n")
        rest.append(first)
        for line in more:
            yield _repaired(b"".join(rest)) + b"\n"
            rest = [line]
    last = b"".join(rest)
    if last:
        yield _repaired(last)


def _repaired(line: bytes) -> bytes:
    if b"\\ud" not in line and b"\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda m: _REPLACEMENT if m["lone"] else m[0], line)
