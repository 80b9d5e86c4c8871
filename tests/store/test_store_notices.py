from pathlib import Path

import pytest
from storing import ledger, notice

from compactctl.errors import StoreError
from compactctl.store.checks import verify
from compactctl.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def test_notices_come_in_the_order_of_time_either_way(store: Store) -> None:
    for number in (3, 1, 2):
        assert store.append_notice(notice(number)) == notice(number)["id"]

    assert store.notices() == (notice(1), notice(2), notice(3))
    assert list(store.notices_from_behind()) == [notice(3), notice(2), notice(1)]


def test_notices_are_no_ledgers(store: Store) -> None:
    store.append_notice(notice(1))
    store.append_ledger(ledger(2))

    assert store.ledgers() == (ledger(2),)
    assert store.last_ledger() == ledger(2)
    assert store.notices() == (notice(1),)


def test_another_of_the_same_name_is_not_replaced(store: Store) -> None:
    store.append_notice(notice(1))
    store.append_notice(notice(1))

    with pytest.raises(StoreError, match="there is another notice of that name"):
        store.append_notice({**notice(1), "before": "x"})
    with pytest.raises(ValueError, match=r"x/\.\./y"):
        store.append_notice({**notice(1), "id": "x/../y"})


def test_one_that_cannot_be_read_is_reported(store: Store) -> None:
    store.append_notice(notice(1))
    store.append_notice(notice(2))
    broken = store.notice_path(notice(1)["id"])
    broken.write_bytes(b"{")

    assert store.notices() == (notice(2),)
    assert store.unreadable == [broken]
    assert {c.status for c in verify(store) if c.path == broken} == {"unreadable"}


def test_a_store_from_before_there_were_any(store: Store) -> None:
    (store.root / "notices").rmdir()

    assert Store.open(store.root, create=False).notices() == ()
    assert Store.open(store.root, create=True).append_notice(notice(1)) == notice(1)["id"]
