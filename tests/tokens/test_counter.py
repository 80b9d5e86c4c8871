"""Counts are exactly tiktoken's, whatever the text."""

import subprocess
import sys
import time
from itertools import count as numbers

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from compactctl.errors import UsageError
from compactctl.tokens import counter
from compactctl.tokens.counter import DEFAULT_ENCODING, ENCODINGS, TokenCounter

COUNTERS = {name: TokenCounter(name) for name in ENCODINGS}
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def reference(name: str, text: str) -> int:
    return len(counter._load(name).encode_ordinary(text))


def test_encodings_are_those_that_are_shipped() -> None:
    assert ENCODINGS == ("o200k_base", "cl100k_base")
    assert DEFAULT_ENCODING == "o200k_base"
    assert TokenCounter().encoding == "o200k_base"


@pytest.mark.parametrize(
    ("encoding", "text", "tokens"),
    [
        # Known figures: the examples of OpenAI's cookbook, "How to count tokens with tiktoken".
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("o200k_base", "antidisestablishmentarianism", 6),
        ("cl100k_base", "2 + 2 = 4", 7),
        ("o200k_base", "2 + 2 = 4", 7),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "お誕生日おめでとう", 8),
        ("cl100k_base", "tiktoken is great!", 6),
        ("o200k_base", "tiktoken is great!", 6),
    ],
)
def test_published_counts(encoding: str, text: str, tokens: int) -> None:
    assert COUNTERS[encoding].count(text) == tokens


def test_empty_text_has_no_tokens() -> None:
    assert TokenCounter().count("") == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_special_token_is_text(encoding: str) -> None:
    assert COUNTERS[encoding].count("<|endoftext|>") == 7


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lone_surrogate_counts_as_the_replacement_character(encoding: str) -> None:
    found = COUNTERS[encoding]

    assert found.count("a \ud83d b") == found.count("a \ufffd b")
    assert found.count("\udc80") == found.count("\ufffd")


def test_unknown_encoding_is_an_error_that_names_a_near_one() -> None:
    with pytest.raises(UsageError) as raised:
        TokenCounter("o200k")

    assert raised.value.message == "unknown encoding 'o200k'"
    assert raised.value.hint == "did you mean o200k_base?"


def test_unknown_encoding_lists_all_where_none_is_near() -> None:
    with pytest.raises(UsageError) as raised:
        TokenCounter("zzz")

    assert raised.value.hint == "encodings: o200k_base, cl100k_base"


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=texts)
def test_count_is_that_of_encode_ordinary(encoding: str, text: str) -> None:
    assert COUNTERS[encoding].count(text) == reference(encoding, text)


@given(st.lists(texts, max_size=12))
def test_counting_all_is_counting_each(all_texts: list[str]) -> None:
    found = COUNTERS["o200k_base"]

    assert list(found.count_all(all_texts)) == [found.count(text) for text in all_texts]


def test_counting_all_keeps_order_over_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter, "_BATCH", 10)
    words = ["one", "two words", "", "three more words", "one", "two words"] * 5

    assert list(TokenCounter().count_all(words)) == [1, 2, 0, 3, 1, 2] * 5


def test_counting_all_takes_no_more_than_a_batch_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter, "_BATCH", 10)
    taken = 0

    def endless() -> object:
        nonlocal taken
        for number in numbers():
            taken += 1
            yield f"{number:05}"

    counts = TokenCounter().count_all(endless())  # type: ignore[arg-type] # an endless iterator

    assert next(counts) == 2
    assert taken == 2
    counts.close()  # type: ignore[attr-defined] # it is a generator


def test_equal_texts_of_a_batch_are_counted_once() -> None:
    seen: list[str] = []

    class Watched(TokenCounter):
        def count(self, text: str) -> int:
            seen.append(text)
            return super().count(text)

    assert list(Watched().count_all(["same", "other", "same", "same"])) == [1, 1, 1, 1]
    assert sorted(seen) == ["other", "same"]


def test_patterns_are_those_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    from tiktoken_ext import openai_public  # noqa: PLC0415 -- its loader is replaced first

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})

    for name in ENCODINGS:
        assert counter._PATTERNS[name] == getattr(openai_public, name)()["pat_str"]


def test_long_runs_of_one_character_are_not_quadratic() -> None:
    found = TokenCounter()
    found.count("load")

    def seconds(text: str) -> float:
        taken = []
        for _ in range(2):
            began = time.process_time()
            found.count(text)
            taken.append(time.process_time() - began)
        return min(taken)

    for char in ("a", "=", "中", "\n", " ", "1"):
        small, large = seconds(char * 50_000), seconds(char * 400_000)
        # Eight times the text; quadratic time would be 64 times as long.
        assert large < 32 * max(small, 0.005), char


def test_nothing_is_loaded_before_the_first_count() -> None:
    code = (
        "import sys; from compactctl.tokens.counter import TokenCounter; TokenCounter();"
        "assert 'tiktoken' not in sys.modules and 'regex' not in sys.modules"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_encoding_is_tiktokens_own() -> None:
    assert isinstance(counter._load("o200k_base"), tiktoken.Encoding)
