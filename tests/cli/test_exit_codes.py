"""Each way to end has its exit code, and none is a traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import ROOT, Folder, clean_environment


def test_help_without_a_command(command: Folder) -> None:
    ended = command.process()

    assert ended.code == 0
    assert "run " in ended.out


def test_version(command: Folder) -> None:
    ended = command.process("--version")

    assert ended.code == 0
    assert ended.out.startswith("compactctl ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("run",),
        ("run", "missing.jsonl"),
        ("run", "session.jsonl", "--no-such-flag"),
        ("run", "session.jsonl", "--target", "many"),
        ("run", "session.jsonl", "--trigger", "-1"),
        ("run", "session.jsonl", "--window", "0"),
        ("run", "session.jsonl", "--at", "L0"),
        ("run", "session.jsonl", "--format", "xml"),
        ("run", "session.jsonl", "--encoding", "p50k"),
        ("run", "session.jsonl", "--input-format", "cobol"),
        ("run", "session.jsonl", "-o", "no/such/folder/out.jsonl"),
        ("run", "session.jsonl", "-o", "session.jsonl"),
        ("run", "folder"),
        ("run", "."),
        ("classify", "session.jsonl", "--explain", "L999.0"),
        ("show", "session.jsonl", "--raw"),
        ("show", "session.jsonl", "--entry", "L999.0"),
        ("restore", "0000"),
        ("diff",),
        ("schema", "nothing"),
    ],
)
def test_what_cannot_run_exits_2_with_one_message(
    command: Folder, arguments: tuple[str, ...]
) -> None:
    command.session()
    (command.path / "folder").mkdir()

    ended = command(*arguments)

    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert command.files() <= {"session.jsonl", "folder", ".compactctl"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\x1f\x8b\x08\x00rest", "gzip"),
        (b"\xff\xfe{\x00", "UTF-16"),
        (b"\x00\x01\x02\x03" * 50, ""),
        (b"just some words\n", ""),
        (b'{"a": 1}\n', ""),
    ],
)
def test_bad_input_says_what_it_is(command: Folder, data: bytes, said: str) -> None:
    (command.path / "bad.jsonl").write_bytes(data)

    ended = command("run", "bad.jsonl")

    assert ended.code == 2
    assert "bad.jsonl" in ended.err
    assert said in ended.err
    assert "hint: " in ended.err
    assert command.files() == {"bad.jsonl"}


def test_errors_are_json_where_json_was_asked_for(command: Folder) -> None:
    ended = command.process("run", "missing.jsonl", "--format", "json")
    usage = command("run", "missing.jsonl", "--format=json", "--no-such-flag")

    assert ended.code == usage.code == 2
    assert ended.json["error"]["kind"] == "input"
    assert set(ended.json["error"]) == {"kind", "message", "hint"}
    assert usage.json["error"]["kind"] == "usage"
    assert ended.err == ""


def test_a_wrong_key_is_an_error_with_a_suggestion(command: Folder) -> None:
    command.session()
    (command.path / "pyproject.toml").write_text("[tool.compactctl]\nkeep-tial = 5\n")

    ended = command("run", "session.jsonl")

    assert ended.code == 2
    assert "pyproject.toml" in ended.err
    assert "'keep-tail'" in ended.err


def test_nothing_written_exits_3(command: Folder) -> None:
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    (command.path / "short.jsonl").write_text(text)

    ended = command.process("run", "short.jsonl")

    assert ended.code == 3
    assert ended.out.startswith(("deferred", "refused"))
    assert "short.compacted.jsonl" not in command.files()


def test_a_fault_exits_70_in_one_line_and_shows_its_trace_only_when_asked(
    command: Folder,
) -> None:
    command.session()
    (command.path / "sitecustomize.py").write_text(
        "import compactctl.cli.classify as c\n"
        "def broken(*_, **__):\n    raise RuntimeError('made up')\n"
        "c.document = broken\n"
    )
    path = f"{command.path}{os.pathsep}{ROOT}"

    quiet = command.process("classify", "session.jsonl", PYTHONPATH=path)
    asked = command.process("classify", "session.jsonl", PYTHONPATH=path, COMPACTCTL_TRACEBACK="1")

    assert quiet.code == asked.code == 70
    assert quiet.err.splitlines()[0] == "error: a fault of compactctl: RuntimeError: made up"
    assert "Traceback" not in quiet.err
    assert "Traceback" in asked.err


def test_a_closed_pipe_exits_141_without_a_word(command: Folder) -> None:
    command.session()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "compactctl", "show", "session.jsonl"],
            cwd=command.path,
            env=clean_environment(),
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)

    assert done.returncode == 141
    assert done.stderr == b""


def test_an_interrupt_exits_130(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "compactctl", "classify", "pipe"],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # Once the pipe has a reader, the command is at work and waits for its input.
    with pipe.open("wb"):
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("run", "--help")])
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    code = (
        "import sys\n"
        "from compactctl.cli.app import status_of\n"
        f"status_of({list(arguments)!r})\n"
        "heavy = {'tiktoken', 'jsonschema', 'orjson', 'compactctl.engine'} & set(sys.modules)\n"
        "print('loaded:', sorted(heavy))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.endswith("loaded: []\n")


def test_color_is_for_terminals_or_on_request(command: Folder) -> None:
    command.session()
    show = ("show", "session.jsonl")

    assert "\x1b" not in command(*show).out
    assert "\x1b[1m" in command("--color", "always", *show).out
    assert "\x1b[1m" in command(*show, FORCE_COLOR="1").out
    assert "\x1b" not in command(*show, FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b[1m" in command("--color", "always", *show, NO_COLOR="1").out


def test_schemas_are_listed_and_printed(command: Folder) -> None:
    names = command("schema").out.split()

    assert {"classification", "diff", "ledger", "policy", "snapshot", "verify"} <= set(names)
    assert command("schema", "ledger").json["type"] == "object"


def test_doctor_finds_this_installation_sound(command: Folder) -> None:
    ended = command("doctor")

    assert ended.code == 0, ended.out
    assert "o200k_base: loads offline" in ended.out


def test_doctor_names_a_variable_that_means_nothing(command: Folder) -> None:
    ended = command("doctor", COMPACTCTL_TIGGER="0.5")

    assert ended.code == 1
    assert "COMPACTCTL_TIGGER" in ended.out
