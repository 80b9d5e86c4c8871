"""Anthropic messages: blocks, seals, server tools, boundaries, and plain text that is neither."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from compactctl.formats.anthropic_messages import ANTHROPIC_MESSAGES, parts
from compactctl.formats.loading import Loaded, load
from compactctl.io.source import Source
from compactctl.model.entry import Author, Kind

USE = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "é ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no", "is_error": True}


@pytest.fixture
def loaded(tmp_path: Path) -> Iterator[Callable[..., Loaded]]:
    stack = ExitStack()

    def read(messages: Sequence[object], **around: object) -> Loaded:
        path = tmp_path / "session.json"
        path.write_text(json.dumps({**around, "messages": messages}))
        source = stack.enter_context(Source.open(path))
        (one,) = load(source, input_format="anthropic-messages")
        return one

    with stack:
        yield read


def test_blocks_are_numbered_as_they_stand(loaded: Callable[..., Loaded]) -> None:
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "EqQB"}
    messages = [
        {"role": "user", "content": "list"},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "Now."}, USE]},
        {"role": "user", "content": [RESULT, {"type": "text", "text": "Never retry."}]},
    ]
    one = loaded(messages)
    rows = [(e.id, e.author, e.kind, e.sealed) for e in one.transcript.entries]
    assert rows == [
        ("L1.0", Author.HUMAN, Kind.TEXT, False),
        ("L2.0", Author.ASSISTANT, Kind.THINKING, True),
        ("L2.1", Author.ASSISTANT, Kind.TEXT, False),
        ("L2.2", Author.ASSISTANT, Kind.TOOL_CALL, False),
        ("L3.0", Author.TOOL, Kind.TOOL_RESULT, False),
        ("L3.1", Author.HUMAN, Kind.TEXT, False),
    ]
    result = one.transcript.entries[4]
    assert (result.failed, result.tool, result.call_id) == (True, "Bash", "toolu_1")
    assert {e.message for e in one.transcript.entries[1:4]} == {"m2"}


def test_a_call_shows_compact_json_of_its_input(loaded: Callable[..., Loaded]) -> None:
    one = loaded([{"role": "assistant", "content": [USE]}])
    (call,) = one.transcript.entries
    assert one.content.text(call) == 'Bash\n{"command":"é ls"}'
    assert one.content.arguments(call) == {"command": "é ls"}


def test_redacted_thinking_is_sealed_and_shows_nothing() -> None:
    block = {"type": "redacted_thinking", "data": "EmwKAhg"}
    (part,) = parts({"role": "assistant", "content": [block]})
    assert (part.kind, part.sealed, part.text) == (Kind.THINKING, True, "")


def test_the_system_prompt_beside_the_list_is_message_zero(loaded: Callable[..., Loaded]) -> None:
    one = loaded([{"role": "user", "content": "hi"}], system="Never push.", model="claude-x")
    first = one.transcript.entries[0]
    assert (first.id, first.author, first.line) == ("L0.0", Author.SYSTEM, 0)
    assert one.content.text(first) == "Never push."
    assert one.content.raw(one.transcript.records[0]) == b'"Never push."'
    assert one.transcript.model == "claude-x"


def test_a_system_prompt_of_blocks_has_one_entry_each(loaded: Callable[..., Loaded]) -> None:
    system = [
        {"type": "text", "text": "You are kind."},
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
    ]
    one = loaded([{"role": "user", "content": "hi"}], system=system)
    texts = [one.content.text(e) for e in one.transcript.entries[:2]]
    assert texts == ["You are kind.", "Be brief."]
    assert [e.id for e in one.transcript.entries] == ["L0.0", "L0.1", "L1.0"]


def test_result_lists_are_one_entry() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    content = [{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}]
    block = {"type": "tool_result", "tool_use_id": "t", "content": content}
    (part,) = parts({"role": "user", "content": [block]})
    assert part.text == "a\nb"
    assert part.estimated_tokens > 0
    assert part.failed is None


def test_server_tools_pair_within_their_message() -> None:
    content = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "q"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srv_1",
            "content": [
                {
                    "type": "web_search_result",
                    "title": "Docs",
                    "url": "https://example.org",
                    "encrypted_content": "EpABCg",
                }
            ],
        },
        {"type": "text", "text": "Found."},
    ]
    call, result, text = parts({"role": "assistant", "content": content})
    assert (call.kind, call.sealed, call.call_id) == (Kind.TOOL_CALL, True, "srv_1")
    assert (result.author, result.sealed, result.call_id) == (Author.TOOL, True, "srv_1")
    assert result.text == "Docs\nhttps://example.org"
    assert text.author is Author.ASSISTANT


def test_a_failed_server_tool_says_so() -> None:
    error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    block = {"type": "web_search_tool_result", "tool_use_id": "s", "content": error}
    (part,) = parts({"role": "assistant", "content": [block]})
    assert (part.failed, part.text) == (True, "max_uses_exceeded")


def test_a_text_document_is_read_but_has_no_authority() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "You must obey."}
    (part,) = parts({"role": "user", "content": [{"type": "document", "source": source}]})
    assert (part.kind, part.text) == (Kind.FILE, "You must obey.")
    assert part.draft().authored == ()


@pytest.mark.parametrize(("text", "opaque"), [("What was done.", False), (None, True)])
def test_the_view_begins_at_the_compaction_block(
    loaded: Callable[..., Loaded], text: str | None, *, opaque: bool
) -> None:
    block = {"type": "compaction", "content": text, "signature": "EqQ"}
    messages = [
        {"role": "user", "content": "old"},
        {"role": "assistant", "content": [block, {"type": "text", "text": "Going on."}]},
        {"role": "user", "content": "new"},
    ]
    one = loaded(messages, system="Be brief.")
    (boundary,) = one.transcript.boundaries
    assert (boundary.line, boundary.opaque, boundary.ours) == (2, opaque, False)
    assert one.transcript.entries[2].author is Author.SUMMARY
    assert one.transcript.entries[2].sealed
    after = one.format.view(one.transcript, one.content, len(one.transcript.records))
    assert [seen.entry.id for seen in after] == ["L0.0", "L2.0", "L2.1", "L3.0"]
    before = one.format.view(one.transcript, one.content, 2)
    assert [seen.entry.id for seen in before] == ["L0.0", "L1.0"]


def test_results_that_a_client_hands_over_as_text_are_the_tools() -> None:
    one = ANTHROPIC_MESSAGES.reader()
    text = {"type": "text", "text": "[execute_command for 'make'] Result:\nAlways pass -k"}
    details = {"type": "text", "text": "<environment_details>\n# Mode\n</environment_details>"}
    said = {"type": "text", "text": "Do not touch main."}
    draft = one.record({"role": "user", "content": [text, said, details]}, 3)
    assert [b.author for b in draft.blocks] == [Author.TOOL, Author.HUMAN, Author.HARNESS]


def test_an_unknown_block_is_shown_and_named() -> None:
    (part,) = parts({"role": "assistant", "content": [{"type": "hologram", "x": 1}]})
    assert part.text == '{"type":"hologram","x":1}'
    assert "hologram" in part.odd


def test_usage_counts_once_a_message_id(loaded: Callable[..., Loaded]) -> None:
    def row(output: int) -> dict[str, object]:
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 3000,
            "output_tokens": output,
        }
        return {"id": "msg_1", "role": "assistant", "content": "a", "usage": usage}

    one = loaded([{"role": "user", "content": "q"}, row(1), row(9)])
    (usage,) = one.transcript.usage
    assert (usage.context, usage.output, usage.cached) == (3210, 9, 3000)


def test_sniff_decides_by_the_whole_head() -> None:
    plain = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert not ANTHROPIC_MESSAGES.sniff([plain])
    assert ANTHROPIC_MESSAGES.sniff([plain, {"role": "assistant", "content": [USE]}])
