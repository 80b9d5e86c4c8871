"""Shapes of other agents' records that are known and not read yet, and what else a file may be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compactctl.formats.base import JsonObject

_Test = Callable[[JsonObject], bool]


@dataclass(frozen=True, slots=True)
class Lookalike:
    """
    A format by the shape of its records (formats reference, section 0).

    ``nearest`` is the format that compactctl reads and that is most like it.
    """

    title: str
    nearest: str
    test: _Test


def describe(values: Sequence[object]) -> str:
    """Return what the first JSON values of a file look like, and the nearest format read."""
    objects = [value for value in _opened(values) if isinstance(value, dict)]
    for known in LOOKALIKES:
        if any(known.test(value) for value in objects):
            return (
                f"looks like {known.title}: not supported yet; the nearest format is "
                f"{known.nearest}"
            )
    if not objects:
        return f"line 1 is {_named(values[0])}, no record of a session"
    keys = ", ".join(list(objects[0])[:8]) or "no keys"
    return (
        f"no known session: its first object has {keys}; the nearest format is {_nearest(objects)}"
    )


def describe_bytes(start: bytes) -> str:
    """Return what a file looks like whose lines hold no JSON, from its first bytes."""
    for magic, what in _MAGIC.items():
        if start.startswith(magic):
            return what
    if b"\x00" in start:
        return "a binary file"
    return _text_kind(start.decode("utf-8", "replace"))


def _text_kind(text: str) -> str:
    lines = (line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    if not text.strip():
        return "nothing but blank lines"
    if first.startswith("interactions:") or "\n- request:" in text:
        return "a YAML cassette of recorded HTTP exchanges: not supported yet"
    if first.startswith(("{", "[")):
        return "JSON that is broken at its start"
    if first.startswith("---") or _is_yaml_key(first):
        return "a YAML document"
    return "an XML or HTML document" if first.startswith("<") else "a text file"


def _opened(values: Sequence[object]) -> list[object]:
    # A document that is a list of records is told by its records.
    return [v for value in values for v in (value[:20] if isinstance(value, list) else [value])]


def _is_yaml_key(line: str) -> bool:
    key, colon, rest = line.partition(":")
    return (
        bool(colon) and key.replace("_", "").replace("-", "").isalnum() and rest[:1] in ("", " ")
    )


def _named(value: object) -> str:
    match value:
        case str():
            return "a JSON string"
        case list():
            return "a JSON list without objects" if value else "an empty JSON list"
        case dict():
            return "a JSON object"
        case _:
            return f"the JSON value {value!r:.40}"


def _nearest(objects: Sequence[JsonObject]) -> str:
    keys = {key for value in objects for key in value}
    return max(_KEYS, key=lambda name: len(keys & _KEYS[name]))


def _has(*keys: str, **equal: str) -> _Test:
    """Return a test for keys that must be there and keys that must have a value."""

    def test(value: JsonObject) -> bool:
        return all(key in value for key in keys) and all(
            value.get(key.rstrip("_")) == wanted for key, wanted in equal.items()
        )

    return test


def _begins(key: str, *prefixes: str) -> _Test:
    def test(value: JsonObject) -> bool:
        found = value.get(key)
        return isinstance(found, str) and found.startswith(prefixes)

    return test


def _first(key: str, test: _Test) -> _Test:
    """Return a test for the first object of the list, or the object, under a key."""

    def inner(value: JsonObject) -> bool:
        found = value.get(key)
        item = found[0] if isinstance(found, list) and found else found
        return isinstance(item, dict) and test(item)

    return inner


def _any(*tests: _Test) -> _Test:
    return lambda value: any(test(value) for test in tests)


def _both(*tests: _Test) -> _Test:
    return lambda value: all(test(value) for test in tests)


def _is_openhands(value: JsonObject) -> bool:
    kind = value.get("kind")
    if not isinstance(kind, str) or "source" not in value:
        return "action" in value and "source" in value and "timestamp" in value
    return kind.endswith("Event") or kind.startswith("Condensation")


def _is_otel_span(value: JsonObject) -> bool:
    return "resourceSpans" in value or (
        "context" in value and isinstance(value.get("attributes"), dict) and "name" in value
    )


def _is_bedrock(value: JsonObject) -> bool:
    content = value.get("content")
    blocks = content if isinstance(content, list) else []
    return "role" in value and any(
        isinstance(b, dict) and "type" not in b and ({"text", "toolUse", "toolResult"} & set(b))
        for b in blocks
    )


_CLAUDE, _CODEX, _ANTHROPIC, _OPENAI = (
    "claude-code",
    "codex",
    "anthropic-messages",
    "openai-chat",
)
_KEYS: Mapping[str, frozenset[str]] = {
    _OPENAI: frozenset({"role", "content", "messages", "tool_calls", "tool_call_id", "traj"}),
    _ANTHROPIC: frozenset({"system", "stop_reason", "stop_sequence", "usage"}),
    _CLAUDE: frozenset({"sessionId", "parentUuid", "uuid", "isSidechain", "message", "cwd"}),
    _CODEX: frozenset({"payload", "ordinal", "type", "timestamp"}),
}
_MAGIC = {
    b"SQLite format 3\x00": (
        "an SQLite database (OpenCode, Cursor, Goose and Crush keep sessions in one)"
    ),
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
}
_STEP = _has("from", "value")

LOOKALIKES: tuple[Lookalike, ...] = (
    Lookalike(
        "a Qwen Code session",
        _CLAUDE,
        _both(_has("sessionId", "parentUuid"), _first("message", _has("parts"))),
    ),
    Lookalike(
        "an OpenClaw session",
        _CLAUDE,
        _both(_begins("type", "session", "model_change"), _begins("provider", "openclaw")),
    ),
    Lookalike("a pi session", _CLAUDE, _has("id", "cwd", type="session")),
    Lookalike("a Copilot CLI session", _CLAUDE, _has("data", "id", type="session.start")),
    Lookalike("a Gemini CLI session", _OPENAI, _has("sessionId", "projectHash")),
    Lookalike(
        "a Gemini checkpoint (contents with parts)",
        _OPENAI,
        _any(_has("role", "parts"), _first("history", _has("role", "parts"))),
    ),
    Lookalike("a Factory Droid session", _CLAUDE, _has(type="session_start")),
    Lookalike("a Kimi Code session", _OPENAI, _has("protocol_version", type="metadata")),
    Lookalike("an Antigravity transcript", _CODEX, _has("step_index", "source", "type")),
    Lookalike(
        "a Cursor agent transcript",
        _ANTHROPIC,
        _both(_has("role"), _first("message", _has("content"))),
    ),
    Lookalike("OpenHands events", _OPENAI, _is_openhands),
    Lookalike(
        "an OpenCode session",
        _OPENAI,
        _any(
            _has("id", "sessionID"),
            _has("projectID", "directory"),
            _both(_has("info"), _first("messages", _has("info", "parts"))),
        ),
    ),
    Lookalike(
        "a Goose session",
        _ANTHROPIC,
        _any(_has("role", "created", "content"), _has("working_dir", "description")),
    ),
    Lookalike("a Harbor ATIF trajectory", _OPENAI, _begins("schema_version", "ATIF")),
    Lookalike(
        "a SWE-agent trajectory without history", _OPENAI, _first("trajectory", _has("action"))
    ),
    Lookalike("an inspect_ai log", _OPENAI, _has("version", "status", "eval")),
    Lookalike("inspect_ai events", _OPENAI, _first("events", _has("event", "timestamp"))),
    Lookalike(
        "a LangChain message dump",
        _OPENAI,
        _any(
            _has("lc", "id", type="constructor"),
            *(_has("data", type=kind) for kind in ("human", "ai", "tool", "system")),
        ),
    ),
    Lookalike("OpenTelemetry spans", _OPENAI, _is_otel_span),
    Lookalike("ShareGPT conversations", _OPENAI, _any(_first("conversations", _STEP), _STEP)),
    Lookalike(
        "preference pairs",
        _OPENAI,
        _any(_has("input", "preferred_output"), _has("chosen", "rejected")),
    ),
    Lookalike("an Entire transcript", _CLAUDE, _has("v", "agent", "cli_version", "type")),
    Lookalike("Amazon Bedrock messages (Strands)", _ANTHROPIC, _is_bedrock),
    Lookalike(
        "pydantic-ai messages",
        _OPENAI,
        _any(*(_has("parts", kind=kind) for kind in ("request", "response"))),
    ),
    Lookalike(
        "recorded HTTP exchanges",
        _OPENAI,
        _any(_has("interactions"), _first("log", _has("entries"))),
    ),
    Lookalike(
        "events of codex exec",
        _CODEX,
        _begins("type", "thread.started", "turn.started", "item.completed"),
    ),
    Lookalike(
        "an old Codex rollout (before autumn 2025)",
        _CODEX,
        _any(_has("id", "timestamp", "instructions"), _has(record_type="state")),
    ),
    Lookalike(
        "items of the OpenAI Responses API",
        _CODEX,
        _any(
            _has("call_id", type="function_call"),
            _has("call_id", type="function_call_output"),
            _has("role", "content", type="message"),
            _first("output", _has("type")),
            _first("input", _has("role", "content")),
        ),
    ),
    Lookalike(
        "a Grok CLI chat history",
        _OPENAI,
        _any(*(_has("content", type=kind) for kind in ("system", "user", "assistant"))),
    ),
)
"""Tried in this order: the more telling shapes first."""
