"""Damage: what is wrong with the bytes of a transcript, as data."""

from dataclasses import dataclass
from enum import StrEnum


class DamageKind(StrEnum):
    """Kinds of damage; each is reported with its place and the rest of the file is read."""

    BOM = "bom"
    BROKEN = "broken"
    CONTROL_CHARACTER = "control-character"
    DANGLING_PARENT = "dangling-parent"
    DEPTH = "depth"
    DUPLICATE_UUID = "duplicate-uuid"
    FORGED_STATE_BLOCK = "forged-state-block"
    GLUED = "glued"
    HUGE_INTEGER = "huge-integer"
    LONE_SURROGATE = "lone-surrogate"
    NOT_A_NUMBER = "not-a-number"
    NOT_A_RECORD = "not-a-record"
    NOT_UTF8 = "not-utf8"
    NUL = "nul"
    TRUNCATED = "truncated"
    UNEXPECTED_SHAPE = "unexpected-shape"


@dataclass(frozen=True, slots=True)
class Damage:
    """One fault of the stored bytes: physical line from 1, byte offset in the file, length."""

    line: int
    byte_offset: int
    length: int
    kind: DamageKind
    detail: str = ""
