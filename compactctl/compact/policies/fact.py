"""Verified facts with provenance: a key, the exact string, what proved it, a pointer."""

from collections.abc import Iterator

from compactctl.compact.head import Head
from compactctl.formats.state_block import BlockFact, one_line
from compactctl.model.classification import Fact, FactStatus

LASTING = frozenset({FactStatus.FAILED, FactStatus.PENDING})
"""Statuses that never give way while nothing later replaced them."""
_LONGEST = 420


def facts(head: Head) -> tuple[BlockFact, ...]:
    """
    Return the facts from before the tail, earlier rounds first.

    A carried fact whose key has a later one is replaced by it; older facts of this round stand
    in front of what replaced them, and are the first to give way (see ``replaced``).
    """
    own = head.material.classification.facts
    keys = {fact.key for fact in own}
    lines = {branch.entry for branch in head.material.classification.branches}
    earlier = tuple(fact for block in head.carried for fact in block.facts if fact.key not in keys)
    return earlier + tuple(_own(head, own, lines))


def replaced(head: Head) -> frozenset[str]:
    """Return the entries of facts that a later fact of their key replaced."""
    return frozenset(fact.entry for fact in head.material.classification.facts if not fact.latest)


def _own(head: Head, found: tuple[Fact, ...], told: set[str]) -> Iterator[BlockFact]:
    for fact in found:
        if not head.is_past(fact.entry):
            continue
        if fact.status is FactStatus.FAILED and fact.entry in told:
            continue  # the do-not-retry line has its error already
        yield BlockFact(
            ref=head.ref(fact.entry, fact.pointer),
            status=fact.status,
            key=one_line(fact.key, 120),
            text=one_line(_text(head, fact), _LONGEST),
            proof=_proof(fact),
        )


def _text(head: Head, fact: Fact) -> str:
    """The fact, and the other exact strings that its result is needed for."""
    result = head.material.result_of_entry.get(fact.entry)
    others = [part for part in (result.exact if result else ()) if part not in fact.text]
    return "; ".join([fact.text, *others])


def _proof(fact: Fact) -> str:
    proof = fact.verified_by
    if proof is None or proof.exit_code is None:
        return ""
    return f"exit {proof.exit_code}"
