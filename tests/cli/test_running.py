"""``run``: what it prints, writes and ends with."""

import hashlib
import json

from cli.commands import Folder


def test_a_run_leaves_the_input_and_says_where_everything_is(compacted: Folder) -> None:
    ended = compacted.process("run", "session.jsonl", "--force")

    assert ended.code == 0
    assert ended.err == ""
    for label in ("compacted (fold)", "window", "cut", "tokens", "pinned", "gave way", "cache"):
        assert label in ended.out
    for label in ("output    session.compacted.jsonl", "undo      compactctl restore ", "resume"):
        assert label in ended.out


def test_a_dry_run_writes_nothing(command: Folder) -> None:
    command.session()

    ended = command("run", "session.jsonl", "--dry-run")

    assert ended.code == 0
    assert ended.out.startswith("compacted (fold): ")
    assert command.files() == {"session.jsonl"}


def test_json_is_the_ledger(command: Folder) -> None:
    file = command.session()

    ended = command("run", "session.jsonl", "-o", "out.jsonl", "--format", "json")

    ledger = ended.json
    written = (command.path / "out.jsonl").read_bytes()
    assert ledger["schema"] == "compactctl.ledger/1"
    assert ledger["status"] == "compacted"
    assert ledger["tokens"]["after"] < ledger["tokens"]["before"]
    assert ledger["output"]["sha256"] == hashlib.sha256(written).hexdigest()
    assert ledger["snapshot"]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_markdown_is_written(command: Folder) -> None:
    command.session()

    ended = command("run", "session.jsonl", "--dry-run", "--format", "markdown")

    assert ended.out.startswith("## compactctl: compacted (fold)\n")


def test_a_pipe_gets_the_session_and_the_report_goes_aside(command: Folder) -> None:
    data = command.session().read_bytes()

    ended = command.process("run", "-", "-o", "-", stdin=data)

    lines = ended.raw.split(b"\n")
    assert ended.code == 0
    assert all(isinstance(json.loads(line), dict) for line in lines if line)
    assert "compacted (fold)" in ended.err


def test_a_second_run_on_the_output_writes_nothing_and_exits_3(compacted: Folder) -> None:
    ended = compacted("run", "session.compacted.jsonl")

    assert ended.code == 3
    assert ended.out.startswith("refused: nothing-new")
    assert "session.compacted.compacted.jsonl" not in compacted.files()


def test_if_needed_skips_and_hands_the_input_on(command: Folder) -> None:
    file = command.session()

    ended = command("run", "session.jsonl", "--if-needed", "-o", "next.jsonl")

    assert ended.code == 0
    assert ended.out.startswith("skipped")
    assert "what would have been:" in ended.out
    assert (command.path / "next.jsonl").read_bytes() == file.read_bytes()


def test_quiet_prints_nothing(command: Folder) -> None:
    command.session()

    ended = command("run", "session.jsonl", "--dry-run", "-q")

    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_a_file_that_is_not_ours_is_not_replaced(command: Folder) -> None:
    command.session()
    other = command.path / "session.compacted.jsonl"
    other.write_text("mine\n")

    ended = command("run", "session.jsonl")

    assert ended.code == 2
    assert "--force" in ended.err
    assert other.read_text() == "mine\n"


def test_configuration_is_heeded_and_flags_beat_it(command: Folder) -> None:
    command.session()
    (command.path / "compactctl.toml").write_text('level = "clear"\n')

    by_file = command("run", "session.jsonl", "--dry-run", "--format", "json").json
    by_variable = command(
        "run", "session.jsonl", "--dry-run", "--format", "json", COMPACTCTL_LEVEL="fold"
    ).json
    by_flag = command(
        "run", "session.jsonl", "--dry-run", "--format", "json", "--level", "fold"
    ).json

    assert (by_file["level"], by_variable["level"], by_flag["level"]) == ("clear", "fold", "fold")


def test_a_secret_is_never_printed(command: Folder) -> None:
    secret = "gh" + "p_" + "Ab3" * 12
    messages = [
        {"role": "user", "content": f"Never print the token {secret} anywhere."},
        {"role": "assistant", "content": "Understood."},
    ]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    (command.path / "chat.jsonl").write_text(text)

    for arguments in (
        ("classify", "chat.jsonl"),
        ("classify", "chat.jsonl", "--format", "json"),
        ("classify", "chat.jsonl", "--format", "markdown"),
        ("pins", "chat.jsonl"),
        ("pins", "chat.jsonl", "--format", "json"),
        ("show", "chat.jsonl"),
        ("show", "chat.jsonl", "--entry", "L1.0"),
    ):
        ended = command(*arguments)
        assert ended.code == 0, ended.err
        assert secret not in ended.out
    assert secret in command("show", "chat.jsonl", "--entry", "L1.0", "--raw").out
