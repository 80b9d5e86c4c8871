"""A candidate output: written to an unnamed file, read back, and only then believed."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from compactctl.compact.plan import Plan
from compactctl.engine.sessions import Session, sessions_of
from compactctl.errors import OutputError
from compactctl.formats.base import WriteJob
from compactctl.io.source import CHUNK, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Time and ids of a run, given from outside so that a run can be repeated exactly."""

    now: str
    """RFC 3339 with milliseconds and Z."""
    new_id: Callable[[], str]

    @classmethod
    def at(cls, moment: datetime, new_id: Callable[[], str]) -> Self:
        """Return the stamp of a moment, whatever its zone."""
        utc = moment.astimezone(UTC)
        now = f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
        return cls(now=now, new_id=new_id)


def write_candidate(
    session: Session,
    plan: Plan,
    *,
    append: bool,
    tokens_before: int,
    stamp: Stamp,
    mend: Callable[[Iterable[bytes]], Iterator[bytes]] | None = None,
) -> Source:
    """
    Return the compacted transcript as a source; the caller closes it.

    ``mend`` repairs the bytes on their way.

    Raises ``OutputError`` where the temporary file cannot be written.
    """
    job = WriteJob(
        transcript=session.transcript,
        source=session.source,
        content=session.content,
        view=session.view,
        cut=plan.cut.at if plan.cut else 0,
        after_line=plan.cut.point.after_line if plan.cut else None,
        block=plan.block,
        rewrites=plan.rewrites,
        kept=[seen.entry.id for seen in session.view[: plan.head.kept]] if plan.head else (),
        append=append,
        tokens_before=tokens_before,
        trigger="manual",
        now=stamp.now,
        new_id=stamp.new_id,
    )
    chunks = session.format.write(job)
    return spool("<output>", mend(chunks) if mend else chunks)


def spool(name: str, chunks: Iterable[bytes]) -> Source:
    """Return a source over chunks, kept in an unnamed private file."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- the source owns it and closes it
    try:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
    except OSError as error:
        file.close()
        raise OutputError(
            f"the temporary file for the output cannot be written: {error.strerror}",
            hint="free space in the temporary folder, or set TMPDIR",
        ) from None
    return Source(name, file, file.tell())


def read_back(candidate: Source, session: Session) -> Session:
    """Return the conversation of a candidate that ``session`` became."""
    wanted = session.transcript.conversation
    found = sessions_of(
        candidate, session.counter, input_format=session.format.name, conversation=wanted
    )
    return found[0]


def chunks_of(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a source in order."""
    for at in range(0, source.size, CHUNK):
        yield source.read(at, min(CHUNK, source.size - at))
