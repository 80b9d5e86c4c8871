"""The documentation names every command, option and key that there is."""

import typer
from cli.commands import ROOT

from compactctl.cli.app import app
from compactctl.cli.config import KEYS
from compactctl.errors import CompactctlError, ExitCode

COMMANDS = (ROOT / "docs" / "commands.md").read_text("utf-8")
CODES = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")


def test_every_command_and_option_is_documented() -> None:
    missing = []
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined] # a group
        if f"\n## {name}\n" not in COMMANDS:
            missing.append(name)
        for option in command.params:
            long = [o for o in option.opts if o.startswith("--")]
            missing += [f"{name} {o}" for o in long if f"`{o}" not in COMMANDS]

    assert missing == []


def test_every_key_is_documented() -> None:
    assert [key for key in KEYS if f"`{key}`" not in COMMANDS] == []


def test_every_exit_code_and_kind_of_error_is_documented() -> None:
    kinds, waiting = set(), [CompactctlError]
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        kinds.add(found.kind)

    assert [code for code in ExitCode if f"\n| {code.value} | " not in CODES] == []
    assert [kind for kind in kinds - {"error"} if f"`{kind}`" not in CODES] == []


def test_help_begins_with_what_a_command_is_for() -> None:
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined] # as above
        first = (command.help or "").strip().partition("\n")[0]
        assert first.endswith((".", ";")), name
        assert len(first) <= 66, name
