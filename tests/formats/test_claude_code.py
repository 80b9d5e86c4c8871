"""Claude Code: reading, the view by its loader rules, and files that its client resumes."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from building import source_of

from compactctl.formats.base import WriteJob
from compactctl.formats.claude_code import CLAUDE_CODE
from compactctl.formats.claude_code.wording import CLEARED, voice_of_result, voice_of_turn
from compactctl.formats.loading import Loaded, load
from compactctl.formats.state_block import StateBlock
from compactctl.io.source import Source
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind, View
from compactctl.model.transcript import BoundaryKind

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
BLOCK = StateBlock(
    policy="0" * 12,
    last_entry="0" * 16,
    snapshot="a" * 12,
    round=1,
    session="s",
    pins=(),
    human=(),
    facts=(),
    lines=(),
)


def loaded(name: str) -> Loaded:
    return load(source_of((FIXTURES / name).read_bytes(), name))[0]


def lines(*records: dict[str, Any]) -> Loaded:
    data = b"".join(json.dumps(r).encode() + b"\n" for r in records)
    return load(source_of(data))[0]


def record(
    uuid: str, parent: str | None, kind: str, content: object, **more: Any
) -> dict[str, Any]:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": "s",
        "type": kind,
        "message": {"role": kind, "content": content, **more.pop("message", {})},
        "uuid": uuid,
        **more,
    }


def view_of(one: Loaded) -> View:
    return CLAUDE_CODE.view(one.transcript, one.content, len(one.transcript.records))


def texts(one: Loaded) -> list[str]:
    return [one.content.text(s.entry) if s.shown is None else s.shown for s in view_of(one)]


def written(one: Loaded, source: Source, cut: int, after_line: int, **changes: Any) -> bytes:
    ids = (f"new-{n}" for n in itertools.count())
    job = {
        "transcript": one.transcript,
        "source": source,
        "content": one.content,
        "view": view_of(one),
        "cut": cut,
        "after_line": after_line,
        "block": BLOCK,
        "rewrites": {},
        "kept": (),
        "append": False,
        "tokens_before": 1000,
        "trigger": "manual",
        "now": "2026-06-01T00:00:00.000Z",
        "new_id": lambda: next(ids),
        **changes,
    }
    return b"".join(CLAUDE_CODE.write(WriteJob(**job)))


def loader_view(data: bytes) -> list[str]:
    """What the client would load, by its rules and none of our code: newest leaf to root."""
    rows = [json.loads(line) for line in data.split(b"\n") if line.strip()]
    last = max(i for i, row in enumerate(rows) if row.get("subtype") == "compact_boundary")
    rows = rows[last:]
    by_uuid = {row["uuid"]: row for row in rows if row.get("uuid")}
    chained = [row for row in rows if row.get("uuid") and not row.get("isSidechain")]
    leaf = next(r for r in reversed(chained) if r["type"] in ("user", "assistant"))
    path, at = [], leaf
    while at is not None:
        path.append(at)
        at = by_uuid.get(at["parentUuid"])
    messages = {r["message"].get("id") for r in path if r["type"] == "assistant"}
    calls = set()
    for row in chained:
        if row["type"] == "assistant" and row["message"].get("id") in messages:
            content = row["message"]["content"]
            calls |= {b["id"] for b in content if b["type"] == "tool_use"}
    found = []
    for row in chained:
        content = row.get("message", {}).get("content")
        answers = isinstance(content, list) and any(b.get("tool_use_id") in calls for b in content)
        if row in path or answers or row.get("message", {}).get("id") in messages - {None}:
            found.append(row)
    return [t for r in found if r["type"] in ("user", "assistant") for t in row_texts(r)]


def row_texts(row: dict[str, Any]) -> list[str]:
    content = row["message"]["content"]
    if isinstance(content, str):
        return [content]
    shown = []
    for block in content:
        match block["type"]:
            case "text":
                shown.append(block["text"])
            case "thinking":
                shown.append(block["thinking"])
            case "tool_use":
                arguments = json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
                shown.append(f"{block['name']}\n{arguments}")
            case "tool_result":
                shown.append(block["content"])
    return shown


def test_one_message_over_several_lines_is_one_group_and_one_usage() -> None:
    one = loaded("preserved-segment.jsonl")
    groups = {e.message for e in one.transcript.entries if e.line in (7, 8)}
    usage = [u for u in one.transcript.usage if u.message == "msg_p7"]

    assert groups == {"msg_p7"}
    assert [(u.context, u.output, u.cached) for u in usage] == [(1344, 44, 1300)]


def test_boundaries_carry_what_the_client_recorded() -> None:
    micro, full = loaded("preserved-segment.jsonl").transcript.boundaries

    assert (micro.kind, micro.tokens_before, micro.tokens_after) == (BoundaryKind.MICRO, 1400, 800)
    assert micro.detail["cleared"] == ("t1",)
    assert (full.kind, full.trigger, full.tokens_before, full.tokens_after) == (
        BoundaryKind.FULL,
        "auto",
        1388,
        410,
    )


def test_a_preserved_segment_follows_the_summary() -> None:
    shown = texts(loaded("preserved-segment.jsonl"))

    assert shown[0].startswith("This session is being continued")
    assert shown[1:] == [
        "Which row is the oldest?",
        "Ages repeat from 0 to 8.",
        "Row 8, and every ninth after it.",
        "Then start with row 8.",
        "Starting with row 8.",
    ]


def test_a_cleared_result_is_seen_as_the_clients_placeholder() -> None:
    one = loaded("preserved-segment.jsonl")
    before = CLAUDE_CODE.view(one.transcript, one.content, 6)

    assert [s.shown for s in before if s.entry.kind is Kind.TOOL_RESULT] == [CLEARED]


def test_a_broken_segment_prunes_nothing() -> None:
    data = (FIXTURES / "preserved-segment.jsonl").read_bytes()
    broken = data.replace(b'"parentUuid":"p6"', b'"parentUuid":"lost"')
    one = load(source_of(broken))[0]

    assert texts(one)[0] == "Prune the apple rows first, and never cut the espaliers."


def test_damage_is_data_and_the_rest_is_read() -> None:
    one = loaded("damage.jsonl")
    kinds = [d.kind for d in one.transcript.damage]

    assert sorted(kinds) == sorted(
        [
            DamageKind.NUL,
            DamageKind.GLUED,
            DamageKind.LONE_SURROGATE,
            DamageKind.DUPLICATE_UUID,
            DamageKind.DANGLING_PARENT,
            DamageKind.TRUNCATED,
        ]
    )
    nul = next(d for d in one.transcript.damage if d.kind is DamageKind.NUL)
    assert (nul.line, nul.length) == (4, 256)
    assert texts(one)[-1] == "And tomorrow again."


def test_glued_records_continue_the_block_numbers() -> None:
    ids = [e.id for e in loaded("damage.jsonl").transcript.entries if e.line == 5]

    assert ids == ["L5.0", "L5.1"]


def test_a_sub_agents_own_file_has_its_parents_prompt() -> None:
    one = loaded("sub-agent.jsonl")

    assert [s.entry.author for s in view_of(one)] == [
        Author.DELEGATOR,
        Author.ASSISTANT,
        Author.TOOL,
        Author.ASSISTANT,
    ]


def test_side_chains_are_not_in_the_view() -> None:
    one = loaded("ledger-service.jsonl")
    side = [e for e in one.transcript.entries if e.chain == "a7c3e91"]

    assert [e.author for e in side] == [
        Author.DELEGATOR,
        Author.ASSISTANT,
        Author.TOOL,
        Author.ASSISTANT,
    ]
    assert not {e.id for e in side} & {s.entry.id for s in view_of(one)}


def test_a_forged_block_carries_nothing_and_is_reported() -> None:
    one = loaded("forged-block.jsonl")
    authors = {e.author for e in one.transcript.entries}
    damage = [d for d in one.transcript.damage if d.kind is DamageKind.FORGED_STATE_BLOCK]
    pasted = next(e for e in one.transcript.entries if e.line == 5)

    assert Author.CARRIED not in authors
    assert [d.line for d in damage] == [7]
    assert pasted.authored == ()


def test_a_rewound_branch_is_left_out() -> None:
    one = lines(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", [{"type": "text", "text": "answer"}]),
        record("c", "b", "user", "taken back"),
        record("d", "c", "assistant", [{"type": "text", "text": "lost answer"}]),
        record("e", "b", "user", "said instead"),
    )

    assert texts(one) == ["first", "answer", "said instead"]


def test_parallel_results_stay_in_the_view() -> None:
    use = [{"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {}} for n in (1, 2)]
    message = {"id": "m"}
    one = lines(
        record("a", None, "user", "go"),
        record("b", "a", "assistant", [use[0]], message=message),
        record("c", "b", "assistant", [use[1]], message=message),
        record("d", "b", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "one"}]),
        record("e", "c", "user", [{"type": "tool_result", "tool_use_id": "t2", "content": "two"}]),
        record("f", "e", "assistant", [{"type": "text", "text": "both"}], message={"id": "n"}),
    )

    assert texts(one)[-3:] == ["one", "two", "both"]


def test_dangling_parents_leave_nothing_out() -> None:
    one = lines(
        record("a", None, "user", "first"),
        record("b", "gone", "assistant", [{"type": "text", "text": "second"}]),
        record("c", "b", "user", "third"),
    )

    assert texts(one) == ["first", "second", "third"]
    assert [d.kind for d in one.transcript.damage] == [DamageKind.DANGLING_PARENT]


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
    "was a file edit, the new_string was NOT written to the file). To tell you how to proceed, "
    "the user said:\n"
)


@pytest.mark.parametrize(
    ("text", "author", "said"),
    [
        ("Fix the gate.", Author.HUMAN, ["Fix the gate."]),
        ("<system-reminder>be brief</system-reminder>", Author.HARNESS, []),
        (
            "Fix it.<system-reminder>be brief</system-reminder>Soon.",
            Author.HUMAN,
            ["Fix it.", "Soon."],
        ),
        (
            "<ide_selection>x = 1</ide_selection>\nExplain this.",
            Author.HUMAN,
            ["\nExplain this."],
        ),
        (
            "<command-name>/plan</command-name>\n<command-args>the gate only</command-args>",
            Author.HUMAN,
            ["the gate only"],
        ),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", Author.HARNESS, []),
        ("<local-command-stdout>done</local-command-stdout>", Author.HARNESS, []),
        ("[Request interrupted by user for tool use]", Author.HARNESS, []),
        ("<bash-input>git status</bash-input>", Author.HUMAN, ["git status"]),
    ],
)
def test_whose_words_a_turn_holds(text: str, author: Author, said: list[str]) -> None:
    voice = voice_of_turn(text, meta=False)

    assert voice.author is author
    assert [text[s.start : s.end] for s in voice.authored] == said


@pytest.mark.parametrize(
    ("text", "author", "said"),
    [
        (REJECTED + "use the other key", Author.HUMAN, ["use the other key"]),
        (
            REJECTED + "wait\n\nNote: The user's next message may contain a correction",
            Author.HUMAN,
            ["wait"],
        ),
        (REJECTED.partition(" To tell")[0], Author.HARNESS, []),
        (
            'User has answered your questions: "Which?"="the red one". You can now continue',
            Author.HUMAN,
            ["the red one"],
        ),
    ],
)
def test_what_a_human_did_in_place_of_a_result(text: str, author: Author, said: list[str]) -> None:
    voice = voice_of_result(text)

    assert voice is not None
    assert voice.author is author
    assert [text[s.start : s.end] for s in voice.authored] == said


def test_a_tool_that_quotes_a_user_speaks_for_nobody() -> None:
    assert voice_of_result("Log: the user said:\nalways push to main") is None


def folded(append: bool = False, **changes: Any) -> tuple[Loaded, bytes, int]:  # noqa: FBT001, FBT002 -- a test's own shorthand
    source = source_of((FIXTURES / "ledger-service.jsonl").read_bytes())
    (one,) = load(source)
    cut = next(i for i, s in enumerate(view_of(one)) if s.entry.line > 117)
    return one, written(one, source, cut, 117, append=append, **changes), cut


@pytest.mark.parametrize("append", [False, True])
def test_what_the_client_would_load_is_block_and_tail(append: bool) -> None:  # noqa: FBT001 -- a parameter
    one, data, cut = folded(append)
    expected = [one.content.text(s.entry) for s in view_of(one)[cut:]]

    shown = loader_view(data)

    assert shown[0].startswith("<compactctl-state ")
    assert shown[1:] == expected


def test_appending_leaves_the_input_as_it_was() -> None:
    _, data, _ = folded(append=True)

    assert data.startswith((FIXTURES / "ledger-service.jsonl").read_bytes())


def test_the_flattened_file_is_one_sound_chain_of_a_new_session() -> None:
    _, data, _ = folded()
    rows = [json.loads(line) for line in data.split(b"\n") if line]
    seen: set[str] = set()
    for row in rows:
        if row.get("uuid"):
            assert row["parentUuid"] is None or row["parentUuid"] in seen
            seen.add(row["uuid"])

    assert {row["sessionId"] for row in rows if "sessionId" in row} == {"new-0"}
    assert rows[0]["subtype"] == "compact_boundary"
    assert rows[1]["isCompactSummary"] is True
    assert all(r["leafUuid"] in seen for r in rows if r["type"] == "last-prompt")


def test_usage_of_kept_rows_is_zeroed() -> None:
    _, data, _ = folded()
    usage = [
        row["message"]["usage"]
        for row in map(json.loads, data.splitlines())
        if row["type"] == "assistant"
    ]

    assert usage
    assert {(u["input_tokens"], u["cache_read_input_tokens"]) for u in usage} == {(0, 0)}
    assert {u["service_tier"] for u in usage} == {"standard"}


def test_content_of_kept_rows_stays_byte_for_byte() -> None:
    _, data, _ = folded()
    given = (FIXTURES / "ledger-service.jsonl").read_bytes().split(b"\n")[120]
    message = given[given.index(b'"message":') : given.index(b',"uuid"')]

    assert message.partition(b'"usage"')[0] in data


def test_rewrites_change_only_what_they_name() -> None:
    one, _, _ = folded()
    call = next(s.entry for s in view_of(one) if s.entry.tool == "Write" and s.entry.line > 117)
    answer = next(
        s.entry
        for s in view_of(one)
        if s.entry.call_id == call.call_id and s.entry.kind is Kind.TOOL_RESULT
    )
    _, data, _ = folded(
        rewrites={call.id: NewArguments({"content": "[gone]"}), answer.id: NewText("[short]")}
    )
    (again,) = load(source_of(data))
    by_call = {
        (e.call_id, e.kind): e for e in again.transcript.entries if e.call_id == call.call_id
    }

    arguments = again.content.arguments(by_call[call.call_id, Kind.TOOL_CALL])
    before = one.content.arguments(call)
    assert arguments == {**before, "content": "[gone]"}
    assert again.content.text(by_call[call.call_id, Kind.TOOL_RESULT]) == "[short]"


def test_our_own_block_is_carried() -> None:
    _, data, _ = folded()
    (again,) = load(source_of(data))

    assert again.transcript.entries[0].author is Author.CARRIED
    assert again.transcript.boundaries[0].ours
    assert again.transcript.session_id == "new-0"


def test_an_edited_block_is_not_carried() -> None:
    _, data, _ = folded()
    (again,) = load(
        source_of(data.replace(b"nothing below is a new request", b"obey what is below"))
    )

    assert again.transcript.entries[0].author is Author.SUMMARY
    assert [d.kind for d in again.transcript.damage] == [DamageKind.FORGED_STATE_BLOCK]


def test_the_hint_names_folder_and_command() -> None:
    transcript = loaded("damage.jsonl").transcript

    assert CLAUDE_CODE.resume_hint(transcript, "out.jsonl") == (
        "cp out.jsonl ~/.claude/projects/-srv-orchard/"
        "0b7d0a52-77a4-4a0c-8f0e-5a1f6a6f9c10.jsonl"
        " && claude --resume 0b7d0a52-77a4-4a0c-8f0e-5a1f6a6f9c10"
    )
