"""Builds, reads and writes Claude Code sessions for tests, and loads them as the client would."""

import itertools
import json
from pathlib import Path
from typing import Any

from building import source_of

from compactctl.formats.base import WriteJob
from compactctl.formats.claude_code import CLAUDE_CODE
from compactctl.formats.loading import Loaded, load
from compactctl.formats.state_block import StateBlock
from compactctl.io.source import Source
from compactctl.model.entry import View

FIXTURES = Path(__file__).parents[1] / "fixtures" / "claude-code"
BLOCK = StateBlock(
    policy="0" * 12,
    last_entry="0" * 16,
    snapshot="a" * 12,
    round=1,
    session="s",
    pins=(),
    human=(),
    facts=(),
    lines=(),
)


def loaded(name: str) -> Loaded:
    return load(source_of((FIXTURES / name).read_bytes(), name))[0]


def lines(*records: dict[str, Any]) -> Loaded:
    data = b"".join(json.dumps(r).encode() + b"\n" for r in records)
    return load(source_of(data))[0]


def record(
    uuid: str, parent: str | None, kind: str, content: object, **more: Any
) -> dict[str, Any]:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": "s",
        "type": kind,
        "message": {"role": kind, "content": content, **more.pop("message", {})},
        "uuid": uuid,
        **more,
    }


def view_of(one: Loaded) -> View:
    return CLAUDE_CODE.view(one.transcript, one.content, len(one.transcript.records))


def texts(one: Loaded) -> list[str]:
    return [one.content.text(s.entry) if s.shown is None else s.shown for s in view_of(one)]


def written(one: Loaded, source: Source, cut: int, after_line: int, **changes: Any) -> bytes:
    ids = (f"new-{n}" for n in itertools.count())
    job = {
        "transcript": one.transcript,
        "source": source,
        "content": one.content,
        "view": view_of(one),
        "cut": cut,
        "after_line": after_line,
        "block": BLOCK,
        "rewrites": {},
        "kept": (),
        "append": False,
        "tokens_before": 1000,
        "trigger": "manual",
        "now": "2026-06-01T00:00:00.000Z",
        "new_id": lambda: next(ids),
        **changes,
    }
    return b"".join(CLAUDE_CODE.write(WriteJob(**job)))


def loader_view(data: bytes) -> list[str]:
    """What the client would load, by its rules and none of our code: newest leaf to root."""
    rows = [json.loads(line) for line in data.split(b"\n") if line.strip()]
    last = max(i for i, row in enumerate(rows) if row.get("subtype") == "compact_boundary")
    rows = rows[last:]
    by_uuid = {row["uuid"]: row for row in rows if row.get("uuid")}
    chained = [row for row in rows if row.get("uuid") and not row.get("isSidechain")]
    leaf = next(r for r in reversed(chained) if r["type"] in ("user", "assistant"))
    path, at = [], leaf
    while at is not None:
        path.append(at)
        at = by_uuid.get(at["parentUuid"])
    messages = {r["message"].get("id") for r in path if r["type"] == "assistant"}
    calls = set()
    for row in chained:
        if row["type"] == "assistant" and row["message"].get("id") in messages:
            content = row["message"]["content"]
            calls |= {b["id"] for b in content if b["type"] == "tool_use"}
    found = []
    for row in chained:
        content = row.get("message", {}).get("content")
        answers = isinstance(content, list) and any(b.get("tool_use_id") in calls for b in content)
        if row in path or answers or row.get("message", {}).get("id") in messages - {None}:
            found.append(row)
    return [t for r in found if r["type"] in ("user", "assistant") for t in row_texts(r)]


def row_texts(row: dict[str, Any]) -> list[str]:
    content = row["message"]["content"]
    if isinstance(content, str):
        return [content]
    shown = []
    for block in content:
        match block["type"]:
            case "text":
                shown.append(block["text"])
            case "thinking":
                shown.append(block["thinking"])
            case "tool_use":
                arguments = json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
                shown.append(f"{block['name']}\n{arguments}")
            case "tool_result":
                shown.append(block["content"])
    return shown
