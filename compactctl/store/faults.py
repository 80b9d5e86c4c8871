"""What can be wrong with the content of a store, where callers need to tell it apart."""

from pathlib import Path

from compactctl.errors import StoreError


class CorruptedError(StoreError):
    """An object is not the content that its name says; it is never served."""

    kind = "store-corrupted"


class AmbiguousError(StoreError):
    """A prefix names several snapshots or ledgers."""

    kind = "store-ambiguous"


def failure(path: Path, error: OSError) -> StoreError:
    """Return a failure of the system as one that names the file and says what to do."""
    return StoreError(
        f"{path}: the store cannot be used: {error.strerror or error}",
        hint="check the path and its permissions, or name another store with --store",
    )


def corrupted(path: Path, what: str) -> CorruptedError:
    """Return that an object is corrupted, and ``what`` shows it."""
    return CorruptedError(
        f"{path}: corrupted: {what}",
        hint="take it from a backup; compactctl verify lists every damaged object",
    )
