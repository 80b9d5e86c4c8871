"""The one value that our own run, a recorded compaction and a diff of two files become."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from compactctl.model.classification import CutPoint, NoCut, Pin
from compactctl.model.entry import Author, Kind, StateClass
from compactctl.model.pointer import KeptPointer
from compactctl.model.tokens import TokenReport


class Origin(StrEnum):
    """What a compaction value was made from."""

    RUN = "run"
    RECORDED = "recorded"
    DIFF = "diff"


class Status(StrEnum):
    """How a run ended."""

    COMPACTED = "compacted"
    SKIPPED = "skipped"
    DEFERRED = "deferred"
    REFUSED = "refused"


class Level(StrEnum):
    """The rungs of the ladder."""

    CLEAR = "clear"
    FOLD = "fold"
    SUMMARIZE = "summarize"


class Action(StrEnum):
    """What a plan does with an entry."""

    KEEP = "keep"
    REWRITE = "rewrite"
    DROP = "drop"
    INSERT = "insert"
    MOVE = "move"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewEntry:
    """
    An entry as it stands on one side of a compaction.

    ``digest`` is 16 hex digits of the blake2b of the text that the model sees.
    """

    id: str
    line: int
    author: Author
    kind: Kind
    state: StateClass
    tool: str | None
    call_id: str | None
    tokens: int
    digest: str
    estimated_tokens: int = 0


@dataclass(frozen=True, slots=True)
class NewText:
    """The text that a tool result is rewritten to."""

    text: str


@dataclass(frozen=True, slots=True)
class NewArguments:
    """The arguments of a call that are rewritten, by name; the others stay."""

    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    What a plan does with one entry, and why.

    ``replacement`` is set exactly for ``rewrite``; ``pointer`` for every ``drop`` and ``rewrite``.
    """

    entry: str
    action: Action
    state: StateClass
    reason: str
    tokens_before: int
    tokens_after: int
    pointer: str | None = None
    replacement: NewText | NewArguments | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinChange:
    """A pin whose bytes differ between the two sides."""

    before: Pin
    after: Pin


@dataclass(frozen=True, slots=True, kw_only=True)
class PinDiff:
    """Every change of the pinned block; ``removed`` and ``changed`` have no human line behind."""

    kept: tuple[Pin, ...] = ()
    added: tuple[Pin, ...] = ()
    superseded: tuple[Pin, ...] = ()
    changed: tuple[PinChange, ...] = ()
    removed: tuple[Pin, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheImpact:
    """
    What a prompt cache has to bill again.

    ``first_changed`` is the first entry of the view that differs (``None``: nothing differs);
    ``kept`` tokens stand before it, ``rebilled`` tokens of the new view from it on.
    """

    first_changed: str | None
    kept: int
    rebilled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """How full the window is, from which figure, and whether a harness should have compacted."""

    tokens: int
    source: str
    window: int
    window_source: str
    """``recorded``, ``given`` or ``assumed``."""
    threshold: int
    reached: bool

    @property
    def share(self) -> float:
        """Tokens divided by the window."""
        return self.tokens / self.window


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRef:
    """A snapshot as the ledger names it."""

    id: str
    sha256: str
    path: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRef:
    """The file that a run wrote."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """
    View before, view after, what was decided and why, pins, pointers, tokens.

    ``decisions`` stand in view order; an ``insert`` stands where the new entry does.
    ``boundary`` is ``None`` where nothing was folded.
    """

    origin: Origin
    path: str
    format: str
    sha256: str
    conversation: int | None = None
    status: Status
    reason: str
    hint: str = ""
    """What to do about it, in a sentence; empty where nothing is to be done."""
    level: Level | None
    boundary: CutPoint | None
    no_cut: tuple[NoCut, ...] = ()
    trigger: Trigger | None = None
    before: tuple[ViewEntry, ...]
    after: tuple[ViewEntry, ...]
    decisions: tuple[Decision, ...]
    pins_before: tuple[Pin, ...]
    pins_after: tuple[Pin, ...]
    pins: PinDiff
    pointers: tuple[KeptPointer, ...] = ()
    tokens: TokenReport
    cache: CacheImpact
    not_refetchable: tuple[str, ...] = ()
    """One line for each dropped result that cannot be fetched again the same."""
    advice: tuple[str, ...] = ()
    policy_sha256: str | None = None
    snapshot: SnapshotRef | None = None
    output: OutputRef | None = None
    damage_count: int = 0
    extra: Mapping[str, object] = field(default_factory=dict)
