"""Commands in a folder of their own: in this process, which is fast, or in a real one."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import compactctl
from compactctl.cli.app import status_of

ROOT = Path(compactctl.__file__).parents[1]
FIXTURE = ROOT / "fixtures" / "codex" / "berth-fees.jsonl"
_TIMEOUT = 120
_KEPT = ("PATH", "HOME", "TMPDIR")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    raw: bytes
    raw_err: bytes

    @property
    def out(self) -> str:
        return self.raw.decode("utf-8", "surrogateescape")

    @property
    def err(self) -> str:
        return self.raw_err.decode("utf-8", "surrogateescape")

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


@dataclass
class Folder:
    """A folder in which commands run, with a clean environment and nothing at a terminal."""

    path: Path

    def __call__(self, *arguments: str, stdin: bytes = b"", **environ: str) -> Ended:
        """Run a command in this process."""
        streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (stdin, b"", b"")]
        with _replaced(streams), contextlib.chdir(self.path), _environment(environ):
            code = status_of(arguments)
            for stream in streams[1:]:
                stream.flush()
        out, err = (stream.buffer.getvalue() for stream in streams[1:])  # type: ignore[attr-defined] # a BytesIO
        return Ended(code, out, err)

    def process(self, *arguments: str, stdin: bytes = b"", **environ: str) -> Ended:
        """Run a command as a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "compactctl", *arguments],
            cwd=self.path,
            env=clean_environment() | environ,
            input=stdin,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def session(self, name: str = "session.jsonl") -> Path:
        """Put the invented session into the folder."""
        file = self.path / name
        file.write_bytes(FIXTURE.read_bytes())
        return file

    def files(self) -> set[str]:
        """Return the names of what lies in the folder."""
        return {file.name for file in self.path.iterdir()}


def clean_environment() -> dict[str, str]:
    """Return an environment that nothing of the person's own settings reaches."""
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("COVERAGE_")}
    return {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **kept}


@contextlib.contextmanager
def _replaced(streams: list[io.TextIOWrapper]) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(clean_environment() | changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
