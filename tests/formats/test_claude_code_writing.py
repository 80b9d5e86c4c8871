"""Claude Code: files that its client resumes."""

import json
from dataclasses import replace
from typing import Any

import pytest
from building import source_of
from claude_sessions import BLOCK, FIXTURES, loaded, loader_view, record, texts, view_of, written
from hypothesis import given
from hypothesis import strategies as st

from compactctl.compact.groups import allowed_cuts, group_view
from compactctl.errors import RefusedError
from compactctl.formats.claude_code import CLAUDE_CODE
from compactctl.formats.claude_code.wording import CLEARED
from compactctl.formats.loading import Loaded, load
from compactctl.formats.state_block import BlockText, Ref, parse
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind


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


def read(*rows: dict[str, Any]) -> tuple[Loaded, Any]:
    source = source_of(b"".join(json.dumps(r).encode() + b"\n" for r in rows))
    return load(source)[0], source


def rows_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def said(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize(
    "name", ["ledger-service.jsonl", "voices.jsonl", "preserved-segment.jsonl", "sub-agent.jsonl"]
)
def test_every_cut_gives_block_and_tail(name: str, append: bool) -> None:  # noqa: FBT001 -- a parameter
    source = source_of((FIXTURES / name).read_bytes())
    (one,) = load(source)
    view, before = view_of(one), texts(one)
    cuts = [
        at
        for at, ok in enumerate(allowed_cuts(view, group_view(view)))
        if ok and 0 < at < len(view) and view[at - 1].entry.line < view[at].entry.line
    ]

    for cut in cuts[:: max(1, len(cuts) // 12)]:
        after_line = max(s.entry.line for s in view[:cut])
        data = written(one, source, cut, after_line, append=append)
        (again,) = load(source_of(data))
        assert texts(again)[1:] == before[cut:]
        assert view_of(again)[0].entry.author is Author.CARRIED


def test_a_cut_through_a_record_is_refused() -> None:
    one, source = read(
        record("a", None, "user", [*said("one"), *said("two")]),
        record("b", "a", "assistant", said("answer")),
    )

    with pytest.raises(RefusedError, match="through a record"):
        written(one, source, 1, 1)


def test_the_place_of_the_conversation_is_not_before_the_tail() -> None:
    mode = {"type": "mode", "mode": "plan", "sessionId": "s"}
    one, source = read(
        {"type": "mode", "mode": "normal", "sessionId": "s"},
        record("a", None, "user", "first"),
        {"type": "last-prompt", "lastPrompt": "first", "leafUuid": "a", "sessionId": "s"},
        mode,
        record("b", "a", "assistant", said("answer")),
        record("c", "b", "user", "second"),
        record("d", "c", "assistant", said("second answer")),
    )
    rows = rows_of(written(one, source, 2, 5))

    assert [r["type"] for r in rows] == [
        "system",
        "user",
        "mode",
        "user",
        "assistant",
        "last-prompt",
    ]
    assert rows[2] == {**mode, "sessionId": "new-0"}
    assert rows[-1]["leafUuid"] == "d"


def test_side_chains_keep_their_own_roots() -> None:
    side = {"isSidechain": True, "agentId": "f00d"}
    one, source = read(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("s", None, "user", "look into it", **side),
        record("t", "s", "assistant", said("found"), **side),
        record("c", "b", "user", "second"),
    )
    parents = {r["uuid"]: r["parentUuid"] for r in rows_of(written(one, source, 2, 2))}

    assert (parents["s"], parents["t"], parents["c"]) == (None, "s", "new-2")


def test_rewound_branches_stay_behind() -> None:
    one, source = read(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("c", "b", "user", "taken back"),
        record("d", "c", "assistant", said("lost answer")),
        record("e", "b", "user", "said instead"),
    )
    data = written(one, source, 2, 2)

    assert b"taken back" not in data
    assert loader_view(data)[1:] == ["said instead"]


def test_a_result_that_was_cleared_before_the_cut_stays_cleared() -> None:
    one = loaded("preserved-segment.jsonl")
    source = source_of((FIXTURES / "preserved-segment.jsonl").read_bytes())
    prefix = CLAUDE_CODE.view(one.transcript, one.content, 6)
    data = written(one, source, 1, 1, view=prefix)
    (again,) = load(source_of(data))

    assert CLEARED in texts(again)


def test_appended_rows_name_each_other() -> None:
    use = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    one, source = read(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer"), message={"id": "m1"}),
        record("c", "b", "user", "second"),
        record("d", "c", "assistant", [use], message={"id": "m2"}),
        record(
            "e",
            "d",
            "user",
            [{"type": "tool_result", "tool_use_id": "t", "content": "x"}],
            sourceToolAssistantUUID="d",
        ),
    )
    rows = rows_of(written(one, source, 2, 2, append=True))[-3:]

    assert [r["uuid"] for r in rows] == ["new-3", "new-4", "new-5"]
    assert [r["parentUuid"] for r in rows] == ["new-2", "new-3", "new-4"]
    assert rows[-1]["sourceToolAssistantUUID"] == "new-4"
    assert rows[1]["message"]["id"] == "m2"


def test_recorded_sizes_survive_the_copies_of_an_appended_compaction() -> None:
    one, data, _ = folded(append=True)
    (again,) = load(source_of(data))

    assert [u.context for u in again.transcript.usage] == [u.context for u in one.transcript.usage]


def test_a_line_without_an_end_is_ended_before_more_is_appended() -> None:
    given = (FIXTURES / "ledger-service.jsonl").read_bytes().rstrip(b"\n")
    source = source_of(given)
    (one,) = load(source)
    cut = next(i for i, s in enumerate(view_of(one)) if s.entry.line > 117)
    data = written(one, source, cut, 117, append=True)

    assert data.startswith(given + b'\n{"parentUuid":null')


def test_clearing_alone_leaves_every_record_in_its_place() -> None:
    source = source_of((FIXTURES / "ledger-service.jsonl").read_bytes())
    (one,) = load(source)
    result = next(s.entry for s in view_of(one) if s.entry.kind is Kind.TOOL_RESULT)
    rewrites = {result.id: NewText("[cleared]")}
    rows = rows_of(written(one, source, 0, 0, block=None, rewrites=rewrites))
    given = rows_of((FIXTURES / "ledger-service.jsonl").read_bytes())

    assert [r.get("uuid") for r in rows] == [r.get("uuid") for r in given]
    assert rows[result.line - 1]["message"]["content"][0]["content"] == "[cleared]"
    assert {r["sessionId"] for r in rows if "sessionId" in r} == {"new-0"}


def test_a_list_of_parts_is_rewritten_as_one_text() -> None:
    use = {"type": "tool_use", "id": "t", "name": "Read", "input": {"a": 1}}
    block = {"type": "tool_result", "tool_use_id": "t", "content": said("long"), "is_error": False}
    one, source = read(record("a", None, "assistant", [use]), record("b", "a", "user", [block]))
    data = written(one, source, 0, 0, block=None, rewrites={"L2.0": NewText("short")})

    assert rows_of(data)[1]["message"]["content"] == [{**block, "content": "short"}]


def test_a_session_id_cannot_become_a_command() -> None:
    one, _ = read({**record("a", None, "user", "first"), "sessionId": "x; rm -rf y"})

    hint = CLAUDE_CODE.resume_hint(one.transcript, "my out.jsonl")

    assert hint == (
        "cp 'my out.jsonl' ~/.claude/projects/PROJECT/'x; rm -rf y'.jsonl"
        " && claude --resume 'x; rm -rf y'"
    )


@given(st.text(), st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_any_text_comes_back_in_block_and_tail(human: str, tail: list[str]) -> None:
    one, source = read(
        record("a", None, "user", human or "x"),
        record("b", "a", "assistant", said("answer")),
        *(
            record(f"t{n}", f"t{n - 1}" if n else "b", "assistant", said(t))
            for n, t in enumerate(tail)
        ),
    )
    view = view_of(one)
    if len(view) < 2 or view[0].entry.author is not Author.HUMAN:
        return
    block = replace(
        BLOCK,
        human=(BlockText(ref=Ref("a" * 12, "L1.0"), author=Author.HUMAN, text=human or "x"),),
    )
    (again,) = load(source_of(written(one, source, 2, 2, block=block)))

    assert parse(texts(again)[0]) == block
    assert texts(again)[1:] == tail
