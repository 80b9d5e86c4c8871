"""Parts of a JSON text can be replaced, and every other byte stays."""

import json
import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compactctl.io.json_spans import Path, replace, spans

keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


def all_paths(value: object, at: Path = ()) -> dict[Path, object]:
    found: dict[Path, object] = {at: value}
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= all_paths(inner, (*at, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            found |= all_paths(inner, (*at, number))
    return found


@given(values, st.sampled_from([None, 2]), st.booleans())
def test_spans_are_the_values(value: object, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001 -- generated
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "surrogatepass")
    if not ascii_only and b"\xed" in data:
        return

    found = {span.path: json.loads(data[span.start : span.end]) for span in spans(data, 20)}

    assert found == all_paths(value)


@given(values, st.integers(0, 3))
def test_depth_bounds_the_paths(value: object, depth: int) -> None:
    data = json.dumps(value).encode()

    found = {span.path for span in spans(data, depth)}

    assert found == {path for path in all_paths(value) if len(path) <= depth}


@given(values, st.data())
def test_replacing_is_setting(value: Any, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(list(all_paths(value))))
    text = json.dumps(value).encode()

    changed = json.loads(replace(text, {path: b'"new"'}))

    expected = {"top": value}
    at: Any = expected
    for step in ("top", *path[:-1]) if path else ():
        at = at[step]
    at[path[-1] if path else "top"] = "new"
    assert changed == expected["top"]


def test_all_other_bytes_stay() -> None:
    data = b'{ "a" :\t1.0e5, "b":"\\u00e9\xff" ,\r\n "c":[1 ,{"d":"x"}] }'

    assert replace(data, {("c", 1, "d"): b"7", ("a",): b"2"}) == (
        b'{ "a" :\t2, "b":"\\u00e9\xff" ,\r\n "c":[1 ,{"d":7}] }'
    )


def test_nothing_to_replace() -> None:
    assert replace(b'{"a":1}', {}) == b'{"a":1}'
    assert replace(b'{"a":1}', {("b",): b"2", ("a", "c"): b"3"}) == b'{"a":1}'


def test_of_a_repeated_key_the_last_one_is_replaced() -> None:
    assert replace(b'{"a":1,"a":2}', {("a",): b"3"}) == b'{"a":1,"a":3}'


def test_what_a_repeated_key_hides_is_not_replaced() -> None:
    data = b'{"a":{"b":1},"a":{"c":2}}'

    assert replace(data, {("a", "b"): b"3", ("a", "c"): b"4"}) == b'{"a":{"b":1},"a":{"c":4}}'
    assert replace(b'{"a":{"b":1},"a":5}', {("a", "b"): b"3"}) == b'{"a":{"b":1},"a":5}'


def test_outer_replacement_takes_the_inner_one_along() -> None:
    assert replace(b'{"a":{"b":1}}', {("a",): b"2", ("a", "b"): b"3"}) == b'{"a":2}'


def test_escaped_keys_are_read() -> None:
    assert replace(rb'{"\u0061\n":1}', {("a\n",): b"2"}) == rb'{"\u0061\n":2}'


def test_within_yields_only_what_is_below() -> None:
    data = b'{"a":{"b":[1,2]},"c":{"b":3}}'

    assert [span.path for span in spans(data, 1, within=("a",))] == [("a", "b"), ("a",)]


def test_long_strings_and_deep_nesting_take_linear_time() -> None:
    long = b'{"a":"' + b"\\n x" * 1_000_000 + b'","b":1}'
    deep = b'{"a":' + b'{"k":' * 20_000 + b"1" + b"}" * 20_000 + b',"b":1}'
    began = time.process_time()

    assert replace(long, {("b",): b"2"}).endswith(b'"b":2}')
    assert replace(deep, {("b",): b"2"}).endswith(b'"b":2}')
    assert time.process_time() - began < 3
