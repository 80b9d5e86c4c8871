"""Writing a Claude Code session that the client resumes (formats reference, 1.8)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
        "last-prompt",
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
    Yield the lines of the compacted session.

    Flattened: boundary, summary turn with the state block, last metadata, then every record after
    the cut, with a new session id. Records keep their bytes but for ``sessionId``, a
    ``parentUuid`` or ``leafUuid`` that names a record which is not in the output, and usage
    counters, which are zeroed because the client sizes its window by them. Lines that are no
    records stay behind in the snapshot. With ``append`` the whole input comes first, unchanged,
    and the kept records follow once more with fresh uuids.
    """
    writer = _Writer(job)
    if job.block is None:
        yield from writer.in_place()
    elif job.append:
        yield from writer.appended(job.block)
    else:
        yield from writer.flattened(job.block)


@dataclass
class _Links:
    """Which uuids the output holds so far, and the last of them in the main chain."""

    known: set[str]
    last: str | None


class _Writer:
    def __init__(self, job: WriteJob) -> None:
        self.job = job
        self.records = job.transcript.records
        self.chain = main_chain(job.transcript)
        self.session = job.new_id()
        self.links = _Links(set(), None)
        self.all_uuids: frozenset[str] = frozenset()

    def in_place(self) -> Iterator[bytes]:
        for record in self.records:
            yield self._line(record, {("sessionId",): json_string(self.session)})

    def flattened(self, block: StateBlock) -> Iterator[bytes]:
        tail = self._tail()
        self.all_uuids = frozenset(r.uuid for r in tail if r.uuid)
        yield from self._boundary(block, self.session)
        for record in self._metadata(tail):
            yield self._linked(record)
        for record in tail:
            yield self._linked(record)

    def appended(self, block: StateBlock) -> Iterator[bytes]:
        source = self.job.source
        last = b"\n"
        for at in range(0, source.size, CHUNK):
            last = source.read(at, min(CHUNK, source.size - at))
            yield last
        if not last.endswith(b"\n"):
            yield b"\n"
        session = self.job.transcript.session_id or self.session
        yield from self._boundary(block, session)
        kept = [r for r in self._tail() if r.chain == self.chain and r.entry_count and r.uuid]
        for record in kept:
            uuid = self.job.new_id()
            edits: dict[Path, bytes] = {
                ("uuid",): json_string(uuid),
                ("parentUuid",): json_string(self.links.last or ""),
            }
            self.links.last = uuid
            yield self._line(record, {**edits, **self._zeroed(record)})

    def _tail(self) -> list[Record]:
        """Records of the kept view in its order, others after the cut where they stood."""
        kept = list(dict.fromkeys(seen.entry.record for seen in self.job.view[self.job.cut :]))
        in_view = set(kept)
        before = {seen.entry.record for seen in self.job.view[: self.job.cut]}
        after_line = self.job.after_line or 0
        others = [
            at
            for at, record in enumerate(self.records)
            if record.line > after_line
            and at not in in_view
            and at not in before
            and self._goes_along(record, at)
        ]
        order: list[int] = []
        waiting = iter(others)
        other = next(waiting, None)
        for at in kept:
            while other is not None and other < at:
                order.append(other)
                other = next(waiting, None)
            order.append(at)
        if other is not None:
            order += [other, *waiting]
        return [self.records[at] for at in order]

    def _goes_along(self, record: Record, at: int) -> bool:
        recorded = any(b.record == at and b.kind == "full" for b in self.job.transcript.boundaries)
        hidden = record.chain == self.chain and record.entry_count and record.uuid is not None
        return not recorded and not hidden

    def _metadata(self, tail: Sequence[Record]) -> list[Record]:
        first = self.job.after_line or 0
        later = {record.type for record in tail}
        found: dict[str, Record] = {}
        for record in self.records:
            if record.line <= first and record.type in _LAST_ONE_COUNTS - later:
                found[record.type] = record
        return sorted(found.values(), key=lambda r: r.offset)

    def _boundary(self, block: StateBlock, session: str) -> Iterator[bytes]:
        job = self.job
        cut = job.view[job.cut - 1].entry.record
        template = self._value(self.records[cut])
        shared = {key: template[key] for key in _ENVELOPE if key in template}
        boundary, summary = job.new_id(), job.new_id()
        yield json_line(
            {
                "parentUuid": None,
                "logicalParentUuid": self.records[cut].uuid,
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
        self.links = _Links({boundary, summary}, summary)

    def _linked(self, record: Record) -> bytes:
        edits: dict[Path, bytes] = {("sessionId",): json_string(self.session)}
        if record.uuid is not None:
            if record.parent not in self.links.known:
                edits["parentUuid",] = json_string(self.links.last or "")
            self.links.known.add(record.uuid)
            if record.chain == self.chain:
                self.links.last = record.uuid
        elif record.type == "last-prompt":
            edits.update(self._leaf(record))
        edits.update(self._zeroed(record))
        return self._line(record, edits)

    def _leaf(self, record: Record) -> dict[Path, bytes]:
        leaf = self._value(record).get("leafUuid")
        if leaf is None or leaf in self.all_uuids or leaf in self.links.known:
            return {}
        return {("leafUuid",): json_string(self.links.last or "")}

    def _zeroed(self, record: Record) -> dict[Path, bytes]:
        if record.type != "assistant":
            return {}
        return {("message", "usage", name): b"0" for name in _COUNTERS}

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


def json_line(value: Mapping[str, object]) -> bytes:
    """Return a record of ours as a line; a lone surrogate is written as its escape."""
    try:
        return compact_json(value).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode() + b"\n"
