"""The session files of Claude Code (versions 2.0 to 2.1 measured)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from compactctl.formats.base import JsonObject, Reader, WriteJob
from compactctl.formats.claude_code.blocks import blocks
from compactctl.formats.claude_code.read import ClaudeCodeReader
from compactctl.formats.claude_code.view import view_of
from compactctl.formats.claude_code.write import write_session
from compactctl.model.entry import View
from compactctl.model.transcript import Content, Transcript

_SIDE_TYPES = frozenset(
    {
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "mode",
        "permission-mode",
        "last-prompt",
        "ai-title",
        "custom-title",
        "agent-name",
        "worktree-state",
        "bridge-session",
        "pr-link",
        "attachment",
        "progress",
        "system",
    }
)


class ClaudeCode:
    """Claude Code: append-only JSONL, linked by uuid; see ``Format`` for what each part does."""

    name = "claude-code"
    title = "Claude Code session"
    appends = True
    human_apart = False
    keeps_initial = False

    def sniff(self, head: Sequence[object]) -> bool:
        """Return whether a record has the session envelope and an Anthropic-shaped message."""
        return any(isinstance(value, dict) and _is_record(value) for value in head)

    def reader(self) -> Reader:
        """Return a reader for one session."""
        return ClaudeCodeReader()

    def text(self, value: JsonObject, block: int) -> str:
        """Return the model-visible text of a block."""
        return blocks(value)[block].text

    def arguments(self, value: JsonObject, block: int) -> Mapping[str, object]:
        """Return the arguments of a call."""
        return blocks(value)[block].arguments

    def view(self, transcript: Transcript, content: Content, records: int) -> View:
        """Return what the model sees after the first ``records`` records."""
        return view_of(transcript, content, records)

    def write(self, job: WriteJob) -> Iterator[bytes]:
        """Yield the lines of the compacted session."""
        return write_session(job)

    def resume_hint(self, transcript: Transcript, output: str) -> str:
        """Say where the client looks for the file and how it is told to take it up."""
        # The id is text of a transcript: it must not become a command of its own.
        session = quote(transcript.session_id or "SESSION")
        slug = re.sub(r"[^A-Za-z0-9]", "-", transcript.cwd or "PROJECT")
        target = f"~/.claude/projects/{slug}/{session}.jsonl"
        return f"cp {quote(output)} {target} && claude --resume {session}"


def _is_record(value: dict[str, object]) -> bool:
    if not isinstance(value.get("sessionId"), str) and "parentUuid" not in value:
        return value.get("type") == "summary" and "leafUuid" in value
    message = value.get("message")
    if isinstance(message, dict) and "parts" in message:
        return False  # Qwen Code: the same envelope around Gemini's parts
    return value.get("type") in _SIDE_TYPES or (
        value.get("type") in ("user", "assistant") and isinstance(message, dict)
    )


CLAUDE_CODE = ClaudeCode()
