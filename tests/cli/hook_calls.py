"""Calls of hooks as Claude Code and Codex make them, and what came of them in the store."""

import json
from typing import Any

from cli.commands import ROOT, Folder

from compactctl.io.schemas import validate
from compactctl.store.store import Store

CLAUDE = ROOT / "fixtures" / "claude-code" / "ledger-service.jsonl"
STRICT = "--require-snapshot"
CODEX_KEYS = {"continue", "stopReason", "suppressOutput", "systemMessage"}
"""All that the output schema of Codex allows."""


def claude(folder: Folder, event: str = "PreCompact", **changes: Any) -> bytes:
    call = {
        "session_id": "6f1c2b7e",
        "transcript_path": str(folder.path / "session.jsonl"),
        "cwd": str(folder.path),
        "hook_event_name": event,
        "trigger": "auto",
        **({"custom_instructions": ""} if event == "PreCompact" else {}),
    }
    return json.dumps({k: v for k, v in (call | changes).items() if v is not ...}).encode()


def codex(folder: Folder, event: str = "PreCompact", **changes: Any) -> bytes:
    extra = {"turn_id": "t1", "model": "gpt-5", "trigger": "manual", "custom_instructions": ...}
    return claude(folder, event, **extra, **changes)


def notices(folder: Folder, store: str = ".compactctl") -> list[dict[str, Any]]:
    found = Store.open(folder.path / store, create=False).notices()
    for notice in found:
        validate(notice, "notice")
    return list(found)


def kept_bytes(folder: Folder, store: str = ".compactctl") -> list[bytes]:
    return [
        one.path.read_bytes() for one in Store.open(folder.path / store, create=False).snapshots()
    ]
