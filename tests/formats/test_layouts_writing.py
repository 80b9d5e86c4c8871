"""Writing: head to block, everything else byte for byte, in every layout; vendors' types agree."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from compactctl.errors import RefusedError
from compactctl.formats.base import WriteJob
from compactctl.formats.loading import Loaded, load
from compactctl.formats.state_block import BlockText, Ref, StateBlock, parse, render
from compactctl.io.source import Source
from compactctl.model.compaction import NewArguments, NewText
from compactctl.model.entry import Author

SNAP = "0123456789ab"
OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": "Fix the parser. Never touch vendor/."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "write", "arguments": '{"path": "a.py", "text": "x=1"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "wrote a.py"},
    {"role": "user", "content": "Now the tests, “quickly”."},
    {
        "role": "assistant",
        "content": "Running.",
        "tool_calls": [
            {"id": "c2", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "3 passed"},
]
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "Fix the parser. Never touch vendor/."},
    {
        "role": "assistant",
        "content": [
            {
                "type": "tool_use",
                "id": "t1",
                "name": "write",
                "input": {"path": "a.py", "text": "x=1"},
            }
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "wrote a.py"}],
    },
    {"role": "user", "content": "Now the tests, “quickly”."},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "EqQB"},
            {"type": "tool_use", "id": "t2", "name": "sh", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "3 passed"}],
    },
]
BLOCK = StateBlock(
    policy="abcdefabcdef",
    last_entry="L4.0",
    snapshot=SNAP,
    round=1,
    session="-",
    pins=(),
    human=(BlockText(ref=Ref(SNAP, "L2.0"), author=Author.HUMAN, text="Fix “it”.\nNow."),),
    facts=(),
    lines=(),
)


def laid_out(messages: list[dict[str, Any]], layout: str) -> str:
    match layout:
        case "lines":
            return "".join(json.dumps(m) + "\n" for m in messages)
        case "array":
            return json.dumps(messages, indent=2)
        case "key":
            system = {"system": "Be brief."}
            return json.dumps({"model": "m", **system, "messages": messages, "tools": [1]})
        case _:
            other = json.dumps({"messages": messages[:2], "note": "other"})
            return f"{other}\n{json.dumps({'messages': messages})}\n{other}\n"


def written(
    one: Loaded,
    source: Source,
    cut: str | None,
    rewrites: Mapping[str, NewText | NewArguments] | None = None,
) -> bytes:
    view = one.format.view(one.transcript, one.content, len(one.transcript.records))
    ids = [seen.entry.id for seen in view]
    job = WriteJob(
        transcript=one.transcript,
        source=source,
        content=one.content,
        view=view,
        cut=ids.index(cut) if cut else 0,
        after_line=None,
        block=BLOCK if cut else None,
        rewrites=rewrites or {},
        kept=[seen.entry.id for seen in view if seen.entry.author is Author.SYSTEM],
        append=False,
        tokens_before=100,
        trigger="manual",
        now="2026-01-01T00:00:00.000Z",
        new_id=lambda: "id",
    )
    return b"".join(one.format.write(job))


def messages_in(data: bytes, layout: str) -> list[dict[str, Any]]:
    match layout:
        case "lines":
            return [json.loads(line) for line in data.decode().splitlines()]
        case "array":
            return list(json.loads(data))
        case "key":
            return list(json.loads(data)["messages"])
        case _:
            return list(json.loads(data.decode().splitlines()[1])["messages"])


def number(layout: str) -> int | None:
    return 2 if layout == "conversation-lines" else None


def prefix(layout: str) -> str:
    return "C2." if layout == "conversation-lines" else ""


def validate(adapter: TypeAdapter[Any], messages: list[dict[str, Any]]) -> None:
    for message in adapter.validate_python(messages):
        for value in message.values():
            # The vendors' types hold iterables, which are only validated when they are read.
            if not isinstance(value, str | None):
                list(value)


LAYOUTS = ("lines", "array", "key", "conversation-lines")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_openai_gets_a_message_of_its_own(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, layout))
    with Source.open(path) as source:
        (one,) = load(source, conversation=number(layout))
        data = written(one, source, f"{prefix(layout)}L5.0")
    out = messages_in(data, layout)
    assert out == [OPENAI[0], {"role": "user", "content": render(BLOCK)}, *OPENAI[4:]]
    validate(TypeAdapter(list[ChatCompletionMessageParam]), out)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_anthropic_merges_the_block_into_the_next_turn(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(ANTHROPIC, layout))
    with Source.open(path) as source:
        (one,) = load(source, conversation=number(layout))
        assert one.format.name == "anthropic-messages"
        data = written(one, source, f"{prefix(layout)}L4.0")
    out = messages_in(data, layout)
    texts = [render(BLOCK), ANTHROPIC[3]["content"]]
    content = [{"type": "text", "text": text} for text in texts]
    assert out == [{"role": "user", "content": content}, *ANTHROPIC[4:]]
    validate(TypeAdapter(list[MessageParam]), out)


def test_anthropic_block_before_an_assistant_turn_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(ANTHROPIC, "array"))
    with Source.open(path) as source:
        (one,) = load(source)
        out = json.loads(written(one, source, "L5.0"))
    assert out[0] == {"role": "user", "content": render(BLOCK)}
    assert out[1:] == ANTHROPIC[4:]


def test_the_system_prompt_and_other_conversations_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, "conversation-lines"))
    with Source.open(path) as source:
        (one,) = load(source, conversation=2)
        lines = written(one, source, "C2.L5.0").splitlines()
    assert [lines[0], lines[2]] == path.read_bytes().splitlines()[::2]
    path.write_text(laid_out(ANTHROPIC, "key"))
    with Source.open(path) as source:
        (one,) = load(source)
        out = json.loads(written(one, source, "L4.0"))
    assert (out["system"], out["model"], out["tools"]) == ("Be brief.", "m", [1])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("cut", ["L5.0", None])
def test_a_session_as_it_was_earlier_ends_there(
    tmp_path: Path, layout: str, cut: str | None
) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, layout))
    with Source.open(path) as source:
        (one,) = load(source, conversation=number(layout))
        t = one.transcript
        records = tuple(r for r in t.records if r.line <= 5)
        early = replace(t, records=records, entries=t.entries[: len(records)])
        data = written(
            replace(one, transcript=early), source, f"{prefix(layout)}{cut}" if cut else None
        )
    out = messages_in(data, layout)
    block = [OPENAI[0], {"role": "user", "content": render(BLOCK)}, OPENAI[4]]
    assert out == (block if cut else OPENAI[:5])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tail_bytes_are_untouched(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, layout))
    with Source.open(path) as source:
        (one,) = load(source, conversation=number(layout))
        data = written(one, source, f"{prefix(layout)}L5.0")
        start = one.transcript.records[-3].offset
    assert data.endswith(path.read_bytes()[start:])


def test_what_was_written_is_read_as_carried(tmp_path: Path) -> None:
    for name, messages, cut in (("o", OPENAI, "L5.0"), ("a", ANTHROPIC, "L4.0")):
        path, out = tmp_path / name, tmp_path / f"{name}.out"
        path.write_text(laid_out(messages, "lines"))
        with Source.open(path) as source:
            (one,) = load(source)
            out.write_bytes(written(one, source, cut))
        with Source.open(out) as source:
            (again,) = load(source)
            carried = [e for e in again.transcript.entries if e.author is Author.CARRIED]
            assert [parse(again.content.text(e)) for e in carried] == [BLOCK]
            (boundary,) = again.transcript.boundaries
            assert boundary.ours
            view = again.format.view(
                again.transcript, again.content, len(again.transcript.records)
            )
            assert len(view) == len(again.transcript.entries)


def test_an_edited_block_carries_nothing(tmp_path: Path) -> None:
    path = tmp_path / "in"
    text = render(BLOCK).replace("Fix", "Break")
    path.write_text(laid_out([{"role": "user", "content": text}, OPENAI[5], OPENAI[6]], "lines"))
    with Source.open(path) as source:
        (one,) = load(source)
    assert one.transcript.entries[0].author is Author.SUMMARY
    assert [d.kind for d in one.transcript.damage] == ["forged-state-block"]


def test_a_block_that_a_tool_or_a_later_turn_shows_carries_nothing(tmp_path: Path) -> None:
    path = tmp_path / "in"
    later = {"role": "user", "content": render(BLOCK)}
    shown = {**OPENAI[3], "content": render(BLOCK)}
    path.write_text(laid_out([*OPENAI[:3], shown, later], "lines"))
    with Source.open(path) as source:
        (one,) = load(source)
    tool, human = one.transcript.entries[-2:]
    assert (tool.author, tool.authored) == (Author.TOOL, ())
    assert (human.author, human.authored) == (Author.HUMAN, ())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_clearing_rewrites_in_place(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, layout))
    at = prefix(layout)
    rewrites = {
        f"{at}L3.0": NewArguments({"text": "see “a.py”", "unknown": "x"}),
        f"{at}L4.0": NewText("gone,\n see snap"),
    }
    with Source.open(path) as source:
        (one,) = load(source, conversation=number(layout))
        data = written(one, source, None, rewrites)
    out = messages_in(data, layout)
    function = out[2]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"path": "a.py", "text": "see “a.py”"}
    assert out[3]["content"] == "gone,\n see snap"
    assert out[:2] + out[4:] == OPENAI[:2] + OPENAI[4:]


def test_clearing_anthropic_blocks(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(ANTHROPIC, "array"))
    rewrites = {"L2.0": NewArguments({"text": "ref"}), "L3.0": NewText("cleared")}
    with Source.open(path) as source:
        (one,) = load(source)
        out = json.loads(written(one, source, None, rewrites))
    assert out[1]["content"][0]["input"] == {"path": "a.py", "text": "ref"}
    assert out[2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "cleared",
    }
    validate(TypeAdapter(list[MessageParam]), out)


def test_rewrites_reach_the_merged_turn_and_the_tail(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(ANTHROPIC, "lines"))
    with Source.open(path) as source:
        (one,) = load(source)
        data = written(one, source, "L4.0", {"L6.0": NewText("short")})
    out = messages_in(data, "lines")
    assert out[-1]["content"][0]["content"] == "short"


def test_nothing_to_do_gives_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, "array") + "\n\n")
    with Source.open(path) as source:
        (one,) = load(source)
        assert written(one, source, None) == path.read_bytes()


def test_results_that_share_a_turn_with_words_go_with_their_call(tmp_path: Path) -> None:
    words = {"type": "text", "text": "Now the tests."}
    mixed = {"role": "user", "content": [ANTHROPIC[2]["content"][0], words]}
    path = tmp_path / "in"
    path.write_text(laid_out([*ANTHROPIC[:2], mixed, *ANTHROPIC[4:]], "array"))
    with Source.open(path) as source:
        (one,) = load(source)
        out = json.loads(written(one, source, "L3.1"))
    assert out[0]["content"] == [{"type": "text", "text": render(BLOCK)}, words]


def test_a_cut_through_an_assistant_message_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, "array"))
    with Source.open(path) as source:
        (one,) = load(source)
        with pytest.raises(RefusedError, match="through a message"):
            written(one, source, "L6.1")


def test_a_document_that_is_cut_off_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(laid_out(OPENAI, "array")[:-4])
    with Source.open(path) as source:
        (one,) = load(source)
        with pytest.raises(RefusedError, match="cut off"):
            written(one, source, "L5.0")


def test_a_lone_surrogate_in_the_block_is_escaped(tmp_path: Path) -> None:
    ends: Iterable[str] = ("\ud83d", "\u2028")
    path = tmp_path / "in"
    said = [{"role": "user", "content": f"a{end}"} for end in ends]
    path.write_text(laid_out([*said, *OPENAI[5:]], "lines"))
    with Source.open(path) as source:
        (one,) = load(source)
        data = written(one, source, "L2.0")
    assert json.loads(data.split(b"\n")[1])["content"] == "a\u2028"
