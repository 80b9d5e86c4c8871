"""Files that are written whole or not at all."""

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from compactctl.errors import OutputError

PRIVATE = 0o600
_NAME_PART = 40
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
    errno.ENAMETOOLONG: "name a shorter one with -o",
    errno.ELOOP: "name a file that is no loop of links",
}


def write_atomic(
    path: Path,
    chunks: Iterable[bytes],
    *,
    mode: int | None = PRIVATE,
    before_replace: Callable[[Path], None] | None = None,
) -> str:
    """
    Write chunks to ``path`` and return their sha256 in hex.

    A temporary file in the same folder is written, synced and renamed, and the folder is synced:
    at any moment ``path`` holds its old content or the new one. ``mode`` are the permissions,
    whatever the umask; ``None`` leaves them to the umask. ``before_replace`` is called with the
    temporary path once its content is on disk and before the rename; what it raises stops the
    writing. On any failure or interrupt the temporary file is removed and ``path`` is untouched.
    Failures of the system become ``OutputError``; devices and pipes are refused by one, since a
    rename would put a file in their place.
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
    except OSError as error:
        # Some file systems know no such thing; the rename itself has been done.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)


def _by_umask() -> int:
    # The umask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _write(
    path: Path,
    chunks: Iterable[bytes],
    mode: int | None,
    before_replace: Callable[[Path], None] | None,
) -> str:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: is a device or pipe", hint="use - for standard output")
    digest = hashlib.sha256()
    # Cut, so that the longest of names can be written too.
    prefix = f".{path.name[:_NAME_PART]}."
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            # mkstemp creates 0600 whatever the umask; widen only where that was asked for.
            os.fchmod(file.fileno(), _by_umask() if mode is None else mode)
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
