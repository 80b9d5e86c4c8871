"""Small wordings that reports share."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from compactctl.compact.pin_diff import word_diff
from compactctl.report.printable import printable
from compactctl.report.secrets import mask

Doc = Mapping[str, Any]
LABEL = 10
"""Columns of the label in front of a row."""
_NARROWEST = 30
_LOOKED_AT = 8_000
"""Characters of a text that can matter to its first line, long runs of white space included."""


def safe(text: str, limit: int) -> str:
    """Return text of a transcript fit for one line of a report, cut to ``limit`` columns."""
    return printable(mask(text[: limit + _LOOKED_AT]), limit=max(8, limit))


def percent(share: float) -> str:
    """Return a share as a whole percentage."""
    return f"{round(share * 100)} %"


def change(before: int, after: int) -> str:
    """Return a relative change as a percentage with its sign."""
    return f"{(after / before - 1) * 100:+.1f} %" if before else "0 %"


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tokens_label(tokens: Doc) -> str:
    """Return where a token number comes from."""
    encoding = f" with {tokens['encoding']}" if tokens["encoding"] else ""
    return f"{tokens['source']}{encoding}"


def intact(pins: Doc) -> str:
    """Return how many pins are as they were, of how many that should be."""
    kept = len(pins["kept"])
    return f"{kept} of {kept + len(pins['changed']) + len(pins['removed'])} intact"


def row(label: str, text: str, width: int) -> Iterator[str]:
    """Yield a label and a text, the text wrapped beside it."""
    wrapped = textwrap.wrap(
        text,
        max(_NARROWEST, width - LABEL),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in wrapped or [""]:
        yield f"{label:<{LABEL}}{line}"
        label = ""


def copyable(label: str, text: str) -> str:
    """Return a label and a text on one line, so that a command or path can be copied."""
    return f"{label:<{LABEL}}{text}"


def brief_pin(pin: Doc, width: int) -> str:
    """Return where a pin was said, how it binds, and its first words."""
    head = f"L{pin['line']:<5} {pin['strength']:<6} {pin['kind']:<10} "
    return head + safe(pin["text"], max(20, width - len(head) - 6))


def words_diff(before: Doc, after: Doc) -> str:
    """Return a change of a pin word by word: ``[-gone-]`` and ``{+new+}``."""
    old, new = mask(before["text"]).split(), mask(after["text"]).split()
    return printable(word_diff(old, new))
