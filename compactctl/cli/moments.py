"""Moments of a session as people name them: a line, a time, a step."""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from compactctl.errors import UsageError

if TYPE_CHECKING:
    from compactctl.engine.sessions import Session
    from compactctl.model.transcript import Transcript

_LINE = re.compile(r"L?(\d{1,12})")
_STEP = re.compile(r"step\s?(\d{1,12})")
_HINT = "a line (L12), a time (2026-01-02T03:04:05Z) or a step (step300)"


def at_moment(session: "Session", text: str | None) -> "Session":
    """
    Return the session as it was then; the whole for ``None``.

    A line is one of the file, a time the last record that is not later (UTC where it names no
    zone), a step the number of an assistant message from 1. Raises ``UsageError`` where the
    session has no such moment.
    """
    return session if text is None else session.at(_line_of(session.transcript, text.strip()))


def _line_of(transcript: "Transcript", text: str) -> int:
    if found := _LINE.fullmatch(text):
        return _existing(transcript, int(found[1]), text)
    if found := _STEP.fullmatch(text):
        return _line_of_step(transcript, int(found[1]))
    moment = _time(text)
    if moment is None:
        raise UsageError(f"--at: {text!r} is no moment", hint=_HINT)
    return _line_at(transcript, moment, text)


def _existing(transcript: "Transcript", line: int, text: str) -> int:
    first = transcript.records[0].line if transcript.records else 0
    if not 0 < first <= line:
        raise UsageError(
            f"--at {text}: {transcript.path} begins at line {first}", hint="lines count from 1"
        )
    return line


def _line_of_step(transcript: "Transcript", number: int) -> int:
    steps: dict[str, int] = {}
    for entry in transcript.entries:
        if entry.message is not None:
            steps[entry.message] = entry.line
    lines = list(steps.values())
    if not 0 < number <= len(lines):
        raise UsageError(
            f"--at step{number}: {transcript.path} has {len(lines)} steps",
            hint="a step is an assistant message, counted from 1",
        )
    return lines[number - 1]


def _line_at(transcript: "Transcript", moment: datetime, text: str) -> int:
    times = ((_time(record.timestamp), record.line) for record in transcript.records)
    known = [(time, line) for time, line in times if time is not None]
    if not known:
        raise UsageError(f"--at {text}: the session records no times", hint="name a line: L12")
    lines = [line for time, line in known if time <= moment]
    if not lines:
        raise UsageError(
            f"--at {text}: the session begins later, at {min(known)[0].isoformat()}",
            hint="name a later time, or a line: L12",
        )
    return max(lines)


def _time(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
