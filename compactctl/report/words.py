"""Small wordings that reports share."""

import difflib
from collections.abc import Mapping
from typing import Any

from compactctl.report.printable import printable
from compactctl.report.secrets import mask

_LOOKED_AT = 8_000
"""Characters of a text that can matter to its first line, long runs of white space included."""


def safe(text: str, limit: int) -> str:
    """Return text of a transcript fit for one line of a report, cut to ``limit`` columns."""
    return printable(mask(text[: limit + _LOOKED_AT]), limit=max(8, limit))


def percent(share: float) -> str:
    """Return a share as a whole percentage."""
    return f"{round(share * 100)} %"


def signed(change: float) -> str:
    """Return a relative change as a percentage with its sign."""
    return f"{change * 100:+.1f} %"


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tokens_label(tokens: Mapping[str, Any]) -> str:
    """Return where a token number comes from."""
    encoding = f" with {tokens['encoding']}" if tokens["encoding"] else ""
    return f"{tokens['source']}{encoding}"


def words_diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return a change of a pin word by word: ``[-gone-]`` and ``{+new+}``."""
    old, new = mask(before["text"]).split(), mask(after["text"]).split()
    parts: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts += old[i:j]
            continue
        if i < j:
            parts.append(f"[-{' '.join(old[i:j])}-]")
        if k < m:
            parts.append(f"{{+{' '.join(new[k:m])}+}}")
    return printable(" ".join(parts))
