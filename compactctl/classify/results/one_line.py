"""One truthful line for a call and its result."""

import re

from compactctl.model.classification import Outcome, ResultKind

LIMIT = 170
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_LEADING_CD = re.compile(r"\Acd [^;&|]{1,300}&& ")

_SUCCESS = {
    ResultKind.TEST: "passed",
    ResultKind.BUILD: "built",
    ResultKind.LINT: "clean",
    ResultKind.EDIT: "edited",
    ResultKind.READ: "read",
    ResultKind.SEARCH: "searched",
}


def one_line(
    *,
    tool: str,
    subject: str,
    kind: ResultKind,
    outcome: Outcome,
    exit_code: int | None,
    size: int,
    answered: bool,
) -> str:
    """
    Return one line that names tool, key argument, outcome and size of the result.

    At most ``LIMIT`` characters; control characters are made visible. Success is said only of an
    outcome ``success``.
    """
    end = _ending(kind, outcome, exit_code, size, answered=answered)
    about = visible(_LEADING_CD.sub("", _SPACE.sub(" ", subject[:2_000]).strip()))
    room = LIMIT - len(tool) - len(end) - 3
    return f"{visible(tool)} {_clip(about, room)}".rstrip() + f": {end}"


def visible(text: str) -> str:
    """Return the text with control and direction characters written as escapes."""
    return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _ending(
    kind: ResultKind, outcome: Outcome, exit_code: int | None, size: int, *, answered: bool
) -> str:
    code = f" (exit {exit_code})" if exit_code is not None else ""
    tail = f", {size:,} chars" if answered else ""
    match outcome:
        case Outcome.SUCCESS:
            return f"{_SUCCESS.get(kind, 'ok')}{code}{tail}"
        case Outcome.FAILURE:
            return f"FAILED{code}{tail}"
        case Outcome.PENDING:
            return f"still running{tail}" if answered else "no result yet"
        case Outcome.REJECTED:
            return "rejected by the user, not done"
        case Outcome.UNKNOWN:
            return f"outcome unknown{code}{tail}" if answered else "no result"


def _clip(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    head = room * 2 // 3
    return f"{text[:head]}…{text[-(room - head - 1) :]}"
