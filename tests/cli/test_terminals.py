"""At a terminal: width, colour, progress; nothing of it in a pipe."""

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from cli.commands import Folder, clean_environment

from compactctl.cli import output


def at_terminal(
    folder: Path, *arguments: str, columns: int = 60, **environ: str
) -> tuple[int, str]:
    """Run a command with its standard output at a terminal of that width."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "compactctl", *arguments],
        cwd=folder,
        env=clean_environment() | {"TERM": "xterm"} | environ,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    return process.wait(timeout=60), b"".join(parts).decode().replace("\r\n", "\n")


def test_a_list_fits_a_narrow_terminal(command: Folder) -> None:
    command.session()

    code, shown = at_terminal(command.path, "show", "session.jsonl", NO_COLOR="1")

    assert code == 0
    assert all(len(line) <= 70 for line in shown.splitlines()[1:])
    assert "\x1b" not in shown


def test_the_first_line_is_bold_at_a_terminal(command: Folder) -> None:
    command.session()

    _, shown = at_terminal(command.path, "run", "session.jsonl", "--dry-run", columns=100)

    assert shown.startswith("\x1b[1mcompacted (fold)")
    assert shown.count("\x1b[1m") == 1


def test_standard_input_at_a_terminal_is_an_error_and_no_waiting(command: Folder) -> None:
    code, _ = at_terminal(command.path, "classify", "-")

    assert code == 2


class _Terminal:
    """A stream that says it is a terminal, and keeps what is written."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.buffer = self
        self.written = b""

    def isatty(self) -> bool:
        return True

    def write(self, data: bytes) -> int:
        self.written += data
        return len(data)

    def flush(self) -> None:
        pass


def test_progress_waits_a_second_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with output.Progress() as progress:
        progress("reading")
    assert terminal.written == b""

    with output.Progress() as progress:
        progress("reading")
        progress._begin()  # as the timer does after a second
        progress("counting")
    shown = terminal.written.decode()
    assert "reading …" in shown
    assert "counting …" in shown
    assert shown.endswith("\r\x1b[K")


def test_no_progress_where_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with output.Progress(quiet=True) as progress:
        progress("reading")
        progress._begin()

    assert terminal.written == b""
