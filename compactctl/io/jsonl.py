"""Lines to JSON values; damage is data."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from compactctl.io.oddities import MAX_DEPTH, nesting, oddities, too_deep
from compactctl.io.source import RawLine
from compactctl.model.damage import Damage, DamageKind

BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_MAX_RESYNC = 64
"""Places at which a record is looked for after a broken one: bounds the work on a hostile line."""
_INT_DIGITS = 308
"""Longer integers exceed every double; orjson refuses them, and Python from 4,300 digits on."""


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

    Several values on one line (glued records) are all returned, also those behind a broken one.
    A broken last line without a line feed is ``truncated``, any other ``broken``. Values nested
    deeper than ``MAX_DEPTH`` are damage and are not returned. Offsets and lengths are in bytes of
    the file.
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
        slow = _Slow(raw, body, offset + start)
        values = tuple(slow.values())
        return ParsedLine(raw.line, values, (*damage, *slow.damage))
    if too_deep(body):
        damage.append(Damage(raw.line, offset + start, len(body), DamageKind.DEPTH))
        return ParsedLine(raw.line, (), tuple(damage))
    return ParsedLine(raw.line, (Value(value, offset + start, len(body)),), tuple(damage))


def loads(data: bytes) -> object:
    """
    Return the value of a JSON text; takes all that ``parse_line`` takes, with the same value.

    Lone surrogates stay, bytes that are no UTF-8 become U+FFFD, integers of more than 308 digits
    infinity. Raises ``ValueError`` for what is no JSON and for nesting beyond ``MAX_DEPTH``.
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        if too_deep(data):
            raise _too_deep() from None
        return _loads_odd(data)
    if too_deep(data):
        raise _too_deep()
    return value


def _loads_odd(data: bytes) -> object:
    try:
        value: object = _DECODER.decode(data.decode("utf-8", "replace"))
    except RecursionError:
        raise _too_deep() from None
    return value


def _too_deep() -> ValueError:
    return ValueError(f"nested deeper than {MAX_DEPTH} levels")


class _Slow:
    """
    What the fast parser refuses: NUL runs, glued, broken, surrogates, NaN, depth.

    The structure of JSON is ASCII, so it is found in the bytes read as Latin-1: then places in
    the text are places in the bytes, whatever is wrong with the encoding.
    """

    def __init__(self, raw: RawLine, body: bytes, offset: int) -> None:
        self.raw = raw
        self.body = body
        self.text = body.decode("latin-1")
        self.offset = offset
        self.damage: list[Damage] = []
        self.bad: int | None = None
        """Where the broken part begins that is being read over."""
        self.failed = 0
        """Where the parser gave up on it."""
        self.exact = -1
        """Where its error says that another record begins."""
        self.resyncs = 0
        self.deep = body.count(b"{") + body.count(b"[") > MAX_DEPTH

    def values(self) -> Iterator[Value]:
        at, before, end = 0, 0, len(self.text)
        while (at := _past(_BLANKS, self.text, at)) < end:
            if (over := self._over(at)) > at:
                before, at = 0, over
                continue
            stop = self._end(at)
            if stop is None:
                at = self._resync(at)
                continue
            if self._is_nested(at, stop):
                at = self._next_object(stop)
                continue
            self._close(at)
            if before and self.text[at] == "{":
                self._note(at, stop - at, DamageKind.GLUED)
            before += 1
            yield self._value(at, stop)
            at = stop
        self._close(end)

    def _over(self, at: int) -> int:
        """Return the end of what stands between records at ``at``, noted; ``at`` for nothing."""
        stop = _past(_NULS, self.text, at)
        if stop > at and self.bad is None:
            self._note(at, stop - at, DamageKind.NUL)
        elif stop == at and self.bad is None and self.body.startswith(BOM, at):
            stop = at + len(BOM)
            self._note(at, len(BOM), DamageKind.BOM)
        elif self.deep and self.text[at] in "{[":
            deepest, end = nesting(self.body, at)
            if deepest > MAX_DEPTH:
                self._close(at)
                self._note(at, end - at, DamageKind.DEPTH)
                return end
        return stop

    def _end(self, at: int) -> int | None:
        """Return the end of the object or array at ``at``; ``None`` where there is none."""
        self.failed = at
        if self.text[at] not in "{[":
            return None
        try:
            return _STRUCTURE.raw_decode(self.text, at)[1]
        except json.JSONDecodeError as error:
            self.failed = error.pos
        except RecursionError:
            self.failed = len(self.text)
        return None

    def _resync(self, at: int) -> int:
        if self.bad is None:
            self.bad = at
        failed = max(self.failed, at)
        # A record glued into a string of a cut one ends that string with its first quote.
        start = self.text.rfind("{", at + 1, failed + 1)
        opened = _OBJECT_START.match(self.text, start) if start > at else None
        if opened and opened.end() >= failed:
            self.exact = start
            return self._counted(start)
        return self._next_object(max(failed, at + 1))

    def _next_object(self, at: int) -> int:
        found = _OBJECT_START.search(self.text, at)
        return self._counted(found.start() if found else len(self.text))

    def _counted(self, at: int) -> int:
        self.resyncs += 1
        return at if self.resyncs <= _MAX_RESYNC else len(self.text)

    def _is_nested(self, at: int, end: int) -> bool:
        """A part of the broken record is no record, though it is a whole object."""
        if self.bad is None:
            return False
        between = self.text[max(self.bad, at - 64) : at].rstrip(" \t\r\n")
        if not between.strip(" \t\r\n,"):
            return False  # records that are joined by commas are parts of nothing
        after = _past(_BLANKS, self.text, end)
        if self.text[after : after + 1] in _INSIDE:
            return True
        return at != self.exact and between[-1] in ":[,"

    def _close(self, end: int) -> None:
        """Note the broken part before ``end``, and the NUL runs in it, each by itself."""
        if self.bad is None:
            return
        at, self.bad = self.bad, None
        split = re.split(r"(\x00+)", self.text[at:end], maxsplit=_MAX_RESYNC)
        parts = [part for part in split if part]
        for number, part in enumerate(parts, 1):
            length = len(part.rstrip(" \t\r\n")) if number == len(parts) else len(part)
            cut = end == len(self.text) and number == len(parts) and not self.raw.ended
            kind = DamageKind.TRUNCATED if cut else DamageKind.BROKEN
            if length:
                self._note(at, length, DamageKind.NUL if part[0] == "\0" else kind)
            at += len(part)

    def _value(self, at: int, end: int) -> Value:
        data = self.body[at:end]
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError:
            for odd in oddities(data):
                self._note(at + odd.at, odd.length, odd.kind, odd.detail)
            value = _loads_odd(data)
        return Value(value, self.offset + at, len(data))

    def _note(self, at: int, length: int, kind: DamageKind, detail: str = "") -> None:
        self.damage.append(Damage(self.raw.line, self.offset + at, length, kind, detail))


_BLANKS = re.compile(r"[ \t\r\n]*+")
_NULS = re.compile(r"\x00*+")
_OBJECT_START = re.compile(r'\{[ \t\r\n]*+"')
_INSIDE = (",", "]", "}", ":")
_STRUCTURE = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len, strict=False)
"""Finds where values end; the numbers themselves are read later."""
_DECODER = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) <= _INT_DIGITS else float("inf"),
    strict=False,
)


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
