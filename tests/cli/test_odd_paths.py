"""Paths as people type them by mistake: a clear error, exit code 2, nothing written."""

import pytest
from cli.commands import Folder


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (".", ".: is a directory"),
        ("..", "..: is a directory"),
        ("/", "/: is a directory"),
        ("session.jsonl/", "session.jsonl/: is no directory"),
        ("gone/session.jsonl", "gone/session.jsonl: no such file"),
        ("/dev/null", "/dev/null: the file is empty"),
    ],
)
def test_what_is_no_session_file(command: Folder, path: str, told: str) -> None:
    command.session()

    ended = command("run", path)

    assert ended.code == 2
    assert told in ended.err
    assert command.files() == {"session.jsonl"}


def test_an_output_whose_name_is_too_long(command: Folder) -> None:
    name = "n" * 245 + ".jsonl"
    command.session(name)

    ended = command("run", name)

    assert ended.code == 2
    assert "File name too long" in ended.err
    assert "name a shorter one with -o" in ended.err
    assert command("run", name, "-o", "short.jsonl").code == 0


def test_a_name_that_is_no_text(command: Folder) -> None:
    name = b"n\xff.jsonl".decode("utf-8", "surrogateescape")
    command.session(name)

    assert command.process("run", name).code == 0
    assert b"n\xff.compacted.jsonl".decode("utf-8", "surrogateescape") in command.files()
