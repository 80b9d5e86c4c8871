"""The model-visible blocks of one Claude Code record."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from compactctl.formats.base import BlockDraft, JsonObject
from compactctl.formats.claude_code.wording import (
    Voice,
    is_bare_command,
    voice_of_queued,
    voice_of_result,
    voice_of_turn,
)
from compactctl.formats.message_parts import call_text, compact_json, mapping, string
from compactctl.io.json_spans import Path
from compactctl.model.entry import Author, Kind, Span
from compactctl.tokens.images import (
    FLAT_FILE_TOKENS,
    FLAT_IMAGE_TOKENS,
    image_tokens_from_base64,
)

_SERVER_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_MEMORY = frozenset({"nested_memory", "memory", "instructions"})
_NOT_SHOWN = frozenset(
    {
        "command_permissions",
        "hook_cancelled",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_system_message",
    }
)
"""Attachments whose text the client prints to its user and not to the model."""
_HOOKS_SHOWN = ("SessionStart", "UserPromptSubmit")
"""Events whose hooks speak to the model by what they print."""
_TEXT_KEYS = (
    "content",
    "addedBlocks",
    "addedLines",
    "snippet",
    "text",
    "banner",
    "planContent",
    "skills",
    "blockingError",
    "message",
)
"""Where the attachments of the client keep what they show, in the order of preference."""
_NO_CALLS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block: what the index keeps of it, its text, and where a rewrite goes."""

    author: Author
    kind: Kind
    text: str = ""
    path: Path = ()
    """Where the text that a rewrite replaces stands: a result's content, a call's input."""
    tool: str | None = None
    call_id: str | None = None
    failed: bool | None = None
    rejected: bool = False
    sealed: bool = False
    estimated_tokens: int = 0
    authored: tuple[Span, ...] = ()
    arguments: Mapping[str, object] = field(default_factory=dict)

    def draft(self, author: Author | None = None) -> BlockDraft:
        """Return the index row; ``author`` overrides where the place of a record decides."""
        return BlockDraft(
            author=author or self.author,
            kind=self.kind,
            tool=self.tool,
            call_id=self.call_id,
            failed=self.failed,
            rejected=self.rejected,
            sealed=self.sealed,
            size=len(self.text),
            estimated_tokens=self.estimated_tokens,
            authored=self.authored,
        )


def blocks(value: JsonObject, calls: Mapping[str, str] = _NO_CALLS) -> tuple[Block, ...]:
    """
    Return the blocks of a record, in order; those that no model sees are none.

    ``calls`` names the tools of earlier calls by call id: whether a result speaks for a human
    depends on it, the text of a block does not.
    """
    match value.get("type"):
        case "user":
            return tuple(_user(value, calls))
        case "assistant":
            return tuple(_assistant(value))
        case "attachment":
            return tuple(_attachment(mapping(value.get("attachment"))))
        case "queue-operation":
            return tuple(_queued(value))
        case _:
            return ()


def _user(value: JsonObject, calls: Mapping[str, str]) -> Iterator[Block]:
    content = mapping(value.get("message")).get("content")
    meta = value.get("isMeta") is True or _from_machine(value)
    if value.get("isCompactSummary") is True:
        yield from _summary(content)
        return
    if isinstance(content, str):
        if content:
            yield _turn(content, ("message", "content"), meta=meta)
        return
    for path, part in _parts(content):
        match part.get("type"):
            case "text":
                text = string(part, "text")
                if text:
                    yield _turn(text, (*path, "text"), meta=meta)
            case "tool_result":
                yield _answer(part, path, value, calls)
            case _:
                yield from _other(part, path, Author.HARNESS if meta else Author.HUMAN)


def _summary(content: object) -> Iterator[Block]:
    texts = [content] if isinstance(content, str) else [p.get("text") for _, p in _parts(content)]
    for text in texts:
        if isinstance(text, str) and text:
            yield Block(author=Author.SUMMARY, kind=Kind.TEXT, text=text)


def _turn(text: str, path: Path, *, meta: bool) -> Block:
    return _spoken(text, voice_of_turn(text, meta=meta), path)


def _spoken(text: str, voice: Voice, path: Path = ()) -> Block:
    return Block(
        author=voice.author,
        kind=Kind.TEXT,
        text=text,
        path=path,
        rejected=voice.rejected,
        authored=voice.authored,
    )


def _from_machine(value: JsonObject) -> bool:
    kind = mapping(value.get("origin")).get("kind")
    return isinstance(kind, str) and kind not in ("human", "user")


def _assistant(value: JsonObject) -> Iterator[Block]:
    message = mapping(value.get("message"))
    if value.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        return
    content = message.get("content")
    if isinstance(content, str):
        if content:
            yield Block(author=Author.ASSISTANT, kind=Kind.TEXT, text=content)
        return
    for path, part in _parts(content):
        yield from _said(part, path)


def _said(part: JsonObject, path: Path) -> Iterator[Block]:
    kind = string(part, "type") or ""
    if kind == "text":
        yield Block(author=Author.ASSISTANT, kind=Kind.TEXT, text=string(part, "text") or "")
    elif kind == "thinking":
        sealed = bool(part.get("signature"))
        text = string(part, "thinking") or ""
        yield Block(author=Author.ASSISTANT, kind=Kind.THINKING, text=text, sealed=sealed)
    elif kind == "redacted_thinking":
        yield Block(author=Author.ASSISTANT, kind=Kind.THINKING, sealed=True)
    elif kind == "compaction":
        text = string(part, "content") or ""
        yield Block(author=Author.SUMMARY, kind=Kind.TEXT, text=text, sealed=True)
    elif kind in _SERVER_CALLS:
        yield _call(part, path)
    elif kind.endswith("_tool_result"):
        yield _result(part, path, Voice(Author.TOOL))
    else:
        yield from _other(part, path, Author.ASSISTANT)


def _call(part: JsonObject, path: Path) -> Block:
    given = part.get("input")
    name = string(part, "name") or ""
    return Block(
        author=Author.ASSISTANT,
        kind=Kind.TOOL_CALL,
        text=call_text(name, compact_json(given if given is not None else {})),
        path=(*path, "input"),
        tool=name,
        call_id=string(part, "id"),
        arguments=mapping(given),
    )


def _answer(part: JsonObject, path: Path, value: JsonObject, calls: Mapping[str, str]) -> Block:
    """The result of a call of the client's own tools, which may be a human's words."""
    call_id = string(part, "tool_use_id") or ""
    text, _ = _flat(part.get("content"))
    stated = value.get("toolUseResult")
    annotations = mapping(mapping(stated).get("annotations")).values()
    voice = voice_of_result(
        text,
        tool=calls.get(call_id),
        failed=part.get("is_error") is True,
        refused=stated == "User rejected tool use" or bool(string(value, "toolDenialKind")),
        notes=[note for a in annotations if (note := string(mapping(a), "notes"))],
    )
    return _result(part, path, voice or Voice(Author.TOOL))


def _result(part: JsonObject, path: Path, voice: Voice) -> Block:
    content = part.get("content")
    text, estimated = _flat(content)
    flag = part.get("is_error")
    inner = content if isinstance(content, list) else [content]
    return Block(
        author=voice.author,
        kind=Kind.TOOL_RESULT,
        text=text,
        path=(*path, "content"),
        call_id=string(part, "tool_use_id"),
        failed=flag if isinstance(flag, bool) else None,
        rejected=voice.rejected,
        sealed=any("encrypted_content" in mapping(p) for p in (part, *inner)),
        estimated_tokens=estimated,
        authored=voice.authored,
    )


def _flat(content: object) -> tuple[str, int]:
    """Text of a result, and estimated tokens of its images and files."""
    if isinstance(content, str):
        return content, 0
    texts: list[str] = []
    estimated = 0
    parts = content if isinstance(content, list) else [content]
    for part in (mapping(p) for p in parts):
        text = string(part, "text", "tool_name", "title")
        if text is not None:
            texts.append(text)
        elif part.get("type") in ("image", "document"):
            estimated += _picture(part)
    return "\n".join(texts), estimated


def _other(part: JsonObject, path: Path, author: Author) -> Iterator[Block]:
    match part.get("type"):
        case "image":
            tokens = _picture(part)
            yield Block(author=author, kind=Kind.IMAGE, path=path, estimated_tokens=tokens)
        case "document":
            yield Block(author=author, kind=Kind.FILE, path=path, estimated_tokens=_picture(part))
        case _:
            text = string(part, "text", "content")
            if text:
                yield Block(author=Author.HARNESS, kind=Kind.TEXT, text=text, path=path)


def _picture(part: JsonObject) -> int:
    source = mapping(part.get("source"))
    data = source.get("data")
    if part.get("type") == "document":
        return FLAT_FILE_TOKENS
    if isinstance(data, str) and source.get("type") == "base64":
        return image_tokens_from_base64(data)
    return FLAT_IMAGE_TOKENS


def _attachment(attachment: JsonObject) -> Iterator[Block]:
    kind = attachment.get("type")
    if kind == "queued_command":
        yield from _delivered(attachment)
        return
    text = _shown(attachment)
    if not text or kind in _NOT_SHOWN:
        return
    if kind == "hook_success" and attachment.get("hookEvent") not in _HOOKS_SHOWN:
        return
    if kind in _MEMORY:
        whole = (Span(0, len(text)),)
        yield Block(author=Author.SYSTEM, kind=Kind.TEXT, text=text, authored=whole)
    else:
        yield Block(author=Author.HARNESS, kind=Kind.TEXT, text=text)


def _delivered(attachment: JsonObject) -> Iterator[Block]:
    """A prompt that was typed while the assistant worked and reached it between two calls."""
    meta = attachment.get("commandMode") == "task-notification" or _from_machine(attachment)
    prompt = attachment.get("prompt")
    if isinstance(prompt, str):
        if prompt:
            yield _spoken(prompt, voice_of_queued(prompt, meta=meta))
        return
    for at, part in enumerate(prompt if isinstance(prompt, list) else ()):
        text = string(mapping(part), "text")
        if text:
            yield _spoken(text, voice_of_queued(text, meta=meta))
        else:
            path = ("attachment", "prompt", at)
            yield from _other(mapping(part), path, Author.HARNESS if meta else Author.HUMAN)


def _shown(attachment: JsonObject) -> str:
    """The text of an attachment; the client's own rendering is not on disk, its parts are."""
    for key in _TEXT_KEYS:
        text = _inner_text(attachment.get(key))
        if text:
            return text
    return ""


def _inner_text(value: object) -> str:
    match value:
        case str():
            return value
        case dict():
            inner = value.get("file", value)
            return string(mapping(inner), "content", "blockingError") or ""
        case list():
            return "\n".join(p if isinstance(p, str) else compact_json(p) for p in value)
        case _:
            return ""


def _queued(value: JsonObject) -> Iterator[Block]:
    text = string(value, "content")
    if value.get("operation") == "enqueue" and text and not is_bare_command(text):
        yield _spoken(text, voice_of_queued(text))


def _parts(content: object) -> Iterator[tuple[Path, JsonObject]]:
    if isinstance(content, list):
        for at, part in enumerate(content):
            if isinstance(part, dict):
                yield ("message", "content", at), part
