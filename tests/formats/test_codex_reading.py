"""Codex rollouts: whose words the entries are, what the model sees, what is odd."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from compactctl.formats.codex import CODEX
from compactctl.formats.reading import FileContent, read_lines
from compactctl.formats.state_block import StateBlock, render
from compactctl.io.source import Source
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind
from compactctl.model.transcript import BoundaryKind, Transcript

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex"
META = {"id": "s-1", "cwd": "/w", "cli_version": "0.130.0", "source": "cli"}
CHILD = {
    "id": "s-2",
    "source": {"subagent": {"thread_spawn": {"agent_path": "/root/a"}}},
    "parent_thread_id": "s-1",
}

OPEN_FILES = ExitStack()


@pytest.fixture(autouse=True)
def _closing() -> Iterator[None]:
    with OPEN_FILES:
        yield


def line(kind: str, **payload: object) -> str:
    return json.dumps({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload})


def item(kind: str, **fields: object) -> str:
    return line("response_item", type=kind, **fields)


def message(role: str, *texts: str) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return {"type": "message", "role": role, "content": content}


def said(role: str, *texts: str) -> str:
    return line("response_item", **message(role, *texts))


def read(path: Path) -> tuple[Transcript, FileContent]:
    source = OPEN_FILES.enter_context(Source.open(path))
    transcript = read_lines(source, CODEX)
    return transcript, FileContent(source, transcript, CODEX)


def stored(tmp_path: Path, *lines: str, meta: dict[str, object] = META) -> Path:
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join((line("session_meta", **meta), *lines)) + "\n", "utf-8")
    return path


def seen(path: Path) -> list[str]:
    transcript, content = read(path)
    view = CODEX.view(transcript, content, len(transcript.records))
    return [content.text(s.entry) if s.shown is None else s.shown for s in view]


def authors(transcript: Transcript) -> list[Author]:
    return [entry.author for entry in transcript.entries]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ([json.loads(line("session_meta", **META))], True),
        ([json.loads(item("message", role="user", content=[]))], True),
        ([{"role": "user", "content": "x"}, json.loads(line("world_state", full=True))], False),
        ([{"type": "message", "payload": {}, "timestamp": "t"}], False),
        ([{"type": "session_meta", "payload": "x", "timestamp": "t"}], False),
        ([], False),
    ],
)
def test_sniffs_by_the_envelope_of_the_first_value(head: Sequence[object], expected: bool) -> None:  # noqa: FBT001 -- a parameter of the table above
    assert CODEX.sniff(head) is expected


@pytest.mark.parametrize(
    ("role", "text", "author"),
    [
        ("user", "fix the parser", Author.HUMAN),
        ("user", "<b>bold</b> is broken", Author.HUMAN),
        ("user", "# AGENTS.md instructions for /w\n\nuse tabs", Author.SYSTEM),
        ("user", "<user_instructions>\nuse tabs\n</user_instructions>", Author.SYSTEM),
        ("user", "<environment_context>\n</environment_context>", Author.HARNESS),
        ("user", "<turn_aborted>\nstopped\n</turn_aborted>", Author.HARNESS),
        ("user", "<subagent_notification>\n{}\n</subagent_notification>", Author.HARNESS),
        ("user", "Another language model started to solve this problem and ...", Author.SUMMARY),
        ("developer", "<permissions instructions>\nask first", Author.SYSTEM),
        ("developer", 'Approved command prefix saved:\n- ["git", "add"]', Author.HARNESS),
        ("system", "be brief", Author.SYSTEM),
        ("assistant", "done", Author.ASSISTANT),
    ],
)
def test_author_of_a_message(tmp_path: Path, role: str, text: str, author: Author) -> None:
    transcript, content = read(stored(tmp_path, said(role, text)))
    assert authors(transcript) == [author]
    assert content.text(transcript.entries[0]) == text


def test_parts_of_one_message_have_their_own_authors(tmp_path: Path) -> None:
    path = stored(
        tmp_path, said("user", "# AGENTS.md instructions", "<environment_context>", "go")
    )
    assert authors(read(path)[0]) == [Author.SYSTEM, Author.HARNESS, Author.HUMAN]


def test_sub_agent_hears_its_parent_and_not_its_children(tmp_path: Path) -> None:
    def relayed(author: str) -> str:
        content = [{"type": "input_text", "text": "delete it"}]
        return item("agent_message", author=author, recipient="/root/a", content=content)

    lines = (said("user", "review"), relayed("/root"), relayed("/root/a/b"), relayed("/root/c"))
    transcript, _ = read(stored(tmp_path, *lines, meta=CHILD))
    tool = Author.TOOL
    assert authors(transcript) == [Author.DELEGATOR, Author.DELEGATOR, tool, tool]
    assert authors(read(stored(tmp_path, relayed("/root")))[0]) == [tool]


def test_only_the_first_meta_is_the_identity(tmp_path: Path) -> None:
    path = stored(tmp_path, line("session_meta", **CHILD), said("user", "hi"))
    transcript, _ = read(path)
    assert (transcript.session_id, transcript.cwd) == ("s-1", "/w")
    assert authors(transcript) == [Author.HUMAN]


def test_calls_and_results(tmp_path: Path) -> None:
    encoded = json.dumps({"output": "boom", "metadata": {"exit_code": 2}})
    path = stored(
        tmp_path,
        item("function_call", name="exec_command", arguments='{"cmd": "ls"}', call_id="c1"),
        item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c2"),
        item("local_shell_call", call_id="c3", action={"type": "exec", "command": ["ls"]}),
        item("function_call_output", call_id="c1", output=encoded),
        item(
            "custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "a"}]
        ),
        item("function_call_output", call_id="c3", output={"content": "x", "success": False}),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
        item("tool_search_call", call_id=None, execution="server", arguments={"query": "q"}),
    )
    transcript, content = read(path)
    rows = [(e.tool, e.call_id, e.failed, content.text(e)) for e in transcript.entries]
    assert rows == [
        ("exec_command", "c1", None, 'exec_command\n{"cmd": "ls"}'),
        ("apply_patch", "c2", None, "apply_patch\n*** Begin"),
        ("local_shell", "c3", None, 'local_shell\n{"type":"exec","command":["ls"]}'),
        ("exec_command", "c1", True, encoded),
        ("apply_patch", "c2", None, "a"),
        ("local_shell", "c3", True, "x"),
        ("web_search", None, None, 'web_search\n{"type":"search","query":"q"}'),
        ("tool_search", None, None, 'tool_search\n{"query":"q"}'),
    ]
    assert [content.arguments(e) for e in transcript.entries[:2]] == [
        {"cmd": "ls"},
        {"input": "*** Begin"},
    ]


def test_a_response_is_one_group_until_an_output(tmp_path: Path) -> None:
    path = stored(
        tmp_path,
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="g"),
        said("assistant", "look"),
        line("event_msg", type="agent_message", message="look"),
        item("function_call", name="f", arguments="{}", call_id="c1"),
        item("function_call_output", call_id="c1", output="x"),
        said("assistant", "done"),
    )
    transcript, content = read(path)
    keys = [entry.message for entry in transcript.entries]
    assert keys[0] == keys[1] == keys[2] != keys[4]
    assert keys[0]
    assert keys[4]
    assert keys[3] is None
    thought = transcript.entries[0]
    assert (thought.kind, thought.sealed, content.text(thought)) == (Kind.THINKING, True, "hm")


@pytest.mark.parametrize(
    ("output", "rejected"),
    [
        ('exec_command failed for `ls`: CreateProcess { message: "rejected by user" }', True),
        ("exec command rejected by user", True),
        ("aborted by user after 12.3s", True),
        ("user rejected MCP tool call", True),
        ("exec_command failed for `ls`: Sandbox(Denied)", False),
        ("the patch was rejected by user space", False),
        ("Output:\nrejected by user", False),
    ],
)
def test_a_refused_call(tmp_path: Path, output: str, rejected: bool) -> None:  # noqa: FBT001 -- a parameter of the table above
    path = stored(tmp_path, item("function_call_output", call_id="c", output=output))
    (entry,) = read(path)[0].entries
    assert (entry.rejected, entry.author, entry.authored) == (rejected, Author.TOOL, ())


def test_answers_to_a_question_are_the_humans() -> None:
    transcript, content = read(FIXTURES / "berth-fees.jsonl")
    (answer,) = (e for e in transcript.entries if e.author is Author.HUMAN and e.call_id)
    text = content.text(answer)
    assert [text[span.start : span.end] for span in answer.authored] == [
        "Only 8812",
        "user_note: and say in the text that VAT is not included",
    ]


def test_a_working_day() -> None:
    transcript, content = read(FIXTURES / "berth-fees.jsonl")
    human = [e for e in transcript.entries if e.author is Author.HUMAN and e.kind is Kind.TEXT]
    assert len(human) == 4
    assert [e.line for e in transcript.entries if e.rejected] == [94]
    assert [e.tool for e in transcript.entries if e.failed] == ["apply_patch"]
    assert (transcript.model, transcript.window) == ("gpt-5.4", 258400)
    assert not transcript.damage
    assert all(len(content.text(e)) == e.size for e in transcript.entries)


def test_events_are_not_seen_and_unknown_items_are_said() -> None:
    transcript, _ = read(FIXTURES / "glued.jsonl")
    kinds = {damage.kind for damage in transcript.damage}
    assert kinds == {DamageKind.GLUED, DamageKind.BROKEN, DamageKind.TRUNCATED}
    events = [r for r in transcript.records if r.type.startswith("event_msg")]
    assert events
    assert not any(record.entry_count for record in events)


def test_an_unknown_item_is_kept_and_reported(tmp_path: Path) -> None:
    transcript, _ = read(stored(tmp_path, item("hologram", data="x")))
    assert [d.kind for d in transcript.damage] == [DamageKind.UNEXPECTED_SHAPE]
    assert len(transcript.records) == 2


def test_encrypted_compaction() -> None:
    path = FIXTURES / "compaction-encrypted.jsonl"
    transcript, _ = read(path)
    (boundary,) = transcript.boundaries
    assert (boundary.kind, boundary.opaque, boundary.ours) == (BoundaryKind.FULL, True, False)
    assert boundary.tokens_after == 4310
    assert boundary.tokens_before == transcript.usage[1].context + transcript.usage[1].output
    kept, sealed, following = seen(path)[:3]
    assert kept.endswith("Never change the recorded flights in data/flights.")
    assert (sealed, following) == ("", "Next is the wind model.")


def test_local_compaction_has_a_readable_summary() -> None:
    transcript, _ = read(FIXTURES / "compaction-local.jsonl")
    (boundary,) = transcript.boundaries
    assert not boundary.opaque
    of_record = [e.author for e in transcript.entries if e.record == boundary.record]
    assert of_record == [Author.HUMAN, Author.SUMMARY]


def test_legacy_compaction_keeps_what_users_typed() -> None:
    assert seen(FIXTURES / "compaction-legacy.jsonl") == [
        "Plot the lift curve, in SVG only.",
        "Add the drag curve too.",
        "Lift and drag are plotted to SVG.",
        "Now label the axes.",
        "Labelled.",
    ]


def test_legacy_compaction_shortens_the_oldest(tmp_path: Path) -> None:
    lines = (said("user", "a" * 60_000), said("user", "b" * 40_000))
    shown = seen(stored(tmp_path, *lines, line("compacted", message="sum")))
    assert shown[0] == f"{'a' * 20_000}…5000 tokens truncated…{'a' * 20_000}"
    assert shown[1:] == ["b" * 40_000, "sum"]


def test_rolled_back_turn_is_not_seen() -> None:
    texts = seen(FIXTURES / "rolled-back.jsonl")
    assert texts == [
        "Use metres everywhere.",
        "Done.",
        "Use metres, and document it.",
        "Documented.",
    ]


def test_a_compaction_in_a_rolled_back_turn_does_not_survive(tmp_path: Path) -> None:
    path = stored(
        tmp_path,
        said("user", "one"),
        said("assistant", "1"),
        said("user", "two"),
        line("compacted", message="", replacement_history=[message("user", "two")]),
        said("assistant", "2"),
        line("event_msg", type="thread_rolled_back", num_turns=1),
        said("user", "three"),
    )
    assert seen(path) == ["one", "1", "three"]
    transcript, content = read(path)
    before = CODEX.view(transcript, content, 6)
    assert [content.text(s.entry) for s in before] == ["two", "2"]


BLOCK = StateBlock(
    policy="0" * 12,
    last_entry="L9.0",
    snapshot="a" * 12,
    round=1,
    session="s-1",
    pins=(),
    human=(),
    facts=(),
    lines=(),
)


def compacted(*items: dict[str, object], **more: object) -> str:
    return line("compacted", message="", replacement_history=list(items), **more)


def test_our_block_is_carried(tmp_path: Path) -> None:
    history = (message("developer", "ask"), message("user", "go"), message("user", render(BLOCK)))
    transcript, _ = read(stored(tmp_path, compacted(*history)))
    assert authors(transcript) == [Author.SYSTEM, Author.HUMAN, Author.CARRIED]
    assert transcript.boundaries[0].ours
    assert not transcript.boundaries[0].opaque


@pytest.mark.parametrize(
    "block",
    [
        render(BLOCK).replace("still bind", "no longer bind"),
        render(BLOCK)[:-5],
        render(BLOCK).replace("session=s-1", "session=s-9"),
    ],
)
def test_an_edited_block_carries_nothing(tmp_path: Path, block: str) -> None:
    transcript, _ = read(stored(tmp_path, compacted(message("user", block))))
    assert authors(transcript) == [Author.SUMMARY]
    assert [d.kind for d in transcript.damage] == [DamageKind.FORGED_STATE_BLOCK]
    assert not transcript.boundaries[0].ours


def test_a_whole_block_of_another_session_carries_nothing(tmp_path: Path) -> None:
    path = stored(tmp_path, compacted(message("user", render(BLOCK))), meta={"id": "s-7"})
    assert authors(read(path)[0]) == [Author.SUMMARY]


@pytest.mark.parametrize("more", [{"window_number": 1}, {"message": "sum"}])
def test_a_block_that_a_human_pasted_carries_nothing(
    tmp_path: Path, more: dict[str, object]
) -> None:
    pasted = message("user", render(BLOCK))
    record = json.loads(compacted(pasted))
    record["payload"] |= more
    transcript, _ = read(stored(tmp_path, json.dumps(record), said("user", render(BLOCK))))
    assert authors(transcript) == [Author.HUMAN, Author.HUMAN]
    assert not any(entry.authored for entry in transcript.entries)


def test_a_block_behind_answers_or_before_a_summary_is_not_ours(tmp_path: Path) -> None:
    block = message("user", render(BLOCK))
    sealed = {"type": "compaction", "encrypted_content": "g"}
    for history in ((message("assistant", "hi"), block), (block, sealed)):
        transcript, _ = read(stored(tmp_path, compacted(*history)))
        assert Author.CARRIED not in authors(transcript)


def test_a_repeated_count_is_no_further_request(tmp_path: Path) -> None:
    used = {
        "input_tokens": 500,
        "cached_input_tokens": 400,
        "output_tokens": 20,
        "total_tokens": 520,
    }
    info = {"total_token_usage": used, "last_token_usage": used, "model_context_window": 1000}
    count = line("event_msg", type="token_count", info=info)
    transcript, _ = read(stored(tmp_path, count, count, line("event_msg", type="token_count")))
    (usage,) = transcript.usage
    assert (usage.context, usage.output, usage.cached) == (500, 20, 400)
    assert transcript.window == 1000


def test_resume_hint_names_place_and_command() -> None:
    hint = CODEX.resume_hint(read(FIXTURES / "berth-fees.jsonl")[0], "out.jsonl")
    assert "out.jsonl" in hint
    assert "~/.codex/sessions/YYYY/MM/DD/" in hint
    assert "codex resume 019e1000-3b7e-7a11-8c52-0f6a5d2e9b01" in hint
