"""What a vendor format has to provide, and the values it hands over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compactctl.formats.state_block import StateBlock
from compactctl.io.source import Source
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind, Span, View
from compactctl.model.transcript import BoundaryKind, Content, Transcript

JsonObject = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDraft:
    """One content block, before it has an id; fields as in ``Entry``."""

    author: Author
    kind: Kind
    tool: str | None = None
    call_id: str | None = None
    failed: bool | None = None
    rejected: bool = False
    sealed: bool = False
    size: int = 0
    estimated_tokens: int = 0
    authored: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDraft:
    """Recorded usage of one request; fields as in ``Usage``."""

    context: int
    output: int
    cached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryDraft:
    """A recorded compaction; fields as in ``RecordedBoundary``."""

    kind: BoundaryKind
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    opaque: bool = False
    ours: bool = False
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDraft:
    """
    One record as a format reads it.

    ``group`` is the key of the assistant message that the record's assistant blocks belong to
    (``Entry.message``). ``damage`` names what is odd about the record's shape.
    """

    type: str
    uuid: str | None = None
    parent: str | None = None
    message: str | None = None
    group: str | None = None
    chain: str = ""
    timestamp: str | None = None
    blocks: tuple[BlockDraft, ...] = ()
    usage: UsageDraft | None = None
    boundary: BoundaryDraft | None = None
    damage: tuple[tuple[DamageKind, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What a format knows of the session once all records are read."""

    model: str | None = None
    window: int | None = None
    session_id: str | None = None
    cwd: str | None = None
    client_version: str | None = None
    tokens_after: Mapping[int, int] = field(default_factory=dict)
    """Recorded size after a compaction, by its line, where a later record states it."""
    detail: Mapping[str, object] = field(default_factory=dict)


class Reader(Protocol):
    """Reads the records of one conversation in order; may keep state between them."""

    def record(self, value: JsonObject, line: int) -> RecordDraft:
        """Return the draft of one record; never raises on odd shapes (they are damage)."""

    def finish(self) -> SessionFacts:
        """Return what is known of the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteJob:
    """
    Everything that a format needs to write a compaction.

    ``view`` is the view that was compacted; ``cut`` is the index in it of the first entry of the
    tail (0 where nothing is folded, so that ``block`` is ``None``). ``after_line`` is the line of
    the boundary. ``rewrites`` are keyed by entry id and may name entries of the tail only (of the
    whole view where nothing is folded). ``kept`` are ids of head entries that stay as they are in
    front of the block: leading system and developer entries.
    """

    transcript: Transcript
    source: Source
    content: Content
    view: View
    cut: int
    after_line: int | None
    block: StateBlock | None
    rewrites: Mapping[str, NewText | NewArguments]
    kept: Sequence[str]
    append: bool
    tokens_before: int
    trigger: str
    now: str
    """RFC 3339 time with milliseconds and Z."""
    new_id: Callable[[], str]
    """Returns a new UUID on each call; the first call gives the id of the new session."""


class Format(Protocol):
    """
    A vendor format: sniff, read, view, write.

    ``name`` is the word for ``--input-format`` and ``Transcript.format``; ``title`` is for people.
    ``appends`` says whether ``--append`` is possible; ``human_apart`` whether the human text of a
    head is written as messages of their own and so is not rendered inside the state block;
    ``keeps_initial`` whether leading system entries can stay in front of the block.
    """

    name: str
    title: str
    appends: bool
    human_apart: bool
    keeps_initial: bool

    def sniff(self, head: Sequence[object]) -> bool:
        """Return whether the first JSON values of a file (at most 20) are of this format."""

    def reader(self) -> Reader:
        """Return a reader for one conversation."""

    def text(self, value: JsonObject, block: int) -> str:
        """Return the model-visible text of a record's block (from 0 within the record)."""

    def arguments(self, value: JsonObject, block: int) -> Mapping[str, object]:
        """Return the arguments of the call in a record's block."""

    def view(self, transcript: Transcript, content: Content, records: int) -> View:
        """Return what the model sees after the first ``records`` records."""

    def write(self, job: WriteJob) -> Iterator[bytes]:
        """Yield the bytes of the compacted transcript."""

    def resume_hint(self, transcript: Transcript, output: str) -> str:
        """Return one sentence: how to continue from the output in its own agent."""
