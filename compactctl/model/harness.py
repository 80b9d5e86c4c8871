"""What the hook of a harness says when that compacts a session itself."""

from dataclasses import dataclass
from enum import StrEnum


class Harness(StrEnum):
    """Harnesses that call a command when they compact."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


class Moment(StrEnum):
    """The two moments at which they call, by the names that they give them."""

    BEFORE = "PreCompact"
    AFTER = "PostCompact"


class NoticeStatus(StrEnum):
    """What came of a call."""

    KEPT = "kept"
    """Before a compaction: the snapshot is on disk."""
    MISSED = "missed"
    """No snapshot, or a call that could not be used; the reason says why."""
    FOLLOWED = "followed"
    """After a compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """
    One call, as far as it could be read; ``None`` where the harness said nothing.

    ``event`` is the harness's own word and need not be a ``Moment``.
    """

    harness: Harness | None = None
    event: str | None = None
    trigger: str | None = None
    session: str | None = None
    turn: str | None = None
    agent: str | None = None
    transcript: str | None = None
    cwd: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a harness is told not to compact: exit code, and what goes to which stream."""

    code: int
    out: str = ""
    err: str = ""
