"""Invented Claude Code sessions with a recorded compaction that lost something."""

import json
from pathlib import Path
from typing import Any

from claude_sessions import record

RULE = "Never edit files under vendor/, they are mirrored from upstream."
STYLE = "Always write the changelog in British English."
SUMMARY_OPENING = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The summary below covers the earlier portion of the conversation."
)


def rows(summary: str, *, after: tuple[dict[str, Any], ...] = ()) -> list[dict[str, Any]]:
    """A short session, then a boundary and a summary, then ``after``."""
    return [
        record("u1", None, "user", f"Add a parser for tide tables.\n{RULE}\n{STYLE}"),
        record("a1", "u1", "assistant", [_call("t1", "Bash", command="pytest -q tests/tides")]),
        record("r1", "a1", "user", [_result("t1", "12 passed in 0.4s")]),
        record(
            "a2", "r1", "assistant", [{"type": "text", "text": "The parser reads all tables."}]
        ),
        {
            "parentUuid": None,
            "logicalParentUuid": "a2",
            "isSidechain": False,
            "sessionId": "s",
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "compactMetadata": {"trigger": "auto", "preTokens": 150000},
            "uuid": "b1",
        },
        record("s1", "b1", "user", f"{SUMMARY_OPENING}\n\n{summary}", isCompactSummary=True),
        *after,
    ]


def lossy() -> list[dict[str, Any]]:
    """One of two rules did not come through."""
    return rows(f"The user asked for a parser. {STYLE}")


def clean() -> list[dict[str, Any]]:
    """Everything that binds came through."""
    return rows(f"The user asked: Add a parser for tide tables. {RULE} {STYLE}")


def write(path: Path, session: list[dict[str, Any]]) -> Path:
    """Write a session as a client would."""
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in session))
    return path


def _call(call_id: str, name: str, **given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def _result(call_id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text}
