"""Amounts as people write them: tokens, shares, sizes, ages."""

import re
from datetime import timedelta

from compactctl.errors import UsageError

_TOKENS = re.compile(r"(\d[\d_,]*(?:\.\d+)?)\s*([kKmM]?)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKmMgGtT]?)(?:i?[bB])?")
_AGE = re.compile(r"(\d+)\s*([smhdw])")
_TIMES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_tokens(text: str, name: str) -> int:
    """Return a number of tokens: ``130000``, ``130k``, ``1.5M``; raises ``UsageError``."""
    found = _TOKENS.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            f"{name}: {text!r} is not a number of tokens", hint="as in 130000 or 130k"
        )
    number = float(found[1].replace(",", "").replace("_", ""))
    return round(number * _TIMES[found[2].lower()])


def parse_trigger(text: str, name: str = "--trigger") -> float:
    """
    Return a trigger: a share up to 1 (``0.65``, ``65%``), above that tokens (``130k``).

    Raises ``UsageError``.
    """
    stripped = text.strip()
    hint = "a share as in 0.65 or 65%, or tokens as in 130000 or 130k"
    if stripped.endswith("%"):
        try:
            share = float(stripped[:-1]) / 100
        except ValueError:
            share = -1.0
        if not 0 < share <= 1:
            raise UsageError(f"{name}: {text!r} is not a share of the window", hint=hint)
        return share
    try:
        value = float(stripped)
    except ValueError:
        value = float(parse_tokens(stripped, name))
    if not 0 < value < float("inf"):
        raise UsageError(f"{name}: {text!r} is not above 0", hint=hint)
    return value


def parse_size(text: str, name: str) -> int:
    """Return bytes: ``500MB``, ``2GB``, ``1000``; raises ``UsageError``."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{name}: {text!r} is not a size", hint="as in 500MB or 2GB")
    return round(float(found[1]) * _TIMES[found[2].lower()])


def parse_age(text: str, name: str) -> timedelta:
    """Return an age: ``30d``, ``12h``, ``2w``; raises ``UsageError``."""
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{name}: {text!r} is not an age", hint="as in 30d, 12h or 2w")
    try:
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    except OverflowError:
        raise UsageError(f"{name}: {text!r} is longer than time", hint="as in 30d") from None


def parse_line(text: str, name: str) -> int:
    """Return a line number from 1: ``12`` or ``L12``; raises ``UsageError``."""
    digits = text.strip().removeprefix("L")
    if not (digits.isascii() and digits.isdigit() and int(digits) > 0):
        raise UsageError(f"{name}: {text!r} is not a line", hint="a line from 1, as in L12 or 12")
    return int(digits)
