"""Stores with known content, for tests."""

import hashlib
from pathlib import Path
from typing import Any

from building import source_of

from compactctl.model.compaction import SnapshotRef
from compactctl.store.store import Store

JANUARY = "2026-01-05T10:00:00.000Z"
SESSION = b'{"role":"user","content":"Keep the audit table."}\n'
SESSION_SHA256 = "c1f903d4d6533edacb771cf0355214a13bbd062eabb26a3a4cacc2930b096fe8"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def keep(
    store: Store, data: bytes = SESSION, *, at: str = JANUARY, name: str = "session.jsonl"
) -> SnapshotRef:
    return store.put_snapshot(
        source_of(data, name), expected_sha256=sha256(data), taken_at=at, fmt="openai-chat"
    )


def ledger(
    number: int, *, snapshot: SnapshotRef | None = None, parent: str | None = None
) -> dict[str, Any]:
    """A ledger as far as the store looks into it: the n-th of a day."""
    return {
        "schema": "compactctl.ledger/1",
        "id": f"20260105T10{number:02d}00000Z-{number:08x}",
        "parent": parent,
        "time": f"2026-01-05T10:{number:02d}:00.000Z",
        "snapshot": {"id": snapshot.id, "sha256": snapshot.sha256} if snapshot else None,
    }


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def notice(
    number: int, *, snapshot: SnapshotRef | None = None, before: str | None = None
) -> dict[str, Any]:
    """A notice as far as the store looks into it: the n-th of a day."""
    return {
        **ledger(number, snapshot=snapshot),
        "schema": "compactctl.notice/1",
        "before": before,
    }
