"""What is odd about a JSON text that can be read all the same, and where."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from compactctl.io.repair import lone_surrogates
from compactctl.model.damage import DamageKind

MAX_DEPTH = 500
"""Levels of nesting; parsers and writers of JSON give up at different depths beyond this."""
_INT_DIGITS = 308

# Possessive quantifiers: a string of 50 MB must not build a backtracking stack.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKETS = re.compile(_STRING + rb"|[{}\[\]]", re.DOTALL)
_SCALARS = re.compile(_STRING + rb'|[^\s{}\[\]:,"]++', re.DOTALL)
_CONTROLS = re.compile(rb"[\x01-\x1f]|\x00++")


@dataclass(frozen=True, slots=True)
class Oddity:
    """One kind of oddity: where it is first seen, and how often."""

    at: int
    length: int
    kind: DamageKind
    detail: str


def too_deep(data: bytes) -> bool:
    """Return whether a JSON text is nested deeper than ``MAX_DEPTH``."""
    if data.count(b"{") + data.count(b"[") <= MAX_DEPTH:
        return False
    return nesting(data, 0)[0] > MAX_DEPTH


def nesting(data: bytes, at: int) -> tuple[int, int]:
    """Return the deepest level of the value at ``at``, and its end (of the data: it has none)."""
    depth = deepest = 0
    for found in _BRACKETS.finditer(data, at):
        first = data[found.start()]
        if first in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif first in b"}]":
            depth -= 1
            if depth <= 0:
                return deepest, found.end()
    return deepest, len(data)


def oddities(data: bytes) -> list[Oddity]:
    """
    Return what is odd about a JSON text that only a lenient parser takes.

    One of a kind: its first place, and in ``detail`` how many there are. Bytes that are no UTF-8,
    control characters in strings, lone surrogates, numbers that are none or too large.
    """
    first: dict[DamageKind, tuple[int, int, str]] = {}
    count: dict[DamageKind, int] = {}
    for at, length, kind, what in _found(data):
        first.setdefault(kind, (at, length, what))
        count[kind] = count.get(kind, 0) + 1
    return [
        Oddity(at, length, kind, what + (f"; {count[kind]} in this record" * (count[kind] > 1)))
        for kind, (at, length, what) in first.items()
    ] or [Oddity(0, len(data), DamageKind.BROKEN, "not strict JSON")]


def _found(data: bytes) -> Iterator[tuple[int, int, DamageKind, str]]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        length = error.end - error.start
        yield error.start, length, DamageKind.NOT_UTF8, "read as U+FFFD"
    for found in _SCALARS.finditer(data):
        token, at = found.group(), found.start()
        if token[:1] == b'"':
            yield from _in_string(token, at)
        else:
            yield from _in_number(token, at)


def _in_string(token: bytes, at: int) -> Iterator[tuple[int, int, DamageKind, str]]:
    for control in _CONTROLS.finditer(token):
        code = token[control.start()]
        kind = DamageKind.CONTROL_CHARACTER if code else DamageKind.NUL
        length = control.end() - control.start()
        yield at + control.start(), length, kind, f"U+{code:04X} in a string"
    for start, end in lone_surrogates(token):
        yield at + start, end - start, DamageKind.LONE_SURROGATE, token[start:end].decode()


def _in_number(token: bytes, at: int) -> Iterator[tuple[int, int, DamageKind, str]]:
    text = token.decode("latin-1")
    if text in ("NaN", "Infinity", "-Infinity"):
        yield at, len(token), DamageKind.NOT_A_NUMBER, text
    elif text.lstrip("-").isdigit():
        if len(text) > _INT_DIGITS:
            yield at, len(token), DamageKind.HUGE_INTEGER, f"{len(text.lstrip('-'))} digits"
    elif text not in ("true", "false", "null") and math.isinf(float(text)):
        yield at, len(token), DamageKind.NOT_A_NUMBER, "beyond every double"
