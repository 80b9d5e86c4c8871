"""Our own documents as bytes, and the repair of lone surrogates."""

import json
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st

from compactctl.io.dumps import dump_json
from compactctl.io.jsonl import loads
from compactctl.io.repair import repair_surrogates


class Word(StrEnum):
    ONE = "one"


def test_indented_with_a_final_line_feed() -> None:
    assert dump_json({"b": 1, "a": [True, None]}) == (
        b'{\n  "b": 1,\n  "a": [\n    true,\n    null\n  ]\n}\n'
    )


def test_words_and_tuples_are_plain_json() -> None:
    assert json.loads(dump_json({"w": Word.ONE, "t": (1, 2)})) == {"w": "one", "t": [1, 2]}


def test_lone_surrogates_become_replacement_characters() -> None:
    found = json.loads(
        dump_json({"a\ud83d": ["x\udc00y", "\U0001f642", ("\ud800",)], "w": Word.ONE})
    )

    assert found == {"a\ufffd": ["x\ufffdy", "🙂", ["\ufffd"]], "w": "one"}


def test_integers_beyond_64_bits_are_kept() -> None:
    assert json.loads(dump_json({"n": 2**70})) == {"n": 2**70}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_whatever_is_dumped_is_utf8_json_and_the_same_each_time(value: object) -> None:
    data = dump_json(value)

    data.decode("utf-8")
    assert dump_json(value) == data
    assert json.loads(dump_json(json.loads(data))) == json.loads(data)


def repaired(data: bytes, size: int = 5) -> bytes:
    return b"".join(repair_surrogates(data[at : at + size] for at in range(0, len(data), size)))


def test_only_lone_surrogates_are_repaired() -> None:
    data = rb'{"a":"\ud83d x \ud83d\ude00 \\ud83d \uDE00"}' + b"\n\n" + rb'"\udfff\\\ud800"'

    assert repaired(data) == (
        rb'{"a":"\ufffd x \ud83d\ude00 \\ud83d \ufffd"}' + b"\n\n" + rb'"\ufffd\\\ufffd"'
    )


@given(st.text(), st.booleans())
def test_repair_leaves_sound_text_alone(text: str, ended: bool) -> None:  # noqa: FBT001 -- generated
    data = json.dumps(text.encode("utf-16", "replace").decode("utf-16")).encode() + b"\n" * ended

    assert repaired(data) == data


@given(st.lists(st.sampled_from(["\ud83d", "\ude00", "\\", "x", "\\u", "\n"])).map("".join))
def test_repaired_text_is_sound(text: str) -> None:
    value = loads(repaired(json.dumps(text).encode()))

    assert isinstance(value, str)
    value.encode("utf-8")
