"""What a transcript is made of: records as stored, entries as the model sees them."""

from dataclasses import dataclass
from enum import StrEnum


class Author(StrEnum):
    """Who wrote an entry; authority follows from this and never from wording."""

    HUMAN = "human"
    DELEGATOR = "delegator"
    SYSTEM = "system"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SUMMARY = "summary"
    CARRIED = "carried"
    HARNESS = "harness"


AUTHORITIES = frozenset({Author.HUMAN, Author.DELEGATOR, Author.SYSTEM})
"""The authors whose words make pins."""


TELLERS = frozenset({Author.SUMMARY, Author.CARRIED})
"""The authors of what an earlier compaction wrote in place of history."""


class Kind(StrEnum):
    """What an entry is to the model."""

    TEXT = "text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    IMAGE = "image"
    FILE = "file"


class StateClass(StrEnum):
    """The four classes of state, each compacted by its own policy."""

    DECISION = "decision"
    FACT = "fact"
    REASONING = "reasoning"
    RAW = "raw"


class LineUnit(StrEnum):
    """What the number in an entry id counts."""

    LINE = "line"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters of an entry's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """
    One JSON object as stored; its bytes are ``source[offset : offset + length]``.

    ``line`` is the physical line from 1, or the number of the message where several messages
    share a line. ``part`` counts records glued onto one line, from 0. ``chain`` is ``""`` for the
    main conversation, else the id of the side chain. ``line_end`` is the length of the line end
    that follows the record's bytes (0 for the last record of a file without one).
    """

    line: int
    part: int = 0
    offset: int
    length: int
    type: str
    uuid: str | None = None
    parent: str | None = None
    message: str | None = None
    chain: str = ""
    timestamp: str | None = None
    first_block: int = 0
    """Block number of the record's first entry; above 0 only for glued records."""
    first_entry: int
    """Index of the record's first entry in ``Transcript.entries``."""
    entry_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One content block that a model could see.

    It holds no text: ``Content`` gives that on demand, so that a transcript of any size can be
    held in memory. ``authored`` are the spans of the text that carry the authority of ``author``:
    of a rejection it is the human's reason and not the boilerplate around it.
    """

    id: str
    line: int
    block: int
    record: int
    """Index into ``Transcript.records``."""
    author: Author
    kind: Kind
    tool: str | None = None
    call_id: str | None = None
    message: str | None = None
    """Key of the assistant message that the entry belongs to; the unit that is never cut apart."""
    chain: str = ""
    failed: bool | None = None
    """The format's own error flag on a tool result; ``None`` where the format says nothing."""
    rejected: bool = False
    """A human (or the harness for one) refused the call that this result answers."""
    sealed: bool = False
    """Signed or encrypted: unchanged or wholly absent, never edited."""
    size: int = 0
    """Characters of model-visible text."""
    estimated_tokens: int = 0
    """Tokens of what has no text to count (images, files), estimated by size."""
    authored: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry as it stands in a view; ``shown`` replaces its text where a client cleared it."""

    entry: Entry
    shown: str | None = None


View = tuple[Seen, ...]
"""The entries that the model sees at a point, in order."""
