"""Views as values: what stands on one side of a compaction, with tokens and digests."""

import hashlib
from collections.abc import Mapping

from compactctl.compact.material import Material
from compactctl.model.compaction import CacheImpact, ViewEntry
from compactctl.model.entry import View


def text_digest(text: str) -> str:
    """Return 16 hex digits of the blake2b of a text; a lone surrogate counts as U+FFFD."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        # Repairing a surrogate must not look like a change of the text.
        data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def view_entries(material: Material) -> tuple[ViewEntry, ...]:
    """Return the view of a material as values without text."""
    states = material.classification.entries
    return tuple(
        ViewEntry(
            id=entry.id,
            line=entry.line,
            author=entry.author,
            kind=entry.kind,
            state=states[entry.id].state,
            tool=entry.tool,
            call_id=entry.call_id,
            tokens=material.tokens[entry.id],
            digest=material.digests[entry.id],
            estimated_tokens=entry.estimated_tokens,
        )
        for entry in (seen.entry for seen in material.view)
    )


def estimated_part(view: View) -> int:
    """Return the estimated tokens of what has no text to count."""
    return sum(seen.entry.estimated_tokens for seen in view)


def cache_impact(before: tuple[ViewEntry, ...], after: tuple[ViewEntry, ...]) -> CacheImpact:
    """Return where the views begin to differ and what a prompt cache bills again from there."""
    same = 0
    while same < min(len(before), len(after)) and _same(before[same], after[same]):
        same += 1
    differs = same < max(len(before), len(after))
    first = before[same].id if same < len(before) else None
    return CacheImpact(
        first_changed=first if differs else None,
        kept=sum(entry.tokens for entry in after[:same]),
        rebilled=sum(entry.tokens for entry in after[same:]),
    )


def tokens_by_state(entries: tuple[ViewEntry, ...]) -> Mapping[str, tuple[int, int]]:
    """Return number of entries and tokens for each state class that occurs."""
    found: dict[str, tuple[int, int]] = {}
    for entry in entries:
        number, tokens = found.get(entry.state, (0, 0))
        found[entry.state] = (number + 1, tokens + entry.tokens)
    return found


def _same(one: ViewEntry, other: ViewEntry) -> bool:
    return one.digest == other.digest and one.kind is other.kind and one.author is other.author
