"""Checking a store: every object, manifest and ledger."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from compactctl.store import layout
from compactctl.store.store import Store, sha256_of


class ObjectStatus(StrEnum):
    """How a file of the store stands."""

    OK = "ok"
    CORRUPTED = "corrupted"
    MISSING = "missing"
    STRAY = "stray"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ObjectCheck:
    """One file of the store, and how it stands."""

    path: Path
    status: ObjectStatus


def verify(store: Store) -> tuple[ObjectCheck, ...]:
    """
    Return how every file of the store stands.

    An object is ``corrupted`` where its content is not what its name says, ``missing`` where a
    manifest names it and it is gone, ``stray`` where it is no object at all; a manifest or ledger
    that cannot be read is ``unreadable``.
    """
    return tuple(_checks(store))


def _checks(store: Store) -> Iterator[ObjectCheck]:
    named = {snapshot.path for snapshot in store.snapshots()}
    there = set(_files(store.root / layout.OBJECTS))
    for path in sorted(there):
        yield ObjectCheck(path, _object(path))
    for path in sorted(named - there):
        yield ObjectCheck(path, ObjectStatus.MISSING)
    store.ledgers()
    for path in store.unreadable:
        yield ObjectCheck(path, ObjectStatus.UNREADABLE)


def _object(path: Path) -> ObjectStatus:
    if path.is_symlink() or path.parent.name != path.name[:2] or "." in path.name:
        return ObjectStatus.STRAY
    try:
        return ObjectStatus.OK if sha256_of(path) == path.name else ObjectStatus.CORRUPTED
    except OSError:
        return ObjectStatus.UNREADABLE


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if not path.is_dir() or path.is_symlink():
            yield path
