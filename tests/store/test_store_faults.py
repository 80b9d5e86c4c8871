"""
A full disk and a read-only store.

A full disk is a child process that may write no file over a limit. A read-only store is one
whose folders the child may not write: as root nothing stops a process, so it first becomes
another user, who owns the folders (it stands in them already, and need not pass their parents).
"""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from building import source_of
from storing import JANUARY, SESSION, files_of, keep, ledger, sha256

from compactctl.errors import StoreError
from compactctl.store.checks import verify
from compactctl.store.store import Store

BIG = b'{"role":"user","content":"' + b"x" * 50_000 + b'"}\n'


PREAMBLE = """
import os, resource, sys
from pathlib import Path
from building import source_of
from storing import JANUARY, SESSION, keep, ledger, sha256
from compactctl.errors import StoreError
from compactctl.store.store import Store
import encodings.idna, tempfile
BIG = b'{"role":"user","content":"' + b"x" * 50_000 + b'"}\\n'

def said(action):
    try:
        action()
    except StoreError as error:
        print(error.message, "|", error.hint)
    else:
        print("done")
"""


def child(script: str, folder: Path) -> list[str]:
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + script],
        env={**os.environ, "PYTHONPATH": f"{tests}{os.pathsep}{tests.parent}"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "s", create=True)
    keep(store)
    before = files_of(store.root)

    (said,) = child(
        """
source = source_of(BIG)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
store = Store.open(Path("s"), create=True)
said(lambda: store.put_snapshot(
    source, expected_sha256=sha256(BIG), taken_at=JANUARY, fmt="openai-chat"))
""",
        tmp_path,
    )

    assert "cannot be written: File too large" in said
    assert said.endswith("| the file is larger than this process may write")
    assert files_of(store.root) == before
    assert {check.status for check in verify(store)} == {"ok"}


def test_a_disk_too_full_for_a_store(tmp_path: Path) -> None:
    (said,) = child(
        """
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
said(lambda: Store.open(Path("s"), create=True))
""",
        tmp_path,
    )

    assert "cannot be written: File too large" in said
    assert files_of(tmp_path) == {}


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "free some space, or write elsewhere"),
        (errno.EROFS, "the file system is read-only; write elsewhere"),
        (errno.EIO, "name another store with --store"),
    ],
)
def test_each_failure_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    store = Store.open(tmp_path / "s", create=True)
    source = source_of(SESSION)

    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkstemp", fail)
    with pytest.raises(StoreError, match=os.strerror(number)) as caught:
        store.put_snapshot(
            source, expected_sha256=sha256(SESSION), taken_at=JANUARY, fmt="openai-chat"
        )

    assert caught.value.hint == hint
    assert store.snapshots() == ()


def make_read_only(root: Path) -> str:
    """Close the folders to writing; return what the child does first, so that they bind it."""
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    if os.geteuid() == 0:
        for path in (root.parent, root, *root.rglob("*")):
            os.chown(path, user, -1)
    for path in (root, *root.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    return f"os.geteuid() == 0 and os.setuid({user})\n"


def test_a_read_only_store_is_read_and_fails_only_at_writing(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "s", create=True)
    ref = keep(store)
    store.append_ledger(ledger(1))
    before = files_of(store.root)
    begin = make_read_only(store.root)
    try:
        said = child(
            "source = source_of(BIG)\n"
            + begin
            + f"""
read = Store.open(Path("s"), create=False)
print(b"".join(read.restore("{ref.id}")) == SESSION, len(read.ledgers()))
store = Store.open(Path("s"), create=True)
said(lambda: store.put_snapshot(
    source, expected_sha256=sha256(BIG), taken_at=JANUARY, fmt="openai-chat"))
said(lambda: store.append_ledger(ledger(2)))
""",
            tmp_path,
        )
    finally:
        for path in (store.root, *store.root.rglob("*")):
            if path.is_dir():
                path.chmod(0o700)

    assert said[0] == "True 1"
    assert len(said) == 3
    assert "Permission denied | check the path and its permissions" in said[1]
    assert "Permission denied | check the permissions of the folder" in said[2]
    assert files_of(store.root) == before


def test_an_object_that_may_not_be_read_is_a_clear_failure(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "s", create=True)
    ref = keep(store)
    begin = make_read_only(store.root)
    Path(ref.path).chmod(0o000)
    try:
        said = child(
            begin
            + f"""
from compactctl.store.checks import verify
store = Store.open(Path("s"), create=False)
said(lambda: next(store.restore("{ref.id}")))
print(*sorted(c.status for c in verify(store)))
""",
            tmp_path,
        )
    finally:
        for path in (store.root, *store.root.rglob("*")):
            if path.is_dir():
                path.chmod(0o700)

    assert f"{ref.sha256}: the store cannot be used: Permission denied" in said[0]
    assert said[1] == "ok unreadable"
