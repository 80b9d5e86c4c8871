"""Where the parts of a JSON text stand, so that they can be replaced and the rest stays."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Path = tuple[str | int, ...]

# Possessive quantifiers: a string of 50 MB must not build a backtracking stack.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]++', re.DOTALL)


_TOO_DEEP: Path = ("",)


@dataclass(frozen=True, slots=True)
class JsonSpan:
    """A value's path and its bytes ``data[start:end]``."""

    path: Path
    start: int
    end: int


def spans(data: bytes, depth: int, within: Path = ()) -> Iterator[JsonSpan]:
    """
    Yield the spans of all values down to ``depth`` below ``within``, inner before outer.

    ``data`` must be one valid JSON text. Object keys may repeat; each is yielded.
    """
    stack: list[_Open] = []
    key: str | None = None
    base = len(within)
    deepest = base + depth
    for token in _TOKEN.finditer(data):
        first = data[token.start()]
        if first in b"{[":
            # What is too deep to be wanted needs no path; else deep nesting would be quadratic.
            path = _path(stack, key) if len(stack) <= deepest else _TOO_DEEP * (deepest + 1)
            stack.append(_Open(path, token.start(), is_list=first == ord("[")))
            key = None
        elif first in b"}]":
            opened = stack.pop()
            if _wanted(opened.path, within, base, depth):
                yield JsonSpan(opened.path, opened.start, token.end())
            _next(stack)
            key = None
        elif first in b":,":
            continue
        elif first == ord('"') and stack and not stack[-1].is_list and key is None:
            key = _key(token.group()) if len(stack) <= deepest else ""
        else:
            if len(stack) <= deepest and _wanted(path := _path(stack, key), within, base, depth):
                yield JsonSpan(path, token.start(), token.end())
            _next(stack)
            key = None


def replace(data: bytes, values: Mapping[Path, bytes]) -> bytes:
    """
    Return ``data`` with the values at the given paths replaced, all other bytes as they were.

    Paths that are not there are left out; of a repeated key the last one counts, as for readers.
    """
    if not values:
        return data
    depth = max(len(path) for path in values)
    above = {path[:length] for path in values for length in range(len(path))}
    found: dict[Path, JsonSpan] = {}
    for span in spans(data, depth):
        if span.path in above:
            _forget(found, span)
        if span.path in values:
            found[span.path] = span
    out, at = [], 0
    for span in sorted(found.values(), key=lambda s: s.start):
        if span.start < at:
            continue
        out += [data[at : span.start], values[span.path]]
        at = span.end
    out.append(data[at:])
    return b"".join(out)


def _forget(found: dict[Path, JsonSpan], span: JsonSpan) -> None:
    """Leave out what stands in an earlier value of a repeated key: no reader sees it."""
    size = len(span.path)
    for path in [p for p in found if p[:size] == span.path and found[p].start < span.start]:
        del found[path]


class _Open:
    __slots__ = ("count", "is_list", "path", "start")

    def __init__(self, path: Path, start: int, *, is_list: bool) -> None:
        self.path, self.start, self.is_list, self.count = path, start, is_list, 0


def _path(stack: list[_Open], key: str | None) -> Path:
    if not stack:
        return ()
    top = stack[-1]
    return (*top.path, top.count if top.is_list else key or "")


def _next(stack: list[_Open]) -> None:
    if stack:
        stack[-1].count += 1


def _key(token: bytes) -> str:
    from compactctl.io.jsonl import loads  # noqa: PLC0415 -- keys with escapes are rare

    if b"\\" in token:
        key = loads(token)
        return key if isinstance(key, str) else ""
    return token[1:-1].decode("utf-8", "replace")


def _wanted(path: Path, within: Path, base: int, depth: int) -> bool:
    return len(path) <= base + depth and path[:base] == within
