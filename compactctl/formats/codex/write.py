"""Writing a compacted rollout that the client resumes (formats reference, 2.5)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace as with_fields

from compactctl.errors import RefusedError
from compactctl.formats.base import WriteJob
from compactctl.formats.codex.items import record_parts, rewritten, user_item
from compactctl.formats.codex.view import TURN_STARTS, surviving
from compactctl.formats.message_parts import compact_json, json_string, mapping
from compactctl.formats.state_block import StateBlock, render
from compactctl.io.json_spans import Path, replace, spans
from compactctl.io.jsonl import loads, parse_line
from compactctl.io.source import CHUNK, RawLine, Source
from compactctl.model.entry import Entry, Seen
from compactctl.model.transcript import BoundaryKind

_PAYLOAD: Path = ("payload",)
_HISTORY: Path = ("payload", "replacement_history")
_LEAD_IN = TURN_STARTS | {"turn_context"}
"""Records without content that begin the turn of the record behind them."""
_BYTES_PER_TOKEN = 4
"""The client's own estimate of a token."""

Numbered = Callable[[bytes], bytes]


def write_rollout(job: WriteJob) -> Iterator[bytes]:
    """
    Yield the bytes of the compacted rollout.

    Flattened: first session meta, last turn context, one compacted record, the tail. Appended:
    the file as it is and the compacted record behind it. Nothing folded: the file with its
    rewrites in place. Raises ``RefusedError`` where the cut goes through a record, or lies
    before the compaction that the view stands on.
    """
    stored = _Stored(job)
    if job.append:
        return _appended(job, stored)
    if job.block is None:
        return _in_place(job, stored)
    return _flattened(job, job.block, stored)


def _flattened(job: WriteJob, block: StateBlock, stored: "_Stored") -> Iterator[bytes]:
    first = _tail_start(job)
    records = job.transcript.records
    tail = range(first, len(records))
    history = [*stored.items(_kept(job)), *_block_items(block)]
    numbered = _numbering(job)
    meta = _last_of(job, "session_meta", range(len(records) - 1, -1, -1))
    context = _last_of(job, "turn_context", range(first))
    for index in (meta, context):
        if index is not None:
            yield numbered(job.content.raw(records[index])) + b"\n"
    yield numbered(_compacted(job, history)) + b"\n"
    size = sum(map(len, history))
    for index in tail:
        data = stored.record(index)
        size += len(data) if records[index].entry_count else 0
        yield numbered(data) + _gap(job, index)
    yield from _estimate(job, size, numbered)


def _appended(job: WriteJob, stored: "_Stored") -> Iterator[bytes]:
    records = job.transcript.records
    if job.block is None:
        items = list(stored.items(job.view))
    else:
        _tail_start(job)
        tail = job.view[job.cut :]
        items = [*stored.items(_kept(job)), *_block_items(job.block), *stored.items(tail)]
    end = _end(job)
    yield from _bytes(job.source, 0, end)
    if end and job.source.read(end - 1, 1) != b"\n":
        yield b"\n"
    numbered = _numbering(job, len(records) - 1)
    yield numbered(_compacted(job, items)) + b"\n"
    context = _last_of(job, "turn_context", range(len(records)))
    if context is not None:
        yield numbered(job.content.raw(records[context])) + b"\n"
    yield from _estimate(job, sum(map(len, items)), numbered)


def _in_place(job: WriteJob, stored: "_Stored") -> Iterator[bytes]:
    at, end = 0, _end(job)
    for index in stored.rewritten:
        record = job.transcript.records[index]
        yield from _bytes(job.source, at, record.offset)
        yield stored.record(index)
        at = record.offset + record.length
    yield from _bytes(job.source, at, end)


class _Stored:
    """Records and items as stored, with the rewrites of a job applied."""

    def __init__(self, job: WriteJob) -> None:
        self._job = job
        by_id = {seen.entry.id: seen.entry for seen in job.view}
        self._rewrites: dict[int, list[Entry]] = {}
        for entry_id in job.rewrites:
            entry = by_id[entry_id]
            self._rewrites.setdefault(entry.record, []).append(entry)

    @property
    def rewritten(self) -> Sequence[int]:
        """Indexes of the records that a rewrite changes, in order."""
        return sorted(self._rewrites)

    def record(self, index: int) -> bytes:
        """Return the bytes of a record."""
        record = self._job.transcript.records[index]
        data = self._job.content.raw(record)
        entries = self._rewrites.get(index)
        if not entries:
            return data
        parts = record_parts(mapping(loads(data)))
        values: dict[Path, bytes] = {}
        for entry in entries:
            part = parts[entry.block - record.first_block]
            base = (*_HISTORY, part.item) if record.type == "compacted" else _PAYLOAD
            for path, new in rewritten(part, self._job.rewrites[entry.id]).items():
                values[(*base, *path)] = new
        return replace(data, values)

    def items(self, view: Sequence[Seen]) -> Iterator[bytes]:
        """Yield the items that the entries of a view belong to, each once, in order."""
        done: set[tuple[int, int]] = set()
        there: Mapping[int, bytes] = {}
        numbers: Sequence[int] = ()
        current = -1
        for seen in view:
            index = seen.entry.record
            record = self._job.transcript.records[index]
            if index != current:
                current = index
                data = self.record(index)
                there = _items_of(data, compacted=record.type == "compacted")
                numbers = [part.item for part in record_parts(mapping(loads(data)))]
            number = numbers[seen.entry.block - record.first_block]
            if seen.shown is not None:
                yield user_item(seen.shown)
            elif (index, number) not in done:
                done.add((index, number))
                found = there.get(number)
                # A legacy compaction holds its summary as no item.
                yield found or user_item(self._job.content.text(seen.entry))


def _items_of(data: bytes, *, compacted: bool) -> Mapping[int, bytes]:
    if not compacted:
        # Of a repeated key the last one counts, as for readers.
        payload = [span for span in spans(data, 1) if span.path == _PAYLOAD][-1]
        return {0: data[payload.start : payload.end]}
    return {
        number: data[span.start : span.end]
        for span in spans(data, 1, _HISTORY)
        if len(span.path) > len(_HISTORY) and isinstance(number := span.path[-1], int)
    }


def _kept(job: WriteJob) -> Sequence[Seen]:
    wanted = set(job.kept)
    return [seen for seen in job.view[: job.cut] if seen.entry.id in wanted]


def _block_items(block: StateBlock) -> Iterator[bytes]:
    """
    Yield the human messages and the state block.

    What gave way to a pointer stands in the block's own human part: a message in its place
    would be read as something that a human said.
    """
    for said in block.human:
        if said.text is not None:
            yield user_item(said.text)
    gone = tuple(said for said in block.human if said.text is None)
    yield user_item(render(with_fields(block, human=gone), with_human=bool(gone)))


def _compacted(job: WriteJob, items: Sequence[bytes]) -> bytes:
    head = b'{"timestamp":' + json_string(job.now) + b',"type":"compacted","payload":'
    return head + b'{"message":"","replacement_history":[' + b",".join(items) + b"]}}"


def _tail_start(job: WriteJob) -> int:
    records = job.transcript.records
    if job.cut >= len(job.view):
        return len(records)
    first = job.view[job.cut].entry.record
    before = max((seen.entry.record for seen in job.view[: job.cut]), default=-1)
    alive = surviving(job.transcript, len(records))
    compactions = {b.record for b in job.transcript.boundaries if b.kind is BoundaryKind.FULL}
    if before >= first or any(index >= first and index in compactions for index in alive):
        raise RefusedError(
            f"{job.transcript.path}: the cut before {job.view[job.cut].entry.id} goes through a "
            "compaction record",
            hint="cut after it",
        )
    while first - 1 > before and records[first - 1].type in _LEAD_IN:
        first -= 1
    return first


def _last_of(job: WriteJob, kind: str, indexes: range) -> int | None:
    records = job.transcript.records
    return next((i for i in reversed(indexes) if records[i].type == kind), None)


def _numbering(job: WriteJob, after: int | None = None) -> Numbered:
    """
    Return what gives each written record its ordinal; paginated rollouts count without a gap.

    ``after`` is the index of the record whose ordinal the first one follows, ``None`` to begin
    with that of the first record.
    """
    meta = _last_of(job, "session_meta", range(len(job.transcript.records) - 1, -1, -1))
    if meta is None:
        return bytes
    first = mapping(loads(job.content.raw(job.transcript.records[meta])))
    if mapping(first.get("payload")).get("history_mode") != "paginated":
        return bytes
    value = first
    if after is not None:
        value = mapping(loads(job.content.raw(job.transcript.records[after])))
    found = value.get("ordinal")
    following = (found if isinstance(found, int) else 0) + (after is not None)

    def numbered(data: bytes) -> bytes:
        nonlocal following
        ordinal = str(following).encode()
        following += 1
        if any(span.path == ("ordinal",) for span in spans(data, 1)):
            return replace(data, {("ordinal",): ordinal})
        return b'{"ordinal":' + ordinal + b"," + data.lstrip()[1:].lstrip()

    return numbered


def _gap(job: WriteJob, index: int) -> bytes:
    """The bytes behind a record: its line end, and lines that hold no record."""
    records = job.transcript.records
    end = records[index].offset + records[index].length
    if index + 1 < len(records):
        gap = job.source.read(end, records[index + 1].offset - end)
        # The client skips a line that holds two records.
        return gap if b"\n" in gap else b"\n" + gap
    gap = job.source.read(end, _end(job) - end)
    return gap if gap.endswith(b"\n") else gap + b"\n"


def _end(job: WriteJob) -> int:
    """
    Where what belongs to the transcript ends.

    A transcript may be a prefix of its source; lines behind its last record that hold no record
    are damage and belong to it.
    """
    last = job.transcript.records[-1]
    at = last.offset + last.length
    rest = job.source.read(at, min(CHUNK, job.source.size - at))
    line_end = at + rest.find(b"\n") + 1 if b"\n" in rest else job.source.size
    behind = job.source.read(line_end, min(CHUNK, job.source.size - line_end))
    lines = (RawLine(0, line_end, line, ended=True) for line in behind.split(b"\n"))
    more = line_end + len(behind) < job.source.size
    return line_end if more or any(parse_line(line).values for line in lines) else job.source.size


def _estimate(job: WriteJob, size: int, numbered: Numbered) -> Iterator[bytes]:
    """
    The client sizes the window from the last count in the file.

    Those of the tail are of the long session and would make it compact again at once; this is
    the event that it writes itself after a compaction.
    """
    index = _last_of(job, "event_msg/token_count", range(len(job.transcript.records)))
    while index is not None:
        value = mapping(loads(job.content.raw(job.transcript.records[index])))
        info = mapping(mapping(value.get("payload")).get("info"))
        if "last_token_usage" in info:
            break
        index = _last_of(job, "event_msg/token_count", range(index))
    if index is None:
        return
    none = dict.fromkeys(
        ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"), 0
    )
    usage = {**none, "total_tokens": -(-size // _BYTES_PER_TOKEN)}
    payload = {"type": "token_count", "info": {**info, "last_token_usage": usage}}
    event = {
        "timestamp": job.now,
        "type": "event_msg",
        "payload": {**payload, "rate_limits": None},
    }
    yield numbered(compact_json(event).encode("utf-8", "surrogatepass")) + b"\n"


def _bytes(source: Source, start: int, end: int) -> Iterator[bytes]:
    for at in range(start, end, CHUNK):
        yield source.read(at, min(CHUNK, end - at))
