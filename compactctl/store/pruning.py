"""
Thinning a store by age and size.

What is compacted again and again leaves a chain of snapshots, and the output of a later round
points into the snapshots of the earlier ones. So the unit that stays or goes is the family: the
snapshots that are joined by their ledgers, or that hold the same content. The family of the
newest snapshot always stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from compactctl.io.atomic import sync_folder
from compactctl.store import layout
from compactctl.store.faults import failure
from compactctl.store.locking import alone
from compactctl.store.objects import is_sha256
from compactctl.store.store import Snapshot, Store, remove

_Ledger = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """
    What was (or with ``dry_run`` would be) removed, and what stays.

    ``needed`` are snapshots that are old, and stay because a younger one points into them.
    ``ledgers`` and ``notices`` are the ids of those that went with their snapshot (a notice
    without one goes by its own age), ``leftovers`` objects that no manifest names.
    """

    removed: tuple[Snapshot, ...]
    kept: tuple[Snapshot, ...]
    needed: tuple[Snapshot, ...]
    ledgers: tuple[str, ...]
    notices: tuple[str, ...]
    freed_bytes: int
    leftovers: tuple[Path, ...]
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
    Remove families all of whose snapshots are older than ``older_than``, and then the oldest
    families until the objects take at most ``max_bytes``.

    The family of the newest snapshot stays even where that is too old or too large. Ledgers go
    with their snapshot. Killed in between, it leaves nothing that points at what is gone but a
    ledger or an object too many, which the next prune removes. Raises ``StoreError`` where
    somebody is writing and does not come to an end; with ``dry_run`` nothing is locked.
    """
    if dry_run:
        return _report(store, older_than, max_bytes, now, dry_run=True)
    with alone(store.root):
        report = _report(store, older_than, max_bytes, now, dry_run=False)
        _carry_out(store, report)
    return report


def _report(
    store: Store,
    older_than: timedelta | None,
    max_bytes: int | None,
    now: datetime,
    *,
    dry_run: bool,
) -> PruneReport:
    snapshots, ledgers = store.snapshots(), store.ledgers()
    families = _families(snapshots, ledgers)
    going = {s.id for f in _chosen(families, older_than, max_bytes, now) for s in f}
    removed = tuple(s for s in snapshots if s.id in going)
    kept = tuple(s for s in snapshots if s.id not in going)
    leftovers = () if store.unreadable else tuple(_leftovers(store, snapshots))
    freed = {s.path: s.bytes for s in removed} | {path: _size(path) for path in leftovers}
    contents = {s.sha256 for s in kept}
    return PruneReport(
        removed=removed,
        kept=kept,
        needed=tuple(s for s in kept if _is_old(s, older_than, now) and s is not kept[-1]),
        ledgers=tuple(str(v["id"]) for v in ledgers if _goes(v, contents)),
        notices=tuple(_notices_going(store.notices(), contents, older_than, now)),
        freed_bytes=sum(freed.values()),
        leftovers=leftovers,
        temporary=layout.temporary_files(store.root),
        dry_run=dry_run,
    )


def _carry_out(store: Store, report: PruneReport) -> None:
    # Manifests first, and on disk: an object too many does no harm, one too few does.
    remove(store.manifest_path(snapshot.id) for snapshot in report.removed)
    remove(store.ledger_path(ledger_id) for ledger_id in report.ledgers)
    remove(store.notice_path(notice_id) for notice_id in report.notices)
    try:
        sync_folder(store.root / layout.SNAPSHOTS)
    except OSError as error:
        raise failure(store.root / layout.SNAPSHOTS, error) from None
    remove(snapshot.path for snapshot in report.removed)
    remove(report.leftovers)
    remove(report.temporary)


def _families(
    snapshots: Sequence[Snapshot], ledgers: Sequence[_Ledger]
) -> list[tuple[Snapshot, ...]]:
    """Return the families, the one with the oldest newest snapshot first."""
    joined = _Joined()
    content_of = {str(v["id"]): _content(v) for v in ledgers}
    for ledger in ledgers:
        mine, parent = _content(ledger), content_of.get(str(ledger.get("parent")))
        if mine is not None and parent is not None:
            joined.join(mine, parent)
    found: dict[str, list[Snapshot]] = {}
    for snapshot in snapshots:
        found.setdefault(joined.root(snapshot.sha256), []).append(snapshot)
    place = {snapshot.id: at for at, snapshot in enumerate(snapshots)}
    return sorted((tuple(f) for f in found.values()), key=lambda f: place[f[-1].id])


class _Joined:
    """Sets of contents that belong together, each named by one of its members."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, content: str) -> str:
        while (above := self._above.get(content, content)) != content:
            # Halving the way up keeps a chain of thousands of rounds cheap.
            self._above[content] = self._above.get(above, above)
            content = self._above[content]
        return content

    def join(self, one: str, other: str) -> None:
        self._above[self.root(one)] = self.root(other)


def _chosen(
    families: Sequence[tuple[Snapshot, ...]],
    older_than: timedelta | None,
    max_bytes: int | None,
    now: datetime,
) -> Iterator[tuple[Snapshot, ...]]:
    """Yield the families that go; the last one, which holds the newest snapshot, never does."""
    size = sum(_bytes(family) for family in families)
    for family in families[:-1]:
        too_large = max_bytes is not None and size > max_bytes
        if too_large or all(_is_old(s, older_than, now) for s in family):
            size -= _bytes(family)
            yield family


def _bytes(family: Sequence[Snapshot]) -> int:
    return sum({s.path: s.bytes for s in family}.values())


def _is_old(snapshot: Snapshot, older_than: timedelta | None, now: datetime) -> bool:
    return _is_past(snapshot.taken_at, older_than, now)


def _is_past(time: str, older_than: timedelta | None, now: datetime) -> bool:
    if older_than is None:
        return False
    try:
        taken = datetime.fromisoformat(time)
    except ValueError:
        return False  # nobody can say how old it is, so it is not removed for its age
    taken = taken if taken.tzinfo is not None else taken.replace(tzinfo=UTC)
    return now - taken > older_than


def _notices_going(
    notices: Sequence[_Ledger],
    contents: set[str],
    older_than: timedelta | None,
    now: datetime,
) -> Iterator[str]:
    """Yield those of snapshots that go, those that followed them, and old ones without any."""
    staying: set[object] = set()
    for notice in notices:
        if _content(notice) is not None:
            goes = _goes(notice, contents)
        elif notice.get("before") is not None:
            goes = notice["before"] not in staying
        else:
            goes = _is_past(str(notice.get("time")), older_than, now)
        if goes:
            yield str(notice["id"])
        else:
            staying.add(notice["id"])


def _goes(ledger: _Ledger, contents: set[str]) -> bool:
    content = _content(ledger)
    return content is not None and content not in contents


def _content(ledger: _Ledger) -> str | None:
    snapshot = ledger.get("snapshot")
    sha256 = snapshot.get("sha256") if isinstance(snapshot, Mapping) else None
    return sha256 if isinstance(sha256, str) else None


def _leftovers(store: Store, snapshots: Sequence[Snapshot]) -> Iterator[Path]:
    """Objects that no manifest names: a run or a prune was killed in between."""
    named = {snapshot.path for snapshot in snapshots}
    for path in sorted((store.root / layout.OBJECTS).glob("??/*")):
        if is_sha256(path.name) and path not in named:
            yield path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # with --dry-run another prune may have been faster
