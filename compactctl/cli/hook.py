"""
``hook``: what Claude Code and Codex call when they compact.

The harness waits, and exit code 2 would stop its compaction. So this comes before typer and reads
its few words itself, loads what it needs when it needs it, and ends in 0 whatever happens, but
where ``--require-snapshot`` asks for the opposite.
"""

import os
import select
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compactctl.engine.hook import Answer
    from compactctl.model.harness import HookCall, Refusal

INSTALL, UNINSTALL = "install", "uninstall"
_HELP = frozenset({"-h", "--help"})
_CHUNK = 1 << 20
_AFTER_AN_OBJECT, _AT_MOST = 1.0, 20.0
"""Seconds of silence on standard input after which nothing more is expected."""
_HINT = "compactctl hook install puts this command into the settings of Claude Code or Codex"


@dataclass(frozen=True, slots=True)
class Asked:
    """The words after ``hook``; those that mean nothing are ``faults``, and stop nothing."""

    store: str | None = None
    harness: str | None = None
    require: bool = False
    faults: tuple[str, ...] = ()


def is_call(words: Sequence[str]) -> bool:
    """Return whether a harness calls, and no person for ``hook install`` or ``--help``."""
    rest = words[1:]
    return words[:1] == ["hook"] and not (
        rest[:1] in ([INSTALL], [UNINSTALL]) or _HELP.intersection(rest)
    )


def asked_by(words: Sequence[str]) -> Asked:
    """Return what the words after ``hook`` ask for."""
    values: dict[str, str] = {}
    require, faults, left = False, [], list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name == "--require-snapshot" and not equals:
            require = True
        elif name in ("--store", "--harness") and (equals or left):
            values[name] = value if equals else left.pop(0)
        else:
            faults.append(f"unknown or incomplete option {name!r}")
    return Asked(values.get("--store"), values.get("--harness"), require, tuple(faults))


def status_of_call(asked: Asked) -> int:
    """Answer a call and return the exit code; nothing is raised."""
    call = None
    try:
        if sys.stdin is not None and sys.stdin.isatty():
            return _end(0, (f"standard input is a terminal; {_HINT}",))
        call, unread = _call()
        answer = _answered(call, unread, asked)
        kept, problems = answer.kept, answer.problems
    except BaseException as error:  # noqa: BLE001 -- whatever it is, the harness must go on
        kept, problems = False, (f"{type(error).__name__}: {error}",)
    if kept or not asked.require:
        return _end(0, problems)
    try:
        return _refused(asked, call, problems[0])
    except BaseException:  # noqa: BLE001 -- as above; exit code 2 is what is left of a refusal
        return 2


def _call() -> "tuple[HookCall, str]":
    """Return what the harness says, and why that cannot be read where it cannot."""
    from compactctl.errors import InputError  # noqa: PLC0415 -- nothing may fail before the try
    from compactctl.formats.hook_calls import parse_call  # noqa: PLC0415 -- as above
    from compactctl.model.harness import HookCall  # noqa: PLC0415 -- as above

    try:
        return parse_call(_standard_input()), ""
    except InputError as error:
        return HookCall(), error.message


def _answered(call: "HookCall", unread: str, asked: Asked) -> "Answer":
    from compactctl.engine.hook import answer_call, miss  # noqa: PLC0415 -- as above

    now = _now()
    here, strange = _folder(call.cwd)
    store, broken = _store(asked, here)
    warnings = (*asked.faults, *strange, *broken)
    try:
        if not unread:
            return answer_call(call, store=store, here=here, now=now, warnings=warnings)
    except Exception as error:  # noqa: BLE001 -- a fault of ours is noted like any other
        unread = f"a fault of compactctl: {type(error).__name__}: {error}"
    return miss(call, unread, store=store, now=now, warnings=warnings)


def _standard_input() -> bytes:
    """
    Return what the harness writes.

    Not every caller closes the pipe: what is one whole object, and what has been silent for long,
    is not waited for.
    """
    from compactctl.formats.hook_calls import LARGEST  # noqa: PLC0415 -- nothing may fail early

    if sys.stdin is None:
        return b""
    stream = sys.stdin.buffer
    try:
        handle = stream.fileno()
    except OSError:
        return stream.read(LARGEST + 1)  # no file at all: all of it is there
    data = bytearray()
    while len(data) <= LARGEST:
        patience = _AFTER_AN_OBJECT if data[-2:].rstrip()[-1:] == b"}" else _AT_MOST
        if not select.select([handle], [], [], patience)[0]:
            break
        chunk = os.read(handle, _CHUNK)
        if not chunk:
            break
        data += chunk
    return bytes(data)


def _folder(named: str | None) -> tuple[Path, tuple[str, ...]]:
    """Return the folder of the session, else that in which the harness runs us."""
    if named is None:
        return Path.cwd(), ()
    folder = Path(named)
    try:
        if folder.is_absolute() and folder.is_dir():
            return folder, ()
    except (OSError, ValueError):
        pass
    return Path.cwd(), (f"the folder of the session, {named!r}, is not there",)


def _store(asked: Asked, here: Path) -> tuple[Path, tuple[str, ...]]:
    """Return where the store is, and what is wrong with the configuration that might say so."""
    from compactctl.store.layout import locate  # noqa: PLC0415 -- see above

    named, faults = asked.store, tuple[str, ...]()
    if named is None:
        try:
            from compactctl.cli.config import load_config  # noqa: PLC0415 -- as above

            named = load_config(here).pick("store", None)
        except Exception as error:  # noqa: BLE001 -- a broken file must not cost the snapshot
            faults = (f"configuration: {error}",)
    found = locate(str(here / named) if named else None, here)
    return found, faults


def _refused(asked: Asked, call: "HookCall | None", reason: str) -> int:
    from compactctl.formats.hook_calls import may_refuse, refusal  # noqa: PLC0415 -- see above
    from compactctl.model.harness import Harness  # noqa: PLC0415 -- as above

    if not may_refuse(call):
        return _end(0, (reason,))
    harness = call.harness if call else None
    if harness is None and asked.harness in tuple(Harness):
        harness = Harness(asked.harness)
    return _write(refusal(harness, _safe(reason)))


def _write(answer: "Refusal") -> int:
    from compactctl.cli import output  # noqa: PLC0415 -- as above

    try:
        if answer.out:
            output.write_text(answer.out)
        if answer.err:
            output.write_note(answer.err)
    except Exception:  # noqa: BLE001 -- nobody reads it; the exit code still says it
        _silence()
    return answer.code


def _end(code: int, problems: Sequence[str]) -> int:
    """Say on standard error what is wrong, where something is."""
    try:
        from compactctl.cli import output  # noqa: PLC0415 -- not needed where all went well

        for problem in problems:
            output.write_note(f"compactctl hook: {_safe(problem)}")
    except BaseException:  # noqa: BLE001 -- nobody reads it
        _silence()
    return code


def _safe(text: str) -> str:
    try:
        from compactctl.cli.wording import safe_line  # noqa: PLC0415 -- not where all went well

        return safe_line(text)
    except Exception:  # noqa: BLE001 -- what cannot be made safe is not shown
        return "a fault of compactctl"


def _silence() -> None:
    """Nothing buffered may turn into an exit code of its own at the end."""
    try:
        from compactctl.cli import output  # noqa: PLC0415 -- only after a failure

        output.silence()
    except BaseException:  # noqa: BLE001 -- there may be no streams at all
        return


def _now() -> str:
    from datetime import UTC, datetime  # noqa: PLC0415 -- see above

    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
