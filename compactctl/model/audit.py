"""What an audit finds: the fate of each pin, and findings of the rules."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The command line needs the enums at start-up, and the values of classifying not.
    from compactctl.model.classification import Pin


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(StrEnum):
    """How sure a rule is of what it says."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Survival(StrEnum):
    """What became of a statement in a compaction."""

    VERBATIM = "verbatim"
    """Word for word in view afterwards, white space and quotation marks aside."""
    ALTERED = "altered"
    """In view in other words."""
    PARTIAL = "partial"
    """A part of it is in view."""
    LOST = "lost"
    UNKNOWN = "unknown"
    """What is in view afterwards cannot be read."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that a finding rests on, with what it says."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFate:
    """
    What a compaction made of a pin.

    ``held`` says that the pin was in view right before; a pin that was not is no loss of this
    compaction. ``shown`` is what is in view afterwards in its place, at ``shown_line``.
    """

    pin: "Pin"
    survival: Survival
    held: bool
    shown: str = ""
    shown_line: int | None = None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    One finding of a rule.

    ``line`` is where to look, ``boundary_line`` the compaction that is judged (``None`` for a
    finding about the session itself), ``remedy`` what to do. ``subject`` tells this finding from
    others of its rule by content, so that added lines do not make it a new one.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    path: str
    line: int
    boundary_line: int | None
    evidence: tuple[Evidence, ...]
    remedy: str
    subject: str
    conversation: int | None = None
