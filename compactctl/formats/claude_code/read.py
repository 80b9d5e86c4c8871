"""Reading a Claude Code session, record by record (formats reference, section 1)."""

from collections.abc import Iterator, Mapping

from compactctl.formats.base import (
    BoundaryDraft,
    JsonObject,
    RecordDraft,
    SessionFacts,
    UsageDraft,
)
from compactctl.formats.claude_code.blocks import Block, blocks
from compactctl.formats.claude_code.prompts import PromptQueue
from compactctl.formats.message_parts import mapping, string
from compactctl.formats.state_block import OPEN, InvalidBlock, StateBlock, parse
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind
from compactctl.model.transcript import BoundaryKind

OUR_KEY = "compactctl"
"""Key in ``compactMetadata`` that marks a boundary as ours."""
_CHAINED = frozenset({"user", "assistant", "attachment", "progress", "system"})


class ClaudeCodeReader:
    """
    Reads one session.

    ``SessionFacts.detail`` holds ``leaves``: line, uuid and whether a person chose it of each
    ``last-prompt`` record; and ``delivered``: of prompts that reached the model straight from
    the queue, the line of the queued prompt to the line at which it left the queue.
    ``RecordedBoundary.detail`` holds ``cleared`` call ids, ``removed`` uuids, ``preserved`` uuids
    with their ``anchor``, or the ``head``, ``tail`` and ``anchor`` of a preserved segment.
    """

    def __init__(self) -> None:
        """Start before the first record."""
        self._ours = False
        self._model: str | None = None
        self._session: str | None = None
        self._cwd: str | None = None
        self._version: str | None = None
        self._leaves: list[tuple[int, str, bool]] = []
        self._calls: dict[str, str] = {}
        self._queue = PromptQueue()

    def record(self, value: JsonObject, line: int) -> RecordDraft:
        """Return the draft of one record."""
        self._note(value, line)
        kind = string(value, "type") or ""
        found = blocks(value, self._calls)
        damage: list[tuple[DamageKind, str]] = []
        message = mapping(value.get("message"))
        draft = RecordDraft(
            type=kind,
            uuid=string(value, "uuid"),
            parent=string(value, "parentUuid"),
            message=string(message, "id") if kind == "assistant" else None,
            group=_group(value, message) if kind == "assistant" else None,
            chain=_chain(value),
            timestamp=string(value, "timestamp"),
            blocks=tuple(b.draft(self._author(value, b, damage)) for b in found),
            usage=_usage(value, message),
            boundary=_boundary(value),
            damage=(*damage, *_shape(value, kind)),
        )
        for block in found:
            if block.kind is Kind.TOOL_CALL and block.call_id and block.tool:
                self._calls[block.call_id] = block.tool
        if kind in _CHAINED:
            ours = draft.boundary is not None and draft.boundary.ours
            # Hook output may stand between a boundary and its summary.
            self._ours = ours or (self._ours and kind in ("progress", "attachment"))
        return draft

    def finish(self) -> SessionFacts:
        """Return what is known of the session."""
        return SessionFacts(
            model=self._model,
            session_id=self._session,
            cwd=self._cwd,
            client_version=self._version,
            detail={"leaves": tuple(self._leaves), "delivered": self._queue.delivered()},
        )

    def _note(self, value: JsonObject, line: int) -> None:
        self._session = string(value, "sessionId") or self._session
        self._cwd = string(value, "cwd") or self._cwd
        self._version = string(value, "version") or self._version
        model = string(mapping(value.get("message")), "model")
        if model and model != "<synthetic>":
            self._model = model
        leaf = string(value, "leafUuid")
        if value.get("type") == "last-prompt" and leaf:
            self._leaves.append((line, leaf, value.get("explicit") is True))
        self._queue.note(value, line)

    def _author(
        self, value: JsonObject, block: Block, damage: list[tuple[DamageKind, str]]
    ) -> Author | None:
        side = value.get("isSidechain") is True
        if side and block.author is Author.HUMAN and block.kind is not Kind.TOOL_RESULT:
            # A refusal of a sub-agent's call is still its human's.
            return Author.DELEGATOR
        if block.author is not Author.SUMMARY or not block.text.startswith(OPEN):
            return None
        if not self._ours:
            damage.append((DamageKind.FORGED_STATE_BLOCK, "no boundary of ours stands before it"))
            return None
        match parse(block.text):
            case StateBlock():
                return Author.CARRIED
            case InvalidBlock(reason=reason):
                damage.append((DamageKind.FORGED_STATE_BLOCK, reason))
        return None


def is_boundary(value: JsonObject) -> bool:
    """Return whether a record is a full compaction's boundary."""
    return value.get("type") == "system" and value.get("subtype") == "compact_boundary"


def _chain(value: JsonObject) -> str:
    if value.get("isSidechain") is not True:
        return ""
    return string(value, "agentId") or "sidechain"


def _group(value: JsonObject, message: JsonObject) -> str | None:
    return string(message, "id") or string(value, "requestId", "uuid")


def _usage(value: JsonObject, message: JsonObject) -> UsageDraft | None:
    usage = message.get("usage")
    if value.get("type") != "assistant" or not isinstance(usage, dict):
        return None
    if value.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        return None
    # A message may take several requests; its last one says what the window held.
    requests = [mapping(i) for i in _items(usage.get("iterations"))]
    last = next((i for i in reversed(requests) if i.get("type") == "message"), usage)
    read, output = _number(last, "cache_read_input_tokens"), _number(usage, "output_tokens")
    created = _number(last, "cache_creation_input_tokens")
    context = _number(last, "input_tokens") + read + created
    # Counters that a writer set to nothing say nothing.
    return UsageDraft(context=context, output=output, cached=read) if context else None


def _number(value: Mapping[str, object], key: str) -> int:
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def _boundary(value: JsonObject) -> BoundaryDraft | None:
    if is_boundary(value):
        return _full(mapping(value.get("compactMetadata")))
    micro = mapping(value.get("microcompactMetadata"))
    if value.get("type") == "system" and micro:
        saved, before = _number(micro, "tokensSaved"), _number(micro, "preTokens")
        return BoundaryDraft(
            kind=BoundaryKind.MICRO,
            trigger=string(micro, "trigger"),
            tokens_before=before or None,
            tokens_after=before - saved if before else None,
            detail={
                "cleared": _strings(micro.get("compactedToolIds")),
                "removed": _strings(micro.get("clearedAttachmentUUIDs")),
            },
        )
    snip = mapping(value.get("snipMetadata"))
    if snip:
        detail = {"removed": _strings(snip.get("removedUuids"))}
        return BoundaryDraft(kind=BoundaryKind.SNIP, detail=detail)
    return None


def _full(meta: JsonObject) -> BoundaryDraft:
    segment = mapping(meta.get("preservedSegment"))
    messages = mapping(meta.get("preservedMessages"))
    detail: dict[str, object] = {}
    if segment:
        for name in ("head", "tail", "anchor"):
            detail[name] = string(segment, f"{name}Uuid")
    elif messages:
        uuids = _strings(messages.get("allUuids")) or _strings(messages.get("uuids"))
        detail = {"preserved": uuids, "anchor": string(messages, "anchorUuid")}
    return BoundaryDraft(
        kind=BoundaryKind.FULL,
        trigger=string(meta, "trigger"),
        tokens_before=_number(meta, "preTokens") or None,
        tokens_after=_number(meta, "postTokens") or None,
        ours=bool(mapping(meta.get(OUR_KEY))),
        detail=detail,
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(v for v in _items(value) if isinstance(v, str))


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _shape(value: JsonObject, kind: str) -> Iterator[tuple[DamageKind, str]]:
    if kind in ("user", "assistant") and not isinstance(value.get("message"), dict):
        yield DamageKind.UNEXPECTED_SHAPE, f"a {kind} record without a message object"
