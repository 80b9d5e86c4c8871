"""What a client writes around a tool's output: exit codes, waiting processes, interruptions."""

import re
from dataclasses import dataclass
from enum import StrEnum

import orjson

_HEAD = 2_000
"""Characters at either end of a result in which a client's own words are looked for."""


class State(StrEnum):
    """What a client says became of a call."""

    FINAL = "final"
    RUNNING = "running"
    TIMED_OUT = "timed out"
    ABORTED = "aborted"
    REJECTED = "rejected"
    TOOL_ERROR = "tool error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    A result without its client's frame.

    ``process`` names the process that still runs. ``exit_code`` is ``None`` where none is stated.
    """

    body: str
    exit_code: int | None
    state: State
    process: str | None = None


_EXIT = re.compile(
    r"^[ \t]*(?:Process exited with code|Exit [Cc]ode:?|\[?[Cc]ommand (?:finished|exited|failed) "
    r"with (?:exit )?(?:status|code):?|(?:Command )?exited with (?:exit )?(?:status|code):?|"
    r"exit(?:ed)?[ _]status:?|\[exit code:?|<exit_code>|<returncode>|returncode:?|exit code)"
    r"[ \t]*(?P<code>-?\d{1,10})\b",
    re.MULTILINE,
)
_EXIT_LINE_END = re.compile(
    r"(?:\[(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code|"
    r"\(?[Cc]ommand exited with code|\(exit code:?)[ \t]*(?P<code>-?\d{1,10})"
)
_RUNNING = re.compile(
    r"^[ \t]*(?:Process running with session ID (?P<a>\d+)|"
    r"Command (?:is )?running in (?:the )?background(?: with ID: ?(?P<b>[\w-]+))?|"
    r"Script running with cell ID (?P<c>\d+)|"
    r"Command was manually backgrounded by user with ID: ?(?P<d>[\w-]+)|"
    r"Command did not complete within [^\n]{0,60}"
    r"moved to (?:the )?background|"
    r"Async agent launched successfully|<status>running</status>|Background PIDs?: ?(?P<e>\d+)|"
    r"Command is still running|\[?The command (?:has no new output|is still running))",
    re.MULTILINE,
)
_LAUNCH = re.compile(r"\A\s*[\w-]{1,40} failed for `")
_INNER_EXIT = re.compile(r"\bexit_code: (?P<code>-?\d{1,10})\b")
"""Of a sandbox that refused a command, told in the client's own structure."""
_OUTPUT = re.compile(r"^Output:[ \t]*\n?", re.MULTILINE)
_TIMED_OUT = re.compile(
    r"\b(?:[Cc]ommand timed out|timed out after \d|EXECUTION TIMED OUT|execution timed out|"
    r"[Tt]imeout: command|command timed out|Request timed out|process was "
    r"terminated due to timeout)"
)
_ABORTED = re.compile(
    r"\A\s*(?:aborted(?: by user)?(?: after [\d.]+s?)?\b|\[Request interrupted by user|"
    r"<error>Command was aborted|Interrupted by user|(?:Tool )?[Cc]ancelled|Operation cancelled|"
    r"Tool execution was interrupted|The operation was aborted|User cancelled)"
)
_REJECTED = re.compile(
    r"\A\s*(?:The user doesn't want to (?:proceed with this tool use|take this action)|"
    r"User rejected|(?:The )?[Tt]ool use was rejected|exec command rejected by user|"
    r"patch rejected(?: by user)?|rejected by user|User denied|The user denied|"
    r"Permission (?:to use .{1,80} )?(?:has been |was )?denied|Tool call (?:was "
    r")?(?:rejected|denied)|"
    r"This tool call was denied)"
)
_TOOL_ERROR = re.compile(
    r"\A\s*(?:<tool_use_error>|Error(?:: | calling tool|\b executing)|InputValidationError|"
    r"apply_patch verification failed|\{\"error\":|failed to parse (?:function|tool) arguments|"
    r"tool call error|[\w-]{1,40} failed for `|MCP error|Unknown tool|No such tool|"
    r"error: |ERROR: |"
    r"Request failed with status code|unsupported call|collab spawn failed|"
    r"execution error:|Tool .{1,60} (?:not found|failed)|Invalid (?:arguments|parameters))"
)


def read_answer(text: str, *, rejected: bool) -> Answer:
    """
    Return what a client says of a call, and the tool's own output.

    Recognised: the headers of Codex (text and JSON), the first line of Claude Code's errors,
    Gemini's labelled lines, and the trailers of other agents (formats reference, section 2.2).
    """
    inner = _json_frame(text)
    code: int | None = None
    if inner is not None:
        text, code = inner
    head, tail = text[:_HEAD], text[-_HEAD:]
    body = _body(text, head)
    if code is None:
        code = _exit_code(text, head, tail, body)
    running = _RUNNING.search(head[: len(text) - len(body)] or head)
    process = next((g for g in running.groups() if g), None) if running else None
    if rejected or _REJECTED.match(head):
        state = State.REJECTED
    elif running and code is None:
        state = State.RUNNING
    elif _ABORTED.match(body[:200]):
        state = State.ABORTED
    elif code not in {0, None}:
        state = State.FINAL
    elif _TIMED_OUT.search(body[:300]) or _TIMED_OUT.search(tail[-300:]):
        state = State.TIMED_OUT if code is None else State.FINAL
    elif code is None and _TOOL_ERROR.match(body[:200]):
        state = State.TOOL_ERROR
    else:
        state = State.FINAL
    return Answer(body=body, exit_code=code, state=state, process=process)


def _exit_code(text: str, head: str, tail: str, body: str) -> int | None:
    frame = head[: max(0, len(text) - len(body))]
    found = _EXIT.search(frame) if frame else None
    if found is None:
        first = head[:120]
        found = _EXIT.match(first) or _EXIT_LINE_END.search(tail[-200:])
    if found is None:
        last_lines = tail[-300:]
        labelled = [m for m in _EXIT.finditer(last_lines) if m[0].lstrip()[:4] in {"Exit", "[exi"}]
        found = labelled[-1] if labelled else None
    if found is None and _LAUNCH.match(head):
        found = _INNER_EXIT.search(head)
    return int(found["code"]) if found else None


def _body(text: str, head: str) -> str:
    if head.startswith(("Command:", "Chunk ID:", "Wall time", "Exit code:", "Script ")):
        found = _OUTPUT.search(head)
        if found:
            return text[found.end() :]
    if _BARE_EXIT.fullmatch(head):
        return ""
    if head.startswith("Exit code ") and "\n" in text[:24]:
        return text.partition("\n")[2]
    return text


_BARE_EXIT = re.compile(r"Exit code \d{1,6}\s*")
_FRAME_KEYS = ("output", "stdout", "formatted_output", "result")


def _json_frame(text: str) -> tuple[str, int | None] | None:
    start = text[:400].lstrip()
    if start.startswith("Script completed"):
        found = _OUTPUT.search(text[:400])
        return _framed(text[found.end() :].strip()) if found else None
    return _framed(text.strip()) if start.startswith("{") else None


def _framed(text: str) -> tuple[str, int | None] | None:
    if not text.startswith("{") or not ('"exit_code"' in text or '"exitCode"' in text):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None  # not a frame but output that looks like one
    if not isinstance(value, dict):
        return None
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else value
    code = meta.get("exit_code", meta.get("exitCode"))
    output = next((value[k] for k in _FRAME_KEYS if isinstance(value.get(k), str)), None)
    if output is None:
        return None
    error = value.get("stderr")
    if isinstance(error, str) and error:
        output = f"{output}\n{error}"
    return output, code if isinstance(code, int) and not isinstance(code, bool) else None
