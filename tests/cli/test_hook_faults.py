"""``hook`` under faults: whatever is given, missing, closed or killed, a harness goes on."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands import ROOT, Folder, clean_environment
from cli.hook_calls import CLAUDE, CODEX_KEYS, STRICT, claude, codex, kept_bytes, notices

from compactctl.store.checks import verify
from compactctl.store.store import Store

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
