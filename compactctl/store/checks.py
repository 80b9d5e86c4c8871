"""Checking a store: every object, manifest, ledger and notice."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from compactctl.store import layout
from compactctl.store.objects import is_sha256, sha256_of
from compactctl.store.store import Snapshot, Store


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
    Return how every file of the store stands: objects, manifests, ledgers, leftovers.

    An object is ``corrupted`` where its content is not what its name says, ``missing`` where a
    manifest names it and it is gone; a manifest is ``corrupted`` where its object is sound and
    of another size; a manifest or ledger that cannot be read is ``unreadable``; what is none of
    these, such as a file that a killed process left half-written, is ``stray``. Safe beside runs
    and a prune: what goes while it is looked at is not reported.
    """
    # Manifests are read first: an object is always there before the manifest that names it.
    snapshots = store.snapshots()
    checks = list(_objects(store, snapshots))
    checks += _manifests(store, snapshots, frozenset(c.path for c in checks if _sound(c)))
    checks += (ObjectCheck(store.ledger_path(str(v["id"])), _OK) for v in store.ledgers())
    checks += (ObjectCheck(store.notice_path(str(v["id"])), _OK) for v in store.notices())
    checks += (ObjectCheck(path, ObjectStatus.UNREADABLE) for path in store.unreadable)
    return tuple(checks)


_OK = ObjectStatus.OK


def _objects(store: Store, snapshots: tuple[Snapshot, ...]) -> Iterator[ObjectCheck]:
    there = sorted(_files(store.root / layout.OBJECTS))
    for path in there:
        status = _object(path)
        if status is not None:
            yield ObjectCheck(path, status)
    manifests = {s.path: store.manifest_path(s.id) for s in snapshots}
    for path in sorted(manifests.keys() - set(there)):
        if manifests[path].exists() and not path.exists():
            yield ObjectCheck(path, ObjectStatus.MISSING)


def _object(path: Path) -> ObjectStatus | None:
    """Return ``None`` for a file that is gone since it was listed."""
    if path.is_symlink() or path.parent.name != path.name[:2] or not is_sha256(path.name):
        return ObjectStatus.STRAY if path.is_symlink() or path.exists() else None
    try:
        return _OK if sha256_of(path) == path.name else ObjectStatus.CORRUPTED
    except FileNotFoundError:
        return None
    except OSError:
        return ObjectStatus.UNREADABLE


def _manifests(
    store: Store, snapshots: tuple[Snapshot, ...], sound: frozenset[Path]
) -> Iterator[ObjectCheck]:
    for snapshot in snapshots:
        wrong = snapshot.path in sound and not _has_size(snapshot)
        status = ObjectStatus.CORRUPTED if wrong else _OK
        yield ObjectCheck(store.manifest_path(snapshot.id), status)
    for path in layout.temporary_files(store.root):
        if path.parent.parent.name != layout.OBJECTS:
            yield ObjectCheck(path, ObjectStatus.STRAY)


def _has_size(snapshot: Snapshot) -> bool:
    try:
        return snapshot.path.stat().st_size == snapshot.bytes
    except FileNotFoundError:
        return True  # pruned since it was found sound


def _sound(check: ObjectCheck) -> bool:
    return check.status is _OK


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if not path.is_dir() or path.is_symlink():
            yield path
