"""The invented sessions are read whole, and their messages fit the vendors' own types."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from compactctl.formats.loading import load
from compactctl.io.source import Source
from compactctl.model.entry import Author, Kind

FIXTURES = Path(__file__).parents[2] / "fixtures"
_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    "openai-chat": TypeAdapter(ChatCompletionMessageParam),
    "anthropic-messages": TypeAdapter(MessageParam),
}
_BETA_ONLY = b'"compaction"'
"""The compaction block is of the beta types only."""


@pytest.mark.parametrize(
    ("name", "layout", "conversations", "human"),
    [
        ("openai-chat/minor-units.jsonl", "lines", 1, 8),
        ("openai-chat/service-desk.jsonl", "conversation-lines", 3, 6),
        ("openai-chat/full-disk.traj.json", "key:messages", 1, 1),
        ("anthropic-messages/upload-race.json", "key:messages", 1, 8),
        ("anthropic-messages/garden.jsonl", "lines", 1, 3),
    ],
)
def test_fixtures(name: str, layout: str, conversations: int, human: int) -> None:
    with Source.open(FIXTURES / name) as source:
        found = load(source)
        authors = Counter(e.author for one in found for e in one.transcript.entries)
        for one in found:
            assert one.format.name == name.split("/", maxsplit=1)[0]
            assert (one.transcript.layout, one.transcript.damage) == (layout, ())
            calls = [e.call_id for e in one.transcript.entries if e.kind is Kind.TOOL_CALL]
            results = [e.call_id for e in one.transcript.entries if e.kind is Kind.TOOL_RESULT]
            assert sorted(calls) == sorted(results)
            for record in one.transcript.records:
                raw = one.content.raw(record)
                if record.line and _BETA_ONLY not in raw:
                    value = _ADAPTERS[one.format.name].validate_python(json.loads(raw))
                    _read_through(value)
    assert len(found) == conversations
    assert authors[Author.HUMAN] == human


def _read_through(message: dict[str, Any]) -> None:
    for value in message.values():
        # The vendors' types hold iterables, which are only validated when they are read.
        if not isinstance(value, str | None):
            list(value)
