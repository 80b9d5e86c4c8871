"""
Our hooks in the settings of a harness: put in and taken out of the value that is there.

Claude Code (``settings.json``) and Codex (``hooks.json``) share the shape: ``hooks`` holds event
names, each a list of groups, each with a list of ``hooks``. No ``matcher``: all triggers.
"""

import copy
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from compactctl.errors import InputError
from compactctl.model.harness import Moment

Settings = dict[str, Any]
TIMEOUT = 60
"""Seconds after which a harness goes on without us."""
HOOKS = "hooks"
_NAME = "compactctl"
_SUBCOMMANDS = frozenset({"install", "uninstall"})


def with_hooks(settings: Mapping[str, Any], commands: Mapping[Moment, str]) -> Settings:
    """
    Return settings in which each moment calls its command, once.

    Everything else is as it was. A hook of ours that is there keeps its place and its other
    fields. Raises ``InputError`` where the settings are not of the known shape.
    """
    new = copy.deepcopy(dict(settings))
    events = _events(new)
    new[HOOKS] = events
    for moment, command in commands.items():
        ours = list(_ours(events, moment))
        if ours:
            ours[0]["command"] = command
            _drop(events, moment, keep=ours[0])
        else:
            handler = {"type": "command", "command": command, "timeout": TIMEOUT}
            events.setdefault(moment.value, []).append({HOOKS: [handler]})
    return new


def without_hooks(settings: Mapping[str, Any]) -> Settings:
    """
    Return settings without any hook of ours; what that leaves empty goes too.

    Raises ``InputError`` where the settings are not of the known shape.
    """
    new = copy.deepcopy(dict(settings))
    events = _events(new)
    for moment in Moment:
        if any(_ours(events, moment)):
            _drop(events, moment, keep=None)
            if not events[moment.value]:
                del events[moment.value]
            if not events:
                del new[HOOKS]
    return new


def is_ours(command: object) -> bool:
    """Return whether a command line of a hook calls us, and nothing else."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    for python in (["-m", _NAME], ["-P", "-m", _NAME]):
        if words[1 : 1 + len(python)] == python:
            words = words[len(python) :]
    called = bool(words) and PurePath(words[0]).name == _NAME and words[1:2] == ["hook"]
    # Joined to another command by a shell it is somebody's own composition.
    joined = any(word in ("&&", "||", "|", "&") or word.endswith(";") for word in words)
    return called and not joined and not _SUBCOMMANDS & set(words[2:3])


def _events(settings: Settings) -> dict[str, Any]:
    events = settings.get(HOOKS, {})
    if not isinstance(events, dict):
        raise InputError(f"{HOOKS!r} is no object")
    for moment in Moment:
        groups = events.get(moment.value, [])
        if not isinstance(groups, list):
            raise InputError(f"'{HOOKS}.{moment}' is no list")
        for group in groups:
            if not isinstance(group, dict) or not isinstance(group.get(HOOKS, []), list):
                raise InputError(f"'{HOOKS}.{moment}' holds something that is no group of hooks")
    return events


def _ours(events: Mapping[str, Any], moment: Moment) -> Iterator[dict[str, Any]]:
    for group in events.get(moment.value, []):
        for handler in group.get(HOOKS, []):
            if isinstance(handler, dict) and is_ours(handler.get("command")):
                yield handler


def _drop(events: dict[str, Any], moment: Moment, *, keep: object) -> None:
    """Take out our handlers but the one to keep, and the groups that are empty then."""
    groups = []
    for group in events[moment.value]:
        there = group.get(HOOKS, [])
        left = [
            handler
            for handler in there
            if handler is keep
            or not (isinstance(handler, dict) and is_ours(handler.get("command")))
        ]
        if left or not there:
            groups.append({**group, HOOKS: left} if left != there else group)
    events[moment.value] = groups
