from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storing import files_of, keep, ledger, notice

from compactctl.errors import StoreError
from compactctl.model.compaction import SnapshotRef
from compactctl.store import locking, pruning
from compactctl.store.checks import verify
from compactctl.store.pruning import PruneReport
from compactctl.store.store import Store

NOW = datetime(2026, 3, 31, tzinfo=UTC)
MONTH = timedelta(days=30)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def keep_day(store: Store, date: str, size: int = 100) -> SnapshotRef:
    return keep(store, date.encode().ljust(size, b"."), at=f"{date}T00:00:00.000Z", name=date)


def prune(
    store: Store,
    *,
    older_than: timedelta | None = None,
    max_bytes: int | None = None,
    dry_run: bool = False,
) -> PruneReport:
    return pruning.prune(
        store, older_than=older_than, max_bytes=max_bytes, now=NOW, dry_run=dry_run
    )


def dates(store: Store) -> list[str]:
    return [s.source_path for s in store.snapshots()]


def test_by_age(store: Store) -> None:
    old = keep_day(store, "2026-02-28")
    keep_day(store, "2026-03-01")
    keep_day(store, "2026-03-30")
    report = prune(store, older_than=MONTH)

    assert [s.id for s in report.removed] == [old.id]
    assert report.freed_bytes == 100
    assert dates(store) == ["2026-03-01", "2026-03-30"]
    assert not Path(old.path).exists()
    assert {check.status for check in verify(store)} == {"ok"}


def test_the_newest_stays_however_old_and_large(store: Store) -> None:
    keep_day(store, "2020-01-01")
    keep_day(store, "2020-01-02")
    prune(store, older_than=MONTH, max_bytes=0)

    assert dates(store) == ["2020-01-02"]


@pytest.mark.parametrize(
    ("max_bytes", "stay"),
    [
        (300, ["2026-03-01", "2026-03-02", "2026-03-03"]),
        (299, ["2026-03-02", "2026-03-03"]),
        (200, ["2026-03-02", "2026-03-03"]),
        (199, ["2026-03-03"]),
        (0, ["2026-03-03"]),
    ],
)
def test_by_size_the_oldest_go_first(store: Store, max_bytes: int, stay: list[str]) -> None:
    for day in ("2026-03-01", "2026-03-02", "2026-03-03"):
        keep_day(store, day)
    prune(store, max_bytes=max_bytes)

    assert dates(store) == stay


def test_a_dry_run_says_the_same_and_removes_nothing(store: Store) -> None:
    for day in ("2026-01-01", "2026-01-02", "2026-03-30"):
        keep_day(store, day)
    before = files_of(store.root)
    would = prune(store, older_than=MONTH, dry_run=True)

    assert files_of(store.root) == before
    did = prune(store, older_than=MONTH)
    assert (would.removed, would.kept, would.freed_bytes) == (did.removed, did.kept, 200)


def test_the_rounds_of_a_session_stay_or_go_together(store: Store) -> None:
    first, second = keep_day(store, "2025-11-01"), keep_day(store, "2026-03-20")
    gone = keep_day(store, "2025-12-01")
    keep_day(store, "2026-03-30")
    store.append_ledger(ledger(1, snapshot=first))
    store.append_ledger(ledger(2, snapshot=second, parent=ledger(1)["id"]))
    store.append_ledger(ledger(3, snapshot=gone))
    report = prune(store, older_than=MONTH)

    assert [s.id for s in report.removed] == [gone.id]
    assert [s.id for s in report.needed] == [first.id]
    assert report.ledgers == (ledger(3)["id"],)
    assert store.ledgers() == (
        ledger(1, snapshot=first),
        ledger(2, snapshot=second, parent=ledger(1)["id"]),
    )

    prune(store, max_bytes=250)
    assert dates(store) == ["2026-03-30"]
    assert store.ledgers() == ()


def test_the_same_content_goes_with_its_last_manifest(store: Store) -> None:
    keep(store, b"same", at="2026-01-01T00:00:00Z", name="a")
    keep(store, b"same", at="2026-03-29T00:00:00Z", name="b")
    keep(store, b"other", at="2026-03-30T00:00:00Z", name="c")

    assert prune(store, older_than=MONTH).removed == ()
    report = prune(store, max_bytes=5)
    assert [s.source_path for s in report.removed] == ["a", "b"]
    assert report.freed_bytes == 4
    assert {check.status for check in verify(store)} == {"ok"}


def test_what_a_killed_process_left_goes(store: Store) -> None:
    ref = keep_day(store, "2026-03-01")
    keep_day(store, "2026-03-30")
    store.append_ledger(ledger(1, snapshot=ref))
    store.manifest_path(ref.id).unlink()
    half = Path(ref.path).parent / ".half.x.tmp"
    half.write_bytes(b"")
    report = prune(store, older_than=MONTH)

    assert report.leftovers == (Path(ref.path),)
    assert report.temporary == (half,)
    assert report.ledgers == (ledger(1)["id"],)
    assert report.freed_bytes == 100
    assert not Path(ref.path).exists()
    assert not half.exists()


def test_an_object_stays_where_a_manifest_cannot_be_read(store: Store) -> None:
    ref = keep_day(store, "2026-03-01")
    keep_day(store, "2026-03-30")
    store.manifest_path(ref.id).write_bytes(b"{")

    assert prune(Store.open(store.root, create=False), older_than=MONTH).leftovers == ()
    assert Path(ref.path).exists()


@pytest.mark.parametrize("taken", ["yesterday", "2026-01-01T00:00:00", "2026-01-01"])
def test_odd_times_do_no_harm(store: Store, taken: str) -> None:
    ref = keep_day(store, "2026-01-01")
    keep_day(store, "2026-03-30")
    file = store.manifest_path(ref.id)
    file.write_text(file.read_text().replace("2026-01-01T00:00:00.000Z", taken))
    prune(store, older_than=MONTH)

    assert file.exists() == (taken == "yesterday")


def test_an_empty_store(store: Store) -> None:
    report = prune(store, older_than=MONTH, max_bytes=0)

    assert (report.removed, report.kept, report.freed_bytes) == ((), (), 0)


def test_nothing_is_removed_while_a_run_is_writing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in ("2026-01-01", "2026-03-30"):
        keep_day(store, day)
    monkeypatch.setattr(locking, "WAIT", 0.05)
    with (
        locking.writing(store.root),
        pytest.raises(StoreError, match="another compactctl is using the store"),
    ):
        prune(store, older_than=MONTH)

    assert dates(store) == ["2026-01-01", "2026-03-30"]


@settings(max_examples=25)
@given(
    days=st.lists(st.integers(1, 89), min_size=1, max_size=8, unique=True),
    parents=st.lists(st.integers(0, 7), max_size=8),
    older_than=st.none() | st.integers(0, 90),
    max_bytes=st.none() | st.integers(0, 1000),
)
def test_what_stays_is_sound(
    days: list[int],
    parents: list[int],
    older_than: int | None,
    max_bytes: int | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = Store.open(tmp_path_factory.mktemp("p") / "store", create=True)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    refs = [keep_day(store, f"{start + timedelta(days=day):%Y-%m-%d}") for day in sorted(days)]
    for number, ref in enumerate(refs):
        parent = parents[number] if number < len(parents) else number
        name = ledger(parent)["id"] if parent < number else None
        store.append_ledger(ledger(number, snapshot=ref, parent=name))
    age = None if older_than is None else timedelta(days=older_than)
    prune(store, older_than=age, max_bytes=max_bytes)

    kept = {s.sha256 for s in store.snapshots()}
    assert refs[-1].sha256 in kept
    assert {check.status for check in verify(store)} == {"ok"}
    by_id = {one["id"]: one for one in store.ledgers()}
    for one in by_id.values():
        assert one["snapshot"]["sha256"] in kept  # type: ignore[index] # JSON of our own
        assert one["parent"] is None or one["parent"] in by_id


def test_notices_go_with_their_snapshot_and_those_of_what_followed(store: Store) -> None:
    old, new = keep_day(store, "2026-01-05"), keep_day(store, "2026-03-30")
    gone = store.append_notice(notice(1, snapshot=old))
    after_gone = store.append_notice(notice(2, before=gone))
    stays = store.append_notice(notice(3, snapshot=new))
    after_stays = store.append_notice(notice(4, before=stays))
    orphan = store.append_notice(notice(5, before="20250101T000000000Z-00000000"))

    planned = prune(store, older_than=MONTH, dry_run=True)
    report = prune(store, older_than=MONTH)

    assert report.notices == planned.notices == (gone, after_gone, orphan)
    assert [n["id"] for n in store.notices()] == [stays, after_stays]
    assert {check.status for check in verify(store)} == {"ok"}


def test_a_notice_without_a_snapshot_goes_by_its_own_age(store: Store) -> None:
    keep_day(store, "2026-03-30")
    missed = store.append_notice(notice(1))

    assert prune(store, max_bytes=0).notices == ()
    assert prune(store, older_than=timedelta(days=365)).notices == ()
    assert prune(store, older_than=MONTH).notices == (missed,)


def test_a_notice_stays_where_its_content_is_kept_again(store: Store) -> None:
    keep(store, b"same", at="2026-01-05T00:00:00.000Z")
    again = keep(store, b"same", at="2026-03-30T00:00:00.000Z")
    store.append_notice(notice(1, snapshot=again))

    assert prune(store, older_than=MONTH).notices == ()
