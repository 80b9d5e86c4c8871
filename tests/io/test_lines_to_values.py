"""Lines to values: every kind of damage with its exact place, and the rest is read."""

import json
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactctl.io.jsonl import ParsedLine, loads, parse_line
from compactctl.io.oddities import MAX_DEPTH
from compactctl.io.source import RawLine
from compactctl.model.damage import DamageKind as Kind

START = 1000
"""Offset of the line in its file: places in the line cannot pass for places in the file."""


def parsed(data: bytes, *, ended: bool = True, offset: int = START) -> ParsedLine:
    return parse_line(RawLine(7, offset, data, ended))


def values(found: ParsedLine) -> list[object]:
    return [value.value for value in found.values]


def damage(found: ParsedLine) -> list[tuple[Kind, int, int]]:
    assert all(one.line == 7 for one in found.damage)
    return [(one.kind, one.byte_offset - START, one.length) for one in found.damage]


def places(found: ParsedLine) -> list[tuple[int, int]]:
    return [(value.offset - START, value.length) for value in found.values]


# --- clean lines


@pytest.mark.parametrize("data", [b"", b" ", b"\r", b"\t \r"])
def test_blank_line_has_no_value_and_no_damage(data: bytes) -> None:
    assert parsed(data) == ParsedLine(7, (), ())


def test_place_is_that_of_the_bytes_without_surrounding_space() -> None:
    found = parsed(b'  {"a":"\xc3\xa9"} \r')

    assert values(found) == [{"a": "é"}]
    assert places(found) == [(2, 10)]
    assert damage(found) == []


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    found = parsed('{"a":"x\u2028y\u2029z\x85"}'.encode())

    assert values(found) == [{"a": "x\u2028y\u2029z\x85"}]
    assert damage(found) == []


def test_of_duplicate_keys_the_last_one_counts() -> None:
    assert values(parsed(b'{"a":1,"a":2}')) == [{"a": 2}]
    assert values(parsed(b'{"a":1,"a":NaN,"a":2}')) == [{"a": 2}]


def test_whole_line_without_a_line_feed_is_no_damage() -> None:
    assert damage(parsed(b'{"a":1}', ended=False)) == []


def test_bare_values_are_handed_on() -> None:
    assert values(parsed(b"17")) == [17]


# --- damage, one kind after another


def test_bom_at_the_start_of_the_file() -> None:
    found = parsed(b'\xef\xbb\xbf{"a":1}', offset=0)

    assert [(d.kind, d.byte_offset, d.length) for d in found.damage] == [(Kind.BOM, 0, 3)]
    assert [(v.value, v.offset, v.length) for v in found.values] == [({"a": 1}, 3, 7)]


def test_bom_inside_a_file_that_was_put_together() -> None:
    found = parsed(b'\xef\xbb\xbf{"a":1}')

    assert damage(found) == [(Kind.BOM, 0, 3)]
    assert places(found) == [(3, 7)]


def test_broken_line_is_reported_as_a_whole() -> None:
    found = parsed(b'{"a": oops}')

    assert values(found) == []
    assert damage(found) == [(Kind.BROKEN, 0, 11)]


@pytest.mark.parametrize("data", [b'{"a":1', b'{"a":"cut', b'{"a":"\xe6\x97', b"{", b'{"a":"x\\'])
def test_broken_last_line_is_truncated(data: bytes) -> None:
    assert damage(parsed(data, ended=False)) == [(Kind.TRUNCATED, 0, len(data))]
    assert damage(parsed(data)) == [(Kind.BROKEN, 0, len(data))]


def test_truncated_tail_behind_a_whole_record() -> None:
    found = parsed(b'{"a":1}{"b":"c', ended=False)

    assert values(found) == [{"a": 1}]
    assert damage(found) == [(Kind.TRUNCATED, 7, 7)]


def test_glued_records() -> None:
    found = parsed(b'{"a":1}{"b":2} {"c":3}')

    assert values(found) == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert places(found) == [(0, 7), (7, 7), (15, 7)]
    assert damage(found) == [(Kind.GLUED, 7, 7), (Kind.GLUED, 15, 7)]


def test_glued_records_after_wide_characters_have_byte_places() -> None:
    first = '{"a":"日本 🙂"}'.encode()
    found = parsed(first + b'{"b":2}')

    assert places(found) == [(0, len(first)), (len(first), 7)]


@pytest.mark.parametrize(
    ("cut", "rest"),
    [
        (b'{"a":"half a sent', b'{"b":2}'),
        (b'{"a":"ends with a comma,', b'{"b":2}'),
        (b'{"a":{"in":1},"text":"cut', b'{"b":{"c":2}}'),
        (b'{"a":12', b'{"b":2}'),
        (b'{"a":tr', b'{ "b":2}'),
        (b'{"a":"\xff\xfe', b'{"b":2}'),
        (b'{"a":"\\', b'\\{"b":2}'[1:]),
    ],
)
def test_record_glued_onto_a_cut_one_is_read(cut: bytes, rest: bytes) -> None:
    found = parsed(cut + rest)

    if cut.endswith(b"\\"):
        # The backslash takes the brace along; the record begins in no readable way.
        assert values(found) in ([], [json.loads(rest)])
        return
    assert values(found) == [json.loads(rest)]
    assert places(found) == [(len(cut), len(rest))]
    assert damage(found) == [(Kind.BROKEN, 0, len(cut))]


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":oops,"message":{"role":"user","content":"hi"}}',
        b'{"messages":[{"role":"user","content":"hi"},{"role":"user","content":"h',
        b'{"x":"an "unescaped" quote","message":{"role":"user","content":"hi"}}',
        b'{"x":1,,"y":[{"role":"user","content":"hi"}]}',
        b'{"text":"quotes {"role":"user"}, unescaped"}',
    ],
)
def test_parts_of_a_broken_record_are_no_records(data: bytes) -> None:
    found = parsed(data)

    assert values(found) == []
    assert damage(found) == [(Kind.BROKEN, 0, len(data))]


def test_records_joined_by_commas_are_read() -> None:
    found = parsed(b'{"a":1},{"b":2},')

    assert values(found) == [{"a": 1}, {"b": 2}]
    assert damage(found) == [(Kind.BROKEN, 7, 1), (Kind.GLUED, 8, 7), (Kind.BROKEN, 15, 1)]


def test_nul_run_before_a_record() -> None:
    found = parsed(b"\0" * 4096 + b'{"a":1}\r')

    assert values(found) == [{"a": 1}]
    assert places(found) == [(4096, 7)]
    assert damage(found) == [(Kind.NUL, 0, 4096)]


def test_nul_run_between_records() -> None:
    found = parsed(b'{"a":1}\0\0\0{"b":2}')

    assert values(found) == [{"a": 1}, {"b": 2}]
    assert damage(found) == [(Kind.NUL, 7, 3)]


def test_nul_run_that_cut_a_record_is_told_apart_from_what_it_cut() -> None:
    found = parsed(b'{"a":"hal\0\0\0{"b":2}')

    assert values(found) == [{"b": 2}]
    assert damage(found) == [(Kind.BROKEN, 0, 9), (Kind.NUL, 9, 3)]


def test_line_of_nothing_but_nul() -> None:
    assert damage(parsed(b"\0" * 10, ended=False)) == [(Kind.NUL, 0, 10)]


def test_nul_inside_a_string_of_a_whole_record_is_read() -> None:
    found = parsed(b'{"a":"x\0\0y"}')

    assert values(found) == [{"a": "x\0\0y"}]
    assert damage(found) == [(Kind.NUL, 7, 2)]


def test_control_character_in_a_string() -> None:
    found = parsed(b'{"a":"x\ty\x1bz"}')

    assert values(found) == [{"a": "x\ty\x1bz"}]
    assert damage(found) == [(Kind.CONTROL_CHARACTER, 7, 1)]
    assert found.damage[0].detail == "U+0009 in a string; 2 in this record"


def test_lone_surrogate() -> None:
    found = parsed(rb'{"k":"v","a":"x\ud83d y"}')

    assert values(found) == [{"k": "v", "a": "x\ud83d y"}]
    assert damage(found) == [(Kind.LONE_SURROGATE, 15, 6)]


def test_pairs_and_escaped_backslashes_are_no_lone_surrogates() -> None:
    found = parsed(rb'{"a":"\ud83d\ude00 \\ud83d","b":NaN}')

    assert [d.kind for d in found.damage] == [Kind.NOT_A_NUMBER]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999"])
def test_not_a_number(word: str) -> None:
    found = parsed(b'{"t":"NaN","a":' + word.encode() + b"}")

    assert repr(values(found)[0]) == repr({"t": "NaN", "a": float(word)})
    assert damage(found) == [(Kind.NOT_A_NUMBER, 15, len(word))]


def test_huge_integer() -> None:
    found = parsed(b'{"a":-' + b"7" * 5000 + b',"b":1}')

    assert values(found) == [{"a": float("inf"), "b": 1}]
    assert damage(found) == [(Kind.HUGE_INTEGER, 5, 5001)]
    assert found.damage[0].detail == "5000 digits"


@pytest.mark.parametrize("odd", [b"", b'"x":NaN,'])
def test_depth(odd: bytes) -> None:
    at_limit = b"{" + odd + b'"a":' + b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1) + b"}"
    beyond = b"{" + odd + b'"a":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}"

    assert len(parsed(at_limit).values) == 1
    assert values(parsed(beyond)) == []
    assert damage(parsed(beyond)) == [(Kind.DEPTH, 0, len(beyond))]


def test_record_behind_a_deep_one_is_read() -> None:
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    found = parsed(deep + b'{"b":1}')

    assert values(found) == [{"b": 1}]
    assert damage(found) == [(Kind.DEPTH, 0, len(deep))]


def test_deep_and_unclosed() -> None:
    data = b'{"a":' + b"[" * 100_000

    assert damage(parsed(data, ended=False)) == [(Kind.DEPTH, 0, len(data))]


def test_brackets_in_strings_are_no_depth() -> None:
    text = "[{" * 10_000
    assert values(parsed(json.dumps({"a": text}).encode())) == [{"a": text}]


def test_bytes_that_are_no_utf8_keep_all_places_right() -> None:
    data = b'{"a":"\xff\xfeold","b":"\xe9"}{"c":"\xc3\xa9"}'
    found = parsed(data)

    assert values(found) == [{"a": "\ufffd\ufffdold", "b": "\ufffd"}, {"c": "é"}]
    assert places(found) == [(0, 21), (21, 10)]
    assert damage(found) == [(Kind.NOT_UTF8, 6, 1), (Kind.GLUED, 21, 10)]


def test_several_kinds_in_one_record_are_each_told() -> None:
    found = parsed(b'{"a":"\\udc00\xff","b":NaN,"c":"\x01"}')

    assert damage(found) == [
        (Kind.NOT_UTF8, 12, 1),
        (Kind.LONE_SURROGATE, 6, 6),
        (Kind.NOT_A_NUMBER, 19, 3),
        (Kind.CONTROL_CHARACTER, 28, 1),
    ]


# --- what holds for all lines


PARTS = (
    *(b'{"a":1}', b'{"a":"', b'"}', b'{"a":{"b":[1,2]}}', b"[", b"]", b"}", b",", b":", b" "),
    *(b"\0", b"\0\0", b"\xff", "é".encode(), b"\\ud83d", b"\\", b'"', b"NaN", b"1e999", b"\xed"),
    *(b"\r", b"\t", b"text", b"\xef\xbb\xbf", b'{"n":-Infinity}', b'{"s":"\\ud800"}', b"\xa0"),
)
hostile = st.lists(st.sampled_from(PARTS), max_size=12).map(b"".join)


@settings(max_examples=600)
@given(hostile, st.booleans())
def test_nothing_is_skipped_silently(data: bytes, ended: bool) -> None:  # noqa: FBT001 -- generated
    found = parsed(data, ended=ended)

    covered = bytearray(len(data))
    for value in found.values:
        start = value.offset - START
        covered[start : start + value.length] = b"\1" * value.length
    for kind, start, length in damage(found):
        assert 0 <= start <= start + length <= len(data), kind
        assert length > 0, kind
        covered[start : start + length] = b"\1" * length
    rest = bytes(b for b, seen in zip(data, covered, strict=True) if not seen)
    assert rest.strip(b" \t\r") == b""


@settings(max_examples=600)
@given(hostile, st.booleans())
def test_values_are_read_again_from_their_bytes(data: bytes, ended: bool) -> None:  # noqa: FBT001 -- generated
    for value in parsed(data, ended=ended).values:
        start = value.offset - START
        again = loads(data[start : start + value.length])
        assert repr(again) == repr(value.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=5), json_values), st.booleans())
def test_whatever_json_writes_is_read(value: dict[str, Any], ascii_only: bool) -> None:  # noqa: FBT001 -- generated
    data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")

    assert values(parsed(data)) == [value] or not ascii_only


@pytest.mark.parametrize("data", [b"", b"{", b"nope", b'{"a":1} x', b"[" * 100_000])
def test_loads_refuses_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(data)


def test_deep_nesting_is_refused_whatever_the_stack() -> None:
    def down(levels: int) -> object:
        return down(levels - 1) if levels else loads(b"[" * 400 + b"NaN" + b"]" * 400)

    assert down(sys.getrecursionlimit() // 4) is not None


# --- cost


@pytest.mark.parametrize(
    "data",
    [
        b'{"' * 300_000,
        b'{"a":' * 150_000,
        b'{"a":1}' * 60_000,
        b'{"a":1,' * 100_000,
        b'{"a":oops,' + b'"m":{"r":1},' * 60_000,
        b'"' * 400_000,
        b"\\" * 400_000,
        b'{"a":"' + b"\\ud800" * 80_000 + b'"}',
        b'{"a":[' + b"NaN," * 100_000 + b"1]}",
        b'{"a":"' + b"\xff" * 400_000 + b'"}',
        b"\0x" * 200_000,
    ],
    ids=lambda data: data[:12].decode("latin-1"),
)
def test_hostile_lines_take_linear_time(data: bytes) -> None:
    began = time.process_time()
    parsed(data)

    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("tail", "times"), [(b'"}', 6), (b'\\ud800"}', 6), (b"", 6), (b'"}{"b":1}', 7)]
)
def test_long_line_takes_at_most_six_times_its_size(tail: bytes, times: int) -> None:
    code = f"""
import resource
from compactctl.io.jsonl import parse_line
from compactctl.io.source import RawLine
parse_line(RawLine(1, 0, b'{{"a":"x"}}', True))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
data = b'{{"a":"' + b"x" * 20_000_000 + {tail!r}
parse_line(RawLine(1, 0, data, True))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(data))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert float(done.stdout) < times
