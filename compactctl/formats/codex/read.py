"""Reading the records of a rollout in order."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from compactctl.formats.base import (
    BlockDraft,
    BoundaryDraft,
    JsonObject,
    RecordDraft,
    SessionFacts,
    UsageDraft,
)
from compactctl.formats.codex.items import COMPACTIONS, UNSEEN, Part, record_items, record_parts
from compactctl.formats.codex.wording import (
    QUESTION_TOOL,
    answer_spans,
    developer_author,
    is_refused,
    user_author,
)
from compactctl.formats.message_parts import mapping, spoken_spans, string
from compactctl.formats.state_block import OPEN, InvalidBlock, StateBlock, parse
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind, Span
from compactctl.model.transcript import BoundaryKind

_SPEAKING = frozenset({Author.HUMAN, Author.DELEGATOR, Author.SYSTEM})
_RESPONSE = frozenset(
    {
        "reasoning",
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "tool_search_call",
        "web_search_call",
        "image_generation_call",
    }
)
_ITEM_TYPES = _RESPONSE | {
    "message",
    "function_call_output",
    "custom_tool_call_output",
    "tool_search_output",
    "agent_message",
    *COMPACTIONS,
    *UNSEEN,
}
_OUR_KEYS = frozenset({"message", "replacement_history"})


class RolloutReader:
    """Reads the records of one rollout (see ``Reader``)."""

    def __init__(self) -> None:
        """Start before the first record."""
        self._session = _Session()
        self._tools: dict[str, str] = {}
        self._failed_patches: set[str] = set()
        self._runs = 0
        self._in_response = False
        self._context = 0
        self._total: object = None
        self._compacted_on: int | None = None
        self._tokens_after: dict[int, int] = {}
        self._window: int | None = None

    def record(self, value: JsonObject, line: int) -> RecordDraft:
        """Return the draft of one record; odd shapes are damage."""
        kind = string(value, "type") or "unknown"
        payload = mapping(value.get("payload"))
        inner = string(payload, "type")
        name = f"{kind}/{inner}" if inner and kind in ("response_item", "event_msg") else kind
        draft = RecordDraft(type=name, timestamp=string(value, "timestamp"))
        match kind:
            case "session_meta":
                self._session.meta(payload)
            case "turn_context":
                self._session.model = string(payload, "model") or self._session.model
                self._in_response = False
            case "response_item":
                return self._item(draft, value, payload)
            case "compacted":
                return self._compacted(draft, value, payload, line)
            case "event_msg":
                return self._event(draft, payload)
            case _:
                pass
        return draft

    def finish(self) -> SessionFacts:
        """Return what the rollout says of itself; its identity is that of its first meta."""
        session = self._session
        return SessionFacts(
            model=session.model,
            window=self._window,
            session_id=session.id,
            cwd=session.cwd,
            client_version=session.version,
            tokens_after=self._tokens_after,
        )

    def _item(self, draft: RecordDraft, value: JsonObject, payload: JsonObject) -> RecordDraft:
        kind = string(payload, "type")
        self._compacted_on = None
        if kind not in _ITEM_TYPES:
            note = (DamageKind.UNEXPECTED_SHAPE, f"response item of type {kind!r} is not read")
            return replace(draft, damage=(note,))
        if kind in UNSEEN:
            return draft
        if kind in _RESPONSE or string(payload, "role") == "assistant":
            self._runs += not self._in_response
            self._in_response = True
        else:
            self._in_response = False
        parts = [self._voiced(part, payload) for part in record_parts(value)]
        return replace(
            draft,
            group=f"r{self._runs}" if self._in_response else None,
            blocks=tuple(self._drafted(part) for part in parts),
            damage=tuple((DamageKind.UNEXPECTED_SHAPE, part.odd) for part in parts if part.odd),
        )

    def _compacted(
        self, draft: RecordDraft, value: JsonObject, payload: JsonObject, line: int
    ) -> RecordDraft:
        self._in_response = False
        items = record_items(value)
        parts = [self._voiced(part, items[part.item]) for part in record_parts(value)]
        damage: list[tuple[DamageKind, str]] = []
        ours = False
        at = _block_position(payload, items, parts)
        if at is not None:
            block = parse(parts[at].text)
            ours = isinstance(block, StateBlock) and self._session.knows(block.session)
            parts[at] = replace(parts[at], author=Author.CARRIED if ours else Author.SUMMARY)
            if not ours:
                reason = block.reason if isinstance(block, InvalidBlock) else "of another session"
                damage.append((DamageKind.FORGED_STATE_BLOCK, reason))
        has_history = isinstance(payload.get("replacement_history"), list)
        summaries = [part for part in parts if part.author is Author.SUMMARY]
        message = string(payload, "message")
        self._compacted_on = line
        self._runs += 1
        return replace(
            draft,
            group=f"r{self._runs}",
            blocks=tuple(self._drafted(part) for part in parts),
            boundary=BoundaryDraft(
                kind=BoundaryKind.FULL,
                tokens_before=self._context or None,
                # Without a message a server wrote the summary, encrypted; publishers take it out.
                opaque=not ours
                and all(part.sealed for part in summaries)
                and (bool(summaries) or not message),
                ours=ours,
                detail={"history": has_history},
            ),
            damage=tuple(damage),
        )

    def _event(self, draft: RecordDraft, payload: JsonObject) -> RecordDraft:
        match string(payload, "type"):
            case "token_count":
                return replace(draft, usage=self._usage(mapping(payload.get("info"))))
            case "thread_rolled_back":
                turns = payload.get("num_turns")
                boundary = BoundaryDraft(
                    kind=BoundaryKind.ROLLBACK,
                    detail={"num_turns": turns if isinstance(turns, int) else 0},
                )
                return replace(draft, boundary=boundary)
            case "patch_apply_end":
                call_id = string(payload, "call_id")
                if call_id and payload.get("success") is False:
                    self._failed_patches.add(call_id)
            case _:
                pass
        return draft

    def _usage(self, info: JsonObject) -> UsageDraft | None:
        last = mapping(info.get("last_token_usage"))
        self._window = _count(info, "model_context_window") or self._window
        context, total = _count(last, "input_tokens"), _count(last, "total_tokens")
        if not context and not total:
            return None
        if not context and self._compacted_on is not None:
            self._tokens_after[self._compacted_on] = total
        self._compacted_on = None
        if context and info.get("total_token_usage") == self._total:
            # Written again because a rate limit changed: no further request was made.
            return None
        self._total = info.get("total_token_usage")
        output = _count(last, "output_tokens") if context else 0
        self._context = context + output if context else total
        return UsageDraft(
            context=context or total, output=output, cached=_count(last, "cached_input_tokens")
        )

    def _voiced(self, part: Part, item: JsonObject) -> Part:
        if part.kind is Kind.TOOL_CALL:
            if part.call_id:
                self._tools[part.call_id] = part.tool or ""
            return part
        if part.kind is Kind.TOOL_RESULT:
            return self._result(part)
        if item.get("type") == "agent_message":
            return replace(part, author=self._session.relayed(item))
        match part.author:
            case Author.HUMAN:
                author = user_author(part.text) if part.kind is Kind.TEXT else Author.HUMAN
                if author is Author.HUMAN and self._session.delegated:
                    author = Author.DELEGATOR
                return replace(part, author=author)
            case Author.SYSTEM:
                return replace(part, author=developer_author(part.text))
            case _:
                return part

    def _result(self, part: Part) -> Part:
        call_id = part.call_id or ""
        tool = self._tools.get(call_id) or part.tool
        failed = True if call_id in self._failed_patches else part.failed
        asked = tool == QUESTION_TOOL and any(answer_spans(part.text))
        author = Author.HUMAN if asked else Author.TOOL
        return replace(part, tool=tool, failed=failed, author=author)

    def _drafted(self, part: Part) -> BlockDraft:
        return BlockDraft(
            author=part.author,
            kind=part.kind,
            tool=part.tool,
            call_id=part.call_id,
            failed=part.failed,
            rejected=part.kind is Kind.TOOL_RESULT and is_refused(part.text),
            sealed=part.sealed,
            size=len(part.text),
            estimated_tokens=part.estimated_tokens,
            authored=tuple(_authored(part)),
        )


class _Session:
    """Who a rollout belongs to: the first meta is its identity, later ones are inherited."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.cwd: str | None = None
        self.version: str | None = None
        self.model: str | None = None
        self.delegated = False
        self.agent_path: str | None = None

    @property
    def id(self) -> str | None:
        return self.ids[0] if self.ids else None

    def meta(self, payload: JsonObject) -> None:
        first = not self.ids
        self.ids.append(string(payload, "id", "session_id") or "-")
        if not first:
            return
        self.cwd = string(payload, "cwd")
        self.version = string(payload, "cli_version")
        source = mapping(payload.get("source"))
        spawn = mapping(mapping(source.get("subagent")).get("thread_spawn"))
        self.delegated = (
            "subagent" in source
            or string(payload, "thread_source") == "subagent"
            or string(payload, "parent_thread_id") is not None
        )
        self.agent_path = string(spawn, "agent_path") or string(payload, "agent_path")

    def knows(self, session: str) -> bool:
        return session in self.ids or not self.ids

    def relayed(self, item: JsonObject) -> Author:
        """Whose words a message between agents is: a parent's bind, a child's are a report."""
        author, recipient = string(item, "author") or "", string(item, "recipient") or ""
        if self.agent_path is not None and author == self.agent_path:
            return Author.ASSISTANT
        if self.delegated and author and recipient.startswith(author.rstrip("/") + "/"):
            return Author.DELEGATOR
        return Author.TOOL


def _block_position(
    payload: JsonObject, items: Sequence[JsonObject], parts: Sequence[Part]
) -> int | None:
    """
    Where our own state block stands in a compacted record, ``None`` in one that is not ours.

    We write no fields but two, an empty ``message``, and in front of the block messages of
    developers and users only. The client's own compactions copy what users typed: they have a
    summary item, or answers between the users' messages.
    """
    if not _OUR_KEYS.issuperset(payload) or string(payload, "message"):
        return None
    if any(part.author is Author.SUMMARY for part in parts):
        return None
    for at, part in enumerate(parts):
        item = items[part.item]
        if item.get("type") != "message" or part.author is Author.ASSISTANT:
            return None
        if part.text.startswith(OPEN) and len(item) == len(("type", "role", "content")):
            return at
    return None


def _authored(part: Part) -> Iterator[Span]:
    if part.author not in _SPEAKING:
        return
    if part.kind is Kind.TEXT:
        yield from spoken_spans(part.text)
    elif part.kind is Kind.TOOL_RESULT:
        yield from answer_spans(part.text)


def _count(value: JsonObject, key: str) -> int:
    found = value.get(key)
    return found if isinstance(found, int) and found > 0 else 0
