"""
The hooks of Claude Code and Codex: what they send, and how each is told not to compact.

Both send one JSON object on standard input. Claude Code blocks on exit code 2 and shows standard
error. Codex blocks on exit code 0 with ``{"continue": false}`` only, allows no other keys than
its own, and takes any other exit code for a broken hook that stops nothing.
"""

import json

from compactctl.errors import InputError
from compactctl.model.harness import Harness, HookCall, Moment, Refusal

LARGEST = 64 << 20
"""Bytes of a call: it holds the summary at most."""
_BOM = b"\xef\xbb\xbf"
_BLOCKED = 2
_SHOWN = 200
_ONLY_CODEX = "turn_id"


def parse_call(data: bytes) -> HookCall:
    """Return what the harness sends; raises ``InputError`` where that is no call of a hook."""
    if len(data) > LARGEST:
        raise InputError(f"standard input: more than {LARGEST:,} bytes, which no hook sends")
    if not data.strip():
        raise InputError("standard input: is empty; a hook is given a JSON object")
    try:
        # The standard library takes lone surrogates, which a summary may hold.
        value = json.loads(data.removeprefix(_BOM).decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"standard input: is no JSON: {str(error)[:_SHOWN]}") from None
    if not isinstance(value, dict):
        raise InputError("standard input: is no JSON object")
    texts = {key: one for key, one in value.items() if isinstance(one, str) and one}
    return HookCall(
        harness=_harness(value),
        event=texts.get("hook_event_name"),
        trigger=texts.get("trigger"),
        session=texts.get("session_id"),
        turn=texts.get("turn_id"),
        agent=texts.get("agent_id"),
        transcript=texts.get("transcript_path"),
        cwd=texts.get("cwd"),
        summary=texts.get("compact_summary"),
    )


def may_refuse(call: HookCall | None) -> bool:
    """Return whether the answer to a call can stop a compaction, for all that is known."""
    return call is None or call.event in (None, Moment.BEFORE)


def refusal(harness: Harness | None, reason: str) -> Refusal:
    """Return how a harness is told not to compact; where it is unknown, as Claude Code is."""
    said = f"compactctl kept no snapshot: {reason}"
    if harness is Harness.CODEX:
        return Refusal(0, out=json.dumps({"continue": False, "stopReason": said}))
    return Refusal(_BLOCKED, err=said)


def _harness(value: dict[str, object]) -> Harness | None:
    if _ONLY_CODEX in value:
        return Harness.CODEX
    return Harness.CLAUDE_CODE if "hook_event_name" in value else None
