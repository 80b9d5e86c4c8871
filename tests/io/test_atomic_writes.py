"""Files are written whole or not at all, and nothing is left behind."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from compactctl.errors import OutputError, RefusedError
from compactctl.io import atomic
from compactctl.io.atomic import write_atomic


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old")
    return path


def test_content_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"

    sha256 = write_atomic(path, [b"one\n", b"", b"two\n"])

    assert path.read_bytes() == b"one\ntwo\n"
    assert sha256 == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert names(tmp_path) == ["out.jsonl"]


def test_existing_file_is_replaced(old: Path) -> None:
    write_atomic(old, [b"new"])

    assert old.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("asked", "mask", "found"),
    [(0o600, 0o000, 0o600), (0o644, 0o077, 0o644), (None, 0o022, 0o644), (None, 0o077, 0o600)],
)
def test_permissions(tmp_path: Path, asked: int | None, mask: int, found: int) -> None:
    before = os.umask(mask)
    try:
        write_atomic(tmp_path / "out", [b"x"], mode=asked)
        assert os.umask(mask) == mask
    finally:
        os.umask(before)

    assert mode_of(tmp_path / "out") == found


def test_private_by_default(tmp_path: Path) -> None:
    write_atomic(tmp_path / "out", [b"x"])

    assert mode_of(tmp_path / "out") == 0o600


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, RefusedError])
def test_failing_chunks_leave_everything_as_it_was(old: Path, error: type[BaseException]) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise error("stop")

    with pytest.raises(error):
        write_atomic(old, chunks())

    assert old.read_bytes() == b"old"
    assert names(old.parent) == ["out.jsonl"]


def test_hook_sees_the_whole_content_and_the_old_target(old: Path) -> None:
    seen: list[tuple[bytes, bytes, Path]] = []

    write_atomic(
        old,
        [b"n", b"ew"],
        before_replace=lambda temporary: seen.append(
            (temporary.read_bytes(), old.read_bytes(), temporary.parent)
        ),
    )

    assert seen == [(b"new", b"old", old.parent)]


def test_hook_can_stop_the_writing(old: Path) -> None:
    def refuse(_: Path) -> None:
        raise RefusedError("not what was promised")

    with pytest.raises(RefusedError):
        write_atomic(old, [b"new"], before_replace=refuse)

    assert old.read_bytes() == b"old"
    assert names(old.parent) == ["out.jsonl"]


@pytest.mark.parametrize("call", ["fsync", "fchmod", "fdopen", "replace"])
def test_failing_system_calls_leave_everything_as_it_was(
    old: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(atomic.os, call, fail)
    with pytest.raises(OutputError) as raised:
        write_atomic(old, [b"new"])
    monkeypatch.undo()

    assert raised.value.message == f"{old}: cannot be written: No space left on device"
    assert raised.value.hint == "free some space, or write elsewhere"
    assert old.read_bytes() == b"old"
    assert names(old.parent) == ["out.jsonl"]


def test_content_is_on_disk_before_the_rename_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def replaced(self: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(self, target)

    monkeypatch.setattr(atomic.os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)

    write_atomic(tmp_path / "out", [b"x"])

    assert steps == ["file", "rename", "folder"]


def test_file_system_without_folder_sync_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def only_files(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        fsync(handle)

    monkeypatch.setattr(atomic.os, "fsync", only_files)

    write_atomic(tmp_path / "out", [b"x"])

    assert (tmp_path / "out").read_bytes() == b"x"


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as raised:
        write_atomic(tmp_path / "no" / "out", [b"x"])

    assert raised.value.hint == "create the folder first"


def test_folder_that_is_a_file(old: Path) -> None:
    with pytest.raises(OutputError) as raised:
        write_atomic(old / "out", [b"x"])

    assert raised.value.hint == "create the folder first"


def test_target_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as raised:
        write_atomic(tmp_path, [b"x"])

    assert raised.value.message == f"{tmp_path}: cannot be written: Is a directory"
    assert raised.value.hint == "name a file"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_no_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError) as raised:
            write_atomic(tmp_path / "out", [b"x"])
    finally:
        tmp_path.chmod(0o700)

    assert raised.value.hint == "check the permissions of the folder"


def test_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with pytest.raises(OutputError) as raised:
        write_atomic(pipe, [b"x"])

    assert raised.value.message == f"{pipe}: is a device or pipe"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["n" * 255, "日" * 85])
def test_longest_of_names(tmp_path: Path, name: str) -> None:
    write_atomic(tmp_path / name, [b"x"])

    assert names(tmp_path) == [name]
