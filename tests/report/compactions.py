"""A compaction built by hand, with something to show in every part of a report."""

from compactctl.compact.pin_diff import diff_pins
from compactctl.model.classification import (
    CutPoint,
    NoCut,
    Pin,
    PinKind,
    PinStatus,
    Strength,
)
from compactctl.model.compaction import (
    Action,
    CacheImpact,
    Compaction,
    Decision,
    Level,
    Origin,
    OutputRef,
    SnapshotRef,
    Status,
    Trigger,
    ViewEntry,
)
from compactctl.model.entry import Author, Kind, StateClass
from compactctl.model.pointer import KeptPointer, PointerStatus
from compactctl.model.tokens import RecordedOccupancy, TokenReport
from compactctl.report.documents import Document, ledger_document

HOSTILE = "\x1b]0;owned\x07[red]see[/red] | \u202e<b>\n# not a heading"


def pin(text: str, line: int, strength: str = "strong", **changes: object) -> Pin:
    values = {
        "id": f"{abs(hash_of(text)):012x}"[:12],
        "kind": PinKind.CONSTRAINT,
        "strength": Strength(strength),
        "text": text,
        "line": line,
        "entry": f"L{line}.0",
        "author": Author.HUMAN,
        "why": "a prohibition",
    }
    return Pin(**(values | changes))  # type: ignore[arg-type] # a test names fields of any type


def hash_of(text: str) -> int:
    """The same in every process, which Python's own hash is not."""
    value = 0
    for char in text:
        value = (value * 131 + ord(char)) % (1 << 48)
    return value


def entry(
    name: str, author: Author, kind: Kind, state: StateClass, tokens: int, tool: str | None = None
) -> ViewEntry:
    return ViewEntry(
        id=name,
        line=int(name.partition(".")[0].removeprefix("L")),
        author=author,
        kind=kind,
        state=state,
        tool=tool,
        call_id=None,
        tokens=tokens,
        digest=f"{hash_of(name):016x}",
    )


RULE = pin("Never write to the harbour register.", 1)
OLD = pin("Round half up.", 1)
NEW = pin("Round half to even, not half up.", 9)
WISH = pin("A short summary would be nice.", 9, "weak")
EDITED = pin("Keep the tide tables under data/tides.", 9)
EDIT = pin("Keep the tide tables under data/tide.", 9)

BEFORE = (
    entry("L1.0", Author.HUMAN, Kind.TEXT, StateClass.DECISION, 120),
    entry("L2.0", Author.ASSISTANT, Kind.TEXT, StateClass.REASONING, 300),
    entry("L2.1", Author.ASSISTANT, Kind.TOOL_CALL, StateClass.RAW, 40, "Read"),
    entry("L3.0", Author.TOOL, Kind.TOOL_RESULT, StateClass.RAW, 9_000, "Read"),
    entry("L4.0", Author.ASSISTANT, Kind.TOOL_CALL, StateClass.FACT, 30, "Bash"),
    entry("L5.0", Author.TOOL, Kind.TOOL_RESULT, StateClass.FACT, 500, "Bash"),
    entry("L9.0", Author.HUMAN, Kind.TEXT, StateClass.DECISION, 60),
    entry("L10.0", Author.ASSISTANT, Kind.TEXT, StateClass.REASONING, 900),
)
AFTER = (
    entry("L3.0", Author.CARRIED, Kind.TEXT, StateClass.DECISION, 700),
    entry("L4.0", Author.HUMAN, Kind.TEXT, StateClass.DECISION, 60),
    entry("L5.0", Author.ASSISTANT, Kind.TEXT, StateClass.REASONING, 900),
)
SNAPSHOT = "ab" * 32


def decision(seen: ViewEntry, action: Action, reason: str, after: int = 0) -> Decision:
    gone = action in (Action.DROP, Action.REWRITE)
    return Decision(
        entry=seen.id,
        action=action,
        state=seen.state,
        reason=reason,
        tokens_before=0 if action is Action.INSERT else seen.tokens,
        tokens_after=after,
        pointer=f"snap:{SNAPSHOT[:12]}#{seen.id}" if gone else None,
    )


def decisions() -> tuple[Decision, ...]:
    return (
        decision(AFTER[0], Action.INSERT, "state block", 700),
        decision(BEFORE[0], Action.MOVE, "verbatim in the state block"),
        decision(BEFORE[1], Action.DROP, "reasoning: nothing of it is needed"),
        decision(BEFORE[2], Action.DROP, "raw: one line and pointer kept"),
        decision(BEFORE[3], Action.DROP, f"raw: {HOSTILE}"),
        decision(BEFORE[4], Action.DROP, "fact: kept in the block"),
        decision(BEFORE[5], Action.DROP, "fact: kept in the block"),
        decision(BEFORE[6], Action.KEEP, "tail", 60),
        decision(BEFORE[7], Action.KEEP, "tail", 900),
    )


def compaction(**changes: object) -> Compaction:
    """A fold of a small session in which the pinned block changed in every way."""
    ended = pin(OLD.text, 1, status=PinStatus.SUPERSEDED, superseded_by=NEW.id)
    before = (RULE, ended, NEW, WISH, EDITED, pin(f"Show {HOSTILE}", 9))
    after = (RULE, NEW, EDIT, pin("Ask before any upload.", 10))
    values = {
        "origin": Origin.RUN,
        "path": "sessions/harbour.jsonl",
        "format": "claude-code",
        "sha256": SNAPSHOT,
        "status": Status.COMPACTED,
        "reason": "folded at line 8: tests passed",
        "level": Level.FOLD,
        "boundary": CutPoint(8, 0.9, "tests passed"),
        "no_cut": (NoCut(4, 7, "retry loop of pytest -q"),),
        "trigger": Trigger(
            tokens=12_100,
            source="recorded",
            window=16_000,
            window_source="given",
            threshold=10_400,
            reached=True,
        ),
        "before": BEFORE,
        "after": AFTER,
        "decisions": decisions(),
        "pins_before": before,
        "pins_after": after,
        "pins": diff_pins(before, after),
        "pointers": (
            KeptPointer(
                pointer=f"snap:{SNAPSHOT[:12]}#L3.0",
                entry="L3.0",
                evidence="1,204 lines",
                status=PointerStatus.RESOLVES,
            ),
        ),
        "tokens": TokenReport(
            before=10_950,
            after=1_660,
            head_before=9_990,
            head_after=700,
            block=700,
            encoding="o200k_base",
            estimated_part_before=85,
            recorded=RecordedOccupancy(context=12_100, line=10, window=None),
        ),
        "cache": CacheImpact(first_changed="L1.0", kept=0, rebilled=1_660),
        "not_refetchable": ("WebSearch tide height today: searched, 2,310 chars",),
        "advice": ("this is compaction 3 of the session: split it where it changes topic",),
        "snapshot": SnapshotRef(
            id="20260102T030405678Z-abababab",
            sha256=SNAPSHOT,
            path=".compactctl/objects/ab/" + SNAPSHOT,
            bytes=48_211,
        ),
        "output": OutputRef(path="sessions/harbour.compacted.jsonl", sha256="cd" * 32),
        "damage_count": 2,
    }
    return Compaction(**(values | changes))  # type: ignore[arg-type] # as above


def ledger(**changes: object) -> Document:
    return ledger_document(
        compaction(**changes),
        ledger_id="20260102T030405678Z-0badcafe",
        time="2026-01-02T03:04:05.678Z",
        parent=None,
    )
