"""What the two message-list formats share: parts of a message, and whose words they are."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import orjson

from compactctl.formats.base import BlockDraft, JsonObject
from compactctl.formats.state_block import CLOSE, OPEN
from compactctl.io.json_spans import Path
from compactctl.model.entry import Author, Kind, Span
from compactctl.tokens.images import FLAT_IMAGE_TOKENS, image_tokens_from_base64

SUMMARY_OPENERS = (
    "This session is being continued from a previous conversation",
    "Here is a summary of the conversation to date:",
    "Another language model started to solve this problem and produced a summary",
    "Your context was compacted",
)
"""How the summaries of Claude Code, LangChain, Codex and Goose begin (formats reference, 5)."""

_TOOL_OUTPUT_OPENERS = ("<returncode>", "EXECUTION RESULT of [")
"""
How clients without native tool calls hand a result to the model as a user message:
mini-SWE-agent and OpenHands.
"""
_BRACKETED_RESULT = re.compile(r"\[[a-z_]{2,40}(?: for '[^'\n]{0,400}')?\] Result:")
"""The same of Cline and Roo Code."""

_HARNESS_TAGS = ("system-reminder", "environment_details", "environment_context")
_INJECTED_OPEN = re.compile("|".join([*(f"<{tag}>" for tag in _HARNESS_TAGS), rf"{OPEN}v=\d"]))
"""Where text begins that stands in a human's turn and is not the human's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """
    One content block of a message as read from its value.

    ``path`` is where the text that a rewrite replaces stands within the message: the result's
    content or the call's arguments. ``arguments`` are a call's, by name.
    """

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
    odd: str = ""
    """What is wrong with the block's shape, ``""`` where nothing is."""

    def draft(self) -> BlockDraft:
        """Return the part as an index row, without its text."""
        return BlockDraft(
            author=self.author,
            kind=self.kind,
            tool=self.tool,
            call_id=self.call_id,
            failed=self.failed,
            sealed=self.sealed,
            size=len(self.text),
            estimated_tokens=self.estimated_tokens,
            authored=self._authored(),
        )

    def _authored(self) -> tuple[Span, ...]:
        speaks = self.author in (Author.HUMAN, Author.SYSTEM) and self.kind is Kind.TEXT
        return tuple(spoken_spans(self.text)) if speaks else ()


def spoken_spans(text: str) -> Iterator[Span]:
    """Yield the spans of a turn's text that are its author's own, in order, none empty."""
    at = 0
    for start, end in _injected(text):
        yield from _unless_blank(text, at, start)
        at = end
    yield from _unless_blank(text, at, len(text))


def voiced(part: Part) -> Part:
    """
    Return a part of a user's turn with the author whose words it holds.

    Clients put summaries, tool output and reminders into user turns; each is known by how its
    client begins it. What is not known is the human's.
    """
    text = part.text.lstrip() if part.kind is Kind.TEXT else ""
    if not text:
        return part
    if text.startswith(SUMMARY_OPENERS):
        return replace(part, author=Author.SUMMARY)
    if text.startswith(_TOOL_OUTPUT_OPENERS) or _BRACKETED_RESULT.match(text):
        return replace(part, author=Author.TOOL)
    if text.startswith("<") and not any(spoken_spans(text)) and not text.startswith(OPEN):
        return replace(part, author=Author.HARNESS)
    return part


def compact_json(value: object) -> str:
    """Return a value as JSON without spaces, characters as they are."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        # Lone surrogates, integers over 64 bits, depth over 254.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_string(text: str) -> bytes:
    """Return a text as a JSON string; a lone surrogate is written as its escape."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()


def call_text(name: str, arguments: str) -> str:
    """Return what the model reads of a call: name, newline, arguments as stored."""
    return f"{name}\n{arguments}"


def image_tokens(url_or_data: object) -> int:
    """Return the estimated tokens of an image given as ``data:`` URL, bare base64 or link."""
    if not isinstance(url_or_data, str):
        return FLAT_IMAGE_TOKENS
    if url_or_data.startswith("data:"):
        return image_tokens_from_base64(url_or_data.partition(",")[2])
    return FLAT_IMAGE_TOKENS


def string(value: JsonObject, *keys: str) -> str | None:
    """Return the first of the keys whose value is a string that is not empty."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found:
            return found
    return None


def mapping(value: object) -> JsonObject:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[JsonObject]:
    """Return the objects of a list, nothing where it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _injected(text: str) -> Iterator[tuple[int, int]]:
    at, unclosed = 0, set[str]()
    while found := _INJECTED_OPEN.search(text, at):
        opener = found.group()
        ours = opener.startswith(OPEN)
        close = CLOSE if ours else "</" + opener[1:]
        end = -1 if close in unclosed else text.find(close, found.end())
        if end >= 0:
            at = end + len(close)
            yield found.start(), at
        elif ours:
            yield found.start(), len(text)
            return
        else:
            # Looked for once only: a text full of openers must not cost its square.
            unclosed.add(close)
            at = found.end()


def _unless_blank(text: str, start: int, end: int) -> Iterator[Span]:
    if text[start:end].strip():
        yield Span(start, end)
