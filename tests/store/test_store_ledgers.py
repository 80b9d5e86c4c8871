from pathlib import Path

import pytest
from storing import ledger

from compactctl.errors import StoreError
from compactctl.store.faults import AmbiguousError
from compactctl.store.store import Store, new_ledger_id


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


@pytest.mark.parametrize(
    ("time", "compact"),
    [
        ("2026-01-02T03:04:05.678Z", "20260102T030405678Z"),
        ("2026-01-02T03:04:05Z", "20260102T030405000Z"),
        ("2026-01-02T03:04:05.678+02:00", "20260102T010405678Z"),
    ],
)
def test_an_id_is_the_time_and_a_digest(time: str, compact: str) -> None:
    # printf abc | sha256sum
    assert new_ledger_id(time, "abc") == f"{compact}-ba7816bf"


def test_ids_sort_by_time_and_take_any_text() -> None:
    early = new_ledger_id("2026-01-02T03:04:05.678+02:00", "\ud800")
    late = new_ledger_id("2026-01-02T03:04:05.678Z", "a")

    assert early < late


def test_ledgers_come_back_in_the_order_of_time(store: Store) -> None:
    for number in (3, 1, 2):
        assert store.append_ledger(ledger(number)) == ledger(number)["id"]

    assert store.ledgers() == (ledger(1), ledger(2), ledger(3))
    assert store.last_ledger() == ledger(3)


def test_a_store_without_any(store: Store) -> None:
    assert store.ledgers() == ()
    assert store.last_ledger() is None


def test_one_is_found_by_the_start_of_its_id(store: Store) -> None:
    store.append_ledger(ledger(1))
    store.append_ledger(ledger(2))

    assert store.ledger("20260105T1002") == ledger(2)
    with pytest.raises(AmbiguousError, match=f"names 2 ledgers: {ledger(1)['id']}, "):
        store.ledger("2026")
    for nothing in ("", "2025", "x/../y"):
        with pytest.raises(StoreError, match="no ledger"):
            store.ledger(nothing)


@pytest.mark.parametrize("content", [b"", b'{"id": "other"}', b"[1]", b"\xff"])
def test_an_unreadable_one_is_reported_and_the_others_read(store: Store, content: bytes) -> None:
    store.append_ledger(ledger(1))
    damaged = store.root / "ledger" / "20260106T000000000Z-00000000.json"
    damaged.write_bytes(content)

    assert store.ledgers() == (ledger(1),)
    assert store.last_ledger() == ledger(1)
    assert store.unreadable == [damaged]
    with pytest.raises(StoreError, match="cannot be read"):
        store.ledger("20260106")


def test_writing_one_again_changes_nothing_and_replacing_it_is_refused(store: Store) -> None:
    store.append_ledger(ledger(1))
    store.append_ledger(ledger(1))

    with pytest.raises(StoreError, match="there is another ledger of that name"):
        store.append_ledger(ledger(1) | {"time": "later"})

    assert store.ledgers() == (ledger(1),)


@pytest.mark.parametrize("wrong", ["", "../x-00000000", "a/b-00000000", "x", "x-0000000g"])
def test_an_id_that_is_no_file_name_is_a_fault_of_the_caller(store: Store, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^{wrong}$"):
        store.append_ledger({"id": wrong})
