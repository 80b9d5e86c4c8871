"""A source: random access to the bytes of one input, bound to what it held when it was opened."""

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from compactctl.errors import InputChangedError, InputError

CHUNK = 1 << 20
STDIN = "-"

_COMPRESSED = {
    b"\x1f\x8b": ("gzip", "gunzip -c {path} > session.jsonl"),
    b"\x28\xb5\x2f\xfd": ("zstandard", "zstd -dc {path} > session.jsonl"),
    b"BZh": ("bzip2", "bunzip2 -c {path} > session.jsonl"),
    b"\xfd7zXZ": ("xz", "xz -dc {path} > session.jsonl"),
    b"PK\x03\x04": ("zip", "unzip -p {path} > session.jsonl"),
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"{\x00", b"[\x00", b"\x00{", b"\x00[")


@dataclass(frozen=True, slots=True)
class RawLine:
    """A physical line: number from 1, byte offset, bytes without the line feed."""

    line: int
    offset: int
    data: bytes
    ended: bool
    """Whether a line feed follows."""


class Source:
    """
    The bytes of one input, as many as there were when it was opened.

    Open it with ``Source.open``; use it as a context manager. What is appended later is not
    read. ``read`` raises ``InputChangedError`` where bytes that were there are gone.
    """

    def __init__(self, path: str, file: BinaryIO, size: int, *, is_copy: bool = False) -> None:
        """
        Wrap an open seekable file of ``size`` bytes; callers use ``Source.open``.

        ``is_copy``: the file is not the one that ``path`` names but a private copy of its bytes.
        """
        self.path = path
        self.is_copy = is_copy
        self.size = size
        self._file = file
        self._state = _state(file)
        self._sha256: str | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """
        Open a file, or standard input for ``-`` (spooled to an unnamed private file).

        Raises ``InputError`` where it is missing, a directory, unreadable, empty, compressed or
        UTF-16.
        """
        name = os.fspath(path)
        file, is_copy = (_standard_input(), True) if name == STDIN else _open_file(name)
        size = os.fstat(file.fileno()).st_size
        try:
            _check_head(name, os.pread(file.fileno(), 8, 0))
        except InputError:
            file.close()
            raise
        return cls("<stdin>" if name == STDIN else name, file, size, is_copy=is_copy)

    def __enter__(self) -> Self:
        """Return the source itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def read(self, offset: int, length: int) -> bytes:
        """
        Return ``length`` bytes from ``offset``.

        Raises ``InputChangedError`` where some are gone, ``InputError`` where the disk fails.
        """
        parts: list[bytes] = []
        at, left = offset, length
        while left:
            try:
                part = os.pread(self._file.fileno(), left, at)
            except OSError as error:
                raise _unreadable(self.path, error) from None
            if not part:
                raise self._changed()
            parts.append(part)
            at, left = at + len(part), left - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes in order, and take the sha256 on the way."""
        digest = hashlib.sha256()
        for at in range(0, self.size, CHUNK):
            chunk = self.read(at, min(CHUNK, self.size - at))
            digest.update(chunk)
            yield chunk
        self._sha256 = digest.hexdigest()

    def lines(self) -> Iterator[RawLine]:
        """Yield the lines, split on byte 0x0A only."""
        number, offset, rest = 1, 0, []
        for chunk in self.chunks():
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                rest.append(chunk[start:end])
                data = rest[0] if len(rest) == 1 else b"".join(rest)
                rest = []
                yield RawLine(number, offset, data, ended=True)
                number, offset, start = number + 1, offset + len(data) + 1, end + 1
            if start < len(chunk):
                rest.append(chunk[start:])
        if rest:
            data = b"".join(rest)
            rest.clear()  # else a file that is one line would be held twice
            yield RawLine(number, offset, data, ended=False)

    def sha256(self) -> str:
        """Return the sha256 of all bytes in hex; reads them once where nothing has yet."""
        if self._sha256 is None:
            for _ in self.chunks():
                pass
        assert self._sha256 is not None  # noqa: S101 -- chunks() sets it; for the type checker
        return self._sha256

    def check_unchanged(self) -> None:
        """Raise ``InputChangedError`` where size, time or identity differ from the opening."""
        try:
            now = _state(self._file)
            there = now if self.is_copy else _path_state(self.path)
        except FileNotFoundError:
            raise self._changed() from None
        if now != self._state or there != self._state or now[2] != self.size:
            raise self._changed()

    def _changed(self) -> InputChangedError:
        return InputChangedError(
            f"{self.path}: the file changed while it was read; nothing was written",
            hint="wait until the agent is idle, or run on a copy",
        )


def _state(file: BinaryIO) -> tuple[int, int, int, int]:
    s = os.fstat(file.fileno())
    return s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns


def _path_state(path: str) -> tuple[int, int, int, int]:
    s = os.stat(path)  # noqa: PTH116 -- a str path, kept as the person typed it
    return s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns


def _open_file(name: str) -> tuple[BinaryIO, bool]:
    """Return the file, or where it is a pipe or device a private copy of what comes out of it."""
    try:
        if Path(name).is_dir():
            raise InputError(f"{name}: is a directory", hint="name one session file")
        if name.endswith(os.sep):
            raise InputError(f"{name}: is no directory", hint="leave the slash at the end out")
        file = Path(name).open("rb")  # noqa: SIM115 -- Source owns it and closes it
    except FileNotFoundError:
        raise InputError(f"{name}: no such file", hint="check the path") from None
    except PermissionError:
        raise InputError(f"{name}: not readable", hint="check its permissions") from None
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError as error:
        raise InputError(f"{name!r}: is no file name: {error}", hint="check the path") from None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file, False
    with file:
        return _spool(file, name), True


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("<stdin>: is closed", hint="name a session file")
    return _spool(sys.stdin.buffer, "<stdin>")


def _spool(stream: BinaryIO, name: str) -> BinaryIO:
    # A pipe cannot be read twice; an unnamed file is private and is gone with the process.
    spool = tempfile.TemporaryFile()  # noqa: SIM115 -- Source owns it and closes it
    try:
        while chunk := stream.read(CHUNK):
            spool.write(chunk)
        spool.flush()
    except BaseException as error:
        spool.close()
        if isinstance(error, OSError):
            raise _unreadable(name, error) from None
        raise
    return spool


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(
        f"{name}: cannot be read: {error.strerror or error}", hint="check the path and the disk"
    )


def _check_head(name: str, head: bytes) -> None:
    if not head:
        raise InputError(f"{name}: the file is empty", hint="name a session that has records")
    for magic, (what, command) in _COMPRESSED.items():
        if head.startswith(magic):
            raise InputError(
                f"{name}: compressed with {what}; not supported yet",
                hint="unpack it first: " + command.format(path=name),
            )
    if head.startswith(_UTF16):
        raise InputError(
            f"{name}: the file is UTF-16, a transcript is UTF-8",
            hint=f"convert it: iconv -f UTF-16 -t UTF-8 {name} > session.jsonl",
        )
