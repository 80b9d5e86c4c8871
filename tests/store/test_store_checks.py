import json
from pathlib import Path

import pytest
from storing import SESSION, keep, ledger

from compactctl.store.checks import ObjectStatus, verify
from compactctl.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def statuses(store: Store) -> dict[str, ObjectStatus]:
    fresh = Store.open(store.root, create=False)
    return {str(c.path.relative_to(store.root)): c.status for c in verify(fresh)}


def test_every_object_manifest_and_ledger_is_checked(store: Store) -> None:
    ref = keep(store)
    store.append_ledger(ledger(1))

    assert statuses(store) == {
        f"objects/{ref.sha256[:2]}/{ref.sha256}": "ok",
        f"snapshots/{ref.id}.json": "ok",
        f"ledger/{ledger(1)['id']}.json": "ok",
    }


@pytest.mark.parametrize("damaged", [b"", SESSION.replace(b"Keep", b"Drop"), SESSION + b"\n"])
def test_a_corrupted_object_is_found(store: Store, damaged: bytes) -> None:
    ref, other = keep(store), keep(store, b"sound\n")
    Path(ref.path).write_bytes(damaged)
    found = statuses(store)

    assert found[f"objects/{ref.sha256[:2]}/{ref.sha256}"] == "corrupted"
    assert found[f"objects/{other.sha256[:2]}/{other.sha256}"] == "ok"


def test_an_object_that_is_gone_is_found(store: Store) -> None:
    ref = keep(store)
    Path(ref.path).unlink()

    assert statuses(store)[f"objects/{ref.sha256[:2]}/{ref.sha256}"] == "missing"


def test_a_manifest_of_another_size_is_found(store: Store) -> None:
    ref = keep(store)
    file = store.manifest_path(ref.id)
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"bytes": 49}))

    assert statuses(store)[f"snapshots/{ref.id}.json"] == "corrupted"


def test_unreadable_and_stray_files_are_found(store: Store) -> None:
    ref = keep(store)
    (store.root / "ledger/20260106T000000000Z-00000000.json").write_bytes(b"{")
    (store.root / "snapshots/broken.json").write_bytes(b"")
    (store.root / "ledger/.half.json.abc.tmp").write_bytes(b"")
    (store.root / "objects/c1/note.txt").write_bytes(b"")
    (store.root / "objects/c1/.x.abc.tmp").write_bytes(b"")
    (store.root / "objects/00").mkdir()
    (store.root / "objects/00/" / ref.sha256).write_bytes(SESSION)
    (store.root / "objects/00/" / ("00" * 32)).symlink_to(ref.path)

    found = {name: s for name, s in statuses(store).items() if s != "ok"}
    assert found == {
        "ledger/20260106T000000000Z-00000000.json": "unreadable",
        "snapshots/broken.json": "unreadable",
        "ledger/.half.json.abc.tmp": "stray",
        "objects/c1/note.txt": "stray",
        "objects/c1/.x.abc.tmp": "stray",
        f"objects/00/{ref.sha256}": "stray",
        f"objects/00/{'00' * 32}": "stray",
    }
