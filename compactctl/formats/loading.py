"""From a source to transcripts: which format it is, by content, and how it is read."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from compactctl.errors import InputError, UnknownFormatError, UsageError
from compactctl.formats.base import Format
from compactctl.formats.lookalikes import describe, describe_bytes
from compactctl.formats.message_format import MessageFormat
from compactctl.formats.message_layouts import heads, is_message, tells_vendor
from compactctl.formats.message_reading import (
    Document,
    break_offset,
    document_values,
    parse_document,
    read_messages,
)
from compactctl.formats.reading import FileContent, read_lines, unknown_format
from compactctl.formats.registry import FORMATS, format_named
from compactctl.io.jsonl import BOM, ParsedLine, parse_line
from compactctl.io.source import RawLine, Source
from compactctl.model.damage import DamageKind
from compactctl.model.transcript import Content, Transcript

_HEAD_VALUES = 20
_HEAD_LINES = 200
"""Lines that are looked at for the head of a file in which lines are damaged or blank."""
_START = 4096
_TELLING = (b'"tool_use"', b'"tool_result"', b'"thinking"', b'"tool_calls"', b'"tool_call_id"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A conversation: its index, its text on demand, and the format that reads it."""

    transcript: Transcript
    content: Content
    format: Format


@dataclass(frozen=True, slots=True)
class _Head:
    """The first JSON values of a source, and the whole of it where it is one document."""

    values: tuple[object, ...]
    document: Document | None


def load(
    source: Source, *, input_format: str | None = None, conversation: int | None = None
) -> tuple[Loaded, ...]:
    """
    Return the conversations of a source; one for every format but message lists.

    The format is found by content unless ``input_format`` names it. ``conversation`` (from 1)
    picks one. Raises ``UnknownFormatError`` where the shape is not read, ``InputError`` where
    there is no record at all, ``UsageError`` for a format or conversation that is not there.
    """
    named = format_named(input_format) if input_format else None
    head = _head(source)
    if not head.values:
        raise _no_record(source)
    fmt = named or _sniffed(source, head)
    transcripts = _read(source, fmt, head, conversation)
    picked = _picked(source, transcripts, conversation) if transcripts else ()
    if not any(t.entries if named else t.records for t in picked):
        raise unknown_format(
            source.path,
            f"no record of {fmt.name} in it; {describe(head.values)}",
            tuple(f.name for f in FORMATS),
        )
    return tuple(
        Loaded(transcript=t, content=FileContent(source, t, fmt), format=fmt) for t in picked
    )


def _read(
    source: Source, fmt: Format, head: _Head, conversation: int | None
) -> tuple[Transcript, ...]:
    if not isinstance(fmt, MessageFormat):
        return (read_lines(source, fmt),)
    lines = sum(is_message(value) for value in head.values) * 2 > len(head.values)
    return read_messages(source, fmt, document=head.document, one_a_line=lines, only=conversation)


def _picked(
    source: Source, transcripts: tuple[Transcript, ...], conversation: int | None
) -> tuple[Transcript, ...]:
    if conversation is None:
        return transcripts
    count = len(transcripts)
    if not 1 <= conversation <= count:
        there = "one conversation" if count == 1 else f"{count} conversations"
        raise UsageError(
            f"{source.path}: there is no conversation {conversation}; the file holds {there}",
            hint=f"name one from 1 to {count}",
        )
    return (transcripts[conversation - 1],)


def _sniffed(source: Source, head: _Head) -> Format:
    values = head.values
    for fmt in FORMATS:
        if fmt.sniff(values):
            return fmt
    raise unknown_format(source.path, describe(values), tuple(f.name for f in FORMATS))


def _head(source: Source) -> _Head:
    values: list[object] = []
    lines = source.lines()
    for raw in islice(lines, _HEAD_LINES):
        parsed = parse_line(raw)
        if not values and _begins_document(raw, parsed):
            document = parse_document(source)
            if document.broken_at is None or not _has_whole_line(source):
                return _Head(document_values(document), document)
        values += [value.value for value in parsed.values]
        if len(values) >= _HEAD_VALUES:
            break
    head = values[:_HEAD_VALUES]
    messages = heads(head)
    if messages and not tells_vendor(messages):
        head += _telling_line(lines)
    return _Head(tuple(head), None)


def _begins_document(raw: RawLine, parsed: ParsedLine) -> bool:
    if not any(d.kind in (DamageKind.BROKEN, DamageKind.TRUNCATED) for d in parsed.damage):
        return False
    data = raw.data.rstrip()
    return data.lstrip(BOM)[:1] in (b"[", b"{") and (
        not raw.ended or break_offset(data) >= len(data)
    )


def _has_whole_line(source: Source) -> bool:
    """Return whether one of the first lines is a record by itself: then damage broke line 1."""
    return any(
        not parsed.damage and any(isinstance(v.value, dict) for v in parsed.values)
        for parsed in map(parse_line, islice(source.lines(), _HEAD_LINES))
    )


def _telling_line(lines: Iterator[RawLine]) -> list[object]:
    """Return the values of the first later line that only one of the vendors writes."""
    for raw in lines:
        if any(word in raw.data for word in _TELLING):
            values = [value.value for value in parse_line(raw).values]
            if tells_vendor(heads(values)):
                return values
    return []


def _no_record(source: Source) -> InputError:
    start = source.read(0, min(source.size, _START))
    what = describe_bytes(start)
    return UnknownFormatError(
        f"{source.path}: line 1 is no JSON record: {what}",
        hint="name a session file; formats read: " + ", ".join(f.name for f in FORMATS),
    )
