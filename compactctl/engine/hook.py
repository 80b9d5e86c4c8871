"""A harness compacts a session itself: what is kept before, and what is noted after."""

import hashlib
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from compactctl.errors import CompactctlError, InputError
from compactctl.io.dumps import dump_json
from compactctl.io.source import CHUNK, Source
from compactctl.model.harness import HookCall, Moment, NoticeStatus
from compactctl.report.notices import Document, notice_document
from compactctl.store.store import Store, new_ledger_id

_LOOKED_THROUGH = 500
"""Notices that are looked through for the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a call; ``problems`` are for a person, also where a snapshot was kept."""

    kept: bool
    problems: tuple[str, ...]


def answer_call(
    call: HookCall, *, store: Path, here: Path, now: str, warnings: Sequence[str] = ()
) -> Answer:
    """
    Keep a snapshot before a compaction, or note what followed; either leaves a notice.

    Exactly the file that the call names is copied; relative paths are seen from ``here``. The
    store is created where there is none. Nothing else is written, and nothing that is expected
    to go wrong is raised: it is in the notice and in the answer.
    """
    match call.event:
        case Moment.BEFORE:
            return _before(call, store, here, now, warnings)
        case Moment.AFTER:
            return _after(call, store, here, now, warnings)
        case _:
            reason = f"no hook for {call.event!r}; it is for {' and '.join(Moment)}"
            return miss(call, reason, store=store, now=now, warnings=warnings)


def miss(
    call: HookCall, reason: str, *, store: Path, now: str, warnings: Sequence[str] = ()
) -> Answer:
    """Note that there is no snapshot, and why; where not even that can be written, say so."""
    document = notice_document(
        call,
        time=now,
        status=NoticeStatus.MISSED,
        warnings=warnings,
        found={"reason": reason},
    )
    return Answer(kept=False, problems=(reason, *warnings, *_note(document, store)))


def _before(call: HookCall, store: Path, here: Path, now: str, warnings: Sequence[str]) -> Answer:
    try:
        source = _open(call, here)
    except CompactctlError as error:
        return miss(call, error.message, store=store, now=now, warnings=warnings)
    with source:
        try:
            kept = Store.open(store, create=True)
            # The format stays open: a reader finds it by content, which costs time here.
            snapshot = kept.put_snapshot(
                source, expected_sha256=source.sha256(), taken_at=now, fmt=""
            )
        except CompactctlError as error:
            return miss(call, error.message, store=store, now=now, warnings=warnings)
        tokens, more = _tokens(source)
    document = notice_document(
        call,
        time=now,
        status=NoticeStatus.KEPT,
        warnings=(*warnings, *more),
        found={"snapshot": asdict(snapshot), "tokens": tokens},
    )
    return Answer(kept=True, problems=(*warnings, *more, *_note(document, store)))


def _after(call: HookCall, store: Path, here: Path, now: str, warnings: Sequence[str]) -> Answer:
    before = _notice_before(call, store)
    found, more = _found_after(call, here, before)
    document = notice_document(
        call,
        time=now,
        status=NoticeStatus.FOLLOWED,
        warnings=(*warnings, *more),
        found={"before": before["id"] if before else None, "after": found},
    )
    return Answer(kept=True, problems=(*warnings, *more, *_note(document, store)))


def _open(call: HookCall, here: Path) -> Source:
    if call.transcript is None:
        raise InputError("the harness names no transcript")
    try:
        path = here / Path(call.transcript).expanduser()
        mode = path.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:
        what = getattr(error, "strerror", None) or error
        raise InputError(f"{call.transcript}: cannot be read: {what}") from None
    # Reading a pipe or a device might never end.
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InputError(f"{call.transcript}: is no file")
    return Source.open(path)


def _tokens(source: Source) -> tuple[Document | None, tuple[str, ...]]:
    try:
        from compactctl.formats.recorded_tail import (  # noqa: PLC0415 -- after the snapshot
            recorded_tokens,
        )

        found = recorded_tokens(source)
    except Exception as error:  # noqa: BLE001 -- the snapshot is kept; a number is not worth it
        return None, (f"recorded tokens: {type(error).__name__}: {error}",)
    if found is None:
        return None, ()
    return {"value": found.value, "source": "recorded", "line": found.line}, ()


def _notice_before(call: HookCall, store: Path) -> Mapping[str, object] | None:
    """Return the last notice of the same session, where nothing has followed it yet."""
    if call.session is None or not store.exists():
        return None
    try:
        notices = Store.open(store, create=False).notices_from_behind()
        for notice, _ in zip(notices, range(_LOOKED_THROUGH), strict=False):
            same = notice.get("session") == call.session and notice.get("agent") == call.agent
            if same and notice.get("event") in tuple(Moment):
                return notice if notice.get("event") == Moment.BEFORE else None
    except CompactctlError:
        return None  # writing the notice says what is wrong
    return None


def _found_after(
    call: HookCall, here: Path, before: Mapping[str, object] | None
) -> tuple[Document, tuple[str, ...]]:
    snapshot = before.get("snapshot") if before else None
    known = snapshot if isinstance(snapshot, Mapping) else {}
    found: Document = {
        "bytes": None,
        "intact": None,
        "boundary_line": None,
        "summary_sha256": _digest(call.summary),
        "summary": call.summary,
    }
    try:
        with _open(call, here) as source:
            found["bytes"] = source.size
            size, sha256 = known.get("bytes"), known.get("sha256")
            if not isinstance(size, int):
                return found, ()
            found["intact"] = size <= source.size and _sha256(source, size) == sha256
            from compactctl.formats.recorded_tail import (  # noqa: PLC0415 -- as in _tokens
                boundary_line,
            )

            found["boundary_line"] = boundary_line(source, size if found["intact"] else 0)
    except CompactctlError as error:
        return found, (error.message,)
    except Exception as error:  # noqa: BLE001 -- that a compaction followed is worth noting alone
        return found, (f"{type(error).__name__}: {error}",)
    return found, ()


def _sha256(source: Source, size: int) -> str:
    digest = hashlib.sha256()
    for at in range(0, size, CHUNK):
        digest.update(source.read(at, min(CHUNK, size - at)))
    return digest.hexdigest()


def _digest(text: str | None) -> str | None:
    if text is None:
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _note(document: Document, store: Path) -> tuple[str, ...]:
    """Keep a notice; return what is in the way."""
    named = new_ledger_id(str(document["time"]), dump_json(document).decode())
    try:
        Store.open(store, create=True).append_notice({**document, "id": named})
    except CompactctlError as error:
        return (f"no notice: {error.message}",)
    return ()
