"""Two views side by side: what a compaction between them did to each entry."""

from collections import Counter
from collections.abc import Iterator

from compactctl.compact.material import Material
from compactctl.compact.views import estimated_part
from compactctl.formats.state_block import StateBlock, parse
from compactctl.model.compaction import Action, Decision, ViewEntry
from compactctl.model.entry import Author
from compactctl.model.tokens import TokenReport


def token_report(old: Material, new: Material, decisions: tuple[Decision, ...]) -> TokenReport:
    """Return the tokens of both sides; the head is what went, the block what came."""
    gone = sum(d.tokens_before for d in decisions if d.action in (Action.DROP, Action.MOVE))
    came = sum(d.tokens_after for d in decisions if d.action is Action.INSERT)
    return TokenReport(
        before=old.total,
        after=new.total,
        head_before=gone,
        head_after=came,
        block=came,
        encoding=new.encoding,
        estimated_part_before=estimated_part(old.view),
        estimated_part_after=estimated_part(new.view),
    )


def _block_texts(new: Material) -> frozenset[str]:
    """Human texts that a state block holds verbatim: they moved there."""
    found: set[str] = set()
    for seen in new.view:
        if seen.entry.author is Author.CARRIED:
            block = parse(new.text(seen))
            if isinstance(block, StateBlock):
                found.update(said.text for said in block.human if said.text is not None)
    return frozenset(found)


def decisions_between(
    old: Material,
    new: Material,
    before: tuple[ViewEntry, ...],
    after: tuple[ViewEntry, ...],
) -> tuple[Decision, ...]:
    """
    Return what became of each entry, matched by what the model sees.

    Same text is ``keep``, same call with other text ``rewrite``, human text that a state block
    holds ``move``, the rest ``drop`` and ``insert``.
    """
    return tuple(_decisions(old, before, after, _block_texts(new)))


def _decisions(
    old: Material,
    before: tuple[ViewEntry, ...],
    after: tuple[ViewEntry, ...],
    in_block: frozenset[str],
) -> Iterator[Decision]:
    same = Counter((entry.kind, entry.digest) for entry in after)
    calls = {(e.kind, e.call_id): e for e in after if e.call_id is not None}
    matched: Counter[tuple[str, str]] = Counter()
    rewritten: set[str] = set()
    for seen, entry in zip(old.view, before, strict=True):
        key = (entry.kind, entry.digest)
        other = calls.get((entry.kind, entry.call_id)) if entry.call_id else None
        if matched[key] < same[key]:
            matched[key] += 1
            yield _decision(entry, Action.KEEP, "the same on both sides", entry.tokens)
        elif other is not None:
            rewritten.add(other.id)
            yield _decision(entry, Action.REWRITE, "same call, other text", other.tokens)
        elif entry.author in (Author.HUMAN, Author.DELEGATOR) and old.text(seen) in in_block:
            yield _decision(entry, Action.MOVE, "verbatim in a state block", 0)
        else:
            yield _decision(entry, Action.DROP, "not on the other side", 0)
    for entry in after:
        key = (entry.kind, entry.digest)
        if entry.id in rewritten:
            continue
        if matched[key] > 0:
            matched[key] -= 1
            continue
        yield Decision(
            entry=entry.id,
            action=Action.INSERT,
            state=entry.state,
            reason="only on the new side",
            tokens_before=0,
            tokens_after=entry.tokens,
        )


def _decision(entry: ViewEntry, action: Action, reason: str, tokens: int) -> Decision:
    return Decision(
        entry=entry.id,
        action=action,
        state=entry.state,
        reason=reason,
        tokens_before=entry.tokens,
        tokens_after=tokens,
    )
