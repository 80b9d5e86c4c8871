"""Snapshots and ledgers of a store."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from compactctl import __version__
from compactctl.errors import InputChangedError, OutputError, StoreError
from compactctl.io.atomic import PRIVATE, write_atomic
from compactctl.io.dumps import dump_json
from compactctl.io.source import CHUNK, Source
from compactctl.model.compaction import SnapshotRef
from compactctl.store import layout

SNAPSHOT_SCHEMA = "compactctl.snapshot/1"


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
    and several writers need no lock: objects are named by their content, manifests and ledgers
    by time and content.
    """

    def __init__(self, root: Path) -> None:
        """Wrap a checked folder; callers use ``Store.open``."""
        self.root = root
        self.unreadable: list[Path] = []
        """Manifests and ledgers that could not be read so far."""

    @staticmethod
    def locate(explicit: str | None, start: Path) -> Path:
        """Return the folder of the store (see ``layout.locate``)."""
        return layout.locate(explicit, start)

    @classmethod
    def open(cls, path: Path, *, create: bool) -> "Store":
        """Open a store, creating it where ``create``; raises ``StoreError``."""
        if path.is_symlink() or path.exists() or not create:
            layout.check(path)
        if create:
            layout.create(path)
        return cls(path)

    def put_snapshot(
        self, source: Source, *, expected_sha256: str, taken_at: str, fmt: str
    ) -> SnapshotRef:
        """
        Keep the bytes of a source and return the reference.

        The bytes are hashed while they are copied. Raises ``InputChangedError`` where they are
        not those that ``expected_sha256`` names, and ``StoreError`` where they cannot be
        written; then nothing is kept. Bytes that the store has already are not written again.
        """
        path = self._object(expected_sha256)
        if not self._holds(path, source.size, expected_sha256):
            self._copy(source, path, expected_sha256)
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
        file = self.root / layout.SNAPSHOTS / f"{snapshot_id}.json"
        layout.write_private(file, dump_json(manifest))
        return SnapshotRef(
            id=snapshot_id, sha256=expected_sha256, path=str(path), bytes=source.size
        )

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Return the snapshots, oldest first; those that cannot be read to ``unreadable``."""
        found: list[Snapshot] = []
        for file, value in self._documents(layout.SNAPSHOTS):
            try:
                found.append(self._snapshot(value))
            except (KeyError, TypeError, ValueError):
                self._note(file)
        return tuple(sorted(found, key=lambda s: (s.taken_at, s.id)))

    def find_snapshot(self, prefix: str) -> Snapshot:
        """
        Return the newest snapshot whose id or sha256 begins with ``prefix``.

        Raises ``StoreError`` where there is none, or where the prefix fits several contents.
        """
        wanted = prefix.removeprefix("snap:").partition("#")[0]
        fitting = [
            s
            for s in self.snapshots()
            if wanted and (s.sha256.startswith(wanted) or s.id.startswith(wanted))
        ]
        contents = sorted({s.sha256 for s in fitting})
        if not contents:
            raise StoreError(
                f"{self.root}: no snapshot {wanted!r}", hint="compactctl log lists what there is"
            )
        if len(contents) > 1:
            named = ", ".join(sha256[:16] for sha256 in contents[:5])
            raise StoreError(
                f"{self.root}: {wanted!r} names {len(contents)} snapshots: {named}",
                hint="give more digits",
            )
        return fitting[-1]

    def open_snapshot(self, prefix: str) -> Source:
        """Return a snapshot as a source; raises ``StoreError`` where its object is gone."""
        snapshot = self.find_snapshot(prefix)
        return Source.open(self._checked(snapshot))

    def restore(self, prefix: str) -> Iterator[bytes]:
        """
        Yield the exact bytes of a snapshot.

        Its hash is checked before the first byte is given out; a corrupted object is named in a
        ``StoreError`` and never served.
        """
        snapshot = self.find_snapshot(prefix)
        path = self._checked(snapshot)
        if sha256_of(path) != snapshot.sha256:
            raise StoreError(
                f"{path}: corrupted: it is not the content that its name says",
                hint="take it from a backup; compactctl verify lists every damaged object",
            )
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk

    def append_ledger(self, document: Mapping[str, object]) -> None:
        """Keep a ledger under its ``id``; the caller has validated it."""
        file = self.root / layout.LEDGER / f"{document['id']}.json"
        layout.write_private(file, dump_json(document))

    def ledgers(self) -> tuple[dict[str, object], ...]:
        """Return the ledgers, oldest first; those that cannot be read to ``unreadable``."""
        found = [value for _, value in self._documents(layout.LEDGER) if "id" in value]
        return tuple(sorted(found, key=lambda v: (str(v.get("time")), str(v["id"]))))

    def ledger(self, prefix: str) -> dict[str, object]:
        """Return the ledger whose id begins with ``prefix``; raises ``StoreError`` otherwise."""
        fitting = [v for v in self.ledgers() if prefix and str(v["id"]).startswith(prefix)]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            raise StoreError(
                f"{self.root}: no ledger {prefix!r}", hint="compactctl log lists what there is"
            )
        named = ", ".join(str(v["id"]) for v in fitting[:5])
        raise StoreError(f"{self.root}: {prefix!r} names several: {named}", hint="give more of it")

    def last_ledger(self) -> dict[str, object] | None:
        """Return the newest ledger, ``None`` in a store without one."""
        return next(reversed(self.ledgers()), None)

    def _documents(self, folder: str) -> Iterator[tuple[Path, dict[str, object]]]:
        for file in sorted((self.root / folder).glob("*.json")):
            try:
                value = orjson.loads(file.read_bytes())
            except (OSError, orjson.JSONDecodeError):
                self._note(file)
                continue
            if isinstance(value, dict):
                yield file, value
            else:
                self._note(file)

    def _note(self, file: Path) -> None:
        if file not in self.unreadable:
            self.unreadable.append(file)

    def _snapshot(self, value: dict[str, object]) -> Snapshot:
        sha256 = str(value["sha256"])
        if len(sha256) != hashlib.sha256().digest_size * 2 or set(sha256) - set(_HEX):
            raise ValueError(sha256)
        return Snapshot(
            id=str(value["id"]),
            sha256=sha256,
            bytes=int(str(value["bytes"])),
            source_path=str(value["source_path"]),
            taken_at=str(value["taken_at"]),
            tool_version=str(value["tool_version"]),
            format=str(value["format"]),
            path=self._object(sha256),
        )

    def _object(self, sha256: str) -> Path:
        return self.root / layout.OBJECTS / sha256[:2] / sha256

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
            raise StoreError(
                f"{path}: corrupted: {size:,} bytes, the manifest says {snapshot.bytes:,}",
                hint="take it from a backup",
            )
        return path

    def _holds(self, path: Path, size: int, sha256: str) -> bool:
        return (
            path.is_file()
            and not path.is_symlink()
            and path.stat().st_size == size
            and sha256_of(path) == sha256
        )

    def _copy(self, source: Source, path: Path, expected: str) -> None:
        layout.make_object_folder(path.parent)
        digest = hashlib.sha256()

        def chunks() -> Iterator[bytes]:
            for at in range(0, source.size, CHUNK):
                chunk = source.read(at, min(CHUNK, source.size - at))
                digest.update(chunk)
                yield chunk

        def unchanged(_: Path) -> None:
            if digest.hexdigest() != expected:
                raise InputChangedError(
                    f"{source.path}: the file changed while its snapshot was taken",
                    hint="wait until the agent is idle, or run on a copy",
                )

        try:
            write_atomic(path, chunks(), mode=PRIVATE, before_replace=unchanged)
        except OutputError as error:
            raise layout.as_store_error(error) from None


_HEX = "0123456789abcdef"


def _compact(time: str) -> str:
    """``2026-01-02T03:04:05.678Z`` as ``20260102T030405678Z``: sorts, and is a safe file name."""
    return "".join(c for c in time if c.isalnum())


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
