"""The folder of a store: where it is, what lies in it, and what makes it unfit to use."""

import os
import re
import stat
from pathlib import Path

import orjson

from compactctl.errors import OutputError, StoreError
from compactctl.io.atomic import PRIVATE, sync_folder, write_atomic
from compactctl.io.dumps import dump_json
from compactctl.store.faults import failure

NAME = ".compactctl"
SCHEMA = "compactctl.store/1"
PRIVATE_FOLDER = 0o700
OBJECTS, SNAPSHOTS, LEDGER, NOTICES = "objects", "snapshots", "ledger", "notices"
_FOLDERS = (OBJECTS, SNAPSHOTS, LEDGER, NOTICES)
_STORE_FILE = "store.json"
_IGNORE_FILE = ".gitignore"
_OWN = frozenset({*_FOLDERS, _STORE_FILE, _IGNORE_FILE})
_VERSION = re.compile(r"compactctl\.store/(?P<number>\d{1,9})")
_TEMPORARY = ".*.tmp"
"""The names of files that are being written (``io.atomic``)."""


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

    Folders are 0700 and files 0600 whatever the umask; a store that was opened to others since
    is closed again. Raises ``StoreError``, and then for what ``check`` says too.
    """
    if os.path.lexists(root):
        check(root)
    make_folder(root)
    _close_to_others(root)
    # The file that keeps snapshots out of a repository comes first: there is nothing to leak yet.
    if not (root / _IGNORE_FILE).exists():
        write_private(root / _IGNORE_FILE, b"*\n")
    if not (root / _STORE_FILE).exists():
        write_private(root / _STORE_FILE, dump_json({"schema": SCHEMA}))
    for name in _FOLDERS:
        make_folder(root / name)


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
        raise failure(root, error) from None
    if stat.S_ISLNK(found.st_mode):
        raise StoreError(f"{root}: the store is a symbolic link", hint="name the folder itself")
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{root}: is a file, not a store", hint="name a folder with --store")
    _check_private(root, found)
    try:
        _check_version(root)
        _check_folders(root)
    except OSError as error:
        raise failure(root, error) from None


def make_folder(folder: Path) -> None:
    """Create a folder, private and synced, where it is not there; raises ``StoreError``."""
    try:
        if folder.is_symlink():
            raise _linked(folder)
        if folder.is_dir():
            return
        folder.mkdir(mode=PRIVATE_FOLDER, parents=False, exist_ok=True)
        folder.chmod(PRIVATE_FOLDER)
        sync_folder(folder.parent)
    except OSError as error:
        raise failure(folder, error) from None


def write_private(path: Path, data: bytes) -> None:
    """Write a file of the store, whole or not at all; raises ``StoreError``."""
    try:
        write_atomic(path, [data], mode=PRIVATE)
    except OutputError as error:
        raise as_store_error(error) from None


def temporary_files(root: Path) -> tuple[Path, ...]:
    """Return the files that a writer has not finished, or a killed one left behind."""
    folders = (root, *(root / name for name in _FOLDERS), *(root / OBJECTS).glob("*"))
    return tuple(sorted(path for folder in folders for path in folder.glob(_TEMPORARY)))


def is_temporary(path: Path) -> bool:
    """Return whether a file is one that is being written."""
    return path.match(_TEMPORARY)


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
        _check_half_made(root)
        return
    except orjson.JSONDecodeError as error:
        raise StoreError(
            f"{file}: cannot be read: {error}",
            hint=f"remove it if the folder is a store of version {SCHEMA!r}; a run writes it anew",
        ) from None
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema == SCHEMA:
        return
    version = _VERSION.fullmatch(str(schema))
    newer = "a newer" if version and int(version["number"]) > 1 else "an unknown"
    raise StoreError(
        f"{root}: the store is of {newer} version {schema!r}, this tool knows {SCHEMA!r}",
        hint="update compactctl, or name another store with --store",
    )


def _check_half_made(root: Path) -> None:
    """A run that was killed while it created the store must not stand in the way of the next."""
    foreign = sorted(
        path.name for path in root.iterdir() if path.name not in _OWN and not is_temporary(path)
    )
    if foreign:
        raise StoreError(
            f"{root}: the folder holds other files ({foreign[0]!r}) and is no store",
            hint="name an empty or a new folder with --store",
        )


def _check_folders(root: Path) -> None:
    for name in _FOLDERS:
        folder = root / name
        if folder.is_symlink():
            raise _linked(folder)
        if folder.exists() and not folder.is_dir():
            raise StoreError(
                f"{folder}: is a file, not a folder of the store", hint="move it away"
            )


def _close_to_others(root: Path) -> None:
    try:
        if stat.S_IMODE(root.stat().st_mode) & 0o077:
            root.chmod(PRIVATE_FOLDER)
    except OSError as error:
        raise failure(root, error) from None


def _linked(folder: Path) -> StoreError:
    # What is written through a link lands where nobody looks for it, and is not private there.
    return StoreError(f"{folder}: is a symbolic link inside the store", hint="move it away")
