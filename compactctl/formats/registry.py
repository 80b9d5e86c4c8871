"""The formats that compactctl reads and writes, in the order in which they are tried."""

from difflib import get_close_matches

from compactctl.errors import UsageError
from compactctl.formats.anthropic_messages import ANTHROPIC_MESSAGES
from compactctl.formats.base import Format
from compactctl.formats.claude_code import CLAUDE_CODE
from compactctl.formats.codex import CODEX
from compactctl.formats.openai_chat import OPENAI_CHAT

FORMATS: tuple[Format, ...] = (CLAUDE_CODE, CODEX, ANTHROPIC_MESSAGES, OPENAI_CHAT)


def format_named(name: str) -> Format:
    """Return the format of that name; raises ``UsageError`` that names the nearest one."""
    names = [fmt.name for fmt in FORMATS]
    for fmt in FORMATS:
        if fmt.name == name:
            return fmt
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.3)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(
        f"no input format is named {name!r}", hint=f"{hint}formats read: {', '.join(names)}"
    )
