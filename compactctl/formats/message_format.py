"""A format whose records are the messages of a request, whatever the vendor's blocks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from compactctl.formats.base import (
    BoundaryDraft,
    JsonObject,
    RecordDraft,
    SessionFacts,
    UsageDraft,
    WriteJob,
)
from compactctl.formats.message_layouts import Vendor, heads, vendor_of
from compactctl.formats.message_parts import Part, mapping, string, voiced
from compactctl.formats.message_writing import Rewritten, write
from compactctl.formats.state_block import OPEN, InvalidBlock, StateBlock, parse
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind, Seen, View
from compactctl.model.transcript import BoundaryKind, Content, RecordedBoundary, Transcript

PartsOf = Callable[[JsonObject], tuple[Part, ...]]
NO_ID = "function_call"
"""Stands for the id of a legacy function call and its result, which have none."""


class MessageFormat:
    """
    A message-list format; see ``Format``.

    ``parts`` reads a message, ``rewritten`` gives the JSON values of a rewrite. ``merges_block``:
    roles alternate, so a state block joins the user message that follows it.
    """

    appends = False
    human_apart = False
    keeps_initial = True

    def __init__(
        self,
        *,
        name: str,
        title: str,
        vendor: Vendor,
        parts: PartsOf,
        rewritten: Rewritten,
        merges_block: bool,
    ) -> None:
        """Make the format of a vendor."""
        self.name = name
        self.title = title
        self._vendor = vendor
        self._parts = parts
        self._rewritten = rewritten
        self._merges_block = merges_block

    def sniff(self, head: Sequence[object]) -> bool:
        """
        Return whether the first JSON values hold messages of this vendor.

        Plain text messages that both vendors would write are taken as OpenAI's.
        """
        messages = heads(head)
        return bool(messages) and vendor_of(messages) is self._vendor

    def reader(self) -> "MessageReader":
        """Return a reader for one conversation."""
        return MessageReader(self._parts)

    def text(self, value: JsonObject, block: int) -> str:
        """Return the model-visible text of a message's block."""
        return self._parts(value)[block].text

    def arguments(self, value: JsonObject, block: int) -> Mapping[str, object]:
        """Return the arguments of the call in a message's block, ``{}`` for other blocks."""
        return self._parts(value)[block].arguments

    def view(self, transcript: Transcript, content: Content, records: int) -> View:
        """
        Return the entries of the first ``records`` messages from the last boundary among them on.

        System messages before a boundary stay in the view; of the boundary's own message the
        blocks from ``detail["block"]`` on count.
        """
        del content  # what is visible follows from the index alone
        passed = [b for b in transcript.boundaries if b.record < records]
        seen = (e for e in transcript.entries if e.record < records)
        if not passed:
            return tuple(Seen(e) for e in seen)
        last = passed[-1]
        first = transcript.records[last.record].first_entry + _block(last)
        start = transcript.entries[first]
        place = (start.record, start.block)
        return tuple(
            Seen(e) for e in seen if (e.record, e.block) >= place or e.author is Author.SYSTEM
        )

    def write(self, job: WriteJob) -> Iterator[bytes]:
        """Yield the bytes of the compacted file, in the layout of its input."""
        return write(job, self._parts, self._rewritten, merges_block=self._merges_block)

    def resume_hint(self, transcript: Transcript, output: str) -> str:
        """Return one sentence: how to continue from the output."""
        del transcript
        return f"send the messages of {output} as the messages of the next request"


class MessageReader:
    """Reads the messages of one conversation in order (see ``Reader``)."""

    def __init__(self, parts: PartsOf) -> None:
        """Read messages by a format's ``parts``."""
        self._parts = parts
        self._tools: dict[str, str] = {}
        self._open_legacy: str | None = None
        self._assistant: str | None = None
        self._acts_in_text = False
        self._started = False
        self._model: str | None = None
        self._count = 0

    def record(self, value: JsonObject, line: int) -> RecordDraft:
        """Return the draft of one message; odd shapes are damage."""
        self._count += 1
        role = string(value, "role")
        parts = self._parts(value)
        damage = [(DamageKind.UNEXPECTED_SHAPE, part.odd) for part in parts if part.odd]
        first = role not in (None, "system", "developer") and not self._started
        self._started = self._started or first
        if role == "assistant":
            self._assistant = f"m{line}"
            self._acts_in_text = isinstance(value.get("action"), str)
            self._model = string(value, "model") or self._model
        boundary = None
        if role == "user":
            parts, boundary, forged = self._spoken(value, parts, first=first)
            damage += [(DamageKind.FORGED_STATE_BLOCK, reason) for reason in forged]
        parts = tuple(self._paired(part, line) for part in parts)
        return RecordDraft(
            type=role or string(value, "type") or "unknown",
            message=string(value, "id") if role == "assistant" else None,
            group=self._group(role, parts),
            timestamp=string(value, "timestamp", "ts", "created_at"),
            blocks=tuple(part.draft() for part in parts),
            usage=_usage(mapping(value.get("usage"))),
            boundary=boundary or _compaction_block(parts, role),
            damage=tuple(damage),
        )

    def finish(self) -> SessionFacts:
        """
        Return the model that answered last, where messages name it.

        ``detail["messages"]`` is the number of records of the whole conversation.
        """
        return SessionFacts(model=self._model, detail={"messages": self._count})

    def _spoken(
        self, value: JsonObject, parts: tuple[Part, ...], *, first: bool
    ) -> tuple[tuple[Part, ...], BoundaryDraft | None, list[str]]:
        heard = [voiced(part) if part.author is Author.HUMAN else part for part in parts]
        author = self._marked(value)
        if author is not None:
            heard = [replace(part, author=author) for part in heard]
        if not first or not heard or heard[0].kind is not Kind.TEXT:
            return tuple(heard), None, []
        opening = heard[0]
        if opening.text.startswith(OPEN):
            block = parse(opening.text)
            if isinstance(block, StateBlock):
                heard[0] = replace(opening, author=Author.CARRIED)
                return tuple(heard), BoundaryDraft(kind=BoundaryKind.FULL, ours=True), []
            heard[0] = replace(opening, author=Author.SUMMARY)
            reason = block.reason if isinstance(block, InvalidBlock) else ""
            return tuple(heard), None, [reason]
        summary = opening.author is Author.SUMMARY
        boundary = BoundaryDraft(kind=BoundaryKind.FULL) if summary else None
        return tuple(heard), boundary, []

    def _marked(self, value: JsonObject) -> Author | None:
        """Return whose words a user message holds where its client marks it, ``None`` else."""
        if mapping(value.get("additional_kwargs")).get("lc_source") == "summarization":
            return Author.SUMMARY
        if value.get("is_demo") is True:
            return Author.HARNESS
        # SWE-agent: what follows an action is its observation, be it marked or not.
        observed = value.get("message_type") == "observation" and self._assistant is not None
        return Author.TOOL if observed or self._acts_in_text else None

    def _paired(self, part: Part, line: int) -> Part:
        match part.kind:
            case Kind.TOOL_CALL:
                call_id = part.call_id
                if call_id == NO_ID:
                    call_id = self._open_legacy = f"{NO_ID}:{line}"
                if call_id:
                    self._tools[call_id] = part.tool or ""
                return replace(part, call_id=call_id)
            case Kind.TOOL_RESULT:
                found = self._open_legacy if part.call_id == NO_ID else part.call_id
                return replace(part, call_id=found, tool=self._tools.get(found or "") or part.tool)
            case _:
                return part

    def _group(self, role: str | None, parts: Sequence[Part]) -> str | None:
        if role == "assistant":
            return self._assistant
        # A client without native calls sends results as user text: never cut before them.
        results = any(p.author is Author.TOOL and p.kind is Kind.TEXT for p in parts)
        return self._assistant if results else None


def _compaction_block(parts: Sequence[Part], role: str | None) -> BoundaryDraft | None:
    if role != "assistant":
        return None
    for number in range(len(parts) - 1, -1, -1):
        if parts[number].author is Author.SUMMARY:
            return BoundaryDraft(
                kind=BoundaryKind.FULL,
                opaque=not parts[number].text,
                detail={"block": number},
            )
    return None


def _block(boundary: RecordedBoundary) -> int:
    block = boundary.detail.get("block", 0)
    return block if isinstance(block, int) else 0


def _usage(usage: JsonObject) -> UsageDraft | None:
    def count(*keys: str) -> int:
        return sum(v for k in keys if isinstance(v := usage.get(k), int))

    cached = count("cache_read_input_tokens")
    context = count("input_tokens", "cache_creation_input_tokens") + cached
    if context:
        return UsageDraft(context=context, output=count("output_tokens"), cached=cached)
    context = count("prompt_tokens")
    if not context:
        return None
    details = mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
    return UsageDraft(
        context=context,
        output=count("completion_tokens"),
        cached=details if isinstance(details, int) else 0,
    )
