"""``hook``, as a process of its own: a harness must go on whatever it is given."""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time

import pytest
from cli.commands import FIXTURE, Folder, clean_environment
from cli.hook_calls import CLAUDE, STRICT, claude, codex, kept_bytes, notices

from compactctl.cli import hook
from compactctl.io.schemas import validate


def test_a_snapshot_before_claude_code_compacts(session: Folder) -> None:
    ended = session.process("hook", stdin=claude(session))

    assert (ended.code, ended.raw, ended.raw_err) == (0, b"", b"")
    assert kept_bytes(session) == [CLAUDE.read_bytes()]
    assert (session.path / "session.jsonl").read_bytes() == CLAUDE.read_bytes()
    (notice,) = notices(session)
    assert notice["status"] == "kept"
    assert notice["harness"] == "claude-code"
    assert (notice["event"], notice["trigger"]) == ("PreCompact", "auto")
    assert notice["session"] == "6f1c2b7e"
    assert notice["snapshot"]["sha256"] == hashlib.sha256(CLAUDE.read_bytes()).hexdigest()
    assert notice["warnings"] == []


def test_tokens_are_those_that_the_last_request_recorded(session: Folder) -> None:
    rows = [json.loads(line) for line in CLAUDE.read_bytes().splitlines()]
    at, usage = [
        (number, row["message"]["usage"])
        for number, row in enumerate(rows, 1)
        if row["type"] == "assistant" and not row.get("isSidechain")
    ][-1]
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

    session.process("hook", stdin=claude(session))

    assert notices(session)[0]["tokens"] == {
        "value": sum(usage.get(name, 0) for name in parts) + usage["output_tokens"],
        "source": "recorded",
        "line": at,
    }


def test_a_snapshot_before_codex_compacts(command: Folder) -> None:
    command.session()

    ended = command.process("hook", stdin=codex(command))

    assert (ended.code, ended.raw, ended.raw_err) == (0, b"", b"")
    assert kept_bytes(command) == [FIXTURE.read_bytes()]
    (notice,) = notices(command)
    assert (notice["harness"], notice["trigger"], notice["turn"]) == ("codex", "manual", "t1")
    assert notice["tokens"]["source"] == "recorded"


def test_without_recorded_usage_tokens_are_not_counted(command: Folder) -> None:
    (command.path / "session.jsonl").write_bytes(b'{"role":"user","content":"Keep it."}\n')

    ended = command.process("hook", stdin=claude(command))

    assert (ended.code, ended.raw_err) == (0, b"")
    assert notices(command)[0]["tokens"] is None


def test_what_followed_is_paired_with_what_was_before(session: Folder) -> None:
    session.process("hook", stdin=claude(session))
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s"}
    lines = len(CLAUDE.read_bytes().splitlines())
    with (session.path / "session.jsonl").open("ab") as file:
        file.write(json.dumps(boundary | {"parentUuid": None}).encode() + b"\n")

    ended = session.process(
        "hook", STRICT, stdin=claude(session, "PostCompact", compact_summary="We closed periods.")
    )

    assert (ended.code, ended.raw, ended.raw_err) == (0, b"", b"")
    before, after = notices(session)
    assert after["status"] == "followed"
    assert after["before"] == before["id"]
    assert after["after"] == {
        "bytes": (session.path / "session.jsonl").stat().st_size,
        "intact": True,
        "boundary_line": lines + 1,
        # printf 'We closed periods.' | sha256sum
        "summary_sha256": "4db194aa21c36b46e0a71a18df3f04071e37d1d7487c9402beb10aa4d4fbbc54",
        "summary": "We closed periods.",
    }
    assert len(kept_bytes(session)) == 1


def test_what_followed_says_where_the_file_was_rewritten(session: Folder) -> None:
    session.process("hook", stdin=claude(session))
    (session.path / "session.jsonl").write_bytes(b'{"type":"summary","leafUuid":"x"}\n')

    session.process("hook", stdin=claude(session, "PostCompact"))

    after = notices(session)[1]["after"]
    assert (after["intact"], after["bytes"], after["boundary_line"]) == (False, 34, None)


@pytest.mark.parametrize("other", [{"session_id": "another"}, {"agent_id": "sub"}])
def test_what_followed_another_session_is_not_paired(
    session: Folder, other: dict[str, str]
) -> None:
    session.process("hook", stdin=claude(session, **other))
    session.process("hook", stdin=claude(session, "PostCompact"))

    assert notices(session)[1]["before"] is None


def test_only_one_compaction_follows_a_snapshot(session: Folder) -> None:
    for event in ("PreCompact", "PostCompact", "PostCompact"):
        session.process("hook", stdin=claude(session, event))

    assert notices(session)[2]["before"] is None


def test_snapshots_are_private(session: Folder) -> None:
    session.process("hook", stdin=claude(session))

    for path in (session.path / ".compactctl").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_the_same_twice_is_one_copy_and_two_notices(session: Folder) -> None:
    for _ in range(2):
        session.process("hook", stdin=claude(session))

    objects = [p for p in (session.path / ".compactctl" / "objects").rglob("*") if p.is_file()]
    assert len(objects) == 1
    assert len(notices(session)) == 2


def test_log_lists_what_a_harness_did(session: Folder) -> None:
    session.process("hook", stdin=claude(session))
    session.process("hook", stdin=claude(session, "PostCompact", compact_summary="in short"))
    session.process("hook", stdin=claude(session, transcript_path="gone.jsonl"))

    ended, listed = session("log"), session("log", "--format", "json").json

    assert "  claude-code  PreCompact  auto  kept  72,265 tokens recorded  " in ended.out
    assert "  claude-code  PostCompact  auto  followed  " in ended.out
    assert "  missed  gone.jsonl  (gone.jsonl: cannot be read: No such file" in ended.out
    validate(listed, "log")
    assert [n["status"] for n in listed["notices"]] == ["kept", "followed", "missed"]
    assert "in short" not in ended.out + json.dumps(listed)


def test_a_secret_in_a_reason_is_masked_where_it_is_printed(session: Folder) -> None:
    key = "ghp_" + "k3" * 18
    ended = session.process("hook", stdin=claude(session, transcript_path=f"/x/{key}.jsonl"))

    assert "No such file" in ended.err
    listed = session("log", "--format", "json").json["notices"][0]
    assert key not in ended.err + session("log").out + listed["reason"]


def test_doctor_says_where_the_last_call_kept_nothing(session: Folder) -> None:
    assert "ok     hook: never called here" in session("doctor").out

    session.process("hook", stdin=b"")
    broken = session("doctor")
    session.process("hook", stdin=claude(session))
    mended = session("doctor")

    assert broken.code == 1
    assert "WRONG  hook: the last call, " in broken.out
    assert mended.code == 0
    assert "ok     hook: 1 snapshots before compactions, 1 earlier ones without" in mended.out


def test_restore_and_verify_know_the_snapshot(session: Folder) -> None:
    session.process("hook", stdin=claude(session))
    sha256 = hashlib.sha256(CLAUDE.read_bytes()).hexdigest()

    assert session("restore", sha256[:12], "-o", "-").raw == CLAUDE.read_bytes()
    assert session("verify").code == 0
    assert session("show", f"snap:{sha256[:12]}#L2.0").code == 0


def test_a_person_at_a_terminal_is_told_what_to_do(session: Folder) -> None:
    main, other = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "compactctl", "hook"],
            cwd=session.path,
            env=clean_environment(),
            stdin=other,
            capture_output=True,
            check=False,
        )
    finally:
        for handle in (main, other):
            with contextlib.suppress(OSError):
                os.close(handle)

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"compactctl hook install" in done.stderr
    assert session.files() == {"session.jsonl"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hook"], True),
        (["hook", "--store", "x"], True),
        (["hook", "anything"], True),
        (["hook", "install", "--codex"], False),
        (["hook", "uninstall"], False),
        (["hook", "--help"], False),
        (["run", "hook"], False),
        ([], False),
    ],
)
def test_what_is_a_call(words: list[str], expected: bool) -> None:  # noqa: FBT001 -- a table
    assert hook.is_call(words) is expected


def test_a_call_loads_neither_the_command_line_nor_the_encodings(session: Folder) -> None:
    code = (
        "import sys\nfrom compactctl.cli import hook\n"
        "hook.status_of_call(hook.asked_by([]))\n"
        "sys.exit(bool({'typer', 'rich', 'tiktoken', 'jsonschema'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=session.path,
        env=clean_environment(),
        input=claude(session),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    assert [n["status"] for n in notices(session)] == ["kept"]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_pipe_that_is_never_closed_is_not_waited_for(session: Folder, end: bytes) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "compactctl", "hook"],
        cwd=session.path,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(claude(session) + end)
        process.stdin.flush()

        # It ends while the pipe is still open; nobody would close it for the test.
        assert process.wait(timeout=60) == 0

    assert kept_bytes(session) == [CLAUDE.read_bytes()]


def test_a_call_that_comes_in_pieces_is_read_whole(session: Folder) -> None:
    data = claude(session, "PostCompact", compact_summary="{x}" * 100_000)
    with subprocess.Popen(
        [sys.executable, "-m", "compactctl", "hook"],
        cwd=session.path,
        env=clean_environment(),
        stdin=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        for part in (data[:100], data[100:150_002], data[150_002:]):
            process.stdin.write(part)
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()

    assert process.returncode == 0
    assert notices(session)[0]["after"]["summary"] == "{x}" * 100_000


def test_behind_an_option_of_the_command_line_it_is_the_same(session: Folder) -> None:
    kept = session("--color", "never", "hook", "--store", "kept", stdin=claude(session))
    strict = session("--color", "never", "hook", STRICT, stdin=b"")

    assert (kept.code, kept.raw, kept.raw_err) == (0, b"", b"")
    assert kept_bytes(session, "kept") == [CLAUDE.read_bytes()]
    assert (strict.code, strict.raw) == (2, b"")
