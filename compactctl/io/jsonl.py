"""Lines to JSON values; damage is data."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from compactctl.io.source import RawLine
from compactctl.model.damage import Damage, DamageKind

BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_MAX_RESYNC = 64
"""Places at which a record is looked for after a broken one: bounds the work on a hostile line."""
_INT_DIGITS = 4300
"""Python refuses to parse integers over this length."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_OBJECT_START = re.compile(r'\{\s*"')


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value and where its bytes stand in the file."""

    value: object
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """The values of one line (one, as a rule) and what is wrong with it."""

    line: int
    values: tuple[Value, ...]
    damage: tuple[Damage, ...]


def parse_line(raw: RawLine) -> ParsedLine:
    """
    Return the JSON values of a line and its damage; never raises on bad bytes.

    Several values on one line (glued records) are all returned. A broken last line without a
    line feed is ``truncated``, any other ``broken``.
    """
    data, offset = raw.data, raw.offset
    damage: list[Damage] = []
    if offset == 0 and data.startswith(BOM):
        damage.append(Damage(raw.line, 0, len(BOM), DamageKind.BOM))
        data, offset = data[len(BOM) :], len(BOM)
    start = len(data) - len(data.lstrip(_SPACE))
    body = data[start:].rstrip(_SPACE)
    if not body:
        return ParsedLine(raw.line, (), tuple(damage))
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        slow = _Slow(raw, offset + start)
        values = tuple(slow.values(body))
        return ParsedLine(raw.line, values, (*damage, *slow.damage))
    return ParsedLine(raw.line, (Value(value, offset + start, len(body)),), tuple(damage))


def loads(data: bytes) -> object:
    """Return the value of bytes that ``parse_line`` accepted, lone surrogates and all."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _DECODER.raw_decode(data.decode("utf-8", "replace"))[0]


class _Slow:
    """What the fast parser refuses: NUL runs, glued, broken, surrogates, NaN, depth."""

    def __init__(self, raw: RawLine, offset: int) -> None:
        self.raw = raw
        self.offset = offset
        self.damage: list[Damage] = []

    def values(self, body: bytes) -> Iterator[Value]:
        at = 0
        for piece in re.split(rb"(\x00+)", body):
            if piece.startswith(b"\x00"):
                self._note(at, len(piece), DamageKind.NUL)
            elif piece.strip(_SPACE):
                yield from self._piece(piece, at)
            at += len(piece)

    def _piece(self, piece: bytes, base: int) -> Iterator[Value]:
        text = piece.decode("utf-8", "replace")
        if not _is_utf8(piece):
            self._note(base, len(piece), DamageKind.BROKEN, "not UTF-8; shown with U+FFFD")
        ends = _ByteEnds(text, piece)
        at, found, resyncs = 0, 0, 0
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            try:
                value, end = self._decode(text, at, base)
            except RecursionError:
                self._note(base + ends.byte(at), len(piece) - ends.byte(at), DamageKind.DEPTH)
                return
            except ValueError:
                resyncs += 1
                after = _OBJECT_START.search(text, at + 1) if resyncs <= _MAX_RESYNC else None
                stop = after.start() if after else len(text)
                self._broken(base + ends.byte(at), ends.byte(stop) - ends.byte(at), last=not after)
                at = stop
                continue
            if found and isinstance(value, dict):
                self._note(base + ends.byte(at), ends.byte(end) - ends.byte(at), DamageKind.GLUED)
            found += 1
            length = ends.byte(end) - ends.byte(at)
            yield Value(value, self.offset + base + ends.byte(at), length)
            at = end

    def _decode(self, text: str, at: int, base: int) -> tuple[object, int]:
        odd: list[DamageKind] = []

        def constant(name: str) -> float:
            odd.append(DamageKind.NOT_A_NUMBER)
            return float(name)

        def integer(digits: str) -> int | float:
            if len(digits) > _INT_DIGITS:
                odd.append(DamageKind.HUGE_INTEGER)
                return float("inf")
            return int(digits)

        decoder = json.JSONDecoder(parse_constant=constant, parse_int=integer, strict=False)
        value, end = decoder.raw_decode(text, at)
        if not isinstance(value, (dict, list)):
            raise ValueError  # noqa: TRY004 -- a bare word between records is broken JSON here
        if _has_surrogate(text, at, end):
            odd.append(DamageKind.LONE_SURROGATE)
        for kind in dict.fromkeys(odd):
            self._note(base, len(self.raw.data), kind)
        return value, end

    def _broken(self, at: int, length: int, *, last: bool) -> None:
        cut = last and not self.raw.ended
        self._note(at, length, DamageKind.TRUNCATED if cut else DamageKind.BROKEN)

    def _note(self, at: int, length: int, kind: DamageKind, detail: str = "") -> None:
        self.damage.append(Damage(self.raw.line, self.offset + at, length, kind, detail))


class _ByteEnds:
    """Byte offsets of character offsets that only grow, without encoding the text again."""

    def __init__(self, text: str, data: bytes) -> None:
        self.text = text
        self.clean = len(text) == len(data)
        self.size = len(data)
        self.char, self.at = 0, 0

    def byte(self, char: int) -> int:
        if self.clean:
            return char
        if char < self.char:
            self.char, self.at = 0, 0
        self.at += len(self.text[self.char : char].encode("utf-8", "surrogatepass"))
        self.char = char
        return min(self.at, self.size)


_DECODER = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) <= _INT_DIGITS else float("inf"),
    strict=False,
)
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _has_surrogate(text: str, start: int, end: int) -> bool:
    part = text[start:end]
    return bool(_ESCAPED_SURROGATE.search(_PAIR.sub("", part)))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
