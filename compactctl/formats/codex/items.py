"""Response items: what the model sees of each, and where a rewrite of it goes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from compactctl.formats.base import JsonObject
from compactctl.formats.message_parts import (
    call_text,
    compact_json,
    image_tokens,
    json_string,
    mapping,
    objects,
    string,
)
from compactctl.io.json_spans import Path, replace
from compactctl.io.jsonl import loads
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author, Kind
from compactctl.tokens.images import FLAT_FILE_TOKENS

COMPACTIONS = ("compaction", "compaction_summary", "context_compaction")
UNSEEN = ("ghost_snapshot", "additional_tools", "compaction_trigger", "configuration_update")
"""Items that the client stores and does not send."""
_ROLES = {
    "user": Author.HUMAN,
    "assistant": Author.ASSISTANT,
    "developer": Author.SYSTEM,
    "system": Author.SYSTEM,
}
_TEXT_TYPES = ("input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """
    One content block of an item, as far as the item alone tells.

    ``item`` is the item's number in its record. ``path`` is where the value that a rewrite
    replaces stands within the item, ``()`` where nothing may be replaced. ``author`` of a user's
    text is ``HUMAN``: wording and session decide further.
    """

    item: int = 0
    author: Author
    kind: Kind
    text: str = ""
    path: Path = ()
    tool: str | None = None
    call_id: str | None = None
    failed: bool | None = None
    sealed: bool = False
    estimated_tokens: int = 0
    arguments: Mapping[str, object] = field(default_factory=dict)
    encoded: bool = False
    """The arguments of a call are stored as a string that holds their JSON."""
    odd: str = ""
    """What is wrong with the item's shape, ``""`` where nothing is."""


def record_items(value: JsonObject) -> list[JsonObject]:
    """Return the items that a record holds; a legacy summary counts as one of its own shape."""
    payload = mapping(value.get("payload"))
    match value.get("type"):
        case "response_item":
            return [payload]
        case "compacted":
            history = payload.get("replacement_history")
            if isinstance(history, list):
                return [mapping(item) for item in history]
            return [{"type": "legacy_summary", "text": string(payload, "message") or ""}]
        case _:
            return []


def record_parts(value: JsonObject) -> tuple[Part, ...]:
    """Return the blocks of a record in order."""
    return tuple(
        part for number, item in enumerate(record_items(value)) for part in _parts(item, number)
    )


def rewritten(part: Part, new: NewText | NewArguments) -> Mapping[Path, bytes]:
    """Return the values, by path within the item, that rewrite a block."""
    match new:
        case NewText(text=text):
            return {part.path: json_string(text)} if part.path else {}
        case NewArguments(values=values):
            return _new_arguments(part, values)


def user_item(text: str) -> bytes:
    """Return a user message as an item."""
    content = b'[{"type":"input_text","text":' + json_string(text) + b"}]"
    return b'{"type":"message","role":"user","content":' + content + b"}"


def _new_arguments(part: Part, values: Mapping[str, str]) -> Mapping[Path, bytes]:
    texts = {name: json_string(text) for name, text in values.items() if name in part.arguments}
    match part.path:
        case path if part.encoded:
            stored = part.text.partition("\n")[2].encode("utf-8", "surrogatepass")
            new = replace(stored, {(name,): text for name, text in texts.items()})
            return {path: json_string(new.decode("utf-8", "surrogatepass"))}
        case ("input",) as path:
            return {path: texts["input"]} if "input" in texts else {}
        case ():
            return {}
        case path:
            return {(*path, name): text for name, text in texts.items()}


def _parts(item: JsonObject, number: int) -> Iterator[Part]:
    match item.get("type"):
        case "message":
            yield from _message(item, number)
        case "reasoning":
            yield _reasoning(item, number)
        case "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call":
            yield _call(item, number)
        case "web_search_call" | "image_generation_call":
            yield _server_call(item, number)
        case "function_call_output" | "custom_tool_call_output" | "tool_search_output":
            yield _output(item, number)
        case "agent_message":
            yield from _content(item, Author.TOOL, number)
        case "legacy_summary":
            text = string(item, "text") or ""
            yield Part(item=number, author=Author.SUMMARY, kind=Kind.TEXT, text=text)
        case str() as kind if kind in COMPACTIONS:
            yield Part(item=number, author=Author.SUMMARY, kind=Kind.TEXT, sealed=True)
        case _:
            return


def _message(item: JsonObject, number: int) -> Iterator[Part]:
    role = string(item, "role") or ""
    author = _ROLES.get(role, Author.HARNESS)
    odd = "" if role in _ROLES else f"role {role!r}"
    yield from _content(item, author, number, odd)


def _content(item: JsonObject, author: Author, number: int, odd: str = "") -> Iterator[Part]:
    content = item.get("content")
    if isinstance(content, str):
        yield Part(item=number, author=author, kind=Kind.TEXT, text=content, odd=odd)
        return
    if not isinstance(content, list):
        return
    for piece in content:
        value = mapping(piece)
        match value.get("type"):
            case str() as kind if kind in _TEXT_TYPES:
                text = string(value, "text", "refusal") or ""
                yield Part(item=number, author=author, kind=Kind.TEXT, text=text, odd=odd)
            case "input_image":
                tokens = image_tokens(value.get("image_url"))
                yield Part(
                    item=number, author=author, kind=Kind.IMAGE, estimated_tokens=tokens, odd=odd
                )
            case "input_audio" | "input_file":
                yield Part(
                    item=number,
                    author=author,
                    kind=Kind.FILE,
                    estimated_tokens=FLAT_FILE_TOKENS,
                    odd=odd,
                )
            case "encrypted_content":
                yield Part(item=number, author=author, kind=Kind.TEXT, sealed=True, odd=odd)
            case kind:
                yield Part(
                    item=number,
                    author=author if author is Author.ASSISTANT else Author.HARNESS,
                    kind=Kind.TEXT,
                    text=compact_json(piece),
                    odd=odd or f"content part of type {kind!r}",
                )


def _reasoning(item: JsonObject, number: int) -> Part:
    texts = [*objects(item.get("summary")), *objects(item.get("content"))]
    return Part(
        item=number,
        author=Author.ASSISTANT,
        kind=Kind.THINKING,
        text="\n".join(string(text, "text") or "" for text in texts),
        sealed=string(item, "encrypted_content") is not None,
    )


def _call(item: JsonObject, number: int) -> Part:
    name, stored, path, arguments = _called(item)
    return Part(
        item=number,
        author=Author.ASSISTANT,
        kind=Kind.TOOL_CALL,
        text=call_text(name, stored),
        path=path,
        tool=_tool_name(item, name),
        call_id=string(item, "call_id") or _own_id(item),
        arguments=arguments,
        encoded=isinstance(item.get("arguments"), str),
    )


def _called(item: JsonObject) -> tuple[str, str, Path, JsonObject]:
    match item.get("type"):
        case "custom_tool_call":
            text = string(item, "input") or ""
            return string(item, "name") or "", text, ("input",), {"input": text}
        case "local_shell_call":
            action = mapping(item.get("action"))
            return "local_shell", compact_json(action), ("action",), action
        case kind:
            name = "tool_search" if kind == "tool_search_call" else string(item, "name") or ""
            stored = item.get("arguments")
            if isinstance(stored, str):
                return name, stored, ("arguments",), _object(stored)
            return name, compact_json(stored or {}), ("arguments",), mapping(stored)


def _tool_name(item: JsonObject, name: str) -> str:
    namespace = string(item, "namespace") or ""
    return f"{namespace}{name}" if namespace.startswith("mcp__") else name


def _own_id(item: JsonObject) -> str | None:
    # An old client named a local shell call by its item id only.
    return string(item, "id") if item.get("type") == "local_shell_call" else None


def _server_call(item: JsonObject, number: int) -> Part:
    if item.get("type") == "web_search_call":
        action = mapping(item.get("action"))
        return Part(
            item=number,
            author=Author.ASSISTANT,
            kind=Kind.TOOL_CALL,
            text=call_text("web_search", compact_json(action)),
            tool="web_search",
            arguments=action,
        )
    return Part(
        item=number,
        author=Author.ASSISTANT,
        kind=Kind.TOOL_CALL,
        text=call_text("image_generation", string(item, "revised_prompt") or ""),
        tool="image_generation",
        estimated_tokens=image_tokens(item.get("result")),
    )


def _output(item: JsonObject, number: int) -> Part:
    if item.get("type") == "tool_search_output":
        # What is found are declarations of tools: a text in their place would not be read.
        return Part(
            item=number,
            author=Author.TOOL,
            kind=Kind.TOOL_RESULT,
            text=compact_json(item.get("tools")),
            tool="tool_search",
            call_id=string(item, "call_id"),
            sealed=True,
        )
    output = item.get("output")
    path: Path = ("output",)
    failed: bool | None = None
    if isinstance(output, dict):
        success = output.get("success")
        failed = not success if isinstance(success, bool) else None
        output, path = output.get("content"), ("output", "content")
    text, tokens = _output_text(output)
    return Part(
        item=number,
        author=Author.TOOL,
        kind=Kind.TOOL_RESULT,
        text=text,
        path=path,
        tool=string(item, "name"),
        call_id=string(item, "call_id"),
        failed=_exit_failed(text) if failed is None else failed,
        estimated_tokens=tokens,
        odd="" if isinstance(output, (str, list)) else "an output that is no text",
    )


def _output_text(output: object) -> tuple[str, int]:
    if isinstance(output, str):
        return output, 0
    if not isinstance(output, list):
        return "" if output is None else compact_json(output), 0
    texts: list[str] = []
    tokens = 0
    for piece in output:
        value = mapping(piece)
        match value.get("type"):
            case "input_image":
                tokens += image_tokens(value.get("image_url"))
            case str() as kind if kind in _TEXT_TYPES:
                texts.append(string(value, "text") or "")
            case _:
                texts.append(compact_json(piece))
    return "\n".join(texts), tokens


def _exit_failed(text: str) -> bool | None:
    """The exit code that versions before 0.120 encode beside the output; ``None`` without."""
    if not text.startswith("{") or '"exit_code"' not in text:
        return None
    code = mapping(_object(text).get("metadata")).get("exit_code")
    return code != 0 if isinstance(code, int) else None


def _object(text: str) -> JsonObject:
    try:
        return mapping(loads(text.encode("utf-8", "surrogatepass")))
    except ValueError:
        return {}
