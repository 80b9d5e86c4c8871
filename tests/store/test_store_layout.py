import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from storing import keep, ledger

from compactctl.errors import StoreError
from compactctl.store.store import Store


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_only_the_owner_can_look_into_a_store(tmp_path: Path) -> None:
    root = tmp_path / ".compactctl"
    store = Store.open(root, create=True)
    keep(store)
    store.append_ledger(ledger(1))

    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    files = [path for path in root.rglob("*") if path.is_file()]
    assert {mode(path) for path in folders} == {0o700}
    assert {mode(path) for path in files} == {0o600}
    assert len(files) == 5


def test_a_store_that_was_opened_to_readers_is_closed_by_the_next_run(tmp_path: Path) -> None:
    root = tmp_path / "s"
    Store.open(root, create=True)
    root.chmod(0o755)

    Store.open(root, create=False)
    assert mode(root) == 0o755
    Store.open(root, create=True)
    assert mode(root) == 0o700


def test_a_new_store_holds_version_and_ignore_file(tmp_path: Path) -> None:
    Store.open(tmp_path / "s", create=True)

    assert json.loads((tmp_path / "s/store.json").read_bytes()) == {"schema": "compactctl.store/1"}
    assert (tmp_path / "s/.gitignore").read_bytes() == b"*\n"


class TestLocate:
    def test_what_is_named_counts(self, tmp_path: Path) -> None:
        assert Store.locate("/elsewhere/store", tmp_path) == Path("/elsewhere/store")

    def test_the_nearest_folder_above_has_it(self, tmp_path: Path) -> None:
        (tmp_path / ".compactctl").mkdir()
        (tmp_path / "a/.compactctl").mkdir(parents=True)
        (tmp_path / "a/b/c").mkdir(parents=True)

        assert Store.locate(None, tmp_path / "a/b/c") == tmp_path / "a/.compactctl"
        assert Store.locate(None, tmp_path) == tmp_path / ".compactctl"

    def test_without_one_it_would_be_here_and_is_not_created(self, tmp_path: Path) -> None:
        assert Store.locate(None, tmp_path) == tmp_path / ".compactctl"
        assert list(tmp_path.iterdir()) == []


class TestUnfit:
    def test_reading_creates_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="there is no store yet"):
            Store.open(tmp_path / "s", create=False)

        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("create", [False, True])
    @pytest.mark.parametrize(
        ("schema", "said"),
        [
            ("compactctl.store/2", "of a newer version 'compactctl.store/2'"),
            ("other/1", "of an unknown version 'other/1'"),
            (None, "of an unknown version None"),
        ],
    )
    def test_a_store_of_another_version_is_left_alone(
        self, tmp_path: Path, schema: str | None, said: str, *, create: bool
    ) -> None:
        file = tmp_path / "store.json"
        file.write_text(json.dumps({"schema": schema}))

        with pytest.raises(StoreError, match=said) as caught:
            Store.open(tmp_path, create=create)

        assert caught.value.hint == "update compactctl, or name another store with --store"
        assert [path.name for path in tmp_path.iterdir()] == ["store.json"]

    @pytest.mark.parametrize("create", [False, True])
    def test_a_file_in_its_place(self, tmp_path: Path, *, create: bool) -> None:
        (tmp_path / "s").write_bytes(b"mine")

        with pytest.raises(StoreError, match="is a file, not a store"):
            Store.open(tmp_path / "s", create=create)

        assert (tmp_path / "s").read_bytes() == b"mine"

    @pytest.mark.parametrize("create", [False, True])
    @pytest.mark.parametrize("dangling", [False, True])
    def test_a_link_in_its_place(self, tmp_path: Path, *, create: bool, dangling: bool) -> None:
        target = tmp_path / "target"
        if not dangling:
            target.mkdir()
        (tmp_path / "s").symlink_to(target)

        with pytest.raises(StoreError, match="is a symbolic link"):
            Store.open(tmp_path / "s", create=create)

        assert not target.exists() or list(target.iterdir()) == []

    @pytest.mark.parametrize("name", ["objects", "snapshots", "ledger", "notices"])
    def test_a_link_inside_leads_no_copy_out_of_it(self, tmp_path: Path, name: str) -> None:
        root, outside = tmp_path / "s", tmp_path / "outside"
        outside.mkdir()
        Store.open(root, create=True)
        (root / name).rmdir()
        (root / name).symlink_to(outside)

        with pytest.raises(StoreError, match="symbolic link inside the store"):
            Store.open(root, create=True)

    def test_others_may_write_into_it(self, tmp_path: Path) -> None:
        Store.open(tmp_path / "s", create=True)
        (tmp_path / "s").chmod(0o777)

        with pytest.raises(StoreError, match="others may write") as caught:
            Store.open(tmp_path / "s", create=True)

        assert caught.value.hint == f"chmod 700 {tmp_path / 's'}"

    def test_it_belongs_to_another(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        Store.open(tmp_path / "s", create=True)
        other = (tmp_path / "s").stat().st_uid + 1
        monkeypatch.setattr(os, "geteuid", lambda: other)

        with pytest.raises(StoreError, match="belongs to another user"):
            Store.open(tmp_path / "s", create=False)

    def test_a_folder_of_something_else_is_not_taken_over(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_bytes(b"")

        with pytest.raises(StoreError, match=r"holds other files \('thesis.tex'\)"):
            Store.open(tmp_path, create=True)

        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_damaged_version_file(self, tmp_path: Path) -> None:
        (tmp_path / "store.json").write_bytes(b"{")

        with pytest.raises(StoreError, match=r"store\.json: cannot be read"):
            Store.open(tmp_path, create=True)

    def test_no_folder_for_it(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="No such file or directory"):
            Store.open(tmp_path / "missing/s", create=True)


def test_a_half_made_store_is_completed(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "..gitignore.ab12cd34.tmp").write_bytes(b"")

    assert Store.open(tmp_path, create=False).snapshots() == ()
    keep(Store.open(tmp_path, create=True))

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".gitignore",
        "ledger",
        "notices",
        "objects",
        "snapshots",
        "store.json",
    ]
