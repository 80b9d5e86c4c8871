"""Sources: what can be opened, its lines, and how a change is seen."""

import gzip
import hashlib
import io
import os
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactctl.errors import InputChangedError, InputError
from compactctl.io import source as source_module
from compactctl.io.source import RawLine, Source


def lines_of(path: Path) -> list[RawLine]:
    with Source.open(path) as source:
        return list(source.lines())


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    return path


@given(st.binary(min_size=1, max_size=60).map(lambda b: b"{" + b.replace(b"z", b"\n")))
def test_lines_are_all_the_bytes(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile() as file:
        patch.setattr(source_module, "CHUNK", 7)
        file.write(data)
        file.flush()
        source = Source("s", file, len(data))
        found = list(source.lines())
        sha256 = source.sha256()

    assert b"".join(raw.data + b"\n" * raw.ended for raw in found) == data
    assert [raw.line for raw in found] == list(range(1, len(found) + 1))
    assert all(data[r.offset : r.offset + len(r.data)] == r.data for r in found)
    assert sha256 == hashlib.sha256(data).hexdigest()


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes("{}\r\n{\u2028\x0b\x0c\x85}\r{}\n\n{".encode())

    assert [(raw.data, raw.ended) for raw in lines_of(path)] == [
        (b"{}\r", True),
        ("{\u2028\x0b\x0c\x85}\r{}".encode(), True),
        (b"", True),
        (b"{", False),
    ]


def test_bytes_anywhere_can_be_read(session: Path) -> None:
    with Source.open(session) as source:
        assert source.read(8, 7) == b'{"b":2}'
        assert source.read(3, 0) == b""


def test_what_is_appended_later_is_not_read(session: Path) -> None:
    with Source.open(session) as source:
        with session.open("ab") as file:
            file.write(b"more\n")

        assert [raw.data for raw in source.lines()] == [b'{"a":1}', b'{"b":2}']
        with pytest.raises(InputChangedError):
            source.check_unchanged()


def test_unchanged_is_unchanged(session: Path) -> None:
    with Source.open(session) as source:
        source.sha256()
        source.check_unchanged()


def test_cut_file_is_seen_while_it_is_read(session: Path) -> None:
    with Source.open(session) as source:
        os.truncate(session, 3)

        with pytest.raises(InputChangedError):
            list(source.lines())


def test_replaced_and_removed_files_are_seen(session: Path) -> None:
    with Source.open(session) as source:
        other = session.with_name("other")
        other.write_bytes(session.read_bytes())
        other.replace(session)
        with pytest.raises(InputChangedError):
            source.check_unchanged()
        session.unlink()
        with pytest.raises(InputChangedError):
            source.check_unchanged()


def test_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b'{"a":1}\n' * 3,))
    writer.start()

    with Source.open(pipe) as source:
        writer.join()
        assert len(list(source.lines())) == 3
        assert source.read(0, 7) == b'{"a":1}'
        source.check_unchanged()


class _Stdin:
    def __init__(self, buffer: io.BufferedIOBase | io.RawIOBase) -> None:
        self.buffer = buffer


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(io.BytesIO(b"{}\n")))

    with Source.open("-") as source:
        assert source.path == "<stdin>"
        assert [raw.data for raw in source.lines()] == [b"{}"]
        source.check_unchanged()


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(InputError, match="<stdin>: is closed"):
        Source.open("-")


def test_standard_input_that_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    with _Folder(handle) as folder:
        monkeypatch.setattr(sys, "stdin", _Stdin(folder))
        with pytest.raises(InputError, match="<stdin>: cannot be read: Is a directory"):
            Source.open("-")


class _Folder(io.RawIOBase):
    def __init__(self, handle: int) -> None:
        self.handle = handle

    def read(self, size: int = -1) -> bytes:
        return os.read(self.handle, size)

    def close(self) -> None:
        if not self.closed:
            os.close(self.handle)
        super().close()


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (b"", "the file is empty", "name a session that has records"),
        (gzip.compress(b"{}", mtime=0), "compressed with gzip; not supported yet", "gunzip -c"),
        (b"\x28\xb5\x2f\xfd....", "compressed with zstandard; not supported yet", "zstd -dc"),
        (b"PK\x03\x04....", "compressed with zip; not supported yet", "unzip -p"),
        ("{}".encode("utf-16"), "the file is UTF-16, a transcript is UTF-8", "iconv -f UTF-16"),
        ("{}".encode("utf-16-be"), "the file is UTF-16, a transcript is UTF-8", "iconv"),
    ],
)
def test_what_cannot_be_a_transcript(tmp_path: Path, data: bytes, message: str, hint: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)

    with pytest.raises(InputError) as raised:
        Source.open(path)

    assert raised.value.message == f"{path}: {message}"
    assert hint in raised.value.hint


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Source.open(tmp_path / "none")


def test_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        Source.open(tmp_path)


@pytest.mark.parametrize("name", ["x\0y", "n" * 5000])
def test_impossible_names(name: str) -> None:
    with pytest.raises(InputError):
        Source.open(name)
