"""Where a run writes, and what it will never write over."""

import hashlib
from collections.abc import Collection
from pathlib import Path

from compactctl.errors import OutputError, UsageError
from compactctl.io.atomic import output_error
from compactctl.io.source import CHUNK, STDIN

SUFFIX = ".compacted.jsonl"
STDOUT = "-"


def output_path(path: str, output: str | None) -> Path | None:
    """
    Return the file that a run over ``path`` writes, ``None`` for standard output.

    Without ``output`` that is ``<stem>.compacted.jsonl`` beside the input. Raises ``UsageError``
    where the input gives no name to go by.
    """
    if output == STDOUT:
        return None
    if output is not None:
        return Path(output)
    if path == STDIN:
        raise UsageError(
            "standard input has no name to write beside", hint="say where: -o FILE, or -o -"
        )
    given = Path(path)
    if not given.name:
        raise UsageError(f"{path!r} names no file", hint="name one session file")
    return given.with_name(given.stem + SUFFIX)


def check_output(target: Path, path: str, own_outputs: Collection[str], *, force: bool) -> None:
    """
    Raise where writing ``target`` would lose something.

    It must not be the input (``UsageError``), and an existing file must be one that an earlier
    run wrote (its sha256 is among ``own_outputs``) unless ``force`` (``OutputError``).
    """
    if path != STDIN and _same_file(target, Path(path)):
        raise UsageError(
            f"{target}: the output is the input", hint="the input is never replaced; name another"
        )
    there = _is_there(target)
    if target.is_dir():
        raise OutputError(f"{target}: is a directory", hint="name a file")
    if not target.parent.is_dir():
        raise OutputError(
            f"{target}: the folder does not exist", hint="create it, or name another"
        )
    if force or not there:
        return
    if not target.is_file() or _sha256(target) not in own_outputs:
        raise OutputError(
            f"{target}: exists and is not an earlier output of compactctl",
            hint="name another with -o, or replace it with --force",
        )


def _is_there(target: Path) -> bool:
    try:
        target.stat()
    except (FileNotFoundError, NotADirectoryError):
        return target.is_symlink()
    except OSError as error:
        # A name that is too long, a loop of links, a folder that nobody may enter.
        raise output_error(target, error) from None
    return True


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {error.strerror}") from None
    return digest.hexdigest()
