from pathlib import Path

import pytest

from compactctl.cli.amounts import parse_age, parse_line, parse_size, parse_tokens, parse_trigger
from compactctl.cli.config import load_config
from compactctl.errors import UsageError


def test_flags_beat_variables_beat_our_file_beats_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.compactctl]\ntrigger = 0.5\nlevel = "clear"\nwindow = 9\n'
    )
    (tmp_path / "compactctl.toml").write_text('level = "fold"\nwindow = 8\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)

    config = load_config(below, {"COMPACTCTL_WINDOW": "7"})

    assert config.pick("trigger", None) == "0.5"
    assert config.pick("level", None) == "fold"
    assert config.pick("window", None) == "7"
    assert config.pick("window", "6") == "6"
    assert config.pick("budget", None) is None
    assert config.named("window", None) == "COMPACTCTL_WINDOW: window"
    assert config.named("window", "6") == "--window"


def test_paths_in_a_file_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "compactctl.toml").write_text('policy = "rules.toml"\n')
    below = tmp_path / "a"
    below.mkdir()

    assert load_config(below, {}).pick("policy", None) == str(tmp_path / "rules.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("levle = 'fold'\n", "'level'"),
        ("level = true\n", "neither a text nor a number"),
        ("level = \n", "is no TOML"),
        ("[run]\nlevel = 'fold'\n", "unknown key 'run'"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "compactctl.toml").write_text(text)

    with pytest.raises(UsageError) as raised:
        load_config(tmp_path, {})

    assert "compactctl.toml" in raised.value.message
    assert said in raised.value.message + raised.value.hint


def test_a_project_without_our_table_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")

    assert "level" not in load_config(tmp_path, {}).settings


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("130000", 130_000), ("130k", 130_000), ("1.5M", 1_500_000), ("1,000", 1000)],
)
def test_tokens(text: str, tokens: int) -> None:
    assert parse_tokens(text, "--target") == tokens


@pytest.mark.parametrize(
    ("text", "share"), [("0.65", 0.65), ("65%", 0.65), ("1", 1), ("130k", 130_000)]
)
def test_triggers(text: str, share: float) -> None:
    assert parse_trigger(text) == share


@pytest.mark.parametrize("text", ["", "-5", "many", "1e3", "5 GB"])
def test_what_is_no_number_of_tokens(text: str) -> None:
    with pytest.raises(UsageError, match="--target"):
        parse_tokens(text, "--target")


@pytest.mark.parametrize("text", ["0", "-1", "101%", "nan", "inf", "lots"])
def test_what_is_no_trigger(text: str) -> None:
    with pytest.raises(UsageError, match="--trigger"):
        parse_trigger(text)


def test_sizes_ages_and_lines() -> None:
    assert parse_size("500MB", "--max-size") == 500_000_000
    assert parse_age("2w", "--older-than").days == 14
    assert parse_line("L12", "--at") == parse_line("12", "--at") == 12
    for bad in ("x", "", "999999999999d"):
        with pytest.raises(UsageError):
            parse_age(bad, "--older-than")
    for bad in ("L0", "-3", "L1.0", "²"):
        with pytest.raises(UsageError):
            parse_line(bad, "--at")
