"""Killed at any write: the input is intact, the store whole, and the next run works."""

import datetime as dt
import hashlib
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from building import assistant, call, jsonl, result, user

from compactctl.engine.options import RunOptions
from compactctl.engine.run import run_file
from compactctl.model.compaction import Status
from compactctl.store.checks import ObjectStatus, verify
from compactctl.store.store import Store

CHILD = """
import datetime, itertools, os, pathlib, signal, sys
from pathlib import Path

at, file, store, out = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4]
calls = itertools.count(1)

def deadly(function):
    def wrapped(*args, **kwargs):
        if next(calls) == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return wrapped

from compactctl.engine.options import RunOptions
from compactctl.engine.run import run_file

os.fsync = deadly(os.fsync)
os.mkdir = deadly(os.mkdir)
os.fchmod = deadly(os.fchmod)
pathlib.Path.replace = deadly(pathlib.Path.replace)
pathlib.Path.mkdir = deadly(pathlib.Path.mkdir)
pathlib.Path.chmod = deadly(pathlib.Path.chmod)
ids = (f"id-{n}" for n in itertools.count())
run_file(
    file, RunOptions(keep_tail=100), store=store, output=out,
    now=datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), new_id=lambda: next(ids),
    write_stdout=lambda chunks: None,
)
print(next(calls) - 1)
"""


def session(folder: Path) -> Path:
    messages = [user("Never drop the audit table.")]
    for n in range(12):
        messages += [
            call(f"c{n}", "read_file", path=f"f{n}.py"),
            result(f"c{n}", f"row {n} " * 120),
            assistant("Read."),
        ]
    file = folder / "session.jsonl"
    file.write_bytes(jsonl([*messages, user("Go on."), assistant("Going on.")]))
    return file


def run_child(at: int, file: Path, store: Path, out: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(at), str(file), str(store), str(out)],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


def run_again(file: Path, store: Path, out: Path) -> Status:
    ids = (f"id-{n}" for n in itertools.count())
    return run_file(
        str(file),
        RunOptions(keep_tail=100),
        store=store,
        output=str(out),
        now=dt.datetime(2026, 1, 3, tzinfo=dt.UTC),
        new_id=lambda: next(ids),
        write_stdout=lambda _: None,
    ).status


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> int:
    folder = tmp_path_factory.mktemp("whole")
    done = run_child(0, session(folder), folder / "store", folder / "out.jsonl")
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_there_are_many_places_to_die(points: int) -> None:
    assert points >= 15


@pytest.mark.parametrize("share", range(12))
def test_killed_at_a_write(points: int, share: int, tmp_path: Path) -> None:
    for at in range(1 + share, points + 1, 12):
        folder = tmp_path / str(at)
        folder.mkdir()
        file = session(folder)
        before = file.read_bytes()
        store, out = folder / "store", folder / "out.jsonl"

        killed = run_child(at, file, store, out)
        assert killed.returncode == -9, f"point {at}: {killed.stderr}"

        assert file.read_bytes() == before
        if out.exists():
            assert all(json.loads(line) for line in out.read_bytes().split(b"\n") if line)
        if (store / "store.json").exists():
            bad = [c for c in verify(Store.open(store, create=False)) if not whole(c.path)]
            assert bad == []

        again = run_again(file, store, folder / "again.jsonl")
        assert again is Status.COMPACTED, f"after point {at}"
        snapshot = Store.open(store, create=False).snapshots()[-1]
        assert snapshot.path.read_bytes() == before


def whole(path: Path) -> bool:
    """A temporary file of the killed process may stay; everything else is complete."""
    if path.name.startswith("."):
        return True
    if path.suffix == ".json":
        return bool(json.loads(path.read_bytes()))
    return hashlib.sha256(path.read_bytes()).hexdigest() == path.name


def test_statuses_are_the_documented_words() -> None:
    assert [s.value for s in ObjectStatus] == ["ok", "corrupted", "missing", "stray", "unreadable"]
