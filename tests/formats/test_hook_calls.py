"""What a call says, and how each harness is refused."""

import json

import pytest

from compactctl.errors import InputError
from compactctl.formats.hook_calls import may_refuse, parse_call, refusal
from compactctl.model.harness import Harness, HookCall, Refusal


def test_a_call_of_claude_code() -> None:
    data = (
        b'{"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/w", "hook_event_name": '
        b'"PreCompact", "trigger": "manual", "custom_instructions": "keep it short"}'
    )

    assert parse_call(data) == HookCall(
        harness=Harness.CLAUDE_CODE,
        event="PreCompact",
        trigger="manual",
        session="s",
        transcript="/t.jsonl",
        cwd="/w",
    )


def test_a_call_of_codex() -> None:
    data = (
        b'{"session_id": "s", "turn_id": "t", "agent_id": "a", "agent_type": "worker", "model": '
        b'"m", "transcript_path": null, "cwd": "/w", "hook_event_name": "PostCompact", '
        b'"trigger": "auto"}'
    )

    assert parse_call(data) == HookCall(
        harness=Harness.CODEX,
        event="PostCompact",
        trigger="auto",
        session="s",
        turn="t",
        agent="a",
        cwd="/w",
    )


@pytest.mark.parametrize("data", [b"{}", b'\xef\xbb\xbf{"cwd": ""}\r\n', b'{"cwd": ["x"]}'])
def test_a_call_that_says_nothing(data: bytes) -> None:
    assert parse_call(data) == HookCall()


def test_odd_text_is_taken_as_it_is() -> None:
    data = b'{"compact_summary": "\\ud83d cut", "transcript_path": "/t\xff", "n": 1e999}'

    assert parse_call(data) == HookCall(summary="\ud83d cut", transcript="/t\udcff")


@pytest.mark.parametrize("data", [b"", b"\n", b"{", b"null", b"3", b'"PreCompact"'])
def test_what_is_no_call(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^standard input: "):
        parse_call(data)


def test_refusals_are_in_the_way_of_each() -> None:
    said = "compactctl kept no snapshot: disk full"

    for harness in (Harness.CLAUDE_CODE, None):
        assert refusal(harness, "disk full") == Refusal(2, out="", err=said)
    codex = refusal(Harness.CODEX, "disk full")
    assert (codex.code, codex.err) == (0, "")
    assert json.loads(codex.out) == {"continue": False, "stopReason": said}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (None, True),
        (HookCall(), True),
        (HookCall(event="PreCompact"), True),
        (HookCall(event="PostCompact"), False),
        (HookCall(event="PreToolUse"), False),
    ],
)
def test_what_can_be_refused(call: HookCall | None, expected: bool) -> None:  # noqa: FBT001 -- a table
    assert may_refuse(call) is expected
