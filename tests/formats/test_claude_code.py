"""Claude Code: reading, and the view by the rules of its loader."""

from typing import Any

from building import source_of
from claude_sessions import FIXTURES, lines, loaded, record, texts, view_of

from compactctl.formats.claude_code import CLAUDE_CODE
from compactctl.formats.claude_code.wording import CLEARED
from compactctl.formats.loading import load
from compactctl.model.damage import DamageKind
from compactctl.model.entry import Author, Kind
from compactctl.model.transcript import BoundaryKind


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


def said(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def test_a_rewind_is_seen_through_rows_that_no_model_sees() -> None:
    one = lines(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("s", "b", "system", "", subtype="turn_duration"),
        record("c", "s", "user", "taken back"),
        record("d", "c", "assistant", said("lost answer")),
        record("e", "b", "user", "said instead"),
    )

    assert texts(one) == ["first", "answer", "said instead"]


def leaf(uuid: str, **more: Any) -> dict[str, Any]:
    return {"type": "last-prompt", "leafUuid": uuid, "sessionId": "s", **more}


def test_a_leaf_that_a_person_chose_ends_the_view() -> None:
    rows = [
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("c", "b", "user", "taken back"),
        record("d", "c", "assistant", said("lost answer")),
    ]

    assert texts(lines(*rows, leaf("b", explicit=True))) == ["first", "answer"]
    assert texts(lines(*rows, leaf("b")))[-1] == "lost answer"


def test_turns_behind_a_chosen_leaf_go_on_from_it() -> None:
    one = lines(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("c", "b", "user", "taken back"),
        leaf("b", explicit=True),
        record("d", "b", "user", "said instead"),
    )

    assert texts(one) == ["first", "answer", "said instead"]


def test_links_that_lead_before_the_boundary_leave_nothing_out() -> None:
    boundary = record("x", None, "system", "", subtype="compact_boundary", compactMetadata={})
    one = lines(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        boundary,
        record("y", "x", "user", "This session is being continued …", isCompactSummary=True),
        record("c", "b", "user", "second"),
        record("d", "c", "assistant", said("second answer")),
    )

    assert texts(one)[1:] == ["second", "second answer"]


def test_progress_rows_bridge_the_chain() -> None:
    one = lines(
        record("a", None, "user", "first"),
        {**record("p", "a", "progress", ""), "data": {"type": "hook_progress"}},
        record("b", "p", "assistant", said("answer")),
    )

    assert texts(one) == ["first", "answer"]
    assert one.transcript.damage == ()


def test_a_summary_without_a_boundary_replaces_what_was_before() -> None:
    opening = "This session is being continued from a previous conversation. It went well."
    one = lines(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("c", "b", "user", opening),
        record("d", "c", "assistant", said("On it.")),
    )

    assert texts(one) == [opening, "On it."]
    assert one.transcript.entries[2].author is Author.SUMMARY


def test_hook_rows_between_a_boundary_and_its_summary_stay() -> None:
    hook = {"type": "hook_additional_context", "content": ["Be brief."]}
    one = lines(
        record("a", None, "user", "first"),
        record("x", None, "system", "", subtype="compact_boundary", compactMetadata={}),
        {**record("h", "x", "attachment", ""), "attachment": hook},
        record("y", "h", "user", "Summary.", isCompactSummary=True),
    )

    assert texts(one) == ["Be brief.", "Summary."]


def test_snipped_records_are_gone() -> None:
    one = lines(
        record("a", None, "user", "first"),
        record("b", "a", "assistant", said("answer")),
        record("x", "b", "system", "", snipMetadata={"removedUuids": ["a", "b"]}),
        record("c", "x", "user", "second"),
    )

    assert texts(one) == ["second"]


def queue(operation: str, content: str | None = None) -> dict[str, Any]:
    row = {"type": "queue-operation", "operation": operation, "sessionId": "s"}
    return row if content is None else {**row, "content": content}


def test_a_queued_prompt_is_seen_once_it_is_handed_over() -> None:
    one = lines(
        record("a", None, "user", "first"),
        queue("enqueue", "and the gate"),
        record("b", "a", "assistant", said("answer")),
        queue("remove"),
    )
    seen_by = [len(CLAUDE_CODE.view(one.transcript, one.content, n)) for n in (1, 2, 3, 4)]

    assert seen_by == [1, 1, 2, 3]
    assert texts(one) == ["first", "and the gate", "answer"]


def test_a_queued_prompt_that_became_a_turn_or_was_taken_back_is_not_seen_twice() -> None:
    turn = lines(
        record("a", None, "user", "first"),
        queue("enqueue", "second"),
        queue("dequeue"),
        record("b", "a", "user", "second"),
    )
    back = lines(record("a", None, "user", "first"), queue("enqueue", "second"), queue("popAll"))

    assert texts(turn) == ["first", "second"]
    assert texts(back) == ["first"]


def test_errors_of_the_client_are_no_turns_and_have_no_usage() -> None:
    usage = {"usage": {"input_tokens": 9, "output_tokens": 1}}
    one = lines(
        record("a", None, "user", "first"),
        record(
            "b", "a", "assistant", said("API Error: 529"), isApiErrorMessage=True, message=usage
        ),
        record(
            "c", "b", "assistant", said("No response."), message={"model": "<synthetic>", **usage}
        ),
    )

    assert texts(one) == ["first"]
    assert one.transcript.usage == ()


def test_of_a_message_of_several_requests_the_last_says_what_the_window_held() -> None:
    requests = [
        {"type": "message", "input_tokens": 5, "cache_read_input_tokens": 100},
        {"type": "message", "input_tokens": 7, "cache_read_input_tokens": 300},
        {"type": "compaction", "input_tokens": 900},
    ]
    usage = {"input_tokens": 12, "cache_read_input_tokens": 400, "output_tokens": 3}
    one = lines(
        record(
            "a",
            None,
            "assistant",
            said("done"),
            message={"id": "m", "usage": {**usage, "iterations": requests}},
        )
    )

    assert [(u.context, u.output) for u in one.transcript.usage] == [(307, 3)]


def test_what_the_interface_alone_shows_is_no_text() -> None:
    block = {"type": "tool_result", "tool_use_id": "t", "content": [*said("one"), *said("two")]}
    one = lines(
        record("a", None, "user", [block], toolUseResult={"stdout": "one two and much more"})
    )

    assert texts(one) == ["one\ntwo"]
