"""What a finished call says of the work: it checks it, delivers it, or changes it."""

import re
from collections.abc import Container, Sequence

from compactctl.classify.results.events import Event
from compactctl.classify.results.kinds import shell_work
from compactctl.classify.results.tools import Family
from compactctl.model.classification import CHECKS, Outcome, ResultKind

_FORMATS = re.compile(
    r"(?:^|[\s:._-])(?:fmt|gofmt|format\w*|prettier|black|isort|rustfmt|shfmt)\b"
)
_DELIVERS = frozenset({"commit", "push", "merge", "tag"})
_REPAIRS = frozenset({"--fix", "--write", "-w", "--apply", "--unsafe-fixes", "-a", "fix"})
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_TEMPORARY = ("/tmp/", "/private/tmp/", "/var/tmp/", "/var/folders/")  # noqa: S108 -- names only
_NARROWS = frozenset(
    {"-run", "--run", "-k", "-t", "--filter", "--grep", "-g", "--only", "--lf", "-test.run"}
)
_TEST_FILE = re.compile(r"::|(?:^|/)test_\w+\.|[._-](?:test|spec)s?\.\w+$")


def checks(event: Event) -> bool:
    """Return whether a call tests, builds or lints; what a formatter says proves nothing."""
    return event.result.kind in CHECKS and bool(check_name(event))


def check_name(event: Event) -> str:
    """Return what names the check of a call, past the formatters in its command."""
    if not _FORMATS.search(event.act):
        return event.act
    works = (shell_work(" ".join(words[:4])) for words in event.steps)
    named = (w.act for w in works if w.kind in CHECKS and not _FORMATS.search(w.act))
    return next(named, "")


def only_looks(event: Event) -> bool:
    """Return whether a call changes nothing: it reads, searches or plans."""
    looks = event.result.kind in {ResultKind.READ, ResultKind.SEARCH}
    return looks or event.family in {Family.PLAN, Family.ASK}


def repairs(event: Event) -> bool:
    """Return whether a check may change what it checks: with a formatter, or told to fix."""
    return any(
        _FORMATS.search(" ".join(words[:4])) or _REPAIRS & set(words) for words in event.steps
    )


def verifies(event: Event) -> bool:
    """Return whether a passed check says that the work holds: a test or a linter."""
    return checks(event) and event.result.kind is not ResultKind.BUILD


def delivers(event: Event) -> bool:
    """Return whether a call hands work on: a commit, a push, a merge, a request to merge."""
    if event.result.kind is ResultKind.GIT:
        return any(
            words[0] == "git" and len(words) > 1 and words[1] in _DELIVERS for words in event.steps
        )
    return event.act.endswith(("pr create", "pr merge", "release create", "mr create"))


def edits(event: Event) -> bool:
    """Return whether a call changed a file, as its result shows."""
    return event.result.kind is ResultKind.EDIT and event.result.outcome is Outcome.SUCCESS


def changes_behaviour(event: Event) -> bool:
    """Return whether an edit may make a check fail: one of prose alone cannot."""
    return edits(event) and not (
        event.paths and all(path.lower().endswith(_PROSE) for path in event.paths)
    )


def is_temporary(path: str) -> bool:
    """Return whether a path lies where nothing is kept."""
    return path.startswith(_TEMPORARY)


def runs(event: Event) -> bool:
    """Return whether a call may show that something works: it ran a program or an agent."""
    return event.result.outcome is Outcome.SUCCESS and (
        checks(event)
        or event.family in {Family.TASK, Family.OTHER}
        or event.result.kind in {ResultKind.SHELL, ResultKind.WEB}
    )


def is_narrowed(event: Event) -> bool:
    """Return whether a test ran a part of the tests only: a name, a pattern or a file."""
    return any(
        word.split("=", 1)[0] in _NARROWS or _TEST_FILE.search(word)
        for words in event.steps
        for word in words[1:]
    )


def ran_edited(event: Event, names: Container[str]) -> bool:
    """Return whether a program that was edited ran to its end: its file is run, not just named."""
    if event.result.outcome is not Outcome.SUCCESS or event.result.kind is not ResultKind.SHELL:
        return False
    return any(_runs_of(words) in names for words in event.steps)


def _runs_of(words: Sequence[str]) -> str:
    """Return the name of the file that a command runs; empty where it runs none by its path."""
    program = file_name(words[0])
    if not _INTERPRETER.fullmatch(program):
        return program
    return next((file_name(w) for w in words[1:] if not w.startswith("-") and "." in w), "")


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1]


_INTERPRETER = re.compile(
    r"(?:python|node|ruby|perl|php|lua|bash|zsh|sh|deno|bun|tsx|ts-node|Rscript|julia|uv|go|cargo"
    r"|java|pwsh)[\d.]{0,6}"
)
