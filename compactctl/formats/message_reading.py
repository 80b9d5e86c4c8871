"""Reading message lists: from the bytes of a source to one transcript a conversation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from compactctl.formats.base import Format
from compactctl.formats.message_layouts import Conversation, conversations, is_message, recovered
from compactctl.formats.message_writing import SYSTEM_LINE
from compactctl.formats.reading import Located, TranscriptBuilder, read_lines
from compactctl.io.jsonl import ParsedLine, parse_line
from compactctl.io.source import RawLine, Source
from compactctl.model.damage import Damage, DamageKind
from compactctl.model.entry import LineUnit
from compactctl.model.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Document:
    """A source that is one JSON document over several lines: parsed, with its bytes."""

    parsed: ParsedLine
    data: bytes
    broken_at: int | None = None
    """Offset at which the document breaks off, ``None`` where it is whole."""


def read_messages(
    source: Source,
    fmt: Format,
    *,
    document: Document | None,
    one_a_line: bool,
    only: int | None = None,
) -> tuple[Transcript, ...]:
    """
    Return the transcript of each conversation of a source, in file order.

    ``one_a_line``: each line is a message. ``only`` is the number of the conversation that is
    wanted; the others are counted and come without records.
    """
    if document is None and one_a_line:
        return (read_lines(source, fmt),)
    damage: list[Damage] = []
    found = (
        _in_document(document, damage)
        if document
        else _in_lines(source, damage, several=_has_several_lines(source))
    )
    first_two = list(islice(found, 2))
    several = len(first_two) > 1
    cut_off = document is not None and document.broken_at is not None
    read: list[Transcript] = []
    for number, conversation in enumerate(chain(first_two, found), 1):
        if only in (None, number):
            built = _build(source, fmt, conversation, number if several else None)
        else:
            empty = replace(conversation, messages=(), system=None)
            built = _build(source, fmt, empty, number)
        read.append(replace(built, detail={**built.detail, "cut_off": cut_off}))
    return tuple(_with_damage(transcript, damage) for transcript in read)


def parse_document(source: Source) -> Document:
    """Return the source parsed as one JSON text; the part that is whole where it breaks off."""
    data = source.read(0, source.size)
    parsed = parse_line(RawLine(1, 0, data, ended=data.endswith(b"\n")))
    whole = len(parsed.values) == 1 and not any(
        d.kind in (DamageKind.BROKEN, DamageKind.TRUNCATED) for d in parsed.damage
    )
    return Document(parsed, data, None if whole else break_offset(data))


def document_values(document: Document) -> tuple[object, ...]:
    """Return the values of a document: of a broken one its whole messages, as a list."""
    if document.broken_at is None:
        return tuple(value.value for value in document.parsed.values)
    found = recovered(document.data[: document.broken_at], 0)
    return ([message.value for message in found.messages],) if found else ()


def break_offset(data: bytes) -> int:
    """Return the offset up to which ``data`` is the beginning of a JSON text."""
    text = data.decode("utf-8", "replace")
    try:
        json.JSONDecoder(strict=False).raw_decode(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        lead = len(text) - len(text.lstrip("\ufeff"))
        return min(len(text[: error.pos + lead].encode("utf-8", "surrogatepass")), len(data))
    except RecursionError:
        return 0
    return len(data)


def _in_document(document: Document, damage: list[Damage]) -> Iterator[Conversation]:
    data, at = document.data, document.broken_at
    if at is not None:
        line = data.count(b"\n", 0, at) + 1
        closed = data.rstrip().endswith((b"]", b"}"))
        kind = DamageKind.BROKEN if closed else DamageKind.TRUNCATED
        damage.append(Damage(line, at, len(data) - at, kind))
        found = recovered(data[:at], 0)
        if found:
            yield found
        return
    damage += [
        replace(d, line=data.count(b"\n", 0, d.byte_offset) + 1) for d in document.parsed.damage
    ]
    for value in document.parsed.values:
        own = data[value.offset : value.offset + value.length]
        yield from conversations(value, own)


def _in_lines(source: Source, damage: list[Damage], *, several: bool) -> Iterator[Conversation]:
    layout = "conversation-lines" if several else ""
    for raw in source.lines():
        parsed = parse_line(raw)
        damage += parsed.damage
        for value in parsed.values:
            start = value.offset - raw.offset
            own = raw.data[start : start + value.length]
            there = list(conversations(value, own, layout))
            if not there:
                detail = (
                    "a message between conversations"
                    if is_message(value.value)
                    else ("no conversation")
                )
                damage.append(
                    Damage(raw.line, value.offset, value.length, DamageKind.NOT_A_RECORD, detail)
                )
            yield from there


def _has_several_lines(source: Source) -> bool:
    return len(list(islice((raw for raw in source.lines() if raw.data.strip()), 2))) > 1


def _build(
    source: Source, fmt: Format, conversation: Conversation, number: int | None
) -> Transcript:
    builder = TranscriptBuilder(fmt, id_prefix=f"C{number}." if number else "")
    if conversation.system:
        builder.add(Located(SYSTEM_LINE, conversation.system))
    for count, message in enumerate(conversation.messages, 1):
        builder.add(Located(count, message))
    built = builder.build(
        source,
        fmt,
        layout=conversation.layout,
        line_unit=LineUnit.MESSAGE,
        conversation=number,
        damage=(),
    )
    last = conversation.messages[-1] if conversation.messages else None
    end = {"end": last.offset + last.length} if last else {}
    return replace(
        built,
        detail={**built.detail, **end},
        model=built.model or conversation.envelope.get("model"),
        session_id=conversation.envelope.get("session_id"),
    )


def _with_damage(transcript: Transcript, damage: list[Damage]) -> Transcript:
    if not damage:
        return transcript
    # What is wrong with the file between conversations is told with each of them.
    both = sorted((*transcript.damage, *damage), key=lambda d: (d.byte_offset, d.kind))
    return replace(transcript, damage=tuple(both))
