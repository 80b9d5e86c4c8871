"""
Anthropic Messages: lists of content blocks.

Facts: formats reference, sections 1.2, 4 and 7.1. Blocks are numbered as they stand in the
message. The system prompt stands outside the messages and is read as message 0.
"""

from collections.abc import Iterator, Mapping

from compactctl.formats.base import JsonObject
from compactctl.formats.message_format import MessageFormat
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
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Kind
from compactctl.tokens.images import (
    FLAT_FILE_TOKENS,
    FLAT_IMAGE_TOKENS,
    image_tokens_from_base64,
)

_AUTHORS = {"system": Author.SYSTEM, "user": Author.HUMAN, "assistant": Author.ASSISTANT}
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_DEEPEST = 12
"""Levels below a result at which text is looked for; documented shapes have four."""


def parts(message: JsonObject) -> tuple[Part, ...]:
    """Return the parts of a message; never raises on odd shapes."""
    role = message.get("role")
    author = _AUTHORS.get(role) if isinstance(role, str) else None
    if author is None:
        if "role" not in message:
            return ()
        return tuple(_content(message, Author.HARNESS, f"role {role!r}"))
    return tuple(_content(message, author, ""))


def _content(message: JsonObject, author: Author, odd: str) -> Iterator[Part]:
    content = message.get("content")
    match content:
        case None | "":
            return
        case str():
            yield Part(author=author, kind=Kind.TEXT, text=content, path=("content",), odd=odd)
        case list():
            for number, block in enumerate(content):
                yield _block(block, author, ("content", number), odd)
        case _:
            yield Part(
                author=Author.HARNESS,
                kind=Kind.TEXT,
                text=compact_json(content),
                odd=odd or f"content is a {type(content).__name__}",
            )


def _block(block: object, author: Author, path: Path, odd: str) -> Part:
    if isinstance(block, str):
        return Part(author=author, kind=Kind.TEXT, text=block, path=path, odd=odd)
    value = mapping(block)
    kind = string(value, "type") or ""
    if kind == "text":
        text = string(value, "text") or ""
        return Part(author=author, kind=Kind.TEXT, text=text, path=path, odd=odd)
    if kind in _CALLS:
        return _call(value, kind, path)
    if kind.endswith("tool_result"):
        return _result(value, kind, path)
    return _other(value, kind, author) or Part(
        author=Author.ASSISTANT if author is Author.ASSISTANT else Author.HARNESS,
        kind=Kind.TEXT,
        text=compact_json(block),
        odd=odd or f"content block of type {value.get('type')!r}",
    )


def _other(block: JsonObject, kind: str, author: Author) -> Part | None:
    match kind:
        case "thinking" | "redacted_thinking":
            sealed = string(block, "signature", "data") is not None
            text = string(block, "thinking") or ""
            return Part(author=author, kind=Kind.THINKING, text=text, sealed=sealed)
        case "compaction":
            sealed = string(block, "signature", "encrypted_content") is not None
            text = string(block, "content") or ""
            return Part(author=Author.SUMMARY, kind=Kind.TEXT, text=text, sealed=sealed)
        case "image":
            tokens = _image_tokens(block)
            return Part(author=author, kind=Kind.IMAGE, estimated_tokens=tokens)
        case "document" | "container_upload":
            return _file(block, author)
        case "search_result":
            return Part(author=Author.TOOL, kind=Kind.TEXT, text=_readable(block))
        case _:
            return None


def _call(block: JsonObject, kind: str, path: Path) -> Part:
    name = string(block, "name") or ""
    given = block.get("input")
    return Part(
        author=Author.ASSISTANT,
        kind=Kind.TOOL_CALL,
        text=call_text(name, given if isinstance(given, str) else compact_json(given)),
        path=(*path, "input"),
        tool=name,
        call_id=string(block, "id"),
        # The provider checks what its own tools were called with.
        sealed=kind == "server_tool_use",
        arguments=mapping(given),
        odd="" if name else "a call without a name",
    )


def _result(block: JsonObject, kind: str, path: Path) -> Part:
    ours = kind in ("tool_result", "mcp_tool_result")
    content = block.get("content")
    failed = block.get("is_error")
    error = string(mapping(content), "error_code")
    return Part(
        author=Author.TOOL,
        kind=Kind.TOOL_RESULT,
        text=error or _readable(content),
        path=(*path, "content"),
        call_id=string(block, "tool_use_id"),
        failed=True if error else failed if isinstance(failed, bool) else None,
        sealed=not ours,
        estimated_tokens=sum(_tokens_without_text(inner) for inner in objects(content)),
    )


def _readable(content: object, depth: int = 0) -> str:
    """Return the text that stands in a result's content, whatever the tool's own shape."""
    if isinstance(content, str):
        return content
    if depth > _DEEPEST:
        return ""
    if isinstance(content, list):
        return "\n".join(text for item in content if (text := _readable(item, depth + 1)))
    value = mapping(content)
    if value.get("type") == "image":
        return ""
    lines = [
        found
        for key in ("title", "url", "text", "tool_name", "stdout", "stderr")
        if (found := string(value, key))
    ]
    source = mapping(value.get("source"))
    if source and source.get("type") in ("text", "content"):
        lines.append(string(source, "data") or _readable(source.get("content"), depth + 1))
    if "content" in value:
        lines.append(_readable(value["content"], depth + 1))
    return "\n".join(line for line in lines if line)


def _file(block: JsonObject, author: Author) -> Part:
    text = _readable(block)
    tokens = _tokens_without_text(block)
    return Part(author=author, kind=Kind.FILE, text=text, estimated_tokens=tokens)


def _tokens_without_text(block: JsonObject) -> int:
    match block.get("type"):
        case "image":
            return _image_tokens(block)
        case "document":
            source = mapping(block.get("source")).get("type")
            return 0 if source in ("text", "content") else FLAT_FILE_TOKENS
        case "container_upload":
            return FLAT_FILE_TOKENS
        case _:
            return 0


def _image_tokens(block: JsonObject) -> int:
    source = mapping(block.get("source"))
    data = string(source, "data")
    if data:
        return image_tokens_from_base64(data)
    return image_tokens(source.get("url")) if source else FLAT_IMAGE_TOKENS


def rewritten(part: Part, new: NewText | NewArguments) -> Mapping[Path, bytes]:
    """Return the JSON values that a rewrite puts at paths within the message."""
    match new:
        case NewText(text):
            return {part.path: json_string(text)} if part.path else {}
        case NewArguments(values):
            return {
                (*part.path, name): json_string(value)
                for name, value in values.items()
                if name in part.arguments
            }


ANTHROPIC_MESSAGES = MessageFormat(
    name="anthropic-messages",
    title="Anthropic messages",
    vendor="anthropic",
    parts=parts,
    rewritten=rewritten,
    merges_block=True,
)
