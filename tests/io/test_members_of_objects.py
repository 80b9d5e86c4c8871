"""Members put in and taken out: the value that is meant, and every other byte as it was."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactctl.io.json_members import Layout, remove_member, set_member

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99999) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=5)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@pytest.mark.parametrize(
    ("data", "indent", "newline"),
    [
        (b"{}", "  ", "\n"),
        (b'{\n  "a": 1\n}', "  ", "\n"),
        (b'{\r\n\t"a": 1\r\n}', "\t", "\r\n"),
        (b'{\n    "a": {\n        "b": 1}}', "    ", "\n"),
        (b'{"a": 1}\n', None, "\n"),
        (b"{\n}\n", "  ", "\n"),
    ],
)
def test_the_layout_is_that_of_the_text(data: bytes, indent: str | None, newline: str) -> None:
    assert Layout.of(data) == Layout(indent, newline)


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        (b"{}", ("k",), b'{\n  "k": 0\n}'),
        (b'{ "a" : 1 }', ("k",), b'{ "a" : 1, "k": 0 }'),
        (b'{\n  "a": 1 \n}\n', ("k",), b'{\n  "a": 1,\n  "k": 0 \n}\n'),
        (b'{\n  "k": [1, 2],\n  "a": 1\n}', ("k",), b'{\n  "k": 0,\n  "a": 1\n}'),
        (b'{\n  "o": {}\n}', ("o", "k"), b'{\n  "o": {\n    "k": 0\n  }\n}'),
        (b'{\n  "o": {"a": 1}\n}', ("o", "k"), b'{\n  "o": {"a": 1,\n    "k": 0}\n}'),
        (b'{"s": "}, {", "o": {"a": 1}}', ("o", "k"), b'{"s": "}, {", "o": {"a": 1, "k": 0}}'),
    ],
)
def test_a_member_is_put_where_it_belongs(
    before: bytes, path: tuple[str, ...], after: bytes
) -> None:
    assert set_member(before, path, 0, Layout.of(before)) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        (b'{"k": 0}', ("k",), b"{}"),
        (b'{\n  "k": {"x": 1}\n}\n', ("k",), b"{}\n"),
        (b'{\n  "k": 0,\n  "a": 1\n}', ("k",), b'{\n  "a": 1\n}'),
        (b'{\n  "a": 1,\n  "k": 0\n}', ("k",), b'{\n  "a": 1\n}'),
        (b'{"a": 1, "k": 0, "b": 2}', ("k",), b'{"a": 1, "b": 2}'),
        (b'{"o": {"k": "a,b"}, "k": 1}', ("o", "k"), b'{"o": {}, "k": 1}'),
    ],
)
def test_a_member_is_taken_out(before: bytes, path: tuple[str, ...], after: bytes) -> None:
    assert remove_member(before, path) == after


@given(value=OBJECTS, key=st.text(max_size=4), new=VALUES, indent=INDENTS)
def test_only_that_member_changes(
    value: dict[str, Any], key: str, new: object, indent: int | str | None
) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=False).encode()

    changed = set_member(data, (key,), new, Layout.of(data))

    assert list(json.loads(changed).items()) == list({**value, key: new}.items())
    if key not in value:
        assert json.loads(remove_member(changed, (key,))) == value
        assert changed.startswith(data.rstrip(b"\n \t}")[:-1])


@given(value=OBJECTS, inner=OBJECTS, new=VALUES, indent=INDENTS)
def test_a_member_of_a_member(
    value: dict[str, Any], inner: dict[str, Any], new: object, indent: int | str | None
) -> None:
    whole = {**value, "hooks": inner}
    data = json.dumps(whole, indent=indent).encode()

    changed = set_member(data, ("hooks", "PreCompact"), new, Layout.of(data))

    assert json.loads(changed) == {**whole, "hooks": {**inner, "PreCompact": new}}
