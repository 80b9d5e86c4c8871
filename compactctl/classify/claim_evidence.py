"""The evidence for claims: what the results of a chain have shown so far."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from compactctl.classify.checks import (
    changes_behaviour,
    checks,
    edits,
    is_narrowed,
    is_temporary,
    runs,
)
from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.model.classification import Outcome, ResultKind

_MAX_UNSTAGED = 200
"""Files that are followed until a commit takes them: bounds the work."""
_MAX_COMMANDS = 24
"""Commands among which one that a claim names is looked for."""
_OPENS = re.compile(r"\b(?:create|open|merge|edit|update)")
_EVERY = frozenset({".", "-A", "--all", "-u", "--update", "-p", "--patch", "*", ":/"})
_COMMITS_ALL = frozenset({"-a", "-am", "--all", "-sam", "-asm", "--amend"})


@dataclass(slots=True)
class Known:
    """What is known when a claim is made, of one chain."""

    checks: dict[ResultKind, Event] = field(default_factory=dict)
    full_tests: Event | None = None
    """The newest test run that no name, pattern or file narrows."""
    git: dict[str, Event] = field(default_factory=dict)
    opened: Event | None = None
    run: Event | None = None
    """The newest call that may show that something works."""
    edit: Event | None = None
    change: Event | None = None
    """The newest edit that a check could fail of."""
    tracked: Event | None = None
    """The newest edit of a file that may be committed."""
    unstaged: dict[str, int] = field(default_factory=dict)
    """Paths that were edited and in no ``git add`` since: where."""
    left_out: int = -1
    """Where a file was edited last that the newest commit left out."""
    commands: dict[str, Event] = field(default_factory=dict)
    """The newest shell commands by their text."""
    stages: bool = False
    """Files were staged by name since the last commit."""

    def learn(self, event: Event) -> None:
        """Take an event; feed them in the order of their results."""
        result = event.result
        if result.outcome is Outcome.REJECTED:
            return
        if checks(event):
            self.checks[result.kind] = event
            if result.kind is ResultKind.TEST and not is_narrowed(event):
                self.full_tests = event
        self._learn_command(event)
        if edits(event):
            self._learn_edit(event)
        elif runs(event):
            self.run = event
        remote = result.kind in {ResultKind.WEB, ResultKind.OTHER}
        if _OPENS.search(event.act) and (remote or event.family is Family.OTHER):
            self.opened = event

    def _learn_command(self, event: Event) -> None:
        if not event.steps:
            return
        self.commands.pop(event.result.subject, None)
        self.commands[event.result.subject] = event
        if len(self.commands) > _MAX_COMMANDS:
            del self.commands[next(iter(self.commands))]
        for words in event.steps:
            if words[0] == "git" and len(words) > 1:
                self._learn_git(event, words)

    def _learn_edit(self, event: Event) -> None:
        self.edit = event
        if changes_behaviour(event):
            self.change = event
        kept = [path for path in event.paths if not is_temporary(path)]
        if kept or not event.paths:
            self.tracked = event
        for path in kept:
            self.unstaged[path] = event.at
            if len(self.unstaged) > _MAX_UNSTAGED:
                del self.unstaged[next(iter(self.unstaged))]

    def _learn_git(self, event: Event, words: Sequence[str]) -> None:
        self.git[words[1]] = event
        if event.result.outcome is not Outcome.SUCCESS:
            return
        operands = [word for word in words[2:] if not word.startswith("-")]
        match words[1]:
            case "add" if _EVERY & set(words[2:]) or any("*" in word for word in operands):
                self.unstaged.clear()
            case "add" | "rm" | "mv":
                self.stages = True
                self.unstaged = {
                    path: at
                    for path, at in self.unstaged.items()
                    if not any(_holds(operand, path) for operand in operands)
                }
            case "commit":
                every = bool(_COMMITS_ALL & set(words[2:]))
                partial = self.stages and not every
                self.left_out = max(self.unstaged.values(), default=-1) if partial else -1
                self.stages = False
                self.unstaged.clear()
            case "status" if event.empty:
                self.left_out = -1
            case "stash" | "checkout" | "restore" | "reset" | "clean":
                self.unstaged.clear()
            case _:
                pass


def _holds(operand: str, path: str) -> bool:
    """Return whether what ``git add`` names is a path or a folder above it."""
    name = operand.removeprefix("./").strip("/")
    return f"/{name}/" in f"/{path.strip('/')}/"
