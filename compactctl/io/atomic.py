"""Files that are written whole or not at all."""

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from compactctl.errors import OutputError

PRIVATE = 0o600
_HINTS = {
    errno.ENOSPC: "free some space, or write elsewhere",
    errno.EDQUOT: "the quota is used up; free some space, or write elsewhere",
    errno.EFBIG: "the file is larger than this process may write",
    errno.EROFS: "the file system is read-only; write elsewhere",
    errno.EACCES: "check the permissions of the folder",
    errno.EPERM: "check the permissions of the folder",
    errno.ENOENT: "create the folder first",
    errno.ENOTDIR: "create the folder first",
    errno.EISDIR: "name a file",
}


def write_atomic(
    path: Path,
    chunks: Iterable[bytes],
    *,
    mode: int = PRIVATE,
    before_replace: Callable[[Path], None] | None = None,
) -> str:
    """
    Write chunks to ``path`` and return their sha256 in hex.

    A temporary file in the same folder is written, synced and renamed, and the folder is synced:
    at any moment ``path`` holds its old content or the new one. ``before_replace`` is called with
    the temporary path just before the rename; what it raises stops the writing. On any failure
    the temporary file is removed and ``path`` is untouched; failures of the system become
    ``OutputError``.
    """
    try:
        return _write(path, chunks, mode, before_replace)
    except OSError as error:
        raise output_error(path, error) from None


def output_error(path: Path, error: OSError) -> OutputError:
    """Return a failure of the system as one that names the file and says what to do."""
    hint = _HINTS.get(error.errno or 0, "")
    return OutputError(f"{path}: cannot be written: {error.strerror or error}", hint=hint)


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder last: it is only on disk once the folder is synced."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(
    path: Path,
    chunks: Iterable[bytes],
    mode: int,
    before_replace: Callable[[Path], None] | None,
) -> str:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            # mkstemp creates 0600 whatever the umask; widen only where that was asked for.
            os.fchmod(file.fileno(), mode)
            for chunk in chunks:
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if before_replace is not None:
            before_replace(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return digest.hexdigest()
