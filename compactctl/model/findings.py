"""Findings: what a rule has to say, with where and how sure."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(StrEnum):
    """How sure a finding is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that a finding rests on."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of a rule about a file."""

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    path: str
    line: int
    boundary_line: int | None
    evidence: tuple[Evidence, ...]
    fix: str
