"""What the model sees of a Claude Code session (loader rules: formats reference, 1.5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from compactctl.formats.claude_code.wording import CLEARED
from compactctl.model.entry import TELLERS, Author, Entry, Kind, Record, Seen, View
from compactctl.model.transcript import BoundaryKind, Content, RecordedBoundary, Transcript


def view_of(transcript: Transcript, content: Content, records: int) -> View:
    """
    Return what the model sees after the first ``records`` records.

    Everything after the last full boundary, in file order, with what the boundary preserved;
    without what was snipped, rewound, or belongs to another chain; cleared results as the text
    that stood in for them. Where the parent links do not lead back soundly, nothing is left out
    on their account.
    """
    return tuple(_Loader(transcript, content, records).seen())


def main_chain(transcript: Transcript) -> str:
    """Return the chain of the session itself: that of the first turn in a sub-agent's own file."""
    chains = dict.fromkeys(r.chain for r in transcript.records if r.type in ("user", "assistant"))
    return "" if "" in chains or not chains else next(iter(chains))


@dataclass(frozen=True)
class _Loader:
    transcript: Transcript
    content: Content
    count: int

    def seen(self) -> Iterator[Seen]:
        cleared = self._cleared()
        for record in self._order():
            for entry in self._entries(record):
                hidden = entry.kind is Kind.TOOL_RESULT and entry.call_id in cleared
                yield Seen(entry, CLEARED if hidden else None)

    @cached_property
    def records(self) -> Sequence[Record]:
        return self.transcript.records[: self.count]

    @cached_property
    def boundaries(self) -> list[RecordedBoundary]:
        return [b for b in self.transcript.boundaries if b.record < self.count]

    def _order(self) -> Iterator[Record]:
        chain = main_chain(self.transcript)
        start, kept, anchored_after = self._start(chain)
        gone = self._removed() | self._undelivered() | self._abandoned(start, chain)
        if not anchored_after:
            yield from kept
        placed = not anchored_after
        for at in range(start, len(self.records)):
            record = self.records[at]
            if record.chain == chain and record.entry_count and at not in gone:
                yield record
            if not placed and self._is_summary(record):
                placed = True
                yield from kept
        if not placed:
            yield from kept

    def _start(self, chain: str) -> tuple[int, list[Record], bool]:
        """First record that counts, preserved records, whether they stand after the summary."""
        full = [
            b
            for b in self.boundaries
            if b.kind is BoundaryKind.FULL and self.records[b.record].chain == chain
        ]
        legacy = self._legacy_summary(chain, full[-1].record if full else -1)
        if not full or legacy is not None:
            return legacy or 0, [], True
        last = full[-1]
        kept = self._preserved(last)
        if kept is None:
            return 0, [], True
        boundary = self.records[last.record]
        return last.record + 1, kept, last.detail.get("anchor") != boundary.uuid

    def _legacy_summary(self, chain: str, boundary: int) -> int | None:
        """Index of the last summary turn that no boundary record announces."""
        for at in range(len(self.records) - 1, boundary, -1):
            if self.records[at].chain == chain and self._is_summary(self.records[at]):
                return None if boundary >= 0 and not self._spoken(chain, boundary, at) else at
        return None

    def _spoken(self, chain: str, start: int, end: int) -> bool:
        """Return whether the assistant spoke between two records."""
        return any(
            r.type == "assistant" and r.chain == chain and r.entry_count
            for r in self.records[start:end]
        )

    def _is_summary(self, record: Record) -> bool:
        entries = self._entries(record)
        return record.type == "user" and bool(entries) and entries[0].author in TELLERS

    def _preserved(self, boundary: RecordedBoundary) -> list[Record] | None:
        """Records kept by a boundary; ``None`` where the segment cannot be walked."""
        detail = boundary.detail
        preserved = detail.get("preserved")
        before = self.records[: boundary.record]
        if isinstance(preserved, tuple):
            wanted = frozenset(preserved)
            return [r for r in before if r.uuid in wanted]
        head, tail = detail.get("head"), detail.get("tail")
        if not isinstance(head, str) or not isinstance(tail, str):
            return []
        by_uuid = {r.uuid: r for r in before if r.uuid}
        walked: set[str] = set()
        at: str | None = tail
        while at is not None and at in by_uuid and at not in walked:
            walked.add(at)
            if at == head:
                return [r for r in before if r.uuid in walked]
            at = by_uuid[at].parent
        return None

    def _removed(self) -> set[int]:
        uuids: set[object] = set()
        for boundary in self.boundaries:
            removed = boundary.detail.get("removed")
            if isinstance(removed, tuple):
                uuids.update(removed)
        if not uuids:
            return set()
        return {at for at, r in enumerate(self.records) if r.uuid in uuids}

    def _undelivered(self) -> set[int]:
        """Queued prompts that reached the model by another record, later, or never."""
        delivered = self.transcript.detail.get("delivered")
        handed = delivered if isinstance(delivered, Mapping) else {}
        last = self.records[-1].line if self.records else 0
        return {
            at
            for at, r in enumerate(self.records)
            if r.type == "queue-operation" and handed.get(r.line, last + 1) > last
        }

    def _cleared(self) -> frozenset[object]:
        calls: set[object] = set()
        for boundary in self.boundaries:
            cleared = boundary.detail.get("cleared")
            if boundary.kind is BoundaryKind.MICRO and isinstance(cleared, tuple):
                calls.update(cleared)
        return frozenset(calls)

    def _abandoned(self, start: int, chain: str) -> set[int]:
        """
        Records of branches that were rewound: from a human turn on, beside a later one.

        Parallel calls and hook rows also branch; they are no rewinds and stay.
        """
        index = {r.uuid: at for at, r in enumerate(self.records) if r.uuid}
        leaf, chosen = self._leaf(index, start, chain)
        path = self._path(index, leaf, start)
        if path is None:
            return set()
        went_on = {index[p]: at for at in path if (p := self.records[at].parent) in index}
        gone: set[int] = set()
        fork: dict[int, int] = {}
        for at in range(start, len(self.records)):
            record = self.records[at]
            parent = index.get(record.parent) if record.parent else None
            if at in path or parent is None or record.chain != chain:
                continue
            anchor = parent if parent in path else fork.get(parent)
            if anchor is None or parent >= at:
                continue
            fork[at] = anchor
            later = went_on.get(anchor, -1) > at or (chosen and leaf is not None and at > leaf)
            if parent in gone or (later and self._is_human_turn(record)):
                gone.add(at)
        return gone

    def _is_human_turn(self, record: Record) -> bool:
        return record.type == "user" and any(
            entry.author is Author.HUMAN and entry.kind is Kind.TEXT
            for entry in self._entries(record)
        )

    def _path(self, index: Mapping[str, int], leaf: int | None, start: int) -> set[int] | None:
        """Indices from the leaf back to a root; ``None`` where the links are not sound."""
        at = leaf
        path: set[int] = set()
        while at is not None:
            if at in path:
                return None
            path.add(at)
            parent = self.records[at].parent
            if parent is None or at < start:
                return path
            at = index.get(parent)
        return None

    def _leaf(self, index: Mapping[str, int], start: int, chain: str) -> tuple[int | None, bool]:
        """The record where the conversation stands, and whether a person chose that place."""
        newest = next(
            (
                at
                for at in range(len(self.records) - 1, start - 1, -1)
                if self.records[at].chain == chain
                and self.records[at].type in ("user", "assistant")
            ),
            None,
        )
        last_line = self.records[-1].line if self.records else 0
        leaves = self.transcript.detail.get("leaves")
        named = [n for n in leaves if n[0] <= last_line] if isinstance(leaves, tuple) else []
        if newest is None or not named:
            return newest, False
        line, uuid, explicit = named[-1]
        found = index.get(uuid)
        # Turns that follow the naming row continue from its leaf: it was written before them.
        if found is None or found < start or self.records[newest].line > line:
            return newest, False
        return (found, True) if explicit or found > newest else (newest, False)

    def _entries(self, record: Record) -> tuple[Entry, ...]:
        first = record.first_entry
        return self.transcript.entries[first : first + record.entry_count]
