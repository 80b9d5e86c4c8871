"""Writing a compacted message list back in the layout in which it came."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from compactctl.errors import RefusedError
from compactctl.formats.base import JsonObject, WriteJob
from compactctl.formats.message_parts import Part, json_string
from compactctl.formats.state_block import render
from compactctl.io.json_spans import Path, replace, spans
from compactctl.io.jsonl import loads
from compactctl.io.source import CHUNK, Source
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Entry, LineUnit, Record

PartsOf = Callable[[JsonObject], tuple[Part, ...]]
Rewritten = Callable[[Part, NewText | NewArguments], Mapping[Path, bytes]]

SYSTEM_LINE = 0
"""Number of the system prompt that stands beside the messages."""


def write(
    job: WriteJob, parts: PartsOf, rewritten: Rewritten, *, merges_block: bool
) -> Iterator[bytes]:
    """
    Yield the bytes of the file with one conversation compacted and all else as it was.

    The head becomes the leading system messages and one user message with the state block;
    ``merges_block``: where the tail begins with a user message, the block is its first part.
    Raises ``RefusedError`` where the document is cut off, or the cut goes through a message.
    """
    if job.transcript.detail.get("cut_off"):
        raise RefusedError(
            f"{job.transcript.path}: the JSON document is cut off, so that what is written "
            "could not be read either",
            hint="complete it, or export the session again",
        )
    return _write(job, _Rewrites(job, parts, rewritten), merges_block=merges_block)


def _write(job: WriteJob, rewrites: "_Rewrites", *, merges_block: bool) -> Iterator[bytes]:
    listed = [r for r in job.transcript.records if not _is_beside(job, r)]
    end = _end(job, listed)
    if job.block is None:
        yield from rewrites.copied(0, end)
    else:
        yield from _folded(job, rewrites, listed, end, merges_block=merges_block)
    if end < job.source.size:
        yield from _rest(job)


def _folded(
    job: WriteJob, rewrites: "_Rewrites", listed: list[Record], end: int, *, merges_block: bool
) -> Iterator[bytes]:
    assert job.block is not None  # noqa: S101 -- the caller asked; for the type checker
    first_kept, dropped = _tail(job)
    tail = [r for r in listed if r.offset >= first_kept]
    yield from _bytes(job.source, 0, listed[0].offset)
    between = _separator(job.source, listed, job.transcript.line_unit)
    for record in _kept(job, listed):
        if record.offset < first_kept:
            yield job.content.raw(record) + between
    text = render(job.block)
    if not tail:
        yield _message(text)
        yield from _bytes(job.source, _stop(listed[-1]), end)
        return
    first = _without(rewrites.record(tail[0]), dropped)
    if merges_block and tail[0].type == "user":
        yield _merged(first, text)
    else:
        yield _message(text) + between + first
    yield from rewrites.copied(_stop(tail[0]), end)


def _end(job: WriteJob, listed: list[Record]) -> int:
    """Return where the messages of the job end: before the file does where it stops earlier."""
    if len(job.transcript.records) == job.transcript.detail.get("messages"):
        return job.source.size
    return _stop(listed[-1]) if listed else job.source.size


def _rest(job: WriteJob) -> Iterator[bytes]:
    """Yield what stands around the messages that the job stops before."""
    last = job.transcript.detail.get("end")
    if isinstance(last, int):
        yield from _bytes(job.source, last, job.source.size)
    else:
        yield b"\n"


def _stop(record: Record) -> int:
    return record.offset + record.length


class _Rewrites:
    """The rewrites of a job by record, as bytes."""

    def __init__(self, job: WriteJob, parts: PartsOf, rewritten: Rewritten) -> None:
        self._source = job.source
        self._parts = parts
        self._rewritten = rewritten
        self._new = job.rewrites
        by_id = {seen.entry.id: seen.entry for seen in job.view}
        entries: dict[int, list[Entry]] = {}
        for entry_id in job.rewrites:
            entry = by_id[entry_id]
            entries.setdefault(entry.record, []).append(entry)
        self._entries = entries
        self._records = {r.offset: (i, r) for i, r in enumerate(job.transcript.records)}
        self._places = sorted(job.transcript.records[i].offset for i in entries)

    def copied(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes of the source with the rewrites that fall into the range."""
        at = start
        for offset in self._places:
            if start <= offset < end:
                _, record = self._records[offset]
                yield from _bytes(self._source, at, offset)
                yield self.record(record)
                at = offset + record.length
        yield from _bytes(self._source, at, end)

    def record(self, record: Record) -> bytes:
        """Return the bytes of a record with its rewrites."""
        data = self._source.read(record.offset, record.length)
        index, _ = self._records[record.offset]
        entries = self._entries.get(index)
        if not entries:
            return data
        value = loads(data)
        parts = self._parts(value) if isinstance(value, dict) else ()
        values: dict[Path, bytes] = {}
        for entry in entries:
            part = parts[entry.block - record.first_block]
            values |= self._rewritten(part, self._new[entry.id])
        return replace(data, values)


def _is_beside(job: WriteJob, record: Record) -> bool:
    return job.transcript.line_unit is LineUnit.MESSAGE and record.line == SYSTEM_LINE


def _tail(job: WriteJob) -> tuple[int, int]:
    """Return where the tail's first message stands, and how many of its blocks the head took."""
    if job.cut >= len(job.view):
        return _stop(job.transcript.records[-1]), 0
    first = job.view[job.cut].entry
    record = job.transcript.records[first.record]
    parted = bool(job.cut) and job.view[job.cut - 1].entry.record == first.record
    if parted and record.type != "user":
        raise RefusedError(
            f"{job.transcript.path}: the cut before {first.id} goes through a message",
            hint="cut before a whole message",
        )
    return record.offset, first.block - record.first_block if parted else 0


def _kept(job: WriteJob, listed: list[Record]) -> Iterator[Record]:
    entries = job.transcript.entries
    wanted = set(job.kept)
    for record in listed:
        own = entries[record.first_entry : record.first_entry + record.entry_count]
        if (
            any(e.id in wanted and e.author is Author.SYSTEM for e in own)
            or record.type == "unknown"
        ):
            yield record


def _separator(source: Source, listed: list[Record], unit: LineUnit) -> bytes:
    if unit is LineUnit.LINE:
        return b"\n"
    for one, two in pairwise(listed):
        start = one.offset + one.length
        return source.read(start, two.offset - start)
    return b", "


def _message(text: str) -> bytes:
    return b'{"role": "user", "content": ' + json_string(text) + b"}"


def _merged(data: bytes, text: str) -> bytes:
    block = b'{"type": "text", "text": ' + json_string(text) + b"}"
    for span in spans(data, 1):
        if span.path == ("content",):
            start, end = span.start, span.end
    content = data[start:end]
    if content.startswith(b"["):
        rest = content[1:]
        comma = b"" if rest.strip() == b"]" else b", "
        return data[:start] + b"[" + block + comma + rest + data[end:]
    if content == b'""':
        return data[:start] + b"[" + block + b"]" + data[end:]
    said = b'{"type": "text", "text": ' + content + b"}"
    return data[:start] + b"[" + block + b", " + said + b"]" + data[end:]


def _without(data: bytes, blocks: int) -> bytes:
    """Return a message without its first content blocks: results that went with their call."""
    if not blocks:
        return data
    places = {span.path: span for span in spans(data, 2)}
    whole, first = places[("content",)], places[("content", blocks)]
    return data[: whole.start] + b"[" + data[first.start :]


def _bytes(source: Source, start: int, end: int) -> Iterator[bytes]:
    for at in range(start, end, CHUNK):
        yield source.read(at, min(CHUNK, end - at))
