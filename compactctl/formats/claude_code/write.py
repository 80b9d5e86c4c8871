"""Writing a Claude Code session that the client resumes (formats reference, 1.8)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from compactctl.errors import RefusedError
from compactctl.formats.base import JsonObject, WriteJob
from compactctl.formats.claude_code.blocks import blocks
from compactctl.formats.claude_code.read import OUR_KEY
from compactctl.formats.claude_code.view import main_chain
from compactctl.formats.message_parts import compact_json, json_string, mapping
from compactctl.formats.state_block import VERSION, StateBlock, render
from compactctl.io.json_spans import Path, replace
from compactctl.io.jsonl import loads
from compactctl.io.source import CHUNK
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Record
from compactctl.model.transcript import BoundaryKind, RecordedBoundary

_COUNTERS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_LAST_ONE_COUNTS = frozenset(
    {
        "custom-title",
        "ai-title",
        "mode",
        "permission-mode",
        "agent-name",
        "agent-color",
        "tag",
        "pr-link",
        "worktree-state",
        "bridge-session",
    }
)
"""Metadata that the client re-appends and reads from the end of a file."""
_ENVELOPE = (
    "isSidechain",
    "agentId",
    "userType",
    "entrypoint",
    "cwd",
    "version",
    "gitBranch",
    "slug",
)


def write_session(job: WriteJob) -> Iterator[bytes]:
    """
    Return the lines of the compacted session.

    Flattened: boundary, summary turn with the state block, last metadata, then every record after
    the cut, with a new session id. Records keep their bytes but for ``sessionId``, a
    ``parentUuid`` or ``leafUuid`` that names a record which is not in the output, and usage
    counters, which are zeroed because the client sizes its window by them. Branches that were
    rewound, and lines that are no records, stay behind in the snapshot. With ``append`` the whole
    input comes first, unchanged, and the kept records follow once more with fresh uuids. Nothing
    folded: every record in its place, with the rewrites. Raises ``RefusedError`` where the cut
    goes through a record.
    """
    head = {seen.entry.record for seen in job.view[: job.cut]}
    if any(seen.entry.record in head for seen in job.view[job.cut :]):
        raise RefusedError(
            f"{job.transcript.path}: the cut goes through a record; nothing was written",
            hint="compact at another line: --at L",
        )
    writer = _Writer(job)
    if job.block is None:
        return writer.in_place()
    if job.append:
        return writer.appended(job.block)
    return writer.flattened(job.block)


class _Links:
    """Which uuids the output holds so far, and the last of them in each chain."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.last: dict[str, str] = {}

    def add(self, uuid: str, chain: str) -> None:
        self.known.add(uuid)
        self.last[chain] = uuid


class _Writer:
    def __init__(self, job: WriteJob) -> None:
        self.job = job
        self.records = job.transcript.records
        self.chain = main_chain(job.transcript)
        self.session = job.new_id()
        self.links = _Links()
        self.all_uuids: frozenset[str] = frozenset()

    def in_place(self) -> Iterator[bytes]:
        for record in self.records:
            yield self._line(record, {**self._session_id(), **self._zeroed(record)})

    def flattened(self, block: StateBlock) -> Iterator[bytes]:
        tail = self._tail()
        self.all_uuids = frozenset(r.uuid for r in tail if r.uuid)
        yield from self._boundary(block, self.session)
        for record in self._metadata(tail):
            yield self._linked(record)
        for record in tail:
            yield self._linked(record)
        # Where the conversation stands is known only now; an earlier place would hide the tail.
        if not any(r.type == "last-prompt" for r in tail):
            for record in self._last_of("last-prompt"):
                yield self._linked(record)

    def appended(self, block: StateBlock) -> Iterator[bytes]:
        source = self.job.source
        last = b"\n"
        for at in range(0, source.size, CHUNK):
            last = source.read(at, min(CHUNK, source.size - at))
            yield last
        if not last.endswith(b"\n"):
            yield b"\n"
        yield from self._boundary(block, self.job.transcript.session_id or self.session)
        fresh: dict[str, str] = {}
        for record in self._tail():
            if record.type == "queue-operation":
                yield self._line(record, {})
            elif record.chain == self.chain and record.entry_count and record.uuid:
                fresh[record.uuid] = self.job.new_id()
                yield self._copy(record, fresh)

    def _copy(self, record: Record, fresh: Mapping[str, str]) -> bytes:
        uuid = fresh[record.uuid or ""]
        edits: dict[Path, bytes] = {
            ("uuid",): json_string(uuid),
            ("parentUuid",): json_string(self.links.last[self.chain]),
        }
        caller = self._value(record).get("sourceToolAssistantUUID")
        if isinstance(caller, str) and caller in fresh:
            edits["sourceToolAssistantUUID",] = json_string(fresh[caller])
        self.links.add(uuid, self.chain)
        return self._line(record, {**edits, **self._zeroed(record)})

    def _tail(self) -> list[Record]:
        """Records of the kept view in its order, others after the cut where they stood."""
        view, cut = self.job.view, self.job.cut
        kept = list(dict.fromkeys(seen.entry.record for seen in view[cut:]))
        in_view = {seen.entry.record for seen in view}
        after_line = self.job.after_line or 0
        others = (
            at
            for at, record in enumerate(self.records)
            if at not in in_view
            and (
                self._clears(record) if record.line <= after_line else self._goes_along(record, at)
            )
        )
        return [self.records[at] for at in _merged(kept, others)]

    def _goes_along(self, record: Record, at: int) -> bool:
        hidden = record.chain == self.chain and record.entry_count and record.uuid is not None
        return at not in self._full and not hidden

    @cached_property
    def _full(self) -> frozenset[int]:
        boundaries = self.job.transcript.boundaries
        return frozenset(b.record for b in boundaries if b.kind is BoundaryKind.FULL)

    @cached_property
    def _clearing(self) -> frozenset[str]:
        """Uuids of micro-compactions that cleared results which are kept."""
        shown = {
            seen.entry.call_id for seen in self.job.view[self.job.cut :] if seen.shown is not None
        }
        return frozenset(
            self.records[b.record].uuid or ""
            for b in self.job.transcript.boundaries
            if b.kind is BoundaryKind.MICRO and shown.intersection(_cleared(b))
        )

    def _clears(self, record: Record) -> bool:
        return record.uuid is not None and record.uuid in self._clearing

    def _metadata(self, tail: Sequence[Record]) -> list[Record]:
        later = {record.type for record in tail}
        return self._last_of(*(_LAST_ONE_COUNTS - later))

    def _last_of(self, *types: str) -> list[Record]:
        """Return the last record of each of the types up to the cut, in file order."""
        first = self.job.after_line or 0
        found = {r.type: r for r in self.records if r.line <= first and r.type in types}
        return sorted(found.values(), key=lambda r: r.offset)

    def _boundary(self, block: StateBlock, session: str) -> Iterator[bytes]:
        job = self.job
        chained = (self.records[seen.entry.record] for seen in reversed(job.view[: job.cut]))
        cut = next(r for r in chained if r.uuid is not None or r.type != "queue-operation")
        template = self._value(cut)
        shared = {key: template[key] for key in _ENVELOPE if key in template}
        boundary, summary = job.new_id(), job.new_id()
        yield json_line(
            {
                "parentUuid": None,
                "logicalParentUuid": cut.uuid,
                **shared,
                "sessionId": session,
                "type": "system",
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "isMeta": False,
                "timestamp": job.now,
                "uuid": boundary,
                "level": "info",
                "compactMetadata": {
                    "trigger": job.trigger,
                    "preTokens": job.tokens_before,
                    OUR_KEY: {
                        "version": VERSION,
                        "snapshot": block.snapshot,
                        "round": block.round,
                    },
                },
            }
        )
        yield json_line(
            {
                "parentUuid": boundary,
                **shared,
                "sessionId": session,
                "type": "user",
                "message": {"role": "user", "content": render(block)},
                "isVisibleInTranscriptOnly": True,
                "isCompactSummary": True,
                "uuid": summary,
                "timestamp": job.now,
            }
        )
        self.links.add(boundary, self.chain)
        self.links.add(summary, self.chain)

    def _linked(self, record: Record) -> bytes:
        edits = self._session_id()
        if record.uuid is not None:
            if record.parent not in self.links.known:
                edits["parentUuid",] = self._new_parent(record)
            self.links.add(record.uuid, record.chain)
        elif record.type == "last-prompt":
            edits.update(self._leaf(record))
        edits.update(self._zeroed(record))
        return self._line(record, edits)

    def _session_id(self) -> dict[Path, bytes]:
        """Both spellings; paths that a record lacks are left out."""
        new = json_string(self.session)
        return {("sessionId",): new, ("session_id",): new}

    def _new_parent(self, record: Record) -> bytes:
        """The record before it in its chain; a side chain may begin anew, the main one not."""
        last = self.links.last.get(record.chain)
        return json_string(last) if last and record.parent != last else b"null"

    def _leaf(self, record: Record) -> dict[Path, bytes]:
        leaf = self._value(record).get("leafUuid")
        if leaf is None or leaf in self.all_uuids or leaf in self.links.known:
            return {}
        return {("leafUuid",): json_string(self.links.last[self.chain])}

    def _zeroed(self, record: Record) -> dict[Path, bytes]:
        if record.type != "assistant":
            return {}
        zero: dict[Path, bytes] = {("message", "usage", name): b"0" for name in _COUNTERS}
        return {**zero, ("message", "usage", "iterations"): b"[]"}

    def _line(self, record: Record, edits: Mapping[Path, bytes]) -> bytes:
        raw = self.job.content.raw(record)
        rewrites = self._rewrites(record)
        return replace(raw, {**edits, **rewrites}) + b"\n"

    def _rewrites(self, record: Record) -> dict[Path, bytes]:
        first = record.first_entry
        entries = self.job.transcript.entries[first : first + record.entry_count]
        wanted = [e for e in entries if e.id in self.job.rewrites]
        if not wanted:
            return {}
        found = blocks(self._value(record))
        edits: dict[Path, bytes] = {}
        for entry in wanted:
            path = found[entry.block - record.first_block].path
            match self.job.rewrites[entry.id]:
                case NewText(text=text):
                    edits[path] = json_string(text)
                case NewArguments(values=values):
                    for name, text in values.items():
                        edits[(*path, name)] = json_string(text)
        return edits

    def _value(self, record: Record) -> JsonObject:
        return mapping(loads(self.job.content.raw(record)))


def _merged(kept: Sequence[int], others: Iterator[int]) -> Iterator[int]:
    """Yield the kept indices in their order, each other one before the first that is above it."""
    other = next(others, None)
    for at in kept:
        while other is not None and other < at:
            yield other
            other = next(others, None)
        yield at
    if other is not None:
        yield other
        yield from others


def _cleared(boundary: RecordedBoundary) -> frozenset[object]:
    cleared = boundary.detail.get("cleared")
    return frozenset(cleared) if isinstance(cleared, tuple) else frozenset()


def json_line(value: Mapping[str, object]) -> bytes:
    """Return a record of ours as a line; a lone surrogate is written as its escape."""
    try:
        return compact_json(value).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"
