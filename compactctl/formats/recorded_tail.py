"""What stands at the end of a session: found from behind, so that a long one need not be read."""

from collections.abc import Iterator
from dataclasses import dataclass

from compactctl.formats.base import RecordDraft
from compactctl.formats.claude_code import CLAUDE_CODE
from compactctl.formats.codex import CODEX
from compactctl.io.jsonl import parse_line
from compactctl.io.source import RawLine, Source
from compactctl.model.transcript import BoundaryKind

_BLOCK = 1 << 20
_MOST = 16 << 20
"""Bytes from the end that are looked at: beyond, nothing says how full the window is now."""
_TELLING = (b'"usage"', b"token_count", b"compact", b"rolled_back")
"""One of these is in every record that holds usage, or after which older usage says nothing."""
_FORMATS = (CLAUDE_CODE, CODEX)


@dataclass(frozen=True, slots=True)
class RecordedTokens:
    """Tokens in context after the last request, and the line on which they are recorded."""

    value: int
    line: int


def recorded_tokens(source: Source) -> RecordedTokens | None:
    """
    Return what the provider recorded last of the main chain.

    ``None`` where nothing is recorded since the last compaction, or in another format.
    """
    for start, data in _lines_from_behind(source):
        for draft in _drafts(data, start):
            if draft.boundary is not None and draft.boundary.kind is not BoundaryKind.SNIP:
                return None
            if draft.usage is not None and not draft.chain:
                tokens = draft.usage.context + draft.usage.output
                return RecordedTokens(tokens, _line_at(source, start))
    return None


def boundary_line(source: Source, after: int) -> int | None:
    """Return the line of the first compaction recorded at or behind the byte ``after``."""
    found = None
    for start, data in _lines_from_behind(source):
        if start < after:
            break
        if any(d.boundary and d.boundary.kind is BoundaryKind.FULL for d in _drafts(data, start)):
            found = start
    return None if found is None else _line_at(source, found)


def _drafts(data: bytes, start: int) -> Iterator[RecordDraft]:
    if not any(word in data for word in _TELLING):
        return
    # The number of the line is of no matter to what is asked here.
    for value in reversed(parse_line(RawLine(1, start, data, ended=True)).values):
        for fmt in _FORMATS:
            if isinstance(value.value, dict) and fmt.sniff([value.value]):
                yield fmt.reader().record(value.value, 1)
                break


def _lines_from_behind(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield offset and bytes of the lines, the last one first."""
    end = source.size
    parts: list[bytes] = []  # of the line that begins further in front, its end first
    while end > 0 and source.size - end < _MOST:
        start = max(0, end - _BLOCK)
        block = source.read(start, end - start)
        at = len(block)
        while (feed := block.rfind(b"\n", 0, at)) >= 0:
            parts.append(block[feed + 1 : at])
            yield start + feed + 1, b"".join(reversed(parts))
            parts, at = [], feed
        parts.append(block[:at])
        end = start
    if end == 0:
        yield 0, b"".join(reversed(parts))


def _line_at(source: Source, offset: int) -> int:
    feeds = sum(
        source.read(at, min(_BLOCK, offset - at)).count(b"\n") for at in range(0, offset, _BLOCK)
    )
    return feeds + 1
