"""How the client words what it puts into a turn: whose words they are follows from that."""

import re
from collections.abc import Iterator, Mapping

from compactctl.formats.message_parts import compact_json, json_string
from compactctl.io.jsonl import loads
from compactctl.model.entry import Author, Span

SUMMARY_PREFIX = "Another language model started to solve this problem"
"""How the summary of a compaction without a server begins (formats reference, 2.3)."""
QUESTION_TOOL = "request_user_input"
"""The tool whose output holds what a human answered."""

_INSTRUCTION_FILES = ("# AGENTS.md instructions", "<user_instructions>")
_INJECTED = re.compile(
    r"<(?:environment_context|turn_aborted|subagent_notification|permissions instructions"
    r"|collaboration_mode|skills_instructions|apps_instructions|plugins_instructions"
    r"|multi_agent_mode|model_switch|user_shell_command|user_action|hook_prompt|skill"
    r"|image name=[^>\n]{1,200}|image|/image)>"
)
_WARNINGS = (
    "Warning: apply_patch was requested via ",
    "Warning: The maximum number of unified exec processes ",
)
_NOTICES = (
    "Approved command prefix saved",
    "<environment_context>",
    "<turn_aborted>",
    "<subagent_notification>",
)
"""Developer messages that report what happened and order nothing."""
_REFUSED = re.compile(
    r"(?:exec command |patch |command )?rejected by user|aborted by user\b"
    r"|user (?:rejected|cancelled) MCP tool call"
)
_FAILED_LAUNCH = ("exec_command failed for ", "execution error: ")
_LOOKED_AT = 2_000
"""Characters of an output in which a refusal is looked for: it is all that there is then."""


def user_author(text: str) -> Author:
    """Return whose words a text of a user message is; ``HUMAN`` where the client added none."""
    start = text.lstrip()
    if start.startswith(_INSTRUCTION_FILES):
        return Author.SYSTEM
    if start.startswith(SUMMARY_PREFIX):
        return Author.SUMMARY
    if _INJECTED.match(start) or start.startswith(_WARNINGS):
        return Author.HARNESS
    return Author.HUMAN


def developer_author(text: str) -> Author:
    """Return ``SYSTEM`` for instructions, ``HARNESS`` for a client's notices."""
    return Author.HARNESS if text.lstrip().startswith(_NOTICES) else Author.SYSTEM


def is_refused(output: str) -> bool:
    """Return whether a tool output says that its call was refused or stopped by the user."""
    start = output[:_LOOKED_AT].lstrip()
    if _REFUSED.match(start):
        return True
    return start.startswith(_FAILED_LAUNCH) and "rejected by user" in start


def answer_spans(output: str) -> Iterator[Span]:
    """Yield the spans of a question tool's output that a human chose or typed, in order."""
    try:
        value = loads(output.encode("utf-8", "surrogatepass"))
    except ValueError:
        return
    answers = value.get("answers") if isinstance(value, Mapping) else None
    at = 0
    for answer in _strings(answers):
        written = _as_written(answer, output, at)
        start = output.find(written, at)
        if start < 0 or not written.strip():
            continue
        at = start + len(written)
        yield Span(start, at)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _as_written(answer: str, output: str, at: int) -> str:
    quoted = json_string(answer).decode()[1:-1]
    return quoted if output.find(quoted, at) >= 0 else compact_json(answer)[1:-1]
