"""Builds small materials and message lists for tests, without files."""

import atexit
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from compactctl.compact.material import Material
from compactctl.compact.views import text_digest
from compactctl.formats.loading import load
from compactctl.io.source import Source
from compactctl.model.classification import (
    Classification,
    ClassifiedEntry,
    CutPoint,
    NoCut,
    Outcome,
    ResultKind,
    ToolResult,
)
from compactctl.model.entry import Kind
from compactctl.model.table import CLASS_TABLE
from compactctl.model.transcript import Content, Transcript

Message = dict[str, Any]

_OPEN: list[Source] = []
"""Sources of tests; the oldest are closed as new ones come, the rest at the end."""
_KEPT_OPEN = 64


@atexit.register
def _close() -> None:
    for source in _OPEN:
        source.close()


def by_words(text: str) -> int:
    """A token counter for tests: words."""
    return len(text.split())


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def call(call_id: str, tool: str, **arguments: object) -> Message:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def source_of(data: bytes, name: str = "session.jsonl") -> Source:
    """Return a source over bytes, kept in an unnamed file."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- the source owns it
    file.write(data)
    file.flush()
    source = Source(name, file, len(data))
    _OPEN.append(source)
    if len(_OPEN) > _KEPT_OPEN:
        _OPEN.pop(0).close()
    return source


def jsonl(messages: Sequence[Message]) -> bytes:
    buffer = io.BytesIO()
    for message in messages:
        buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
    return buffer.getvalue()


def material_of(
    messages: Sequence[Message],
    *,
    boundaries: Sequence[CutPoint] = (),
    no_cut: Sequence[NoCut] = (),
    outcomes: dict[str, Outcome] | None = None,
    kinds: dict[str, ResultKind] | None = None,
    count: Callable[[str], int] = by_words,
) -> Material:
    """Return the material of OpenAI chat messages with a classification given by hand."""
    (loaded,) = load(source_of(jsonl(messages)), input_format="openai-chat")
    transcript, content = loaded.transcript, loaded.content
    view = loaded.format.view(transcript, content, len(transcript.records))
    classification = Classification(
        entries={
            e.id: ClassifiedEntry(CLASS_TABLE[e.author, e.kind], "table")
            for e in transcript.entries
        },
        pins=(),
        results=tuple(_results(transcript, content, outcomes or {}, kinds or {})),
        facts=(),
        branches=(),
        claims=(),
        open_items=(),
        boundaries=tuple(boundaries),
        no_cut=tuple(no_cut),
    )
    return Material(
        transcript=transcript,
        view=view,
        classification=classification,
        content=content,
        tokens={s.entry.id: count(content.text(s.entry)) for s in view},
        digests={s.entry.id: text_digest(content.text(s.entry)) for s in view},
        count=count,
        encoding="words",
    )


def with_classification(
    material: Material,
    **changes: Any,
) -> Material:
    """Return the material with parts of its classification replaced."""
    return replace(material, classification=replace(material.classification, **changes))


def _results(
    transcript: Transcript,
    content: Content,
    outcomes: dict[str, Outcome],
    kinds: dict[str, ResultKind],
) -> list[ToolResult]:
    calls = {e.call_id: e for e in transcript.entries if e.kind is Kind.TOOL_CALL}
    answers = {e.call_id: e for e in transcript.entries if e.kind is Kind.TOOL_RESULT}
    found = []
    for call_id, entry in calls.items():
        assert call_id is not None
        answer = answers.get(call_id)
        arguments = content.arguments(entry)
        subject = str(next(iter(arguments.values()), ""))
        outcome = outcomes.get(call_id, Outcome.SUCCESS if answer else Outcome.PENDING)
        found.append(
            ToolResult(
                call_id=call_id,
                call_line=entry.line,
                call_entry=entry.id,
                result_line=answer.line if answer else None,
                result_entry=answer.id if answer else None,
                tool=entry.tool or "",
                kind=kinds.get(call_id, ResultKind.OTHER),
                outcome=outcome,
                exit_code=None,
                exact=(),
                one_line=f"{entry.tool} {subject}: {outcome}",
                key=f"{entry.tool}:{subject}",
                subject=subject,
                arguments_digest=text_digest(subject),
                proves=False,
            )
        )
    return found
