"""Following pointers: to the exact original of an entry, and to what kept text points at."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from compactctl.errors import CompactctlError, StoreError
from compactctl.formats.loading import Loaded, load
from compactctl.io.source import Source
from compactctl.model.entry import Entry
from compactctl.model.pointer import KeptPointer, PointerStatus, SnapshotPointer, parse_pointer
from compactctl.store.external import FILE, Recorder, follow
from compactctl.store.faults import AmbiguousError, CorruptedError
from compactctl.store.store import Snapshot, Store

_KEPT_OPEN = 4
"""Snapshots that stay indexed: a session's pointers lead to its own and to those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a pointer leads to: the entry, its text, and the stored bytes of its record."""

    entry: Entry
    text: str
    raw: bytes
    path: str
    """Of the transcript that the snapshot was taken of."""
    line: int


@dataclass(frozen=True, slots=True)
class _Opened:
    source: Source
    path: str
    entries: Mapping[str, tuple[Loaded, Entry]]


class Resolver:
    """
    Follows pointers into one store; the snapshots in use are read once.

    Use it as a context manager: it keeps the last few snapshots open.
    """

    def __init__(self, store: Store) -> None:
        """Follow pointers into ``store``."""
        self._store = store
        self._open: OrderedDict[str, _Opened | StoreError] = OrderedDict()

    def __enter__(self) -> Self:
        """Return the resolver itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the snapshots."""
        while self._open:
            self._close_oldest()

    def resolve(self, pointer: SnapshotPointer) -> Resolved:
        """
        Return what the pointer leads to.

        Raises ``StoreError`` where the snapshot is not in the store or has no such entry,
        ``AmbiguousError`` where its prefix names several, ``CorruptedError`` where its object is
        damaged.
        """
        opened = self._snapshot(pointer.snapshot)
        found = opened.entries.get(pointer.entry) or opened.entries.get(pointer.entry + ".0")
        if found is None:
            raise StoreError(
                f"{pointer}: the snapshot has no entry {pointer.entry}",
                hint="compactctl restore gives the whole snapshot",
            )
        loaded, entry = found
        return Resolved(
            entry=entry,
            text=loaded.content.text(entry),
            raw=loaded.content.raw(loaded.transcript.records[entry.record]),
            path=opened.path,
            line=entry.line,
        )

    def status(self, pointer: KeptPointer, *, root: Path | None, cwd: str | None) -> PointerStatus:
        """Return how a kept pointer stands: its target is there and holds the evidence, or not."""
        target = parse_pointer(pointer.pointer)
        if target is not None:
            return self._status(target, pointer.evidence)
        if pointer.pointer.startswith(FILE):
            path = pointer.pointer.removeprefix(FILE)
            return follow(path, pointer.evidence, Recorder(cwd, root))
        return PointerStatus.UNVERIFIABLE

    def _status(self, target: SnapshotPointer, evidence: str) -> PointerStatus:
        try:
            text = self.resolve(target).text
        except CorruptedError:
            return PointerStatus.CHANGED
        except AmbiguousError:
            return PointerStatus.UNVERIFIABLE
        except StoreError:
            return PointerStatus.MISSING
        return PointerStatus.RESOLVES if evidence in text else PointerStatus.CHANGED

    def _snapshot(self, prefix: str) -> _Opened:
        """A snapshot that cannot be opened is tried once, however many pointers lead there."""
        found = self._open.get(prefix)
        if found is None:
            try:
                found = self._read(self._store.find_snapshot(prefix))
            except StoreError as error:
                found = error
            self._open[prefix] = found
            if len(self._open) > _KEPT_OPEN:
                self._close_oldest()
        self._open.move_to_end(prefix)
        if isinstance(found, StoreError):
            # Raised as new, or its traceback would grow with every pointer.
            raise found.with_traceback(None)
        return found

    def _read(self, snapshot: Snapshot) -> _Opened:
        source = self._store.open_snapshot(snapshot.sha256)
        try:
            # Its bytes may look like another format than the one it was read as.
            loaded = load(source, input_format=snapshot.format or None)
        except CompactctlError as error:
            source.close()
            raise StoreError(f"{snapshot.path}: {error.message}", hint=error.hint) from None
        return _Opened(source, snapshot.source_path, dict(_index(loaded)))

    def _close_oldest(self) -> None:
        _, oldest = self._open.popitem(last=False)
        if isinstance(oldest, _Opened):
            oldest.source.close()


def resolve(store: Store, pointer: SnapshotPointer) -> Resolved:
    """Return what one pointer leads to (see ``Resolver.resolve``)."""
    with Resolver(store) as resolver:
        return resolver.resolve(pointer)


def verify_pointers(
    store: Store,
    pointers: Iterable[KeptPointer],
    *,
    root: Path | None = None,
    cwd: str | None = None,
) -> tuple[KeptPointer, ...]:
    """
    Return the pointers with how they stand now.

    A snapshot pointer resolves where the entry's text holds the evidence; ``changed`` too where
    the object is damaged. ``root`` is where the files of the recorded folder ``cwd`` live on this
    machine: a file whose recorded folder is not here is ``unverifiable``, not ``missing``, and
    so is every URL.
    """
    asked = tuple(pointers)
    found = list(asked)
    # By snapshot, so that each is read once however the pointers are mixed.
    order = sorted(range(len(asked)), key=lambda at: asked[at].pointer.partition("#")[0])
    with Resolver(store) as resolver:
        for at in order:
            status = resolver.status(asked[at], root=root, cwd=cwd)
            found[at] = replace(asked[at], status=status)
    return tuple(found)


def _index(loaded: tuple[Loaded, ...]) -> Iterator[tuple[str, tuple[Loaded, Entry]]]:
    for one in loaded:
        for entry in one.transcript.entries:
            yield entry.id, (one, entry)
