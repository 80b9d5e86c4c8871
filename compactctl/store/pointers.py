"""Following pointers: to the exact original of an entry, and to what kept text points at."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from compactctl.errors import StoreError
from compactctl.formats.loading import Loaded, load
from compactctl.io.source import CHUNK
from compactctl.model.entry import Entry
from compactctl.model.pointer import KeptPointer, PointerStatus, SnapshotPointer, parse_pointer
from compactctl.store.store import Store

FILE = "file:"
"""How a pointer to a file outside the store begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a pointer leads to: the entry, its text, and the stored bytes of its record."""

    entry: Entry
    text: str
    raw: bytes
    path: str
    line: int


class Resolver:
    """
    Follows pointers into one store; each snapshot is read once.

    Use it as a context manager: it keeps the snapshots open that it has read.
    """

    def __init__(self, store: Store) -> None:
        """Follow pointers into ``store``."""
        self._store = store
        self._open: dict[str, dict[str, tuple[Loaded, Entry]]] = {}
        self._stack = ExitStack()

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
        self._stack.close()

    def resolve(self, pointer: SnapshotPointer) -> Resolved:
        """
        Return what the pointer leads to.

        Raises ``StoreError`` where the snapshot is not in the store, its object is damaged, or
        it has no such entry.
        """
        entries = self._entries(pointer.snapshot)
        found = entries.get(pointer.entry) or entries.get(pointer.entry + ".0")
        if found is None:
            raise StoreError(
                f"{pointer}: the snapshot has no entry {pointer.entry}",
                hint="compactctl show SNAPSHOT lists its entries",
            )
        loaded, entry = found
        record = loaded.transcript.records[entry.record]
        return Resolved(
            entry=entry,
            text=loaded.content.text(entry),
            raw=loaded.content.raw(record),
            path=loaded.transcript.path,
            line=entry.line,
        )

    def status(self, pointer: KeptPointer, *, root: Path | None, cwd: str | None) -> PointerStatus:
        """Return how a kept pointer stands: its target is there and holds the evidence, or not."""
        target = parse_pointer(pointer.pointer)
        if target is not None:
            try:
                text = self.resolve(target).text
            except StoreError:
                return PointerStatus.MISSING
            return _holds(pointer.evidence, text)
        if pointer.pointer.startswith(FILE):
            return _file_status(pointer, root, cwd)
        return PointerStatus.UNVERIFIABLE

    def _entries(self, snapshot: str) -> dict[str, tuple[Loaded, Entry]]:
        found = self._open.get(snapshot)
        if found is None:
            source = self._stack.enter_context(self._store.open_snapshot(snapshot))
            found = self._open[snapshot] = dict(_index(load(source)))
        return found


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

    ``root`` is where the files of the recorded folder ``cwd`` live on this machine. A file whose
    folder is not here is ``unverifiable``, not ``missing``.
    """
    with Resolver(store) as resolver:
        return tuple(
            replace(pointer, status=resolver.status(pointer, root=root, cwd=cwd))
            for pointer in pointers
        )


def _index(loaded: tuple[Loaded, ...]) -> Iterator[tuple[str, tuple[Loaded, Entry]]]:
    for one in loaded:
        for entry in one.transcript.entries:
            yield entry.id, (one, entry)


def _holds(evidence: str, text: str) -> PointerStatus:
    return PointerStatus.RESOLVES if evidence in text else PointerStatus.CHANGED


def _file_status(pointer: KeptPointer, root: Path | None, cwd: str | None) -> PointerStatus:
    path = Path(pointer.pointer.removeprefix(FILE))
    if cwd is not None and root is not None and path.is_relative_to(cwd):
        path = root / path.relative_to(cwd)
    elif not path.is_absolute():
        base = root or (Path(cwd) if cwd is not None else None)
        if base is None:
            return PointerStatus.UNVERIFIABLE
        path = base / path
    if not path.parent.is_dir():
        return PointerStatus.UNVERIFIABLE
    if not path.is_file():
        return PointerStatus.MISSING
    return PointerStatus.RESOLVES if _contains(path, pointer.evidence) else PointerStatus.CHANGED


def _contains(path: Path, evidence: str) -> bool:
    wanted = evidence.encode("utf-8", "surrogatepass")
    if not wanted:
        return True
    rest = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                if wanted in rest + chunk:
                    return True
                rest = chunk[-len(wanted) :]
    except OSError:
        return False
    return False
