"""``hook``, as a process of its own: a harness must go on whatever it is given."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.commands import FIXTURE, ROOT, Folder, clean_environment

from compactctl.cli import hook
from compactctl.io.schemas import validate
from compactctl.store.checks import verify
from compactctl.store.store import Store

CLAUDE = ROOT / "fixtures" / "claude-code" / "ledger-service.jsonl"
STRICT = "--require-snapshot"
CODEX_KEYS = {"continue", "stopReason", "suppressOutput", "systemMessage"}
"""All that the output schema of Codex allows."""


def claude(folder: Folder, event: str = "PreCompact", **changes: Any) -> bytes:
    call = {
        "session_id": "6f1c2b7e",
        "transcript_path": str(folder.path / "session.jsonl"),
        "cwd": str(folder.path),
        "hook_event_name": event,
        "trigger": "auto",
        **({"custom_instructions": ""} if event == "PreCompact" else {}),
    }
    return json.dumps({k: v for k, v in (call | changes).items() if v is not ...}).encode()


def codex(folder: Folder, event: str = "PreCompact", **changes: Any) -> bytes:
    extra = {"turn_id": "t1", "model": "gpt-5", "trigger": "manual", "custom_instructions": ...}
    return claude(folder, event, **extra, **changes)


def notices(folder: Folder, store: str = ".compactctl") -> list[dict[str, Any]]:
    found = Store.open(folder.path / store, create=False).notices()
    for notice in found:
        validate(notice, "notice")
    return list(found)


def kept_bytes(folder: Folder, store: str = ".compactctl") -> list[bytes]:
    return [
        one.path.read_bytes() for one in Store.open(folder.path / store, create=False).snapshots()
    ]


@pytest.fixture
def session(command: Folder) -> Folder:
    shutil.copy(CLAUDE, command.path / "session.jsonl")
    return command


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


BAD_INPUTS = [
    (b"", "is empty"),
    (b" \n", "is empty"),
    (b"not json", "is no JSON"),
    (b'{"session_id": "s"', "is no JSON"),
    (b"\xff\xfe\x00", "is no JSON"),
    (b"[1, 2]", "is no JSON object"),
    (b"[" * 100_000, "is no JSON"),
    (b" " * (65 << 20), "more than"),
]


@pytest.mark.parametrize(("data", "reason"), BAD_INPUTS, ids=range(len(BAD_INPUTS)))
def test_input_that_is_no_call(session: Folder, data: bytes, reason: str) -> None:
    ended = session.process("hook", stdin=data)
    strict = session.process("hook", STRICT, stdin=data)
    for_codex = session.process("hook", STRICT, "--harness", "codex", stdin=data)

    assert (ended.code, ended.raw) == (0, b"")
    assert reason in ended.err
    assert "Traceback" not in ended.err
    assert (strict.code, strict.raw) == (2, b"")
    assert reason in strict.err
    assert for_codex.code == 0
    assert for_codex.json["continue"] is False
    assert [n["status"] for n in notices(session)] == ["missed"] * 3
    assert all(reason in n["reason"] for n in notices(session))
    assert kept_bytes(session) == []


BAD_SESSIONS = [
    ({"transcript_path": "/no/such/file.jsonl"}, "No such file"),
    ({"transcript_path": "."}, "is a directory"),
    ({"transcript_path": None}, "names no transcript"),
    ({"transcript_path": ...}, "names no transcript"),
    ({"transcript_path": 7}, "names no transcript"),
    ({"transcript_path": "a\0b"}, "null"),
    ({"transcript_path": "x" * 5000}, "name too long"),
    ({"transcript_path": "~no-such-user-of-ours/x"}, "cannot be read"),
    ({"transcript_path": "/dev/zero"}, "is no file"),
    ({"transcript_path": "pipe"}, "is no file"),
    ({"transcript_path": "empty"}, "is empty"),
]


@pytest.mark.parametrize(("changes", "reason"), BAD_SESSIONS, ids=range(len(BAD_SESSIONS)))
def test_a_session_that_cannot_be_kept(
    session: Folder, changes: dict[str, object], reason: str
) -> None:
    os.mkfifo(session.path / "pipe")
    (session.path / "empty").touch()

    ended = session.process("hook", stdin=claude(session, **changes))
    strict = session.process("hook", STRICT, stdin=claude(session, **changes))
    strict_codex = session.process("hook", STRICT, stdin=codex(session, **changes))

    assert (ended.code, ended.raw) == (0, b"")
    assert reason.lower() in ended.err.lower()
    assert (strict.code, strict.raw) == (2, b"")
    assert reason.lower() in strict.err.lower()
    assert strict_codex.code == 0
    assert strict_codex.json["continue"] is False
    assert reason.lower() in strict_codex.json["stopReason"].lower()
    assert set(strict_codex.json) <= CODEX_KEYS
    # Never another session instead: the one that lies beside it would have been there.
    assert kept_bytes(session) == []
    assert {n["status"] for n in notices(session)} == {"missed"}


def test_a_strict_hook_that_kept_the_snapshot_stops_nothing(session: Folder) -> None:
    for call in (claude(session), codex(session)):
        ended = session.process("hook", STRICT, stdin=call)

        assert (ended.code, ended.raw, ended.raw_err) == (0, b"", b"")


@pytest.mark.parametrize("event", ["PostCompact", "PreToolUse", "Stop"])
def test_only_the_moment_before_a_compaction_can_be_refused(session: Folder, event: str) -> None:
    ended = session.process("hook", STRICT, stdin=claude(session, event, transcript_path="gone"))

    assert (ended.code, ended.raw) == (0, b"")


def test_an_event_that_is_not_ours_is_noted(session: Folder) -> None:
    session.process("hook", stdin=claude(session, "PreToolUse"))

    assert notices(session)[0]["reason"].startswith("no hook for 'PreToolUse'")
    assert kept_bytes(session) == []


def test_a_session_that_grows_is_kept_as_it_was(session: Folder) -> None:
    file = session.path / "session.jsonl"
    grow = (
        "import sys, time\n"
        f"with open({str(file)!r}, 'ab', buffering=0) as f:\n"
        "    while True:\n"
        '        f.write(b\'{"type":"progress","sessionId":"s"}\\n\')\n'
        "        time.sleep(0.0005)\n"
    )
    with subprocess.Popen([sys.executable, "-c", grow]) as writer:
        try:
            while file.stat().st_size == CLAUDE.stat().st_size:
                time.sleep(0.005)
            ended = session.process("hook", STRICT, stdin=claude(session))
        finally:
            writer.kill()

    assert (ended.code, ended.raw_err) == (0, b"")
    (kept,) = kept_bytes(session)
    assert kept.startswith(CLAUDE.read_bytes())
    assert file.read_bytes().startswith(kept)


def test_a_torn_last_line_is_kept_too(session: Folder) -> None:
    with (session.path / "session.jsonl").open("ab") as file:
        file.write(b'{"type":"assistant","message":{"usage":{"inp')

    ended = session.process("hook", stdin=claude(session))

    assert (ended.code, ended.raw_err) == (0, b"")
    assert kept_bytes(session)[0].endswith(b'{"inp')
    assert notices(session)[0]["tokens"] is not None


@pytest.mark.parametrize("name", ["session.jsonl", "./session.jsonl"])
def test_a_relative_session_is_seen_from_the_folder_of_the_call(
    session: Folder, name: str
) -> None:
    (session.path / "elsewhere").mkdir()

    Folder(session.path / "elsewhere").process("hook", stdin=claude(session, transcript_path=name))

    assert kept_bytes(session) == [CLAUDE.read_bytes()]


def test_the_store_is_found_upwards_from_the_folder_of_the_session(session: Folder) -> None:
    inner = session.path / "src" / "deep"
    inner.mkdir(parents=True)
    Store.open(session.path / ".compactctl", create=True)

    session.process("hook", stdin=claude(session, cwd=str(inner)))

    assert len(kept_bytes(session)) == 1
    assert list(inner.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "environ", "config"),
    [
        (("--store", "kept"), {}, ""),
        (("--store=kept",), {}, ""),
        ((), {"COMPACTCTL_STORE": "kept"}, ""),
        ((), {}, 'store = "kept"\n'),
    ],
)
def test_another_store(
    session: Folder, words: tuple[str, ...], environ: dict[str, str], config: str
) -> None:
    (session.path / "compactctl.toml").write_text(config, "utf-8")

    ended = session.process("hook", *words, stdin=claude(session), **environ)

    assert (ended.code, ended.raw_err) == (0, b"")
    assert kept_bytes(session, "kept") == [CLAUDE.read_bytes()]
    assert not (session.path / ".compactctl").exists()


@pytest.mark.parametrize("config", ["store = [", "no_such_key = 1", "\xff\xfe"])
def test_a_broken_configuration_does_not_cost_the_snapshot(session: Folder, config: str) -> None:
    (session.path / "compactctl.toml").write_bytes(config.encode("latin-1"))

    ended = session.process("hook", STRICT, stdin=claude(session))

    assert (ended.code, ended.raw) == (0, b"")
    assert kept_bytes(session) == [CLAUDE.read_bytes()]
    assert notices(session)[0]["warnings"][0].startswith("configuration: ")


@pytest.mark.parametrize(
    "words", [("--no-such-flag",), ("nonsense",), ("--store",), ("--require-snapshot=maybe",)]
)
def test_words_that_mean_nothing_do_not_cost_the_snapshot(
    session: Folder, words: tuple[str, ...]
) -> None:
    ended = session.process("hook", *words, stdin=claude(session))

    assert (ended.code, ended.raw) == (0, b"")
    assert kept_bytes(session) == [CLAUDE.read_bytes()]
    name = words[0].partition("=")[0]
    assert notices(session)[0]["warnings"] == [f"unknown or incomplete option {name!r}"]


def test_a_folder_that_is_not_there_is_the_one_of_the_process(session: Folder) -> None:
    ended = session.process("hook", stdin=claude(session, cwd="/no/such/folder"))

    assert (ended.code, ended.raw) == (0, b"")
    assert kept_bytes(session) == [CLAUDE.read_bytes()]
    assert "/no/such/folder" in notices(session)[0]["warnings"][0]


@pytest.mark.parametrize("broken", ["orjson", "tomllib", "hashlib", "fcntl"])
def test_a_library_that_does_not_load_stops_nothing(session: Folder, broken: str) -> None:
    libraries = session.path / "libraries"
    libraries.mkdir()
    (libraries / f"{broken}.py").write_text("raise ImportError('broken on purpose')\n", "utf-8")
    path = f"{libraries}:{ROOT}"

    ended = session.process("hook", stdin=claude(session), PYTHONPATH=path)

    assert (ended.code, ended.raw) == (0, b"")
    assert "broken on purpose" in ended.err
    assert "Traceback" not in ended.err


def test_a_library_that_does_not_load_is_a_refusal_where_that_is_asked_for(
    session: Folder,
) -> None:
    libraries = session.path / "libraries"
    libraries.mkdir()
    (libraries / "orjson.py").write_text("raise ImportError('broken on purpose')\n", "utf-8")
    path = f"{libraries}:{ROOT}"

    for_claude = session.process("hook", STRICT, stdin=claude(session), PYTHONPATH=path)
    for_codex = session.process("hook", STRICT, stdin=codex(session), PYTHONPATH=path)
    after = session.process("hook", STRICT, stdin=claude(session, "PostCompact"), PYTHONPATH=path)

    assert (for_claude.code, for_claude.raw) == (2, b"")
    assert "broken on purpose" in for_claude.err
    assert for_codex.code == 0
    assert for_codex.json["continue"] is False
    assert (after.code, after.raw) == (0, b"")


def shell(folder: Folder, line: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable],
        cwd=folder.path,
        env=clean_environment(),
        input=stdin,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">/dev/full 2>/dev/full"])
@pytest.mark.parametrize("transcript", ["session.jsonl", "gone.jsonl"])
def test_streams_that_are_closed(session: Folder, closed: str, transcript: str) -> None:
    call = claude(session, transcript_path=str(session.path / transcript))

    ended = shell(session, f'"$1" -m compactctl hook {closed}', call)

    assert ended.returncode == 0
    assert [n["status"] for n in notices(session)] == [
        "kept" if transcript == "session.jsonl" else "missed"
    ]


@pytest.mark.parametrize("closed", [">&-", ">/dev/full", "| true"])
def test_a_refusal_that_nobody_reads(session: Folder, closed: str) -> None:
    call = codex(session, transcript_path="gone")

    ended = shell(session, f'"$1" -m compactctl hook {STRICT} {closed}', call)

    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr


def test_closed_input(session: Folder) -> None:
    ended = shell(session, '"$1" -m compactctl hook <&-', b"")

    assert (ended.returncode, ended.stdout) == (0, b"")
    assert (
        notices(session)[0]["reason"] == "standard input: is empty; a hook is given a JSON object"
    )


STORES = [
    ("/proc/compactctl-store", "store"),
    ("/no/such/folder/store", "store"),
    ("session.jsonl", "is a file, not a store"),
    ("foreign", "is no store"),
    ("open", "others may write into the store"),
    ("link", "is a symbolic link"),
]


@pytest.mark.parametrize(("store", "reason"), STORES, ids=[store for store, _ in STORES])
def test_a_store_that_cannot_be_used_is_said_on_standard_error(
    session: Folder, store: str, reason: str
) -> None:
    (session.path / "foreign").mkdir()
    (session.path / "foreign" / "thesis.tex").touch()
    (session.path / "open").mkdir()
    (session.path / "open").chmod(0o777)
    (session.path / "link").symlink_to("open")

    ended = session.process("hook", "--store", store, stdin=claude(session))
    strict = session.process("hook", "--store", store, STRICT, stdin=claude(session))

    assert (ended.code, ended.raw) == (0, b"")
    assert reason in ended.err
    assert "Traceback" not in ended.err
    assert (strict.code, strict.raw) == (2, b"")
    assert (session.path / "session.jsonl").read_bytes() == CLAUDE.read_bytes()


BOUND = """
import os, sys
import compactctl.cli.config, compactctl.cli.wording, compactctl.engine.hook
import compactctl.formats.recorded_tail, compactctl.report.printable, compactctl.report.secrets
from compactctl.cli import hook, output
os.geteuid() == 0 and os.setuid(65534)
sys.exit(hook.status_of_call(hook.asked_by(sys.argv[1:])))
"""
"""Calls the hook as somebody whom permissions bind, also where the tests run as root."""


@pytest.fixture
def shared() -> Iterator[Folder]:
    """A session in a folder that another user can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(Path(name))
        folder.path.chmod(0o755)
        shutil.copy(CLAUDE, folder.path / "session.jsonl")
        (folder.path / "session.jsonl").chmod(0o644)
        if os.geteuid() == 0:
            os.chown(folder.path, 65534, -1)
        yield folder


def call_bound(folder: Folder, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", BOUND, *words],
        cwd=folder.path,
        env=clean_environment(),
        input=claude(folder),
        capture_output=True,
        check=False,
    )


def test_a_session_that_may_not_be_read(shared: Folder) -> None:
    file = shared.path / "session.jsonl"
    file.chmod(0o000)

    ended, strict = call_bound(shared), call_bound(shared, STRICT)

    assert (ended.returncode, ended.stdout) == (0, b"")
    assert b"not readable" in ended.stderr
    assert (strict.returncode, strict.stdout) == (2, b"")


def test_a_store_that_may_not_be_written(shared: Folder) -> None:
    store = shared.path / ".compactctl"
    Store.open(store, create=True)
    for path in (*store.rglob("*"), store):
        if os.geteuid() == 0:
            os.chown(path, 65534, -1)
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        ended, strict = call_bound(shared), call_bound(shared, STRICT)
    finally:
        for path in (store, *store.iterdir()):
            path.chmod(0o700)

    assert (ended.returncode, ended.stdout) == (0, b"")
    assert b"Permission denied" in ended.stderr
    assert b"no notice" in ended.stderr
    assert (strict.returncode, strict.stdout) == (2, b"")
    assert b"Permission denied" in strict.stderr


KILLED = """
import itertools, os, pathlib, signal, sys
at, calls = int(sys.argv[1]), itertools.count(1)

def deadly(function):
    def wrapped(*args, **kwargs):
        if next(calls) == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return wrapped

os.fsync, os.fchmod = deadly(os.fsync), deadly(os.fchmod)
for name in ("replace", "mkdir", "chmod"):
    setattr(pathlib.Path, name, deadly(getattr(pathlib.Path, name)))
from compactctl.cli import hook
code = hook.status_of_call(hook.asked_by([]))
print(next(calls) - 1)
"""


def test_killed_at_any_write(session: Folder) -> None:
    def run(folder: Folder, at: int) -> subprocess.CompletedProcess[bytes]:
        folder.path.mkdir()
        shutil.copy(CLAUDE, folder.path / "session.jsonl")
        return subprocess.run(
            [sys.executable, "-c", KILLED, str(at)],
            cwd=folder.path,
            env=clean_environment(),
            input=claude(folder),
            capture_output=True,
            check=False,
        )

    whole = run(Folder(session.path / "whole"), 0)
    points = int(whole.stdout)
    assert points >= 15
    for at in range(1, points + 1, 3):
        folder = Folder(session.path / str(at))

        assert run(folder, at).returncode == -signal.SIGKILL
        again = folder.process("hook", STRICT, stdin=claude(folder))

        assert (again.code, again.raw_err) == (0, b""), at
        assert (folder.path / "session.jsonl").read_bytes() == CLAUDE.read_bytes()
        assert set(kept_bytes(folder)) == {CLAUDE.read_bytes()}
        store = Store.open(folder.path / ".compactctl", create=False)
        assert {check.status for check in verify(store)} == {"ok"}


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
