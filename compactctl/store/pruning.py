"""Thinning a store by age and size; the newest snapshot always stays."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from compactctl.errors import StoreError
from compactctl.store import layout
from compactctl.store.store import Snapshot, Store

_TEMPORARY_AGE = timedelta(days=1)
"""A temporary file this old belongs to no process that still writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """What was (or with ``dry_run`` would be) removed, and what stays."""

    removed: tuple[Snapshot, ...]
    kept: tuple[Snapshot, ...]
    freed_bytes: int
    temporary: tuple[Path, ...]
    dry_run: bool


def prune(
    store: Store,
    *,
    older_than: timedelta | None,
    max_bytes: int | None,
    now: datetime,
    dry_run: bool,
) -> PruneReport:
    """
    Remove snapshots that are older than ``older_than``, and the oldest ones over ``max_bytes``.

    The newest snapshot is never removed, and an object goes only with the last manifest that
    names it. Ledgers stay: they are small, and say what happened even where the original is gone.
    """
    snapshots = store.snapshots()
    removed = tuple(_chosen(snapshots, older_than, max_bytes, now))
    gone = {snapshot.id for snapshot in removed}
    kept = tuple(snapshot for snapshot in snapshots if snapshot.id not in gone)
    still_named = {snapshot.path for snapshot in kept}
    objects = {s.path: s.bytes for s in removed if s.path not in still_named}
    temporary = tuple(_stale(store.root, now))
    if not dry_run:
        # Manifests first: a crash in between leaves an object too many, never one too few.
        _remove(store.root / layout.SNAPSHOTS / f"{snapshot.id}.json" for snapshot in removed)
        _remove(objects)
        _remove(temporary)
    return PruneReport(
        removed=removed,
        kept=kept,
        freed_bytes=sum(objects.values()),
        temporary=temporary,
        dry_run=dry_run,
    )


def _chosen(
    snapshots: Sequence[Snapshot],
    older_than: timedelta | None,
    max_bytes: int | None,
    now: datetime,
) -> Iterator[Snapshot]:
    older = snapshots[:-1]
    by_age = {s.id for s in older if older_than is not None and _age(s, now) > older_than}
    size = sum({s.path: s.bytes for s in snapshots if s.id not in by_age}.values())
    for at, snapshot in enumerate(older):
        if snapshot.id in by_age:
            yield snapshot
        elif max_bytes is not None and size > max_bytes:
            later = {s.path for s in snapshots[at + 1 :] if s.id not in by_age}
            size -= 0 if snapshot.path in later else snapshot.bytes
            yield snapshot


def _age(snapshot: Snapshot, now: datetime) -> timedelta:
    try:
        taken = datetime.fromisoformat(snapshot.taken_at)
    except ValueError:
        return timedelta(0)
    return now - taken


def _stale(root: Path, now: datetime) -> Iterator[Path]:
    for path in root.rglob(".*.tmp"):
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime, tz=now.tzinfo)
        except FileNotFoundError:
            continue  # its writer has just renamed it
        if now - changed > _TEMPORARY_AGE:
            yield path


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be removed: {error.strerror}", hint="check the permissions"
            ) from None
