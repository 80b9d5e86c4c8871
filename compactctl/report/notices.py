"""The notice of a compaction that a harness makes itself: the document, and a line for people."""

from collections.abc import Mapping, Sequence

from compactctl.model.harness import HookCall, NoticeStatus

Document = dict[str, object]
_ROW = (
    *("id", "time", "status", "reason", "warnings", "harness", "event", "trigger"),
    *("session", "path", "tokens", "snapshot", "before", "after"),
)


def notice_document(
    call: HookCall,
    *,
    time: str,
    status: NoticeStatus,
    warnings: Sequence[str],
    found: Mapping[str, object],
) -> Document:
    """
    Return a notice (``compactctl.notice/1``), still without its id.

    ``found`` holds those of ``reason``, ``tokens``, ``snapshot``, ``before`` and ``after`` that
    there are.
    """
    nothing: Document = dict.fromkeys(("tokens", "snapshot", "before", "after"))
    return {
        "schema": "compactctl.notice/1",
        "id": "",
        "time": time,
        "status": status,
        "reason": "",
        "warnings": list(warnings),
        "harness": call.harness,
        "event": call.event,
        "trigger": call.trigger,
        "session": call.session,
        "turn": call.turn,
        "agent": call.agent,
        "path": call.transcript,
        "cwd": call.cwd,
        **nothing,
        **found,
    }


def notice_row(notice: Mapping[str, object]) -> Document:
    """Return a notice as a list shows it: without the text of the summary."""
    row = {name: notice.get(name) for name in _ROW}
    after = row["after"]
    if isinstance(after, Mapping):
        row["after"] = {name: one for name, one in after.items() if name != "summary"}
    return row


def notice_line(notice: Mapping[str, object]) -> str:
    """Return a notice as one line, still with whatever its session holds."""
    words = [str(notice.get("time")), "hook    ", str(notice.get("id"))]
    words += [str(notice.get("harness") or "unknown"), str(notice.get("event") or "unknown")]
    words += [str(notice[name]) for name in ("trigger", "status") if notice.get(name)]
    tokens = notice.get("tokens")
    if isinstance(tokens, Mapping) and isinstance(tokens.get("value"), int):
        words.append(f"{tokens['value']:,} tokens recorded")
    words.append(str(notice.get("path") or ""))
    if notice.get("reason"):
        words.append(f"({notice['reason']})")
    return "  ".join(word for word in words if word)
