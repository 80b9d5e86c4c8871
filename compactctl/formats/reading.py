"""Reading: the bytes of a source to a transcript, by the format that fits."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compactctl.errors import InputError, UnknownFormatError
from compactctl.formats.base import BlockDraft, Format, JsonObject, RecordDraft
from compactctl.io.jsonl import ParsedLine, Value, loads, parse_line
from compactctl.io.source import Source
from compactctl.model.damage import Damage, DamageKind
from compactctl.model.entry import Entry, LineUnit, Record
from compactctl.model.transcript import RecordedBoundary, Transcript, Usage

_CACHED_RECORDS = 8


class FileContent:
    """Text of entries from a source; keeps the last few records parsed (see ``Content``)."""

    def __init__(self, source: Source, transcript: Transcript, fmt: Format) -> None:
        """Read from ``source``, which must hold the bytes that ``transcript`` indexes."""
        self._source = source
        self._transcript = transcript
        self._format = fmt
        self._parsed: OrderedDict[int, JsonObject] = OrderedDict()

    def text(self, entry: Entry) -> str:
        """Return what the model reads of the entry (see ``Content.text``)."""
        record = self._transcript.records[entry.record]
        return self._format.text(self._value(entry.record), entry.block - record.first_block)

    def arguments(self, entry: Entry) -> Mapping[str, object]:
        """Return a call's arguments (see ``Content.arguments``)."""
        record = self._transcript.records[entry.record]
        return self._format.arguments(self._value(entry.record), entry.block - record.first_block)

    def raw(self, record: Record) -> bytes:
        """Return the stored bytes of a record (see ``Content.raw``)."""
        return self._source.read(record.offset, record.length)

    def _value(self, index: int) -> JsonObject:
        found = self._parsed.get(index)
        if found is not None:
            self._parsed.move_to_end(index)
            return found
        value = loads(self.raw(self._transcript.records[index]))
        if isinstance(value, str | list):
            # A bare prompt beside a list of messages is read as the message that it stands for.
            value = {"role": "system", "content": value}
        if not isinstance(value, dict):
            raise InputError(f"{self._transcript.path}: record {index} is no JSON object")
        self._parsed[index] = value
        if len(self._parsed) > _CACHED_RECORDS:
            self._parsed.popitem(last=False)
        return value


@dataclass(frozen=True, slots=True)
class Located:
    """A record's value with the number that its ids use and its place in the file."""

    line: int
    value: Value


class TranscriptBuilder:
    """
    Turns located record values of one conversation into a ``Transcript``.

    Of records with the same uuid the content of the last and the position of the first count; a
    byte-identical copy leaves the first untouched.
    """

    def __init__(self, fmt: Format, *, id_prefix: str = "") -> None:
        """Build for a format; ``id_prefix`` is ``C2.`` for the second of several conversations."""
        self._reader = fmt.reader()
        self._prefix = id_prefix
        self._slots: list[_Slot] = []
        self._by_uuid: dict[str, int] = {}
        self._blocks_on_line: dict[int, int] = {}
        self._last_line = 0
        self.damage: list[Damage] = []

    def add(self, located: Located) -> None:
        """Add one record."""
        line, value = located.line, located.value
        if not isinstance(value.value, dict):
            self._note(located, DamageKind.NOT_A_RECORD, type(value.value).__name__)
            return
        draft = self._reader.record(value.value, line)
        for kind, detail in draft.damage:
            self._note(located, kind, detail)
        if line != self._last_line:
            self._blocks_on_line.clear()
            self._last_line = line
        first_block = self._blocks_on_line.get(line, 0)
        part = self._blocks_on_line.get(-line, 0)
        self._blocks_on_line[line] = first_block + len(draft.blocks)
        self._blocks_on_line[-line] = part + 1
        slot = _Slot(line, part, first_block, value.offset, value.length, draft)
        known = self._by_uuid.get(draft.uuid) if draft.uuid else None
        if known is None:
            if draft.uuid:
                self._by_uuid[draft.uuid] = len(self._slots)
            self._slots.append(slot)
        else:
            self._note(located, DamageKind.DUPLICATE_UUID, draft.uuid or "")
            if self._slots[known].draft != draft:
                self._slots[known] = slot

    def build(
        self,
        source: Source,
        fmt: Format,
        *,
        layout: str,
        line_unit: LineUnit,
        conversation: int | None,
        damage: tuple[Damage, ...],
    ) -> Transcript:
        """Return the transcript of everything that was added."""
        facts = self._reader.finish()
        records: list[Record] = []
        entries: list[Entry] = []
        boundaries: list[RecordedBoundary] = []
        usage: dict[str | int, Usage] = {}
        for index, slot in enumerate(self._slots):
            records.append(slot.record(len(entries)))
            entries.extend(slot.entries(index, self._prefix))
            draft = slot.draft
            if draft.boundary:
                later = facts.tokens_after.get(slot.line)
                boundaries.append(_boundary(draft, index, slot.line, later))
            if draft.usage:
                key = draft.message or index
                first = usage.pop(key, None)
                usage[key] = _usage(draft, index, slot.line, first)
        all_damage = sorted((*damage, *self.damage), key=lambda d: (d.byte_offset, d.kind))
        return Transcript(
            path=source.path,
            format=fmt.name,
            layout=layout,
            sha256=source.sha256(),
            bytes=source.size,
            line_unit=line_unit,
            conversation=conversation,
            records=tuple(records),
            entries=tuple(entries),
            boundaries=tuple(boundaries),
            usage=tuple(usage.values()),
            damage=tuple(all_damage),
            model=facts.model,
            window=facts.window,
            session_id=facts.session_id,
            cwd=facts.cwd,
            client_version=facts.client_version,
            detail=facts.detail,
        )

    def _note(self, located: Located, kind: DamageKind, detail: str) -> None:
        value = located.value
        self.damage.append(Damage(located.line, value.offset, value.length, kind, detail))


@dataclass(frozen=True, slots=True)
class _Slot:
    line: int
    part: int
    first_block: int
    offset: int
    length: int
    draft: RecordDraft

    def record(self, first_entry: int) -> Record:
        draft = self.draft
        return Record(
            line=self.line,
            part=self.part,
            offset=self.offset,
            length=self.length,
            type=draft.type,
            uuid=draft.uuid,
            parent=draft.parent,
            message=draft.message,
            chain=draft.chain,
            timestamp=draft.timestamp,
            first_block=self.first_block,
            first_entry=first_entry,
            entry_count=len(draft.blocks),
        )

    def entries(self, index: int, prefix: str) -> Iterator[Entry]:
        for number, block in enumerate(self.draft.blocks, self.first_block):
            yield self._entry(index, number, block, prefix)

    def _entry(self, index: int, number: int, block: BlockDraft, prefix: str) -> Entry:
        return Entry(
            id=f"{prefix}L{self.line}.{number}",
            line=self.line,
            block=number,
            record=index,
            author=block.author,
            kind=block.kind,
            tool=block.tool,
            call_id=block.call_id,
            message=self.draft.group,
            chain=self.draft.chain,
            failed=block.failed,
            rejected=block.rejected,
            sealed=block.sealed,
            size=block.size,
            estimated_tokens=block.estimated_tokens,
            authored=block.authored,
        )


def read_lines(source: Source, fmt: Format) -> Transcript:
    """Return the transcript of a source with one record a line."""
    builder = TranscriptBuilder(fmt)
    damage: list[Damage] = []
    for parsed in parsed_lines(source):
        damage.extend(parsed.damage)
        for value in parsed.values:
            builder.add(Located(parsed.line, value))
    transcript = builder.build(
        source,
        fmt,
        layout="lines",
        line_unit=LineUnit.LINE,
        conversation=None,
        damage=tuple(damage),
    )
    return _with_dangling_parents(transcript)


def parsed_lines(source: Source) -> Iterator[ParsedLine]:
    """Yield the parsed lines of a source."""
    for raw in source.lines():
        yield parse_line(raw)


def unknown_format(path: str, looks_like: str, supported: tuple[str, ...]) -> UnknownFormatError:
    """Return the error for a file of a shape that is not read, naming what it looks like."""
    return UnknownFormatError(
        f"{path}: {looks_like}",
        hint="formats read: "
        + ", ".join(supported)
        + "; name one with --input-format to force it",
    )


def _with_dangling_parents(transcript: Transcript) -> Transcript:
    known = {record.uuid for record in transcript.records if record.uuid}
    dangling = [
        Damage(r.line, r.offset, r.length, DamageKind.DANGLING_PARENT, r.parent)
        for r in transcript.records
        if r.parent and r.parent not in known
    ]
    if not dangling:
        return transcript
    damage = sorted((*transcript.damage, *dangling), key=lambda d: (d.byte_offset, d.kind))
    return replace(transcript, damage=tuple(damage))


def _boundary(
    draft: RecordDraft, index: int, line: int, tokens_after: int | None
) -> RecordedBoundary:
    boundary = draft.boundary
    assert boundary is not None  # noqa: S101 -- the caller asked; for the type checker
    return RecordedBoundary(
        record=index,
        line=line,
        kind=boundary.kind,
        trigger=boundary.trigger,
        tokens_before=boundary.tokens_before,
        tokens_after=tokens_after if boundary.tokens_after is None else boundary.tokens_after,
        opaque=boundary.opaque,
        ours=boundary.ours,
        detail=boundary.detail,
    )


def _usage(draft: RecordDraft, index: int, line: int, first: Usage | None) -> Usage:
    usage = draft.usage
    assert usage is not None  # noqa: S101 -- the caller asked; for the type checker
    return Usage(
        line=line,
        record=first.record if first else index,
        message=draft.message,
        context=usage.context,
        output=usage.output,
        cached=usage.cached,
    )
