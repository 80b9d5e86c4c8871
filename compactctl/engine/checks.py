"""Checking many files: each by itself, so that one broken file never stops the others."""

import multiprocessing
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compactctl.audit.rule import Rule
from compactctl.audit.rules import RULES
from compactctl.engine.audits import audit
from compactctl.engine.sessions import open_sessions
from compactctl.errors import CompactctlError, InputError, UnknownFormatError
from compactctl.model.audit import Finding

SUFFIXES = (".jsonl", ".json")
_HIDDEN = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """What checking one file gave: its findings, or why it could not be checked."""

    path: str
    format: str | None = None
    conversations: int = 0
    compactions: int = 0
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    hint: str = ""
    skipped: bool = False
    """It was found in a folder and is no session: nothing to check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckJob:
    """One file to check, and by which rules (codes); ``found`` in a folder, not named."""

    path: str
    codes: frozenset[str]
    input_format: str | None
    encoding: str
    found: bool


def files_under(paths: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """
    Yield the files to check, and whether each was found in a folder rather than named.

    Folders are searched for ``.jsonl`` and ``.json`` in name order, without what is hidden. A
    file is yielded once. Raises ``InputError`` for a path that is not there.
    """
    seen: set[Path] = set()
    for path in paths:
        whole = Path(path)
        if not whole.exists() and not whole.is_symlink():
            raise InputError(f"{path}: no such file or folder", hint="check the path")
        found = sorted(_sessions_in(whole)) if whole.is_dir() else [whole]
        for file in found:
            key = file.resolve()
            if key not in seen:
                seen.add(key)
                yield str(file), whole.is_dir()


def _sessions_in(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        inner = file.relative_to(folder).parts
        if any(part.startswith(_HIDDEN) for part in inner):
            continue
        if file.suffix in SUFFIXES and file.is_file():
            yield file


def check_file(job: CheckJob) -> CheckedFile:
    """Return what the rules find in a file; whatever is wrong with it becomes its ``error``."""
    rules = [rule for rule in RULES if rule.code in job.codes]
    try:
        return _checked(job, rules)
    except UnknownFormatError as error:
        if job.found and not job.path.endswith(".jsonl"):
            return CheckedFile(path=job.path, skipped=True)
        return CheckedFile(path=job.path, error=error.message, hint=error.hint)
    except CompactctlError as error:
        return CheckedFile(path=job.path, error=error.message, hint=error.hint)
    except Exception as error:  # noqa: BLE001 -- a fault of ours in one file must not hide the others
        what = f"a fault of compactctl: {type(error).__name__}: {error}".partition("\n")[0]
        return CheckedFile(path=job.path, error=f"{job.path}: {what}", hint="please report it")


def _checked(job: CheckJob, rules: Sequence[Rule]) -> CheckedFile:
    opened = open_sessions(job.path, input_format=job.input_format, encoding=job.encoding)
    with opened as sessions:
        audits = [audit(session, rules) for session in sessions]
        return CheckedFile(
            path=job.path,
            format=sessions[0].transcript.format,
            conversations=len(sessions),
            compactions=sum(len(one.subject.cases) for one in audits),
            findings=tuple(finding for one in audits for finding in one.findings),
        )


def check_files(jobs: Sequence[CheckJob], workers: int) -> Generator[CheckedFile]:
    """
    Yield the result of each file, in order, as they are ready.

    With more than one worker files are checked in processes of their own. Closing the iterator
    gives up what has not begun.
    """
    if workers <= 1 or len(jobs) <= 1:
        yield from map(check_file, jobs)
        return
    # Forking a process that runs threads (progress) can hang; a fresh one cannot.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(jobs)), mp_context=context)
    try:
        futures: list[Future[CheckedFile]] = [pool.submit(check_file, job) for job in jobs]
        for job, future in zip(jobs, futures, strict=True):
            yield _result(job, future)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(job: CheckJob, future: "Future[CheckedFile]") -> CheckedFile:
    error = future.exception()
    if error is None:
        return future.result()
    # A worker that was killed (out of memory) takes its file's verdict with it.
    return CheckedFile(path=job.path, error=f"{job.path}: could not be checked: {error}")


def codes_of(select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """
    Return the codes of the rules to run; a rule is named by code, name, or the start of codes.

    Nothing selected means all. Raises ``KeyError`` with a name that fits no rule.
    """
    chosen = frozenset().union(*map(_codes, select)) or frozenset(rule.code for rule in RULES)
    return chosen - frozenset().union(*map(_codes, ignore))


def _codes(name: str) -> frozenset[str]:
    found = frozenset(
        rule.code
        for rule in RULES
        if name == rule.name or (name and rule.code.startswith(name.upper()))
    )
    if not found:
        raise KeyError(name)
    return found
