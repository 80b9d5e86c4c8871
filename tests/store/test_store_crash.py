"""
Killed at any moment, a store has whole files or none, and the next run works.

One child process forks once for each write point: the fork does a whole run's writing and is
killed (SIGKILL) at that point, after which the parent goes on to the next one.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from storing import JANUARY, SESSION, SESSION_SHA256, keep, ledger

from compactctl.store.checks import verify
from compactctl.store.store import Store

CHILD = """
import os, pathlib, signal, sys, tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from storing import JANUARY, SESSION, keep, ledger
from compactctl.io.source import Source
from compactctl.store import objects
from compactctl.store.pruning import prune
from compactctl.store.store import Store

what, folder = sys.argv[1], Path(sys.argv[2])
# A killed process loses nothing that it wrote; only a power cut needs the disk, which is slow.
os.fsync = lambda handle: None

def deadly(holder, name, at):
    function = getattr(holder, name)
    def wrapped(*args, **kwargs):
        at[0] -= 1
        if at[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **kwargs)
        at[0] -= 1
        if at[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(holder, name, wrapped)

def run(root):
    store = Store.open(root, create=True)
    store.append_ledger(ledger(1, snapshot=keep(store)))

def thin(root):
    for day in (1, 2, 3):
        store = Store.open(root, create=True)
        ref = keep(store, b"%d\\n" % day, at=f"2026-02-0{day}T00:00:00Z")
        store.append_ledger(ledger(day, snapshot=ref))
    yield
    prune(store, older_than=timedelta(days=1), max_bytes=None,
          now=datetime(2026, 3, 1, tzinfo=UTC), dry_run=False)

POINTS = [(tempfile, "mkstemp"), (os, "fchmod"), (os, "fsync"), (os, "mkdir"),
          (os, "unlink"), (os, "replace"), (os, "rename"), (os, "chmod"), (Source, "read"),
          (pathlib.Path, "replace"), (pathlib.Path, "mkdir"), (pathlib.Path, "unlink")]

for point in range(1, 1000):
    root = folder / str(point)
    pid = os.fork()
    if pid == 0:
        steps = iter(thin(root)) if what == "prune" else None
        if steps is not None:
            next(steps)
        objects.CHUNK = 20
        at = [point]
        for holder, name in POINTS:
            deadly(holder, name, at)
        if steps is not None:
            next(steps, None)
        else:
            run(root)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status == 0:
        print(point)
        break
    assert status == signal.SIGKILL, (point, status)
"""


def kill_at_each_point(what: str, folder: Path) -> int:
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, what, str(folder)],
        env={**os.environ, "PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) - 1


@pytest.fixture(scope="module")
def killed_runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("run")
    count = kill_at_each_point("run", folder)
    return [folder / str(point) for point in range(1, count + 1)]


@pytest.fixture(scope="module")
def killed_prunes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("prune")
    count = kill_at_each_point("prune", folder)
    return [folder / str(point) for point in range(1, count + 1)]


def test_there_are_many_points(killed_runs: list[Path], killed_prunes: list[Path]) -> None:
    assert len(killed_runs) >= 60
    assert len(killed_prunes) >= 12


def test_files_are_whole_or_absent(killed_runs: list[Path]) -> None:
    for root in filter(Path.exists, killed_runs):
        store = Store.open(root, create=False)
        assert {check.status for check in verify(store)} <= {"ok", "stray"}, root
        for path in root.rglob("*.json"):
            assert json.loads(path.read_bytes()), root
        for snapshot in store.snapshots():
            assert b"".join(store.restore(snapshot.id)) == SESSION, root


def test_a_ledger_never_stands_without_its_snapshot(killed_runs: list[Path]) -> None:
    for root in filter(Path.exists, killed_runs):
        store = Store.open(root, create=False)
        if store.ledgers():
            assert [s.sha256 for s in store.snapshots()] == [SESSION_SHA256]


def test_the_next_run_works_and_sweeps_up(killed_runs: list[Path]) -> None:
    left = 0
    for root in killed_runs:
        left += len(list(root.rglob("*.tmp")))
        store = Store.open(root, create=True)
        ref = keep(store, at=JANUARY)
        store.append_ledger(ledger(1, snapshot=ref))

        assert list(root.rglob("*.tmp")) == []
        assert {check.status for check in verify(store)} == {"ok"}
        assert b"".join(store.restore(ref.id)) == SESSION
    assert left > 0


def test_a_killed_prune_leaves_nothing_that_is_damaged(killed_prunes: list[Path]) -> None:
    for root in killed_prunes:
        store = Store.open(root, create=True)
        assert {check.status for check in verify(store)} == {"ok"}, root
        assert store.snapshots()[-1].taken_at == "2026-02-03T00:00:00Z"
        assert b"".join(store.restore(store.snapshots()[-1].id)) == b"3\n"
