"""Where messages stand: lines, conversations a line, arrays, objects; exact bytes in each."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactctl.errors import UsageError
from compactctl.formats.loading import Loaded, load
from compactctl.formats.message_layouts import list_path
from compactctl.formats.message_reading import break_offset
from compactctl.io.source import Source
from compactctl.model.damage import DamageKind
from compactctl.model.entry import LineUnit

ASK = {"role": "user", "content": "Rename the flag."}
SAY = {"role": "assistant", "content": "Done — renamed."}


class Read(Protocol):
    def __call__(
        self, data: bytes | str, conversation: int | None = None
    ) -> tuple[Loaded, ...]: ...


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Read]:
    stack = ExitStack()

    def inner(data: bytes | str, conversation: int | None = None) -> tuple[Loaded, ...]:
        path = tmp_path / "session"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return load(stack.enter_context(Source.open(path)), conversation=conversation)

    with stack:
        yield inner


def ids(one: Loaded) -> list[str]:
    return [entry.id for entry in one.transcript.entries]


def raws(one: Loaded) -> list[object]:
    return [json.loads(one.content.raw(record)) for record in one.transcript.records]


def test_one_message_a_line(read: Read) -> None:
    (one,) = read(f"{json.dumps(ASK)}\n{json.dumps(SAY)}\n")
    assert (one.transcript.layout, one.transcript.line_unit) == ("lines", LineUnit.LINE)
    assert ids(one) == ["L1.0", "L2.0"]


@pytest.mark.parametrize(
    ("value", "layout"),
    [
        ([ASK, SAY], "array"),
        ({"messages": [ASK, SAY]}, "key:messages"),
        ({"traj": [ASK, SAY], "reward": 1.0}, "key:traj"),
        ({"trajectory": [{"action": "x"}], "history": [ASK, SAY]}, "key:history"),
        ({"request": {"messages": [ASK, SAY]}, "response": {}}, "key:request.messages"),
        ({"custom_id": "1", "body": {"messages": [ASK, SAY]}}, "key:body.messages"),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_document(read: Read, value: object, layout: str, indent: int | None) -> None:
    (one,) = read(json.dumps(value, indent=indent))
    assert (one.transcript.layout, one.transcript.line_unit) == (layout, LineUnit.MESSAGE)
    assert one.transcript.conversation is None
    assert ids(one) == ["L1.0", "L2.0"]
    assert raws(one) == [ASK, SAY]


@pytest.mark.parametrize("value", [[ASK, SAY], {"messages": [ASK, SAY], "tools": []}])
def test_one_conversation_a_line(read: Read, value: object) -> None:
    found = read(f"{json.dumps(value)}\n{json.dumps(value)}\n")
    assert [one.transcript.conversation for one in found] == [1, 2]
    assert {one.transcript.layout for one in found} == {"conversation-lines"}
    assert ids(found[1]) == ["C2.L1.0", "C2.L2.0"]
    assert raws(found[1]) == [ASK, SAY]


def test_a_document_of_several_conversations(read: Read) -> None:
    found = read(json.dumps([{"traj": [ASK, SAY]}, {"traj": [ASK]}], indent=1))
    assert [ids(one) for one in found] == [["C1.L1.0", "C1.L2.0"], ["C2.L1.0"]]


def test_one_conversation_can_be_picked(read: Read) -> None:
    line = json.dumps({"messages": [ASK, SAY]}) + "\n"
    (one,) = read(line * 3, conversation=2)
    assert ids(one) == ["C2.L1.0", "C2.L2.0"]
    with pytest.raises(UsageError, match="holds 3 conversations"):
        read(line * 3, conversation=4)
    with pytest.raises(UsageError, match="holds one conversation"):
        read(line, conversation=2)


def test_the_last_of_a_repeated_key_counts(read: Read) -> None:
    data = (
        f'{{"messages": [{json.dumps(SAY)}, {json.dumps(SAY)}], "messages": [{json.dumps(ASK)}]}}'
    )
    (one,) = read(data)
    assert raws(one) == [ASK]


def test_a_document_that_breaks_off_gives_its_whole_messages(read: Read) -> None:
    whole = json.dumps({"messages": [ASK, SAY, ASK]}, indent=2)
    data = whole[: whole.rindex("Rename") + 3]
    (one,) = read(data)
    assert raws(one) == [ASK, SAY]
    (damage,) = one.transcript.damage
    assert damage.kind is DamageKind.TRUNCATED
    assert damage.byte_offset == data.rindex('"Ren')
    assert damage.line == data.count("\n") + 1


def test_a_single_line_that_breaks_off_is_recovered_too(read: Read) -> None:
    (one,) = read(json.dumps([ASK, SAY])[:-3])
    assert raws(one) == [ASK]
    assert [d.kind for d in one.transcript.damage] == [DamageKind.TRUNCATED]


def test_a_broken_first_line_does_not_make_a_document(read: Read) -> None:
    (one,) = read(f'{{"role": "user",\n{json.dumps(ASK)}\n{json.dumps(SAY)}\n')
    assert one.transcript.layout == "lines"
    assert ids(one) == ["L2.0", "L3.0"]
    assert [d.kind for d in one.transcript.damage] == [DamageKind.BROKEN]


def test_a_line_without_conversation_is_named(read: Read) -> None:
    line = json.dumps({"messages": [ASK]}) + "\n"
    found = read(line + '{"note": "end of batch"}\n' + line)
    assert len(found) == 2
    for one in found:
        assert [(d.line, d.kind) for d in one.transcript.damage] == [(2, DamageKind.NOT_A_RECORD)]


def test_a_lone_surrogate_in_a_document_is_damage_and_is_read(read: Read) -> None:
    (one,) = read('[\n {"role": "user", "content": "a\\ud83d"}\n]\n')
    assert one.content.text(one.transcript.entries[0]) == "a\ud83d"
    assert [d.kind for d in one.transcript.damage] == [DamageKind.LONE_SURROGATE]


def test_a_byte_order_mark_shifts_no_bytes(read: Read) -> None:
    (one,) = read(b"\xef\xbb\xbf" + json.dumps([ASK, SAY], indent=1).encode())
    assert raws(one) == [ASK, SAY]
    assert [d.kind for d in one.transcript.damage] == [DamageKind.BOM]


def test_metadata_lines_between_messages_are_kept_as_records(read: Read) -> None:
    (one,) = read(f'{json.dumps(ASK)}\n{{"type": "note", "text": "x"}}\n{json.dumps(SAY)}\n')
    assert [r.type for r in one.transcript.records] == ["user", "note", "assistant"]
    assert ids(one) == ["L1.0", "L3.0"]


def test_other_lists_are_no_conversations() -> None:
    assert list_path({"messages": [{"id": "1", "type": "gemini", "content": "x"}]}) is None
    assert list_path({"messages": []}) is None
    assert list_path([1, 2]) is None


_TEXT = st.text(max_size=20)
_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system"]), "content": _TEXT},
    optional={"name": _TEXT, 'odd "key': st.lists(st.integers(), max_size=2)},
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(_MESSAGE, min_size=1, max_size=5),
    st.sampled_from(["array", "messages", "lines"]),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_records_are_the_stored_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    messages: list[dict[str, object]],
    layout: str,
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001 -- given by hypothesis
) -> None:
    def dump(value: object) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    match layout:
        case "array":
            data = dump(messages)
        case "messages":
            data = dump({"a": [{"role": "user"}], "messages": messages, "z": "]}"})
        case _:
            data = "".join(json.dumps(m) + "\n" for m in messages)
    path = tmp_path_factory.mktemp("layouts") / "x"
    path.write_text(data, encoding="utf-8")
    with Source.open(path) as source:
        (one,) = load(source)
        assert raws(one) == messages


def test_break_offset_is_where_json_stops() -> None:
    assert break_offset(b'[{"a": 1}, ') == 11
    assert break_offset('["é", "x'.encode()) == 7
    assert break_offset(b"[1]") == 3
