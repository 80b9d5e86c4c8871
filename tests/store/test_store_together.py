"""Several processes at one store at once."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from storing import SESSION, keep, ledger

from compactctl.errors import StoreError
from compactctl.store import locking
from compactctl.store.checks import verify
from compactctl.store.store import Store

RUNS = 25
RUN = """
import sys
from pathlib import Path
from storing import keep, ledger
from compactctl.store.store import Store

start, root = int(sys.argv[1]), Path(sys.argv[2])
for number in range(start, start + 25):
    store = Store.open(root, create=True)
    data = b"%d" % (number % 7) * 5000
    ref = keep(store, data, at=f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}Z")
    store.append_ledger(ledger(number, snapshot=ref))
"""
THIN = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from compactctl.store.pruning import prune
from compactctl.store.store import Store

root = Path(sys.argv[2])
for _ in range(15):
    prune(Store.open(root, create=True), older_than=None, max_bytes=10_000,
          now=datetime(2026, 3, 1, tzinfo=UTC), dry_run=False)
"""


def start(script: str, number: int, root: Path) -> "subprocess.Popen[str]":
    tests = Path(__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", script, str(number), str(root)],
        env={**os.environ, "PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}"},
        stderr=subprocess.PIPE,
        text=True,
    )


def verified_meanwhile(running: "list[subprocess.Popen[str]]", root: Path) -> int:
    looks = 0
    while any(one.poll() is None for one in running):
        if (root / "store.json").exists():
            looks += 1
            found = verify(Store.open(root, create=False))
            assert {check.status for check in found} <= {"ok", "stray"}
    for one in running:
        _, said = one.communicate()
        assert one.returncode == 0, said
    return looks


def test_two_runs_and_a_verify(tmp_path: Path) -> None:
    root = tmp_path / "store"
    looks = verified_meanwhile([start(RUN, 0, root), start(RUN, RUNS, root)], root)
    store = Store.open(root, create=False)

    assert looks > 0
    assert len(store.snapshots()) == len(store.ledgers()) == 2 * RUNS
    assert {check.status for check in verify(store)} == {"ok"}


def test_two_runs_a_prune_and_a_verify(tmp_path: Path) -> None:
    root = tmp_path / "store"
    running = [start(RUN, 0, root), start(RUN, RUNS, root), start(THIN, 0, root)]
    verified_meanwhile(running, root)
    store = Store.open(root, create=False)

    # Every snapshot that is listed can be had, whenever the prune came in between.
    for snapshot in store.snapshots():
        assert len(b"".join(store.restore(snapshot.id))) == snapshot.bytes
    assert {check.status for check in verify(store)} == {"ok"}


def test_a_file_that_is_being_written_is_not_swept_away(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    half = store.root / "snapshots/.x.json.abc.tmp"
    half.write_bytes(b"")
    with locking.writing(store.root):
        assert store.sweep_temporary() == ()
        assert half.exists()

    assert store.sweep_temporary() == (half,)
    assert not half.exists()


def test_writers_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with locking.writing(tmp_path), locking.writing(tmp_path, wait=0):
        pass


def test_a_writer_waits_for_the_end_of_a_prune(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    with locking.alone(store.root):
        writer = threading.Thread(target=keep, args=(store,))
        writer.start()
        writer.join(0.1)
        assert writer.is_alive()
    writer.join()

    assert [s.bytes for s in store.snapshots()] == [len(SESSION)]


def test_a_lock_that_does_not_come_is_a_clear_failure(tmp_path: Path) -> None:
    with locking.alone(tmp_path):
        for lock in (locking.writing, locking.alone):
            with (
                pytest.raises(StoreError, match="another compactctl is using the store") as caught,
                lock(tmp_path, wait=0),
            ):
                pass
            assert caught.value.hint == "try again when it is done"


def test_without_locks_a_run_goes_on_and_a_prune_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path / "store", create=True)
    (store.root / ".x.tmp").write_bytes(b"")

    def none(*_: object) -> None:
        raise OSError(locking.errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locking.fcntl, "flock", none)
    store.append_ledger(ledger(1, snapshot=keep(store)))
    assert store.sweep_temporary() == ()
    with (
        pytest.raises(StoreError, match="the file system knows no locks"),
        locking.alone(store.root),
    ):
        pass


def test_a_store_that_went_away(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    store.root.rename(tmp_path / "elsewhere")

    with pytest.raises(StoreError, match="No such file or directory"):
        store.append_ledger(ledger(1))
