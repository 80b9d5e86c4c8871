"""What classifying finds in a session: classes, pins, results, facts, branches, claims, cuts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from compactctl.model.entry import Author, StateClass


class PinKind(StrEnum):
    """What a pin is about."""

    CONSTRAINT = "constraint"
    DECISION = "decision"
    GOAL = "goal"
    EXAMPLE = "example"


class Strength(StrEnum):
    """Whether a pin binds by its form, or only may bind."""

    STRONG = "strong"
    WEAK = "weak"


class PinStatus(StrEnum):
    """Whether a pin still binds."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class PinPlace:
    """Where a statement was said."""

    line: int
    entry: str


@dataclass(frozen=True, slots=True)
class Referent:
    """The assistant's words that a short approval answers."""

    entry: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """
    A verbatim statement that must survive: a contiguous substring of one entry.

    ``id`` is the first 12 hex digits of the sha256 of the text (UTF-8). ``line`` and ``entry``
    are those of the first place; ``source`` is a pointer into an earlier snapshot where the pin
    was carried over from an earlier compaction.
    """

    id: str
    kind: PinKind
    strength: Strength
    text: str
    line: int
    entry: str
    author: Author
    chain: str = ""
    places: tuple[PinPlace, ...] = ()
    referent: Referent | None = None
    status: PinStatus = PinStatus.ACTIVE
    superseded_by: str | None = None
    """Id of the pin that replaced this one."""
    source: str | None = None
    why: str


class Outcome(StrEnum):
    """What a tool result itself proves."""

    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


class ResultKind(StrEnum):
    """What sort of work a call did."""

    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    GIT = "git"
    SHELL = "shell"
    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    WEB = "web"
    OTHER = "other"


CHECKS = frozenset({ResultKind.TEST, ResultKind.BUILD, ResultKind.LINT})
"""The kinds of work that say whether other work holds, and can be done again to see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """
    One call and what became of it.

    ``result_line`` and ``result_entry`` are ``None`` where the call has no result. ``exact`` are
    strings copied from the result (at most 400 characters in all). ``one_line`` is true, short
    and names tool, key argument, outcome and size. ``key`` names what the result is about
    (``test:pytest -q``); ``arguments_digest`` tells equal calls.
    """

    call_id: str
    call_line: int
    call_entry: str
    result_line: int | None
    result_entry: str | None
    tool: str
    kind: ResultKind
    outcome: Outcome
    exit_code: int | None
    exact: tuple[str, ...]
    one_line: str
    key: str
    subject: str
    """The key argument in full: command, path, query, URL."""
    arguments_digest: str
    proves: bool
    """A later reader needs what this result proves: it becomes a fact."""
    chain: str = ""


class FactStatus(StrEnum):
    """How sure a fact is; "attempted" is never "verified"."""

    VERIFIED = "verified"
    FAILED = "failed"
    ATTEMPTED = "attempted"
    PENDING = "pending"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verification:
    """What verified a fact."""

    command: str
    exit_code: int | None
    entry: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A key, an exact string and where it comes from; ``latest`` is false once a later one of
    the same key replaced it.
    """

    key: str
    text: str
    status: FactStatus
    verified_by: Verification | None
    line: int
    entry: str
    latest: bool = True
    pointer: str | None = None
    """Set for facts carried over from an earlier compaction."""


class BranchKind(StrEnum):
    """Why a branch ended."""

    RETRY_LOOP = "retry_loop"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """An approach that was tried and given up, or tried again and again."""

    kind: BranchKind
    start_line: int
    end_line: int
    lines: tuple[int, ...]
    attempts: int
    what: str
    failure: str
    resolved: bool
    entry: str
    """The entry that shows the failure."""
    pointer: str | None = None
    chain: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An assistant's statement that something is done; ``supported`` is ``None`` for unknown."""

    line: int
    entry: str
    text: str
    supported: bool | None
    evidence_line: int | None


@dataclass(frozen=True, slots=True)
class CutPoint:
    """A place where cutting is allowed and sensible: after the records of ``after_line``."""

    after_line: int
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class NoCut:
    """A zone that must not be cut: no boundary ``from_line <= after_line < to_line``."""

    from_line: int
    to_line: int
    why: str


@dataclass(frozen=True, slots=True)
class OpenItem:
    """Work that was planned or begun and is not known to be finished."""

    text: str
    line: int
    entry: str
    status: str
    """``pending`` or ``in_progress``."""


@dataclass(frozen=True, slots=True)
class ClassifiedEntry:
    """The class of one entry, and which rule gave it."""

    state: StateClass
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """
    Everything that classifying found.

    ``entries`` is keyed by entry id and covers every entry of the transcript. Pins stand in the
    order in which they were first said.
    """

    entries: Mapping[str, ClassifiedEntry]
    pins: tuple[Pin, ...]
    results: tuple[ToolResult, ...]
    facts: tuple[Fact, ...]
    branches: tuple[Branch, ...]
    claims: tuple[Claim, ...]
    open_items: tuple[OpenItem, ...]
    boundaries: tuple[CutPoint, ...]
    no_cut: tuple[NoCut, ...]
