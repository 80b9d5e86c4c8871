"""The settings file of a harness: read, changed in place, backed up; or not touched at all."""

import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compactctl.errors import InputError, OutputError
from compactctl.formats.hook_settings import HOOKS
from compactctl.io.atomic import PRIVATE, output_error, write_atomic
from compactctl.io.json_members import Layout, remove_member, set_member

BACKUP = ".compactctl-backup"
_BOM = b"\xef\xbb\xbf"
Change = Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A settings file as it is (``None``: not there) and as it shall be."""

    path: Path
    before: bytes | None
    after: bytes

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return (self.before or b"") != self.after

    @property
    def backup(self) -> Path | None:
        """Where what is there now is kept, where there is something."""
        return self.path.with_name(self.path.name + BACKUP) if self.before is not None else None


def plan_edit(path: Path, change: Change) -> Edit:
    """
    Return what a change makes of a settings file; writes nothing.

    Bytes outside of the hooks that change stay as they are. Raises ``InputError`` where the file
    cannot be read, is no JSON object, or has a key twice, so that one of the two is not seen.
    """
    before = _read(path)
    bom = _BOM if (before or b"").startswith(_BOM) else b""
    data = (before or b"")[len(bom) :]
    if not data.strip():
        data = b"{}\n"
    old = _parsed(path, data)
    try:
        new = change(old)
        after = _edited(data, old, new)
        same = json.loads(after) == new
    except (InputError, ValueError) as error:
        raise _unfit(path, str(error)) from None
    if not same:
        raise _unfit(path, "it cannot be changed without changing more")
    if new == old:
        return Edit(path=path, before=before, after=before or b"")
    return Edit(path=path, before=before, after=bom + after)


def write_edit(edit: Edit) -> None:
    """
    Write a planned edit, whole or not at all, after a backup of what is there.

    A link stays a link: the file that it leads to is written. Raises ``OutputError``, and
    ``InputError`` where the file changed since it was read.
    """
    target = Path(os.path.realpath(edit.path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    except OSError as error:
        raise output_error(edit.path, error) from None
    if edit.before is not None and edit.backup is not None:
        kept = mode if mode is not None else PRIVATE
        write_atomic(Path(os.path.realpath(edit.backup)), [edit.before], mode=kept)

    def unchanged(_: Path) -> None:
        if _read(edit.path) != edit.before:
            raise OutputError(f"{edit.path}: changed in the meantime", hint="run it again")

    write_atomic(target, [edit.after], mode=mode, before_replace=unchanged)


def _edited(data: bytes, old: Mapping[str, Any], new: Mapping[str, Any]) -> bytes:
    """Return the text with the hooks of ``new``; only those may differ."""
    layout = Layout.of(data)
    if HOOKS not in new:
        return remove_member(data, (HOOKS,)) if HOOKS in old else data
    if HOOKS not in old:
        return set_member(data, (HOOKS,), new[HOOKS], layout)
    for event in old[HOOKS].keys() - new[HOOKS].keys():
        data = remove_member(data, (HOOKS, event))
    for event, groups in new[HOOKS].items():
        if old[HOOKS].get(event) != groups:
            data = set_member(data, (HOOKS, event), groups, layout)
    return data


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_none)
    except (ValueError, RecursionError) as error:
        raise _unfit(path, f"it is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise _unfit(path, "it is no JSON object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return found


def _none(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON number")


def _unfit(path: Path, what: str) -> InputError:
    return InputError(f"{path}: not touched: {what}", hint="mend the file, then run it again")
