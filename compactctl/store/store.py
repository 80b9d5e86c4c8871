"""Snapshots, ledgers and notices of a store."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson

from compactctl import __version__
from compactctl.errors import StoreError
from compactctl.io.dumps import dump_json
from compactctl.io.source import Source
from compactctl.model.compaction import SnapshotRef
from compactctl.store import layout, objects
from compactctl.store.faults import AmbiguousError, corrupted, failure
from compactctl.store.locking import alone_if_free, writing

SNAPSHOT_SCHEMA = "compactctl.snapshot/1"
_LEDGER_ID = re.compile(r"[0-9A-Za-z]{1,64}-[0-9a-f]{8}")
_NAMED = 5
"""Candidates that an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The manifest of a snapshot: what was copied, from where, when, by which version."""

    id: str
    sha256: str
    bytes: int
    source_path: str
    taken_at: str
    tool_version: str
    format: str
    path: Path
    """The object that holds the bytes."""


def new_ledger_id(now: str, content: str) -> str:
    """Return an id that sorts by time: compact time, then 8 hex digits of the content's sha256."""
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_compact(now)}-{digest[:8]}"


class Store:
    """
    One store.

    Open it with ``Store.open``. Every file in it is written whole or not at all, so that readers
    and several writers do not disturb each other: objects are named by their content, manifests
    and ledgers by time and content. Only removing locks writers out (``locking``).
    """

    def __init__(self, root: Path) -> None:
        """Wrap a checked folder; callers use ``Store.open``."""
        self.root = root
        self.unreadable: list[Path] = []
        """Manifests, ledgers and notices that could not be read so far."""

    @staticmethod
    def locate(explicit: str | None, start: Path) -> Path:
        """Return the folder of the store (see ``layout.locate``)."""
        return layout.locate(explicit, start)

    @classmethod
    def open(cls, path: Path, *, create: bool) -> "Store":
        """
        Open a store, creating or completing it where ``create``; raises ``StoreError``.

        Without ``create`` nothing is written. With it, what killed processes left half-written
        is swept away where nobody is writing.
        """
        if not create:
            layout.check(path)
            return cls(path)
        layout.create(path)
        store = cls(path)
        store.sweep_temporary()
        return store

    def put_snapshot(
        self, source: Source, *, expected_sha256: str, taken_at: str, fmt: str
    ) -> SnapshotRef:
        """
        Keep the bytes of a source and return the reference.

        The bytes are hashed while they are copied. Raises ``InputChangedError`` where they are
        not those that ``expected_sha256`` names, and ``StoreError`` where they cannot be
        written; then nothing is kept. Bytes that the store has already are not written again.
        """
        path = objects.object_path(self.root, expected_sha256)
        snapshot_id = f"{_compact(taken_at)}-{expected_sha256[:8]}"
        manifest = {
            "schema": SNAPSHOT_SCHEMA,
            "id": snapshot_id,
            "sha256": expected_sha256,
            "bytes": source.size,
            "source_path": source.path,
            "taken_at": taken_at,
            "tool_version": __version__,
            "format": fmt,
        }
        # From the look at the object to the manifest that names it, nobody may remove it.
        with writing(self.root):
            if not objects.holds(path, source.size, expected_sha256):
                objects.copy_in(source, path, expected_sha256)
            layout.write_private(self.manifest_path(snapshot_id), dump_json(manifest))
        return SnapshotRef(
            id=snapshot_id, sha256=expected_sha256, path=str(path), bytes=source.size
        )

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Return the snapshots, oldest first; those that cannot be read to ``unreadable``."""
        found: list[Snapshot] = []
        for file, value in self._documents(self._files(layout.SNAPSHOTS)):
            try:
                found.append(self._snapshot(value))
            except (KeyError, TypeError, ValueError):
                self._note(file)
        return tuple(sorted(found, key=lambda s: (s.taken_at, s.id)))

    def find_snapshot(self, prefix: str) -> Snapshot:
        """
        Return the newest snapshot whose id or sha256 begins with ``prefix``.

        A pointer (``snap:…#L1.0``) will do too. Raises ``AmbiguousError`` where the prefix fits
        several contents, ``StoreError`` where there is none.
        """
        wanted = prefix.removeprefix("snap:").partition("#")[0]
        fitting = [
            s
            for s in self.snapshots()
            if wanted and (s.sha256.startswith(wanted) or s.id.startswith(wanted))
        ]
        contents = sorted({s.sha256 for s in fitting})
        if not contents:
            raise self._nothing("snapshot", wanted)
        if len(contents) > 1:
            raise self._several("snapshots", wanted, [sha256[:16] for sha256 in contents])
        return fitting[-1]

    def open_snapshot(self, prefix: str) -> Source:
        """
        Return a snapshot as a source; the caller closes it.

        All of it is hashed first. Raises ``StoreError`` where its object is gone,
        ``CorruptedError`` where it is not what was kept.
        """
        snapshot = self.find_snapshot(prefix)
        path = self._checked(snapshot)
        if not objects.holds(path, snapshot.bytes, snapshot.sha256):
            raise corrupted(path, "it is not the content that its name says")
        return Source.open(path)

    def restore(self, prefix: str) -> Iterator[bytes]:
        """
        Yield the exact bytes of a snapshot.

        Its hash is checked before the first byte is given out; a corrupted object is named in a
        ``CorruptedError`` and never served.
        """
        snapshot = self.find_snapshot(prefix)
        yield from objects.checked_bytes(self._checked(snapshot), snapshot.sha256)

    def append_ledger(self, document: Mapping[str, object]) -> str:
        """
        Keep a ledger under its ``id`` (see ``new_ledger_id``) and return that.

        The caller has validated it. Raises ``StoreError`` where it cannot be written, or where
        another ledger has that id.
        """
        return self._append("ledger", self.ledger_path(_id_of(document)), document)

    def ledgers(self) -> tuple[dict[str, object], ...]:
        """Return the ledgers, oldest first; those that cannot be read to ``unreadable``."""
        return tuple(value for _, value in self._documents(self._files(layout.LEDGER)))

    def ledger(self, prefix: str) -> dict[str, object]:
        """
        Return the ledger whose id begins with ``prefix``.

        Raises ``AmbiguousError`` where several do, ``StoreError`` where none does.
        """
        files = [f for f in self._files(layout.LEDGER) if prefix and f.stem.startswith(prefix)]
        if len(files) > 1:
            raise self._several("ledgers", prefix, [file.stem for file in files])
        if not files:
            raise self._nothing("ledger", prefix)
        found = next(self._documents(files), None)
        if found is None:
            raise StoreError(f"{files[0]}: cannot be read", hint="take it from a backup")
        return found[1]

    def last_ledger(self) -> dict[str, object] | None:
        """Return the newest ledger that can be read, ``None`` in a store without one."""
        newest = reversed(self._files(layout.LEDGER))
        return next((value for _, value in self._documents(newest)), None)

    def append_notice(self, document: Mapping[str, object]) -> str:
        """Keep the notice of a harness's own compaction; else as ``append_ledger``."""
        return self._append("notice", self.notice_path(_id_of(document)), document)

    def notices(self) -> tuple[dict[str, object], ...]:
        """Return the notices, oldest first; those that cannot be read to ``unreadable``."""
        return tuple(value for _, value in self._documents(self._files(layout.NOTICES)))

    def notices_from_behind(self) -> Iterator[dict[str, object]]:
        """Yield the notices, newest first; each is read when it is asked for."""
        newest = reversed(self._files(layout.NOTICES))
        return (value for _, value in self._documents(newest))

    def sweep_temporary(self) -> tuple[Path, ...]:
        """
        Remove what killed processes left half-written; return what was removed.

        Where somebody writes just now, or the file system knows no locks, nothing is removed.
        """
        found = layout.temporary_files(self.root)
        if not found:
            return ()
        with alone_if_free(self.root) as free:
            if not free:
                return ()
            # Alone means that nobody writes: whoever began these files is gone.
            left = layout.temporary_files(self.root)
            remove(left)
            return left

    def manifest_path(self, snapshot_id: str) -> Path:
        """Return the file of a snapshot's manifest."""
        return self.root / layout.SNAPSHOTS / f"{snapshot_id}.json"

    def ledger_path(self, ledger_id: str) -> Path:
        """Return the file of a ledger."""
        return self.root / layout.LEDGER / f"{ledger_id}.json"

    def notice_path(self, notice_id: str) -> Path:
        """Return the file of a notice."""
        return self.root / layout.NOTICES / f"{notice_id}.json"

    def _append(self, what: str, file: Path, document: Mapping[str, object]) -> str:
        data = dump_json(document)
        with writing(self.root):
            if _stored(file) not in (None, data):
                raise StoreError(
                    f"{file}: there is another {what} of that name; it is not replaced",
                    hint="run it again",
                )
            layout.write_private(file, data)
        return file.stem

    def _files(self, folder: str) -> list[Path]:
        """Names begin with the time, so they sort by it."""
        return sorted((self.root / folder).glob("*.json"))

    def _documents(self, files: Iterable[Path]) -> Iterator[tuple[Path, dict[str, object]]]:
        for file in files:
            try:
                value = orjson.loads(file.read_bytes())
            except FileNotFoundError:
                continue  # pruned since it was listed
            except (OSError, orjson.JSONDecodeError):
                self._note(file)
                continue
            # The id becomes a file name again, so it must be the one that it was found under.
            if isinstance(value, dict) and value.get("id") == file.stem:
                yield file, value
            else:
                self._note(file)

    def _note(self, file: Path) -> None:
        if file not in self.unreadable:
            self.unreadable.append(file)

    def _snapshot(self, value: dict[str, object]) -> Snapshot:
        sha256 = str(value["sha256"])
        if not objects.is_sha256(sha256) or value["schema"] != SNAPSHOT_SCHEMA:
            raise ValueError(sha256)
        return Snapshot(
            id=str(value["id"]),
            sha256=sha256,
            bytes=int(str(value["bytes"])),
            source_path=str(value["source_path"]),
            taken_at=str(value["taken_at"]),
            tool_version=str(value["tool_version"]),
            format=str(value["format"]),
            path=objects.object_path(self.root, sha256),
        )

    def _checked(self, snapshot: Snapshot) -> Path:
        path = snapshot.path
        # A link in the store could lead a restore to a file that was never part of it.
        if path.is_symlink() or not path.is_file():
            raise StoreError(
                f"{path}: the object of snapshot {snapshot.id} is gone",
                hint="take it from a backup; it may have been pruned",
            )
        size = path.stat().st_size
        if size != snapshot.bytes:
            raise corrupted(path, f"{size:,} bytes, the manifest says {snapshot.bytes:,}")
        return path

    def _nothing(self, what: str, prefix: str) -> StoreError:
        return StoreError(
            f"{self.root}: no {what} {prefix!r}", hint="compactctl log lists what there is"
        )

    def _several(self, what: str, prefix: str, candidates: list[str]) -> AmbiguousError:
        more = ", …" if len(candidates) > _NAMED else ""
        named = ", ".join(candidates[:_NAMED]) + more
        return AmbiguousError(
            f"{self.root}: {prefix!r} names {len(candidates)} {what}: {named}",
            hint="give more of it",
        )


def remove(paths: Iterable[Path]) -> None:
    """Remove files that may be gone already; raises ``StoreError`` naming the one that stays."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise failure(path, error) from None


def _id_of(document: Mapping[str, object]) -> str:
    """Return an id that is fit to be a file name."""
    found = str(document["id"])
    if not _LEDGER_ID.fullmatch(found):
        raise ValueError(found)
    return found


def _stored(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failure(file, error) from None


def _compact(time: str) -> str:
    """``2026-01-02T03:04:05.678Z`` as ``20260102T030405678Z``: sorts, and is a safe file name."""
    utc = datetime.fromisoformat(time).astimezone(UTC)
    return f"{utc:%Y%m%dT%H%M%S}{utc.microsecond // 1000:03d}Z"
