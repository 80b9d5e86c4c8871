"""Long runs of white space: no panic, no quadratic time, the very tokens of tiktoken."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactctl.tokens import counter, white
from compactctl.tokens.counter import ENCODINGS, TokenCounter

PIECES = (
    *(" ", "  ", "     ", "\t", "\n", "\r\n", "\r", "\n\n\n\n", "   \n", "\xa0", "\x85"),
    *("\u3000", " \u2003 ", "\u2028", "a", "B", "é", "中", "1", "٣", "!", ".", "/", "'s", "_"),
    *("\u0301", "\u0301\u0301", "\u0903", "\u20dd", "🙂", "\ue000", "\x1c", "\u02bc"),
)
mixed = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def tokens_by_pieces(name: str, text: str) -> list[int]:
    encoding = counter._load(name)
    found: list[int] = []
    at = 0
    for begin, pieces, after in white.long_runs(text, name):
        assert text[begin:after] == "".join(pieces)
        found += encoding.encode_ordinary(text[at:begin])
        for piece in pieces:
            found += encoding._encode_single_piece(piece)
        at = after
    return found + encoding.encode_ordinary(text[at:])


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=1500)
@given(text=mixed)
def test_cutting_runs_out_changes_no_token(encoding: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(white, "_STRIDE", 2)
        patch.setattr(white, "_LONG", 4)
        found = tokens_by_pieces(encoding, text)

    assert found == counter._load(encoding).encode_ordinary(text)


def test_white_space_is_what_tiktoken_takes_for_it() -> None:
    # Between two words a run of white space but for its last character is one piece.
    encoding = counter._load("cl100k_base")
    for code in range(0x110000):
        char = chr(code)
        if char in white.WHITE:
            single = encoding._encode_single_piece(char * 6)
            assert encoding.encode_ordinary(char * 6) == single, hex(code)
    assert set(white.WHITE) == {chr(c) for c in range(0x110000) if _is_white(chr(c))}


def _is_white(char: str) -> bool:
    # str.isspace also takes the four information separators, which Unicode's property leaves out.
    return char.isspace() and char not in "\x1c\x1d\x1e\x1f"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("before", "run", "after"),
    [
        ("", " " * 1_200_000, ""),
        ("a", " " * 1_200_000, "b"),
        ("\n", " " * 1_200_000, "b"),
        ("x.", "\n" * 10 + "\t" * 1_100_000, "b"),
        ("a", "\xa0" * 1_000_000, ""),
    ],
)
def test_a_run_of_a_million_is_counted(encoding: str, before: str, run: str, after: str) -> None:
    found = TokenCounter(encoding)
    rest = found.count(before + after)

    count = found.count(before + run + after)

    # A run of n equal characters takes about as many tokens as ten times a tenth of it.
    tenth = found.count(before + run[: len(run) // 10] + after) - rest
    assert count == pytest.approx(rest + 10 * tenth, rel=0.001, abs=20)


def test_many_runs_just_under_the_limit_take_linear_time() -> None:
    text = (" " * 99_999 + "a") * 10
    began = time.process_time()

    assert list(white.long_runs(text, "o200k_base")) == []
    assert time.process_time() - began < 0.5


def test_runs_are_found_wherever_they_begin() -> None:
    for start in (0, 1, 49_999, 50_000, 50_001, 120_000):
        text = "a" * start + " " * 100_000 + "b" * 60_000
        assert list(white._runs(text)) == [(start, start + 100_000)]


def test_runs_do_not_overlap() -> None:
    text = ("b" + " " * 100_001) * 4 + " " * 99_999
    found = list(white._runs(text))

    assert [end - start for start, end in found] == [100_001, 100_001, 100_001, 200_000]
    assert all(a[1] < b[0] for a, b in pairwise(found))
