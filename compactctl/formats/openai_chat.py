"""
OpenAI Chat Completions messages, and what other providers add to them.

Facts: formats reference, sections 3.1 and 7.2. Blocks of a message are numbered: thinking,
content (each part), refusal, audio, calls.
"""

import json
from collections.abc import Iterator, Mapping

from compactctl.formats.base import JsonObject
from compactctl.formats.message_format import NO_ID, MessageFormat
from compactctl.formats.message_parts import (
    Part,
    call_text,
    compact_json,
    image_tokens,
    json_string,
    mapping,
    objects,
    string,
)
from compactctl.io.json_spans import Path
from compactctl.io.jsonl import loads
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Kind
from compactctl.tokens.images import FLAT_FILE_TOKENS

_AUTHORS = {
    "system": Author.SYSTEM,
    "developer": Author.SYSTEM,
    "user": Author.HUMAN,
    "assistant": Author.ASSISTANT,
    "tool": Author.TOOL,
    "function": Author.TOOL,
}


def parts(message: JsonObject) -> tuple[Part, ...]:
    """Return the parts of a message; never raises on odd shapes."""
    role = message.get("role")
    author = _AUTHORS.get(role) if isinstance(role, str) else None
    match author:
        case None:
            odd = f"role {role!r}" if "role" in message else ""
            return tuple(_content(message, Author.HARNESS, odd)) if odd else ()
        case Author.TOOL:
            return (_result(message),)
        case Author.ASSISTANT:
            return tuple(_assistant(message))
        case _:
            return tuple(_content(message, author))


def _assistant(message: JsonObject) -> Iterator[Part]:
    yield from _thinking(message)
    yield from _content(message, Author.ASSISTANT)
    refusal = string(message, "refusal")
    if refusal:
        yield Part(author=Author.ASSISTANT, kind=Kind.TEXT, text=refusal)
    if mapping(message.get("audio")):
        yield Part(
            author=Author.ASSISTANT,
            kind=Kind.FILE,
            text=string(mapping(message.get("audio")), "transcript") or "",
            estimated_tokens=FLAT_FILE_TOKENS,
        )
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        for number, call in enumerate(calls):
            yield _call(mapping(call), ("tool_calls", number))
    legacy = mapping(message.get("function_call"))
    if legacy:
        yield _function(legacy, ("function_call",), NO_ID, sealed=False)


def _thinking(message: JsonObject) -> Iterator[Part]:
    details = [
        *objects(message.get("reasoning_details")),
        *objects(message.get("thinking_blocks")),
    ]
    sealed = any(
        string(detail, "signature", "data", "encrypted_content") is not None for detail in details
    )
    text = string(message, "reasoning_content", "reasoning") or "\n".join(
        string(detail, "thinking", "text", "summary") or "" for detail in details
    )
    if text.strip() or details:
        yield Part(
            author=Author.ASSISTANT, kind=Kind.THINKING, text=text.strip("\n"), sealed=sealed
        )


def _content(message: JsonObject, author: Author, odd: str = "") -> Iterator[Part]:
    content = message.get("content")
    match content:
        case None | "":
            return
        case str():
            yield Part(author=author, kind=Kind.TEXT, text=content, path=("content",), odd=odd)
        case list():
            for number, part in enumerate(content):
                yield _part(part, author, ("content", number), odd)
        case _:
            yield Part(
                author=Author.HARNESS,
                kind=Kind.TEXT,
                text=compact_json(content),
                odd=odd or f"content is a {type(content).__name__}",
            )


def _part(part: object, author: Author, path: Path, odd: str) -> Part:
    if isinstance(part, str):
        return Part(author=author, kind=Kind.TEXT, text=part, path=path, odd=odd)
    value = mapping(part)
    match value.get("type"):
        case "text" | "refusal" | "input_text" | "output_text":
            text = string(value, "text", "refusal") or ""
            return Part(author=author, kind=Kind.TEXT, text=text, path=path, odd=odd)
        case "image_url":
            image = value.get("image_url")
            url = mapping(image).get("url") if isinstance(image, dict) else image
            return Part(author=author, kind=Kind.IMAGE, estimated_tokens=image_tokens(url))
        case "input_audio" | "file":
            return Part(author=author, kind=Kind.FILE, estimated_tokens=FLAT_FILE_TOKENS)
        case "thinking" | "reasoning":
            inner = value.get("thinking", value.get("text"))
            text = inner if isinstance(inner, str) else _joined(inner)
            return Part(author=author, kind=Kind.THINKING, text=text, sealed="signature" in value)
        case _:
            speaker = Author.ASSISTANT if author is Author.ASSISTANT else Author.HARNESS
            return Part(
                author=speaker,
                kind=Kind.TEXT,
                text=compact_json(part),
                odd=odd or f"content part of type {value.get('type')!r}",
            )


def _result(message: JsonObject) -> Part:
    content = message.get("content")
    call_id = string(message, "tool_call_id")
    if call_id is None:
        ids = message.get("tool_call_ids")
        call_id = ids[0] if isinstance(ids, list) and ids and isinstance(ids[0], str) else None
    if call_id is None and message.get("role") == "function":
        call_id = NO_ID
    known = content is None or isinstance(content, str | list)
    return Part(
        author=Author.TOOL,
        kind=Kind.TOOL_RESULT,
        text=_joined(content) if known else compact_json(content),
        path=("content",),
        tool=string(message, "name", "tool_name"),
        call_id=call_id,
        estimated_tokens=sum(
            image_tokens(mapping(part.get("image_url")).get("url"))
            for part in objects(content)
            if part.get("type") == "image_url"
        ),
        odd="" if known else f"content is a {type(content).__name__}",
    )


def _joined(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (
        part if isinstance(part, str) else string(mapping(part), "text", "refusal")
        for part in content
    )
    return "\n".join(text for text in texts if text)


def _call(call: JsonObject, path: Path) -> Part:
    call_id = string(call, "id")
    # Gemini's thought signature covers the call: it is checked when the call is sent back.
    sealed = "extra_content" in call
    custom = mapping(call.get("custom"))
    if custom:
        name, text = string(custom, "name") or "", string(custom, "input") or ""
        return Part(
            author=Author.ASSISTANT,
            kind=Kind.TOOL_CALL,
            text=call_text(name, text),
            tool=name,
            call_id=call_id,
            sealed=sealed,
        )
    return _function(mapping(call.get("function")), (*path, "function"), call_id, sealed=sealed)


def _function(function: JsonObject, path: Path, call_id: str | None, *, sealed: bool) -> Part:
    name = string(function, "name") or ""
    stored = function.get("arguments")
    text = stored if isinstance(stored, str) else compact_json(stored)
    return Part(
        author=Author.ASSISTANT,
        kind=Kind.TOOL_CALL,
        text=call_text(name, text),
        path=(*path, "arguments"),
        tool=name,
        call_id=call_id,
        sealed=sealed,
        arguments=_arguments(stored),
        odd="" if name else "a call without a name",
    )


def _arguments(stored: object) -> Mapping[str, object]:
    if isinstance(stored, dict):
        return stored
    if not isinstance(stored, str):
        return {}
    try:
        return mapping(loads(stored.encode("utf-8", "surrogatepass")))
    except (ValueError, RecursionError):
        # The model wrote bad JSON: the text is shown as it is, there are no names in it.
        return {}


def rewritten(part: Part, new: NewText | NewArguments) -> Mapping[Path, bytes]:
    """Return the JSON values that a rewrite puts at paths within the message."""
    match new:
        case NewText(text):
            return {part.path: json_string(text)} if part.path else {}
        case NewArguments(values):
            changed = {name: values.get(name, value) for name, value in part.arguments.items()}
            if not changed or not part.path:
                return {}
            return {part.path: json_string(json.dumps(changed, ensure_ascii=False))}


OPENAI_CHAT = MessageFormat(
    name="openai-chat",
    title="OpenAI chat messages",
    vendor="openai",
    parts=parts,
    rewritten=rewritten,
    merges_block=False,
)
