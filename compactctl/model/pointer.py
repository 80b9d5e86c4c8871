"""Pointers: where the original of something dropped can be found again."""

import re
from dataclasses import dataclass
from enum import StrEnum

PREFIX_LENGTH = 12
"""Hex digits of a snapshot's sha256 in a pointer: 48 bits, ample for one store."""

_POINTER = re.compile(r"snap:(?P<snapshot>[0-9a-f]{8,64})#(?P<entry>(?:C\d+\.)?L\d+(?:\.\d+)?)")


class PointerStatus(StrEnum):
    """What became of a pointer when it was followed."""

    RESOLVES = "resolves"
    MISSING = "missing"
    CHANGED = "changed"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True)
class SnapshotPointer:
    """``snap:<sha256 prefix>#<entry id>``: an entry of a snapshot."""

    snapshot: str
    entry: str

    def __str__(self) -> str:
        """Return the pointer as it is written."""
        return f"snap:{self.snapshot}#{self.entry}"


def parse_pointer(text: str) -> SnapshotPointer | None:
    """Return the snapshot pointer that ``text`` is as a whole, ``None`` where it is none."""
    found = _POINTER.fullmatch(text.strip())
    return SnapshotPointer(found["snapshot"], found["entry"]) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPointer:
    """A pointer that a compaction kept, with the evidence that its target must still hold."""

    pointer: str
    entry: str | None
    evidence: str
    status: PointerStatus
