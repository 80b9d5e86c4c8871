"""Pins: what binds, how firmly, whose words, verbatim; and what makes none."""

import json

import pytest

import compactctl
from compactctl import Pin

RULE = "Never rename public functions of the harbour module."


def pins(*said: tuple[str, str]) -> list[Pin]:
    rows = [json.dumps({"role": role, "content": text}) for role, text in said]
    return list(compactctl.classify("\n".join(rows).encode()).pins)


@pytest.mark.parametrize(
    "sentence",
    [
        RULE,
        "Do not touch the migration scripts.",
        "You must run the linter before each commit.",
        "Always answer in British English.",
        "Keep every function under forty lines.",
        "Use the existing logger instead of print.",
    ],
)
def test_what_orders_forbids_or_limits_is_strong(sentence: str) -> None:
    assert [(pin.text, pin.strength) for pin in pins(("user", sentence))] == [(sentence, "strong")]


@pytest.mark.parametrize(
    "sentence",
    [
        "Thanks a lot!",
        "Why does the second test fail?",
        '["/bin/sh", "-c", "Do not delete the cache"]',
        '{"rule": "Never push to main", "level": 3}',
        "```\nnever = True\nmust_run = False\n```",
    ],
)
def test_thanks_questions_data_and_code_make_none(sentence: str) -> None:
    assert pins(("user", sentence)) == []


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_nobody_without_authority_makes_one(role: str) -> None:
    assert [pin.text for pin in pins(("user", "Hello there!"), (role, RULE))] == []


def test_a_system_prompt_binds_too() -> None:
    (pin,) = pins(("system", RULE), ("user", "Hi!"))

    assert (pin.text, pin.author, pin.line) == (RULE, "system", 1)


def test_a_choice_pins_the_words_that_it_answers() -> None:
    offer = "Two ways:\n1. Cache the tide tables in memory.\n2. Read them from disk each time.\n"
    found = pins(("user", "Plan it."), ("assistant", offer + "Which one?"), ("user", "2"))

    referents = [pin.referent.text for pin in found if pin.referent]
    assert [text.rstrip(".") for text in referents] == ["Read them from disk each time"]
    assert all(text in offer for text in referents)


def test_a_repeated_statement_is_one_pin_with_all_its_places() -> None:
    (pin,) = pins(("user", RULE), ("assistant", "Understood."), ("user", RULE))

    assert [place.line for place in pin.places] == [1, 3]


def test_each_is_a_part_of_the_entry_that_said_it() -> None:
    text = f"We port the ferry planner.\r\n\r\n- {RULE}\n- «Ferry» stays capitalised; always.\n"
    found = pins(("user", text))

    assert RULE in [pin.text for pin in found]
    assert all(pin.text in text for pin in found)
