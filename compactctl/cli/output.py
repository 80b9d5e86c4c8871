"""The only file that touches the streams: what goes to standard output and standard error."""

import json
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from compactctl.errors import CompactctlError

PIPED_WIDTH = 80
_NARROWEST = 40
_RED, _BOLD, _RESET = "\x1b[31m", "\x1b[1m", "\x1b[0m"
_PATIENCE = 1.0
"""Seconds of silence before progress is shown."""


class Color(StrEnum):
    """When output is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class _Look:
    """How this process prints; set once from the command line."""

    color: Color | None = None
    json_errors: bool = False


def set_color(color: Color | None) -> None:
    """Colour as asked for; ``None`` leaves it to the environment and the terminal."""
    _Look.color = color


def asked_color() -> Color | None:
    """Return what was asked for so far."""
    return _Look.color


def set_json_errors(*, on: bool) -> None:
    """Print errors as JSON on standard output."""
    _Look.json_errors = on


def colored(stream: IO[str]) -> bool:
    """Return whether a stream gets colour: by flag, NO_COLOR, FORCE_COLOR, terminal, in order."""
    if _Look.color in (Color.ALWAYS, Color.NEVER):
        return _Look.color is Color.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def stdin_is_terminal() -> bool:
    """Return whether a person would have to type the input."""
    return sys.stdin is not None and sys.stdin.isatty()


def width() -> int:
    """Return the columns of the terminal, 80 where standard output is none."""
    if not sys.stdout.isatty():
        return PIPED_WIDTH
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given):
        return max(_NARROWEST, int(given))
    with suppress(OSError):
        return max(_NARROWEST, os.get_terminal_size(sys.stdout.fileno()).columns)
    return PIPED_WIDTH


def write_text(text: str) -> None:
    """Write text to standard output, with a final line feed."""
    _write(sys.stdout, _heading_bold(text) if colored(sys.stdout) else text)


def write_bytes(chunks: Iterable[bytes]) -> None:
    """Write bytes to standard output exactly as they are."""
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()


def write_note(text: str) -> None:
    """Write text to standard error, with a final line feed."""
    _write(sys.stderr, text)


def write_report(text: str, target: str | None, *, aside: bool = False) -> None:
    """
    Write a report to a file (whole or not at all), else to standard output.

    ``aside`` sends it to standard error, where standard output carries something else. Raises
    ``OutputError`` where the file cannot be written.
    """
    if target is not None and target != "-":
        from compactctl.io.atomic import write_atomic  # noqa: PLC0415 -- not needed to print

        ended = text if text.endswith("\n") else text + "\n"
        write_atomic(Path(target), [ended.encode("utf-8", "backslashreplace")])
    elif aside:
        write_note(text)
    else:
        write_text(text)


def write_error(error: CompactctlError) -> None:
    """Say what is wrong and what to do: JSON on standard output, or lines on standard error."""
    from compactctl.report.printable import printable  # noqa: PLC0415 -- only failures need it
    from compactctl.report.secrets import mask  # noqa: PLC0415 -- as above

    message, hint = printable(mask(error.message)), printable(mask(error.hint))
    if _Look.json_errors:
        body = {"error": {"kind": error.kind, "message": message, "hint": hint}}
        _write(sys.stdout, json.dumps(body, ensure_ascii=False, indent=2))
        return
    mark = f"{_RED}error:{_RESET}" if colored(sys.stderr) else "error:"
    _write(sys.stderr, f"{mark} {message}" + (f"\nhint: {hint}" if hint else ""))


def silence() -> None:
    """Send what is still buffered nowhere: the reader of the pipe has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())


def flush() -> None:
    """Write out what is buffered; raises ``BrokenPipeError`` where nobody reads."""
    sys.stdout.flush()


class Progress:
    """
    Shows what is being done, on a terminal and after a second of silence.

    A context manager that is called with each step; it leaves nothing behind on the screen.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        """Show nothing where ``quiet``, or where standard error is no terminal."""
        self._on = not quiet and sys.stderr.isatty()
        self._step = "working"
        self._shown = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        """Start the second of silence."""
        if self._on:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self._timer.cancel()
        with self._lock:
            if self._shown:
                _write(sys.stderr, "\r\x1b[K", end="")
            self._on = False

    def __call__(self, step: str) -> None:
        """Name what begins now."""
        with self._lock:
            self._step = step
            if self._shown:
                self._draw()

    def _begin(self) -> None:
        with self._lock:
            if self._on:
                self._shown = True
                self._draw()

    def _draw(self) -> None:
        _write(sys.stderr, f"\r\x1b[K{self._step} …", end="")


def _heading_bold(text: str) -> str:
    """The first line of a report says how it ended."""
    first, feed, rest = text.partition("\n")
    return f"{_BOLD}{first}{_RESET}{feed}{rest}"


def _write(stream: IO[str], text: str, end: str = "\n") -> None:
    # A lone surrogate, or a letter that the terminal's encoding lacks, must not stop a report.
    ended = text if text.endswith(end) else text + end
    stream.flush()
    stream.buffer.write(ended.encode(stream.encoding or "utf-8", "backslashreplace"))  # type: ignore[attr-defined] # IO[str] hides the buffer that text streams have
    stream.buffer.flush()  # type: ignore[attr-defined] # as above
