"""A transcript: the index of a recorded session, without its text."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from compactctl.model.damage import Damage
from compactctl.model.entry import Entry, LineUnit, Record


class BoundaryKind(StrEnum):
    """How a recorded compaction changed what the model sees."""

    FULL = "full"
    """Everything before is replaced (by a summary, or by a replacement history)."""
    MICRO = "micro"
    """The results of some calls were cleared in place."""
    SNIP = "snip"
    """Some records were removed."""
    ROLLBACK = "rollback"
    """The last turns were taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedBoundary:
    """
    A compaction that a client recorded inside a session.

    ``record`` indexes ``Transcript.records``; ``detail`` holds what the format's own ``view``
    needs (kept uuids, cleared call ids, number of turns), by names that the format documents.
    Token numbers are the client's own (source ``recorded``).
    """

    record: int
    line: int
    kind: BoundaryKind
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    opaque: bool = False
    """The summary is encrypted: nobody can say what it kept."""
    ours: bool = False
    """Written by compactctl."""
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """
    Context size of one request as the provider recorded it, in tokens.

    One per message id, the last row wins. ``context`` is what the request held: for
    Anthropic-shaped usage input + cache creation + cache read, for OpenAI-shaped usage the input
    tokens, which already hold the cached ones (formats reference, section 6).
    """

    line: int
    record: int
    message: str | None
    context: int
    output: int
    cached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """
    A recorded session as an index: which entries there are, where, and whose.

    ``records`` and ``entries`` stand in the order in which the client would read them, which is
    file order but for rows that were written twice (content of the last, position of the first).
    """

    path: str
    format: str
    layout: str
    """How records are laid out: ``lines``, ``conversation-lines``, ``array``, ``key:<path>``."""
    sha256: str
    bytes: int
    line_unit: LineUnit
    conversation: int | None
    """Number of this conversation from 1 where the file holds several, else ``None``."""
    records: tuple[Record, ...]
    entries: tuple[Entry, ...]
    boundaries: tuple[RecordedBoundary, ...]
    usage: tuple[Usage, ...]
    damage: tuple[Damage, ...]
    model: str | None = None
    window: int | None = None
    """Size of the context window in tokens, where the recording states it."""
    session_id: str | None = None
    cwd: str | None = None
    client_version: str | None = None
    detail: Mapping[str, object]
    """What the format's own ``view`` and ``write`` need, by names that the format documents."""

    def first(self, records: int) -> "Transcript":
        """Return the transcript as it was after its first ``records`` records."""
        kept = self.records[:records]
        entries = kept[-1].first_entry + kept[-1].entry_count if kept else 0
        return replace(
            self,
            records=kept,
            entries=self.entries[:entries],
            boundaries=tuple(b for b in self.boundaries if b.record < records),
            usage=tuple(u for u in self.usage if u.record < records),
        )


class Content(Protocol):
    """
    Gives the text of entries on demand, so that the pure rooms need no files.

    Reading in file order is cheap; random access re-parses one record.
    """

    def text(self, entry: Entry) -> str:
        """
        Return what the model reads of the entry.

        Of a call: name, newline, arguments as stored (compact JSON for objects). Of signed or
        encrypted parts, images and files: ``""``.
        """

    def arguments(self, entry: Entry) -> Mapping[str, object]:
        """Return a call's arguments by name, ``{}`` where they are not a JSON object."""

    def raw(self, record: Record) -> bytes:
        """Return the stored bytes of a record, without its line end."""
