"""Groups: the smallest units that may be cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from compactctl.model.entry import Author, Kind, View


@dataclass(frozen=True, slots=True)
class Group:
    """Positions ``first..last`` in a view that stay together (others may lie between)."""

    first: int
    last: int


def group_view(view: View) -> tuple[Group, ...]:
    """
    Return the groups of a view in order of their first position.

    One assistant message with the results of all its calls is a group, and so is every other
    record, however many parts (text, images) it has. Where actions and what came of them are
    plain text, what a tool says right after a message answers it.
    """
    spans: dict[tuple[str, str], list[int]] = {}
    owner: dict[tuple[str, str], tuple[str, str]] = {}
    before: tuple[str, tuple[str, str]] | None = None
    for at, seen in enumerate(view):
        entry = seen.entry
        key = ("record", str(entry.record))
        if entry.author is Author.TOOL and entry.call_id is None and before is not None:
            chain, message = before
            key = message if chain == entry.chain else key
        if entry.author is Author.ASSISTANT and entry.message is not None:
            key = ("message", f"{entry.chain}\0{entry.message}")
        if entry.call_id is not None:
            call = (entry.chain, entry.call_id)
            key = (
                owner.setdefault(call, key)
                if entry.kind is Kind.TOOL_CALL
                else owner.get(call, key)
            )
        spans.setdefault(key, [at, at])[1] = at
        before = (entry.chain, key) if entry.author is Author.ASSISTANT else None
    return tuple(Group(first, last) for first, last in spans.values())


def allowed_cuts(view: View, groups: Sequence[Group]) -> tuple[bool, ...]:
    """Return for each position ``0..len(view)`` whether cutting before it parts no group."""
    change = [0] * (len(view) + 2)
    for group in groups:
        change[group.first + 1] += 1
        change[group.last + 1] -= 1
    open_groups = list(accumulate(change))
    return tuple(open_groups[at] == 0 for at in range(len(view) + 1))
