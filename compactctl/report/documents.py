"""The JSON documents that are printed and stored (contracts: schemas/)."""

from collections.abc import Mapping, Sequence

from compactctl.model.classification import (
    Branch,
    Claim,
    Classification,
    CutPoint,
    Fact,
    NoCut,
    OpenItem,
    Pin,
    ToolResult,
)
from compactctl.model.compaction import Action, Compaction, Decision, PinDiff, Trigger, ViewEntry
from compactctl.model.damage import Damage
from compactctl.model.entry import Entry, StateClass
from compactctl.model.pointer import KeptPointer
from compactctl.model.tokens import TokenCount, TokenReport
from compactctl.model.transcript import Transcript

Document = dict[str, object]
WEAK_RATIO = 0.5
"""A view that shrinks by less than half was rewritten rather than compacted."""


def ledger_document(
    compaction: Compaction,
    *,
    ledger_id: str,
    time: str,
    parent: str | None,
) -> Document:
    """Return the ledger of a run (``compactctl.ledger/1``)."""
    return {
        "schema": "compactctl.ledger/1",
        "id": ledger_id,
        "parent": parent,
        "time": time,
        "status": compaction.status,
        "reason": compaction.reason,
        "hint": compaction.hint,
        "level": compaction.level,
        "path": compaction.path,
        "format": compaction.format,
        "conversation": compaction.conversation,
        "input_sha256": compaction.sha256,
        "boundary": cut_document(compaction.boundary) if compaction.boundary else None,
        "no_cut": [_zone(zone) for zone in compaction.no_cut],
        "trigger": _trigger(compaction.trigger) if compaction.trigger else None,
        "tokens": tokens_document(compaction.tokens),
        "classes": classes_document(compaction),
        "pins": [pin_document(pin) for pin in compaction.pins_before],
        "pin_diff": pins_document(compaction.pins),
        "entries": [_decision(decision) for decision in compaction.decisions],
        "pointers": [_pointer(pointer) for pointer in compaction.pointers],
        "cache": _cache(compaction),
        "not_refetchable": list(compaction.not_refetchable),
        "advice": list(compaction.advice),
        "snapshot": _snapshot(compaction),
        "output": _output(compaction),
        "policy_sha256": compaction.policy_sha256,
        "damage": compaction.damage_count,
        "extra": dict(compaction.extra),
    }


def ledgers_document(ledgers: Sequence[Mapping[str, object]]) -> Document:
    """Return the ledgers of a file with several conversations (``compactctl.ledgers/1``)."""
    return {"schema": "compactctl.ledgers/1", "ledgers": list(ledgers)}


def diff_document(compaction: Compaction) -> Document:
    """Return the diff of two sides (``compactctl.diff/1``)."""
    return {
        "schema": "compactctl.diff/1",
        "path": compaction.path,
        "reason": compaction.reason,
        "tokens": tokens_document(compaction.tokens),
        "classes": classes_document(compaction),
        "pins": pins_document(compaction.pins),
        "entries": [_sided(decision) for decision in compaction.decisions],
        "cache": _cache(compaction),
    }


def classification_document(
    transcript: Transcript,
    classification: Classification,
    tokens: Mapping[str, int],
    in_view: frozenset[str],
    total: TokenCount,
) -> Document:
    """
    Return what classifying found (``compactctl.classification/1``).

    ``tokens`` holds those of every entry by id, ``total`` those of the view.
    """
    found = classification
    return {
        "schema": "compactctl.classification/1",
        "transcript": {
            "path": transcript.path,
            "format": transcript.format,
            "sha256": transcript.sha256,
            "line_unit": transcript.line_unit,
            "conversation": transcript.conversation,
            "records": len(transcript.records),
            "entries": len(transcript.entries),
            "tokens": _count(total),
        },
        "entries": [
            _entry(entry, found, tokens[entry.id], in_view=entry.id in in_view)
            for entry in transcript.entries
        ],
        "pins": [pin_document(pin) for pin in found.pins],
        "results": [_result(result) for result in found.results],
        "facts": [_fact(fact, transcript) for fact in found.facts],
        "branches": [_branch(branch) for branch in found.branches],
        "claims": [_claim(claim) for claim in found.claims],
        "open_items": [_open_item(item) for item in found.open_items],
        "boundaries": [cut_document(point) for point in found.boundaries],
        "no_cut": [_zone(zone) for zone in found.no_cut],
        "damage": [_damage(damage) for damage in transcript.damage],
    }


def verify_document(
    pointers: Sequence[KeptPointer], objects: Sequence[Mapping[str, object]]
) -> Document:
    """Return how pointers and stored objects stand (``compactctl.verify/1``)."""
    return {
        "schema": "compactctl.verify/1",
        "pointers": [_pointer(pointer) for pointer in pointers],
        "objects": list(objects),
    }


def pin_document(pin: Pin) -> Document:
    """Return a pin as documents hold it."""
    referent = pin.referent
    return {
        "id": pin.id,
        "kind": pin.kind,
        "strength": pin.strength,
        "text": pin.text,
        "line": pin.line,
        "entry": pin.entry,
        "author": pin.author,
        "chain": pin.chain,
        "places": [{"line": place.line, "entry": place.entry} for place in pin.places],
        "referent": {"entry": referent.entry, "text": referent.text} if referent else None,
        "status": pin.status,
        "superseded_by": pin.superseded_by,
        "source": pin.source,
        "why": pin.why,
    }


def tokens_document(tokens: TokenReport) -> Document:
    """Return the tokens of both sides with their labels."""
    recorded = tokens.recorded
    return {
        "before": tokens.before,
        "after": tokens.after,
        "head_before": tokens.head_before,
        "head_after": tokens.head_after,
        "block": tokens.block,
        "ratio": round(tokens.ratio, 4),
        "weak": tokens.after < tokens.before and tokens.ratio > WEAK_RATIO,
        "source": tokens.source,
        "encoding": tokens.encoding,
        "estimated_part": {
            "before": tokens.estimated_part_before,
            "after": tokens.estimated_part_after,
        },
        "recorded": {
            "context": recorded.context,
            "line": recorded.line,
            "window": recorded.window,
        }
        if recorded
        else None,
    }


def classes_document(compaction: Compaction) -> list[Document]:
    """Return entries and tokens of each state class on both sides."""
    before, after = _by_state(compaction.before), _by_state(compaction.after)
    return [
        {
            "state": state,
            "entries_before": before[state][0],
            "entries_after": after[state][0],
            "tokens_before": before[state][1],
            "tokens_after": after[state][1],
        }
        for state in StateClass
    ]


def pins_document(pins: PinDiff) -> Document:
    """Return every change of the pinned block."""
    return {
        "kept": [_brief(pin) for pin in pins.kept],
        "added": [_brief(pin) for pin in pins.added],
        "superseded": [
            {**_brief(pin), "superseded_by": pin.superseded_by} for pin in pins.superseded
        ],
        "changed": [
            {"before": _brief(change.before), "after": _brief(change.after)}
            for change in pins.changed
        ],
        "removed": [_brief(pin) for pin in pins.removed],
    }


def _brief(pin: Pin) -> Document:
    return {
        "id": pin.id,
        "line": pin.line,
        "strength": pin.strength,
        "kind": pin.kind,
        "text": pin.text,
    }


def _by_state(entries: Sequence[ViewEntry]) -> dict[StateClass, tuple[int, int]]:
    found = dict.fromkeys(StateClass, (0, 0))
    for entry in entries:
        number, tokens = found[entry.state]
        found[entry.state] = (number + 1, tokens + entry.tokens)
    return found


def _count(count: TokenCount) -> Document:
    return {"value": count.value, "source": count.source, "encoding": count.encoding}


def _trigger(trigger: Trigger) -> Document:
    return {
        "tokens": trigger.tokens,
        "source": trigger.source,
        "window": trigger.window,
        "window_source": trigger.window_source,
        "threshold": trigger.threshold,
        "share": round(trigger.share, 4),
        "reached": trigger.reached,
    }


def _decision(decision: Decision) -> Document:
    return {
        "id": decision.entry,
        "action": decision.action,
        "state": decision.state,
        "tokens_before": decision.tokens_before,
        "tokens_after": decision.tokens_after,
        "reason": decision.reason,
        "pointer": decision.pointer,
    }


def _sided(decision: Decision) -> Document:
    side = "after" if decision.action is Action.INSERT else "before"
    return {**_decision(decision), "side": side}


def _pointer(pointer: KeptPointer) -> Document:
    return {
        "pointer": pointer.pointer,
        "entry": pointer.entry,
        "evidence": pointer.evidence,
        "status": pointer.status,
    }


def _cache(compaction: Compaction) -> Document:
    cache = compaction.cache
    return {
        "first_changed": cache.first_changed,
        "kept": cache.kept,
        "rebilled": cache.rebilled,
    }


def _snapshot(compaction: Compaction) -> Document | None:
    ref = compaction.snapshot
    if ref is None:
        return None
    return {"id": ref.id, "sha256": ref.sha256, "path": ref.path, "bytes": ref.bytes}


def _output(compaction: Compaction) -> Document | None:
    ref = compaction.output
    return {"path": ref.path, "sha256": ref.sha256} if ref else None


def _entry(
    entry: Entry, classification: Classification, tokens: int, *, in_view: bool
) -> Document:
    found = classification.entries[entry.id]
    return {
        "id": entry.id,
        "line": entry.line,
        "block": entry.block,
        "author": entry.author,
        "kind": entry.kind,
        "tool": entry.tool,
        "call_id": entry.call_id,
        "chain": entry.chain,
        "state": found.state,
        "in_view": in_view,
        "tokens": tokens,
        "estimated_tokens": entry.estimated_tokens,
        "why": found.why,
    }


def _result(result: ToolResult) -> Document:
    return {
        "call_id": result.call_id,
        "call_line": result.call_line,
        "result_line": result.result_line,
        "tool": result.tool,
        "kind": result.kind,
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "exact": list(result.exact),
        "one_line": result.one_line,
    }


def _fact(fact: Fact, transcript: Transcript) -> Document:
    proof = fact.verified_by
    return {
        "key": fact.key,
        "text": fact.text,
        "status": fact.status,
        "line": fact.line,
        "latest": fact.latest,
        "verified_by": {
            "command": proof.command,
            "exit_code": proof.exit_code,
            "entry": proof.entry,
        }
        if proof
        else None,
        "pointer": fact.pointer or f"snap:{transcript.sha256[:12]}#{fact.entry}",
    }


def _branch(branch: Branch) -> Document:
    return {
        "kind": branch.kind,
        "start_line": branch.start_line,
        "end_line": branch.end_line,
        "lines": list(branch.lines),
        "attempts": branch.attempts,
        "what": branch.what,
        "failure": branch.failure,
        "resolved": branch.resolved,
        "entry": branch.entry,
    }


def _claim(claim: Claim) -> Document:
    return {
        "line": claim.line,
        "entry": claim.entry,
        "text": claim.text,
        "supported": claim.supported,
        "evidence_line": claim.evidence_line,
    }


def _open_item(item: OpenItem) -> Document:
    return {"text": item.text, "line": item.line, "entry": item.entry, "status": item.status}


def cut_document(point: CutPoint) -> Document:
    """Return a place to cut, offered or used."""
    return {"after_line": point.after_line, "score": point.score, "why": point.why}


def _zone(zone: NoCut) -> Document:
    return {"from_line": zone.from_line, "to_line": zone.to_line, "why": zone.why}


def _damage(damage: Damage) -> Document:
    return {
        "line": damage.line,
        "byte_offset": damage.byte_offset,
        "length": damage.length,
        "kind": damage.kind,
        "detail": damage.detail,
    }
