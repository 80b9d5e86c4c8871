"""
The Python interface: what the commands do, as functions on paths, bytes and lists of messages.

Everything here may be imported from ``compactctl`` itself. Functions that only look are pure but
for reading their input; ``compact`` writes nothing unless it is given a store and an output.
"""

import io
import json
import os
import tempfile
import uuid
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from compactctl.engine.attempt import attempt
from compactctl.engine.audits import Audit
from compactctl.engine.audits import audit as _audit
from compactctl.engine.candidate import Stamp, chunks_of
from compactctl.engine.checks import CheckedFile, CheckJob, check_files, codes_of, files_under
from compactctl.engine.compare import compare
from compactctl.engine.options import RunOptions, settings_of
from compactctl.engine.policy_file import load_policy
from compactctl.engine.run import FileOutcome, run_file
from compactctl.engine.sessions import Session, sessions_of
from compactctl.errors import CompactctlError, UsageError
from compactctl.io.source import Source
from compactctl.model.audit import Finding
from compactctl.model.classification import Classification, Pin, PinStatus
from compactctl.model.compaction import Compaction, Level, Status
from compactctl.tokens.counter import DEFAULT_ENCODING, TokenCounter

__all__ = [
    "Audit",
    "CheckedFile",
    "Classification",
    "CompactctlError",
    "Compacted",
    "Compaction",
    "Finding",
    "Level",
    "Pin",
    "RunOptions",
    "Session",
    "Status",
    "audit",
    "check",
    "classify",
    "compact",
    "diff",
    "load",
    "pinned",
    "plan",
    "run",
]

Message = Mapping[str, object]
Input = str | os.PathLike[str] | bytes | Sequence[Message] | Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """
    What compacting came to.

    ``output`` holds the bytes of the compacted session, ``None`` where nothing was compacted;
    ``compaction.status`` and ``compaction.reason`` say why.
    """

    compaction: Compaction
    output: bytes | None

    @property
    def messages(self) -> list[dict[str, object]] | None:
        """The compacted session as message dicts, one a line; ``None`` where there is none."""
        if self.output is None:
            return None
        return [json.loads(line) for line in self.output.splitlines() if line.strip()]


def load(
    source: Input,
    *,
    input_format: str | None = None,
    conversation: int | None = None,
    encoding: str = DEFAULT_ENCODING,
) -> Session:
    """
    Return a session from a path, its bytes, or a list of OpenAI or Anthropic message dicts.

    A session is read on demand: keep the file as it is while you use it. Raises ``InputError``
    where it cannot be read, ``UnknownFormatError`` for another format, and ``UsageError`` where it
    holds several conversations and none is named.
    """
    if isinstance(source, Session):
        return source
    opened = _source(source)
    try:
        found = sessions_of(
            opened, TokenCounter(encoding), input_format=input_format, conversation=conversation
        )
    except BaseException:
        opened.close()
        raise
    if len(found) > 1:
        opened.close()
        raise UsageError(
            f"{opened.path}: holds {len(found)} conversations", hint="name one with conversation=N"
        )
    # Its user sees a session, not the file behind it: that goes with the session.
    weakref.finalize(found[0], opened.close)
    return found[0]


@contextmanager
def _opened(source: Input) -> Iterator[Session]:
    """A session that is closed at the end, where it was opened here."""
    session = load(source)
    try:
        yield session
    finally:
        if session is not source:
            session.source.close()


def classify(source: Input) -> Classification:
    """Return what binds, what was proven, what failed, and where to cut."""
    with _opened(source) as session:
        return session.classification


def pinned(source: Input) -> tuple[Pin, ...]:
    """Return the pins that bind, in the order in which they were first said."""
    return tuple(pin for pin in classify(source).pins if pin.status is PinStatus.ACTIVE)


def plan(source: Input, options: RunOptions | None = None) -> Compaction:
    """Return what ``compact`` would do, without its output."""
    return compact(source, options).compaction


def compact(
    source: Input, options: RunOptions | None = None, *, now: datetime | None = None
) -> Compacted:
    """
    Return the compacted session and what became of each entry and pin.

    Nothing is written: keep the original yourself, or use ``run``, which takes a snapshot. Where
    there is no place to cut, or nothing to gain, ``output`` is ``None``.
    """
    asked = options or RunOptions()
    policy = load_policy(asked.policy_path)
    stamp = Stamp.at(now or datetime.now(UTC), lambda: str(uuid.uuid4()))
    with _opened(source) as session:
        tried = attempt(session, asked, policy, settings_of(asked, policy), stamp)
        if tried.candidate is None:
            return Compacted(compaction=tried.compaction, output=None)
        with tried.candidate as candidate:
            return Compacted(compaction=tried.compaction, output=b"".join(chunks_of(candidate)))


def run(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    store: str | os.PathLike[str],
    options: RunOptions | None = None,
) -> FileOutcome:
    """
    Compact a file as ``compactctl run`` does: snapshot, output and ledger, whole or not at all.

    ``output`` is by default ``<stem>.compacted.jsonl`` beside the input. Raises
    ``CompactctlError`` where something cannot be read or written.
    """
    return run_file(
        os.fspath(path),
        options or RunOptions(),
        store=Path(store),
        output=os.fspath(output) if output is not None else None,
        now=datetime.now(UTC),
        new_id=lambda: str(uuid.uuid4()),
        write_stdout=_no_stdout,
    )


def diff(before: Input, after: Input) -> Compaction:
    """Return what lies between two sessions: the compaction that leads from one to the other."""
    with _opened(before) as old, _opened(after) as new:
        return compare(old, new)


def audit(source: Input) -> Audit:
    """
    Return what the compactions recorded in a session lost, and what the rules find in it.

    Texts of ``subject`` can be read as long as a session that was given is open.
    """
    with _opened(source) as session:
        return _audit(session)


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    encoding: str = DEFAULT_ENCODING,
) -> tuple[CheckedFile, ...]:
    """
    Return what the rules find in files and folders of sessions, one value a file.

    A file that cannot be read has an ``error`` and stops no other. Raises ``KeyError`` for a rule
    that there is not, ``InputError`` for a path that is not there.
    """
    named = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    codes = codes_of(select, ignore)
    jobs = [
        CheckJob(path=path, codes=codes, input_format=None, encoding=encoding, found=found)
        for path, found in files_under([os.fspath(path) for path in named])
    ]
    return tuple(check_files(jobs, 1))


def _source(source: str | os.PathLike[str] | bytes | Sequence[Message]) -> Source:
    if isinstance(source, str | os.PathLike):
        return Source.open(source)
    if isinstance(source, bytes):
        data = source
    else:
        data = b"".join(json.dumps(message).encode() + b"\n" for message in source)
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- the source owns it and closes it
    file.write(data)
    file.flush()
    file.seek(0, io.SEEK_SET)
    return Source("<memory>", file, len(data), is_copy=True)


def _no_stdout(chunks: Iterable[bytes]) -> None:
    del chunks
    raise UsageError("run() writes to a file", hint="use compact() for the bytes")
