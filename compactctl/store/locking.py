"""
Who may do what in a store at the same time.

Readers take no lock: every file is whole or absent. Writers share a lock with each other; only
what removes files takes it alone, so that no object goes while a run is about to name it, and a
temporary file that is there then has no living writer. The lock is held on the open folder: it
leaves no file behind and ends with its process, however that ends.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compactctl.errors import StoreError
from compactctl.store.faults import failure

WAIT = 30.0
"""Seconds that a writer waits: longer than pruning takes, shorter than patience."""
_POLL = 0.02
_UNSUPPORTED = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})


@contextmanager
def writing(root: Path, *, wait: float | None = None) -> Iterator[None]:
    """
    Hold the store for writing beside other writers.

    Raises ``StoreError`` where somebody who removes files holds it for ``wait`` seconds (else
    ``WAIT``). On a file system without locks it goes on without: only a prune at the same moment
    would matter, and that refuses to run there.
    """
    handle = _open(root)
    try:
        _acquire(root, handle, fcntl.LOCK_SH, wait)
        yield
    finally:
        os.close(handle)


@contextmanager
def alone(root: Path, *, wait: float | None = None) -> Iterator[None]:
    """
    Hold the store alone, for removing.

    Raises ``StoreError`` where writers hold it for ``wait`` seconds, or where the file system
    knows no locks.
    """
    handle = _open(root)
    try:
        if not _acquire(root, handle, fcntl.LOCK_EX, wait):
            raise StoreError(
                f"{root}: nothing is removed here: the file system knows no locks",
                hint="prune it from the machine that has the disk",
            )
        yield
    finally:
        os.close(handle)


@contextmanager
def alone_if_free(root: Path) -> Iterator[bool]:
    """Hold the store alone where nobody writes just now; yield whether that is so."""
    handle = _open(root)
    try:
        yield _try(root, handle, fcntl.LOCK_EX) is True
    finally:
        os.close(handle)


def _open(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise failure(root, error) from None


def _acquire(root: Path, handle: int, kind: int, wait: float | None) -> bool:
    """Return ``False`` where the file system knows no locks."""
    end = time.monotonic() + (WAIT if wait is None else wait)
    while (got := _try(root, handle, kind)) is False:
        if time.monotonic() >= end:
            raise StoreError(
                f"{root}: another compactctl is using the store",
                hint="try again when it is done",
            )
        time.sleep(_POLL)
    return got is True


def _try(root: Path, handle: int, kind: int) -> bool | None:
    """Return whether the lock was got, ``None`` where there are no locks."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return None
        raise failure(root, error) from None
    return True
