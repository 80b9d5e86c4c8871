"""Objects: files that are named by the sha256 of what they hold."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from compactctl.errors import InputChangedError, OutputError
from compactctl.io.atomic import PRIVATE, write_atomic
from compactctl.io.source import CHUNK, Source
from compactctl.store import layout
from compactctl.store.faults import corrupted, failure

_SHA256 = re.compile(r"[0-9a-f]{64}")


def is_sha256(text: str) -> bool:
    """Return whether a text is a sha256 in lower-case hex."""
    return _SHA256.fullmatch(text) is not None


def object_path(root: Path, sha256: str) -> Path:
    """Return where a store keeps the content of that sha256."""
    return root / layout.OBJECTS / sha256[:2] / sha256


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file in hex; raises ``OSError``."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def holds(path: Path, size: int, sha256: str) -> bool:
    """Return whether an object is there and sound; raises ``StoreError`` if unreadable."""
    try:
        return (
            path.is_file()
            and not path.is_symlink()
            and path.stat().st_size == size
            and sha256_of(path) == sha256
        )
    except OSError as error:
        raise failure(path, error) from None


def copy_in(source: Source, path: Path, sha256: str) -> None:
    """
    Write the bytes of a source as an object, whole or not at all.

    Raises ``InputChangedError`` where they are not those of ``sha256``, ``StoreError`` where
    they cannot be written; then nothing is kept.
    """
    layout.make_folder(path.parent)
    digest = hashlib.sha256()

    def chunks() -> Iterator[bytes]:
        for at in range(0, source.size, CHUNK):
            chunk = source.read(at, min(CHUNK, source.size - at))
            digest.update(chunk)
            yield chunk

    def unchanged(_: Path) -> None:
        if digest.hexdigest() != sha256:
            raise InputChangedError(
                f"{source.path}: the file changed while its snapshot was taken",
                hint="wait until the agent is idle, or run on a copy",
            )

    try:
        write_atomic(path, chunks(), mode=PRIVATE, before_replace=unchanged)
    except OutputError as error:
        raise layout.as_store_error(error) from None


def checked_bytes(path: Path, sha256: str) -> Iterator[bytes]:
    """
    Yield the content of an object once all of it was found sound.

    It is hashed again on its way out, so that what changed in between is noticed at the end.
    Raises ``CorruptedError``.
    """
    not_it = "it is not the content that its name says"
    try:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise corrupted(path, not_it)
            file.seek(0)
            digest = hashlib.sha256()
            while chunk := file.read(CHUNK):
                digest.update(chunk)
                yield chunk
            if digest.hexdigest() != sha256:
                raise corrupted(path, "it changed while it was read")
    except OSError as error:
        raise failure(path, error) from None
