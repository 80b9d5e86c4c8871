"""The folder of a store: where it is, what lies in it, and what makes it unfit to use."""

import os
import stat
from pathlib import Path

import orjson

from compactctl.errors import OutputError, StoreError
from compactctl.io.atomic import PRIVATE, sync_folder, write_atomic
from compactctl.io.dumps import dump_json

NAME = ".compactctl"
SCHEMA = "compactctl.store/1"
PRIVATE_FOLDER = 0o700
OBJECTS, SNAPSHOTS, LEDGER = "objects", "snapshots", "ledger"
_FOLDERS = (OBJECTS, SNAPSHOTS, LEDGER)
_STORE_FILE = "store.json"


def locate(explicit: str | None, start: Path) -> Path:
    """
    Return the folder of the store; creates nothing.

    ``explicit`` where it is given, else ``.compactctl`` in ``start`` or the nearest folder above
    it that has one, else ``.compactctl`` in ``start``.
    """
    if explicit is not None:
        return Path(explicit)
    for folder in (start, *start.parents):
        if (folder / NAME).is_dir():
            return folder / NAME
    return start / NAME


def create(root: Path) -> None:
    """
    Make a store out of ``root``, or complete one that a crash left half-made.

    Folders are 0700 and files 0600 whatever the umask. Raises ``StoreError``.
    """
    try:
        _make_folder(root)
        for name in _FOLDERS:
            _make_folder(root / name)
    except OSError as error:
        raise _failure(root, error) from None
    if not (root / ".gitignore").exists():
        write_private(root / ".gitignore", b"*\n")
    if not (root / _STORE_FILE).exists():
        write_private(root / _STORE_FILE, dump_json({"schema": SCHEMA}))


def check(root: Path) -> None:
    """Raise ``StoreError`` where ``root`` is no store, is unsafe, or is of a newer version."""
    try:
        found = root.lstat()
    except FileNotFoundError:
        raise StoreError(
            f"{root}: there is no store yet",
            hint="a run creates one; or name another with --store",
        ) from None
    except OSError as error:
        raise _failure(root, error) from None
    if stat.S_ISLNK(found.st_mode):
        raise StoreError(f"{root}: the store is a symbolic link", hint="name the folder itself")
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{root}: is a file, not a store", hint="name a folder with --store")
    _check_private(root, found)
    _check_version(root)


def make_object_folder(folder: Path) -> None:
    """Create a folder inside a store, private and synced."""
    try:
        _make_folder(folder)
    except OSError as error:
        raise _failure(folder, error) from None


def write_private(path: Path, data: bytes) -> None:
    """Write a file of the store, whole or not at all; raises ``StoreError``."""
    try:
        write_atomic(path, [data], mode=PRIVATE)
    except OutputError as error:
        raise as_store_error(error) from None


def as_store_error(error: OutputError) -> StoreError:
    """Return a failure to write as one of the store."""
    hint = error.hint or "name another store with --store"
    return StoreError(f"the store: {error.message}", hint=hint)


def _check_private(root: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise StoreError(
            f"{root}: the store belongs to another user",
            hint="name a store of your own with --store",
        )
    if found.st_mode & 0o022:
        raise StoreError(f"{root}: others may write into the store", hint=f"chmod 700 {root}")


def _check_version(root: Path) -> None:
    file = root / _STORE_FILE
    try:
        value = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        if any(root.iterdir()):
            raise StoreError(
                f"{root}: the folder is not empty and is no store",
                hint="name an empty or a new folder with --store",
            ) from None
        return
    except (OSError, orjson.JSONDecodeError) as error:
        raise StoreError(f"{file}: cannot be read: {error}", hint="restore the file") from None
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != SCHEMA:
        raise StoreError(
            f"{root}: the store is of version {schema!r}, this tool knows {SCHEMA!r}",
            hint="update compactctl, or name another store with --store",
        )


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    folder.mkdir(mode=PRIVATE_FOLDER, parents=False, exist_ok=True)
    folder.chmod(PRIVATE_FOLDER)
    sync_folder(folder.parent)


def _failure(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path}: the store cannot be used: {error.strerror or error}",
        hint="check the path and its permissions, or name another store with --store",
    )
