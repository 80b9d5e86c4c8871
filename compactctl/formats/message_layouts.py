"""
Where the messages of a file stand: one a line, one conversation a line, in one JSON document.

A conversation is a list of messages, bare or under a known key of an object. Messages keep their
exact bytes, so that untouched ones can be written back as they were.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from compactctl.formats.base import JsonObject
from compactctl.io.json_spans import Path, spans
from compactctl.io.jsonl import Value, loads

Vendor = Literal["anthropic", "openai"]

_PATHS: tuple[tuple[str, ...], ...] = (
    ("messages",),
    ("traj",),
    ("history",),
    ("request", "messages"),
    ("body", "messages"),
)
"""Keys under which tools keep the list (formats reference, sections 0 and 3.1)."""
_SYSTEM_KEYS = ("system", "system_prompt")
"""Keys beside the list that hold the system prompt: Anthropic requests, Hermes."""
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_FOREIGN_BLOCKS = frozenset(
    {
        "input_text",
        "output_text",
        "input_image",
        "toolCall",
        "toolResult",
        "toolRequest",
        "toolResponse",
    }
)
"""Block types of Responses items, pi and Goose, which are no chat messages."""
_ANTHROPIC_BLOCKS = frozenset(
    {
        "tool_use",
        "tool_result",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "compaction",
        "container_upload",
        "search_result",
    }
)
_OPENAI_KEYS = frozenset({"tool_calls", "function_call", "tool_call_id", "tool_call_ids"})
_OPENAI_BLOCKS = frozenset({"image_url", "input_audio", "refusal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """
    The messages of one conversation and what stands around them.

    ``messages`` have their place in the file; ``system`` is the system prompt beside the list,
    wrapped as a message, with the place of the bare prompt. ``envelope`` are the plain values
    beside the list (model, session id).
    """

    layout: str
    messages: tuple[Value, ...]
    system: Value | None = None
    envelope: Mapping[str, str] = field(default_factory=dict)


def is_message(value: object) -> bool:
    """Return whether a value is a chat message of either vendor."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        return False
    content = value.get("content")
    if isinstance(content, list):
        return all(isinstance(block, str) or _is_block(block) for block in content)
    if isinstance(content, str):
        return True
    return content is None and ("content" in value or not _OPENAI_KEYS.isdisjoint(value))


def list_path(value: object) -> tuple[str, ...] | None:
    """Return the keys that lead to a value's list of messages: ``()`` for a bare list."""
    if isinstance(value, list):
        return () if _mostly_messages(value) else None
    if isinstance(value, dict):
        for path in _PATHS:
            if _mostly_messages(_at(value, path)):
                return path
    return None


def heads(values: Sequence[object]) -> list[JsonObject]:
    """
    Return the messages that the first JSON values of a file hold.

    Nothing where fewer than half of the values are messages or conversations.
    """
    found: list[JsonObject] = []
    hits = 0
    for value in values:
        inside = [value] if is_message(value) else _messages_in(value)
        hits += bool(inside)
        found += [message for message in inside if isinstance(message, dict)]
    return found if hits * 2 >= len(values) else []


def vendor_of(messages: Sequence[JsonObject]) -> Vendor:
    """Return whose messages these are, by their structure; plain text counts as OpenAI's."""
    anthropic, openai = _evidence(messages)
    return "anthropic" if anthropic > openai else "openai"


def tells_vendor(messages: Sequence[JsonObject]) -> bool:
    """Return whether the messages hold anything that only one of the vendors writes."""
    return any(_evidence(messages))


def _evidence(messages: Sequence[JsonObject]) -> tuple[int, int]:
    anthropic = openai = 0
    for message in messages:
        openai += message.get("role") in ("tool", "function", "developer")
        openai += not _OPENAI_KEYS.isdisjoint(message)
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict):
                openai += block.get("type") in _OPENAI_BLOCKS
                anthropic += _is_anthropic(block)
    return anthropic, openai


def conversations(value: Value, data: bytes, layout: str = "") -> Iterator[Conversation]:
    """
    Yield the conversations of one JSON value whose bytes are ``data``.

    The value is a conversation, or a list of them. ``layout`` overrides how the place of the
    list is named.
    """
    top = value.value
    path = list_path(top)
    if path is not None:
        yield _conversation(top, data, value.offset, (path,), layout)[0]
    elif isinstance(top, list):
        inner = {i: found for i, v in enumerate(top) if (found := list_path(v)) is not None}
        paths: tuple[Path, ...] = tuple((i, *found) for i, found in inner.items())
        if paths:
            yield from _conversation(top, data, value.offset, paths, layout)


def recovered(data: bytes, offset: int) -> Conversation | None:
    """
    Return the whole messages at the start of a document that breaks off, ``None`` without any.

    ``data`` is valid JSON up to its end, but is not closed.
    """
    found: dict[Path, Value] = {}
    for span in spans(data, 4):
        if span.path and isinstance(span.path[-1], int):
            message = loads(data[span.start : span.end]) if data[span.start] == ord("{") else None
            if is_message(message):
                place = Value(message, offset + span.start, span.end - span.start)
                found[span.path] = place
    lists = {path[:-1] for path in found}
    for path in ((), *_PATHS):
        if path in lists:
            messages = tuple(v for p, v in found.items() if p[:-1] == path)
            return Conversation(layout=_layout(path), messages=messages)
    return None


def _conversation(
    top: object, data: bytes, offset: int, paths: Sequence[Path], layout: str
) -> list[Conversation]:
    # One walk over the bytes for all lists of the value: a walk for each would be quadratic.
    wanted = set(paths)
    system = {
        (*path[:-1], key): path
        for path in paths
        if path and isinstance(path[-1], str)
        for key in _SYSTEM_KEYS
    }
    items: dict[Path, dict[int, tuple[int, int]]] = {path: {} for path in paths}
    beside: dict[Path, tuple[Path, int, int]] = {}
    for span in spans(data, max(len(path) for path in paths) + 1):
        parent = span.path[:-1]
        if span.path and parent in wanted:
            last = span.path[-1]
            if isinstance(last, int):
                items[parent][last] = (span.start, span.end)
        elif span.path in system:
            beside.setdefault(system[span.path], (span.path, span.start, span.end))
        if span.path in wanted:
            # A key may repeat: the last list is the one that readers see.
            kept = items[span.path]
            items[span.path] = {i: s for i, s in kept.items() if s[0] >= span.start}
    found = []
    for path in paths:
        listed = _at(top, path)
        assert isinstance(listed, list)  # noqa: S101 -- list_path found it; for the type checker
        places = items[path]
        messages = tuple(
            Value(message, offset + places[i][0], places[i][1] - places[i][0])
            for i, message in enumerate(listed)
        )
        outer = _at(top, path[:-1]) if path else None
        found.append(
            Conversation(
                layout=layout or _layout(path),
                messages=messages,
                system=_system(top, beside.get(path), offset),
                envelope=_envelope(outer, _at(top, path[:1]) if path else None),
            )
        )
    return found


def _system(top: object, place: tuple[Path, int, int] | None, offset: int) -> Value | None:
    if place is None:
        return None
    path, start, end = place
    prompt = _at(top, path)
    if not isinstance(prompt, str | list) or not prompt:
        return None
    return Value({"role": "system", "content": prompt}, offset + start, end - start)


def _envelope(*objects: object) -> Mapping[str, str]:
    return {
        key: value
        for holder in objects
        if isinstance(holder, dict)
        for key in ("model", "session_id")
        if isinstance(value := holder.get(key), str)
    }


def _layout(path: Path) -> str:
    names = [step for step in path if isinstance(step, str)]
    return "key:" + ".".join(names) if names else "array"


def _messages_in(value: object) -> list[object]:
    path = list_path(value)
    if path is not None:
        listed = _at(value, path)
        return listed if isinstance(listed, list) else []
    if isinstance(value, list):
        return [m for v in value if list_path(v) is not None for m in _messages_in(v)]
    return []


def _at(value: object, path: Path) -> object:
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _mostly_messages(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return sum(map(is_message, value)) * 2 > len(value)


def _is_block(block: object) -> bool:
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    return isinstance(kind, str) and kind not in _FOREIGN_BLOCKS


def _is_anthropic(block: JsonObject) -> bool:
    match block.get("type"):
        case "thinking":
            return isinstance(block.get("thinking"), str)
        case "image" | "document":
            return "source" in block
        case str() as kind:
            return kind in _ANTHROPIC_BLOCKS or kind.endswith("_tool_result")
        case _:
            return False
