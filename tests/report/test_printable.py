import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactctl.report.printable import printable

HIDDEN = ("Cc", "Cs", "Co", "Zl", "Zp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand  spaces", "two lines and spaces"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("a\U000e0100b", "a\\U000e0100b"),
        ("a\ud800b", "a\\ud800b"),
        ("a\u3164b", "a\\u3164b"),
        ("[bold]x[/bold] :x:", "[bold]x[/bold] :x:"),
        ("نمی‌خواهم", "نمی‌خواهم"),
        ("👩‍🔧 ok ❤️", "👩‍🔧 ok ❤️"),
        ("naïve 東京", "naïve 東京"),
    ],
)
def test_what_is_invisible_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_line_feeds_can_stay() -> None:
    assert printable("a\r\n\tb\rc", keep_newlines=True) == "a\n\tb\\x0dc"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("東京都", 6, "東京都"),
        ("東京都庁", 6, "東京…"),
        ("éa", 2, "éa"),
    ],
)
def test_a_limit_counts_columns(text: str, limit: int, shown: str) -> None:
    assert printable(text, limit=limit) == shown


@given(st.text(st.characters(codec=None), max_size=60))
def test_nothing_can_move_the_cursor(text: str) -> None:
    shown = printable(text)

    assert all(unicodedata.category(c) not in HIDDEN for c in shown)
    assert "\n" not in printable(text, limit=20)
