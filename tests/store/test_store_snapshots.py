import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from building import source_of
from hypothesis import given, settings
from hypothesis import strategies as st
from storing import JANUARY, SESSION, SESSION_SHA256, files_of, keep, sha256

from compactctl import __version__
from compactctl.errors import InputChangedError, StoreError
from compactctl.io.schemas import validate
from compactctl.io.source import CHUNK, Source
from compactctl.store.faults import AmbiguousError, CorruptedError
from compactctl.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


def test_a_snapshot_is_the_bytes_and_a_manifest(store: Store) -> None:
    ref = keep(store)

    assert ref.id == "20260105T100000000Z-c1f903d4"
    assert ref.sha256 == SESSION_SHA256
    assert ref.bytes == 50
    assert ref.path == str(store.root / "objects" / "c1" / SESSION_SHA256)
    assert Path(ref.path).read_bytes() == SESSION
    manifest = json.loads((store.root / f"snapshots/{ref.id}.json").read_bytes())
    assert manifest == {
        "schema": "compactctl.snapshot/1",
        "id": "20260105T100000000Z-c1f903d4",
        "sha256": SESSION_SHA256,
        "bytes": 50,
        "source_path": "session.jsonl",
        "taken_at": JANUARY,
        "tool_version": __version__,
        "format": "openai-chat",
    }
    validate(manifest, "snapshot")


@settings(max_examples=25)
@given(data=st.binary(min_size=1, max_size=300))
def test_restoring_gives_the_input(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    store = Store.open(tmp_path_factory.getbasetemp() / "restoring", create=True)
    ref = keep(store, data)

    assert b"".join(store.restore(ref.sha256)) == data


def test_what_spans_several_chunks_is_kept_whole(store: Store) -> None:
    data = os.urandom(2 * CHUNK + 17)
    ref = keep(store, data)

    assert b"".join(store.restore(ref.id)) == data


def test_the_same_content_is_kept_once_with_a_manifest_each(store: Store) -> None:
    first = keep(store)
    inode = Path(first.path).stat().st_ino
    second = keep(store, at="2026-01-05T11:00:00.000Z", name="copy.jsonl")

    assert Path(second.path).stat().st_ino == inode
    assert [s.source_path for s in store.snapshots()] == ["session.jsonl", "copy.jsonl"]
    assert store.find_snapshot(SESSION_SHA256[:12]).id == second.id


@pytest.mark.parametrize("damaged", [b"short", SESSION.replace(b"Keep", b"Drop")])
def test_a_damaged_object_is_healed_by_the_same_content(store: Store, damaged: bytes) -> None:
    path = Path(keep(store).path)
    path.write_bytes(damaged)
    keep(store, at="2026-01-05T11:00:00.000Z")

    assert path.read_bytes() == SESSION


def test_an_input_that_changed_leaves_nothing(store: Store) -> None:
    before = files_of(store.root)

    with pytest.raises(InputChangedError, match=r"session\.jsonl: the file changed"):
        store.put_snapshot(
            source_of(SESSION), expected_sha256=sha256(b"other"), taken_at=JANUARY, fmt="codex"
        )

    assert files_of(store.root) == before
    assert store.snapshots() == ()


def test_an_input_that_shrank_leaves_nothing(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(SESSION)
    before = files_of(store.root)
    with Source.open(file) as source:
        os.truncate(file, 10)
        with pytest.raises(InputChangedError):
            store.put_snapshot(
                source, expected_sha256=SESSION_SHA256, taken_at=JANUARY, fmt="openai-chat"
            )

    assert files_of(store.root) == before


class TestFinding:
    def test_by_id_hash_or_pointer(self, store: Store) -> None:
        ref = keep(store)
        keep(store, b"other\n")

        for prefix in ("20260105T100000000Z-c1", "c1f903d4", "snap:c1f903d4d653#L1.0"):
            assert store.find_snapshot(prefix).sha256 == ref.sha256

    @pytest.mark.parametrize("prefix", ["", "snap:", "ffff", "C1F903"])
    def test_nothing_fits(self, store: Store, prefix: str) -> None:
        keep(store)

        with pytest.raises(StoreError, match="no snapshot"):
            store.find_snapshot(prefix)

    def test_a_prefix_of_several_names_them(self, store: Store) -> None:
        one, two = keep(store, b"1\n"), keep(store, b"2\n")

        with pytest.raises(AmbiguousError) as caught:
            store.find_snapshot("2026")

        assert "'2026' names 2 snapshots" in caught.value.message
        for ref in (one, two):
            assert ref.sha256[:16] in caught.value.message
        assert caught.value.hint == "give more of it"

    def test_a_prefix_of_many_names_five(self, store: Store) -> None:
        for n in range(7):
            keep(store, b"%d\n" % n)

        with pytest.raises(AmbiguousError, match=r"names 7 snapshots: .*, …"):
            store.find_snapshot("2026")


class TestCorrupted:
    @pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b.replace(b"Keep", b"Drop")])
    def test_is_named_and_never_served(
        self, store: Store, damage: Callable[[bytes], bytes]
    ) -> None:
        ref = keep(store)
        Path(ref.path).write_bytes(damage(SESSION))
        served = store.restore(ref.id)

        with pytest.raises(CorruptedError, match=ref.sha256):
            next(served)

    def test_of_other_content_is_not_opened(self, store: Store) -> None:
        ref = keep(store)
        Path(ref.path).write_bytes(SESSION.replace(b"Keep", b"Drop"))

        with pytest.raises(CorruptedError, match=f"{ref.sha256}: corrupted: it is not"):
            store.open_snapshot(ref.id)

    def test_of_another_size_is_not_opened(self, store: Store) -> None:
        ref = keep(store)
        Path(ref.path).write_bytes(SESSION + b"\n")

        with pytest.raises(CorruptedError, match="51 bytes, the manifest says 50"):
            store.open_snapshot(ref.id)

    def test_what_changes_while_it_is_served_is_noticed(self, store: Store) -> None:
        data = bytes(3 * CHUNK)
        ref = keep(store, data)
        served = store.restore(ref.id)
        next(served)
        with Path(ref.path).open("r+b") as file:
            file.seek(2 * CHUNK + 5)
            file.write(b"x")

        with pytest.raises(CorruptedError, match="changed while it was read"):
            list(served)

    def test_an_object_that_is_gone_is_named(self, store: Store) -> None:
        ref = keep(store)
        Path(ref.path).unlink()

        with pytest.raises(StoreError, match=f"{ref.sha256}: the object of snapshot .* is gone"):
            next(store.restore(ref.id))

    def test_a_link_is_no_object(self, store: Store, tmp_path: Path) -> None:
        ref = keep(store)
        Path(ref.path).unlink()
        (tmp_path / "same").write_bytes(SESSION)
        Path(ref.path).symlink_to(tmp_path / "same")

        with pytest.raises(StoreError, match="is gone"):
            next(store.restore(ref.id))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"id": "../../victim", "sha256": "%s"}' % (b"0" * 64),
        b'{"schema": "compactctl.snapshot/9", "id": "x"}',
        b'{"id": "x", "schema": "compactctl.snapshot/1", "sha256": "../../etc"}',
    ],
)
def test_a_damaged_manifest_is_reported_and_the_others_read(store: Store, content: bytes) -> None:
    ref = keep(store)
    damaged = store.root / "snapshots/x.json"
    damaged.write_bytes(content)

    assert [s.id for s in store.snapshots()] == [ref.id]
    assert store.unreadable == [damaged]


def test_an_opened_snapshot_is_a_source(store: Store) -> None:
    with store.open_snapshot(keep(store).id) as source:
        assert source.read(0, source.size) == SESSION
