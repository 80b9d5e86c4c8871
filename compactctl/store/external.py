"""References in kept text to what lies outside the store: "see build.log", a URL."""

import os
import posixpath
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from compactctl.io.source import CHUNK
from compactctl.model.pointer import KeptPointer, PointerStatus

FILE = "file:"
"""How a pointer to a file outside the store begins; the path follows as it was written."""
MOST = 100
"""References that are taken from one text."""
_LONGEST_TEXT = 1_000_000
_LONGEST_PATH = 400
_REACH = 48
"""Characters before a path in which the word stands that sends the reader there."""
_LARGEST_FILE = 1 << 28
"""Bytes of a file that are searched for evidence; a larger one is not worth the wait."""

_URL = re.compile(r"\b(?:https?|ftp|s3|gs|git|ssh)://[^\s`\"'<>{}|\\^]{1,2000}")
_PATH = re.compile(
    rf"`(?P<code>[^`\n]{{1,{_LONGEST_PATH}}})`"
    rf"|\"(?P<quoted>[^\"\n]{{1,{_LONGEST_PATH}}})\""
    r"|(?P<bare>[^\s`\"'<>()\[\]{}|,;*=]++)"
)
_CUE = re.compile(
    r"(?:"
    # As in: see x; see the trace in x
    r"\b(?:see|cf\.?|refer(?:red)? to|consult|check|look(?:ed)? (?:at|in)|re-?read"
    r"|siehe|vgl\.?|voir|véase|vedi|veja|bkz\.?|смотри|см\.?|देखें|راجع|انظر)(?!\w)"
    r"(?:[^.:;]{0,30}\b(?:in|at|under))?"
    # As in: saved to x; the full output is in x; details: x
    r"|\b(?:saved|written|wrote|stored|logged|dumped|exported|recorded|kept|persisted|archived"
    r"|documented|described|listed|noted|available|located|redirected|output|logs?|details"
    r"|contents?|transcript|reports?|results?|notes|rest|copy)"
    r"(?: (?:is|are|it|them|was|were))?(?: (?:to|in|at|into|under|from)\b|(?=\s?[:\uff1a]))"
    r"|参见|参考|参照|详见|见|見|보기|참고|참조"
    r")(?: (?:the|file|a|full|log))*+\s*+[:\uff1a]?\s*+\Z",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"[^/\\]*[^/\\.]\.(?P<kind>[A-Za-z][A-Za-z0-9]{0,9})\Z")
_BARE_KIND = re.compile(
    r"bin|bz2|c|cfg|conf|cpp|cs|csv|db|diff|err|go|gz|h|html|ini|ipynb|java|jpg|js|jsonl?|kt|lock"
    r"|log|md|out|parquet|patch|pdf|php|png|py|rb|rs|rst|sh|sql|sqlite|swift|tar|tex|tgz|tmp"
    r"|toml|trace|tsx?|tsv|txt|xml|ya?ml|zip",
    re.IGNORECASE,
)
"""Kinds of files that are known by their bare name; a word with a point in it is no file yet."""
_PRODUCT = re.compile(r"[A-Z][a-z]++\.js\Z")
"""Node.js and its like are names, not files."""
_PLACE_IN_FILE = re.compile(r"(?::\d{1,9}(?:[:-]\d{1,9})?|#L\d{1,9}(?:-L?\d{1,9})?)\Z")
_TRAILING = ".,:;!?…\u3002\uff0c\uff1b\uff1a\uff01\uff1f'\"»\u201d\u2019)]}>"
_LEADING = "'\"«\u201c\u2018([{<"


@dataclass(frozen=True, slots=True)
class Recorder:
    """
    Where a recording was made, and where its files live here.

    ``cwd`` is the recorded working folder, ``root`` the folder that stands for it on this
    machine.
    """

    cwd: str | None
    root: Path | None


def find_references(text: str) -> tuple[str, ...]:
    """
    Return the paths and URLs that a text names as places where something can be found again.

    Every URL counts; a path counts where a word sends the reader there ("see", "saved to", "full
    output in"), so that a file that was merely edited is none. In order of first mention, each
    once, at most ``MOST``; of very long texts the first million characters. Linear in the text.
    """
    found: dict[str, None] = {}
    for line in text[:_LONGEST_TEXT].split("\n"):
        for reference in _of_line(line):
            found[reference] = None
            if len(found) == MOST:
                return tuple(found)
    return tuple(found)


def external_pointers(text: str, entry: str | None) -> tuple[KeptPointer, ...]:
    """Return the references of a kept text as pointers that nobody has followed yet."""
    return tuple(
        KeptPointer(
            pointer=reference if _URL.match(reference) else FILE + reference,
            entry=entry,
            evidence="",
            status=PointerStatus.UNVERIFIABLE,
        )
        for reference in find_references(text)
    )


def follow(path: str, evidence: str, recorder: Recorder) -> PointerStatus:
    """
    Return how the file that a recording names stands here.

    ``unverifiable`` where the recorded folder is not on this machine (and no ``root`` stands for
    it), where it lies outside of what ``root`` stands for, or where it cannot be looked at;
    ``changed`` where it no longer holds the evidence. A folder is looked for, not into.
    """
    try:
        here = _on_this_machine(path, recorder)
        if here is None:
            return PointerStatus.UNVERIFIABLE
        return _status(here, evidence)
    except (FileNotFoundError, NotADirectoryError):
        return PointerStatus.MISSING
    except (OSError, ValueError, RuntimeError):
        return PointerStatus.UNVERIFIABLE


def _of_line(line: str) -> Iterator[str]:
    urls = list(_URL.finditer(line))
    places = [(found.start(), _closed(found[0].rstrip(_TRAILING), found[0])) for found in urls]
    # Places of characters stay as they are, and no path is found inside a URL.
    rest = _URL.sub(lambda found: " " * len(found[0]), line)
    for found in _PATH.finditer(rest):
        path = _path(found[found.lastgroup or 0])
        if path and _CUE.search(rest, max(0, found.start() - _REACH), found.start()):
            places.append((found.start(), path))
    yield from (place for _, place in sorted(places))


def _closed(cut: str, whole: str) -> str:
    """Give a bracket back that the URL itself opened."""
    return cut + ")" if whole[len(cut) :].startswith(")") and "(" in cut else cut


def _path(word: str) -> str | None:
    """Return the path that a word is, without quotes, stops and line numbers around it."""
    if len(word) > _LONGEST_PATH or not ("/" in word or "." in word):
        return None
    word = _PLACE_IN_FILE.sub("", word.lstrip(_LEADING).rstrip(_TRAILING))
    if not word or "://" in word or "\0" in word or "{" in word:
        return None
    name = _FILE_NAME.search(word)
    if "/" not in word:
        bare = name is not None and _BARE_KIND.fullmatch(name["kind"]) is not None
        return word if bare and " " not in word and not _PRODUCT.match(word) else None
    segments = [segment for segment in word.split("/") if segment]
    anchored = word.startswith(("/", "./", "../", "~/")) and len(segments) > 1
    folder = word.endswith("/") and " " not in word and bool(segments)
    return word if anchored or folder or (name is not None and " /" not in word) else None


def _on_this_machine(path: str, recorder: Recorder) -> Path | None:
    cwd, root = recorder.cwd, recorder.root
    asked = PurePosixPath(path)
    if root is not None:
        if asked.is_absolute():
            if cwd is None or not asked.is_relative_to(cwd):
                return None
            asked = asked.relative_to(cwd)
        outside = path.startswith("~") or posixpath.normpath(asked).startswith("..")
        return root / asked if root.is_dir() and not outside else None
    if cwd is not None and not Path(cwd).is_dir():
        return None
    if path.startswith("~/"):
        return Path(path).expanduser() if cwd is not None else None
    if cwd is not None:
        return Path(cwd) / asked
    # An absolute path of nobody knows which machine: its folder being here is what speaks for it.
    there = asked.is_absolute() and Path(asked).parent.is_dir()
    return Path(asked) if there else None


def _status(path: Path, evidence: str) -> PointerStatus:
    found = path.stat()
    if not evidence:
        return PointerStatus.RESOLVES
    if stat.S_ISDIR(found.st_mode):
        return PointerStatus.CHANGED
    if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_FILE:
        return PointerStatus.UNVERIFIABLE
    wanted = evidence.encode("utf-8", "surrogatepass")
    # Some regular files of the system block their reader; a checker must not hang on one.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        return PointerStatus.RESOLVES if _contains(file, wanted) else PointerStatus.CHANGED


def _contains(file: BinaryIO, wanted: bytes) -> bool:
    rest = b""
    read = 0
    while read <= _LARGEST_FILE and (chunk := file.read(CHUNK)):
        read += len(chunk)
        held = rest + chunk
        if wanted in held:
            return True
        rest = held[-(len(wanted) - 1) :] if len(wanted) > 1 else b""
    return False
