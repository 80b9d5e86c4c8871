"""Reasoning: one line for each abandoned branch, for ever; open work; earlier summaries."""

from collections.abc import Iterator

from compactctl.compact.head import Head
from compactctl.formats.state_block import BlockLine, Section, one_line
from compactctl.model.classification import Branch, BranchKind
from compactctl.model.entry import Author

_LONGEST = 200


def do_not_retry(head: Head) -> tuple[BlockLine, ...]:
    """Return a line for each branch that was tried and given up, earlier rounds first."""
    branches = head.material.classification.branches
    own = tuple(
        BlockLine(
            section=Section.DO_NOT_RETRY,
            ref=head.ref(branch.entry, branch.pointer),
            text=_told(branch),
        )
        for branch in branches
        if head.is_past(branch.entry)
    )
    return _earlier(head, Section.DO_NOT_RETRY) + own


def open_work(head: Head) -> tuple[BlockLine, ...]:
    """Return the items of the last plan that are not done; a later plan replaces a carried one."""
    items = head.material.classification.open_items
    if not items:
        return _earlier(head, Section.OPEN_WORK)
    return tuple(
        BlockLine(
            section=Section.OPEN_WORK,
            ref=head.ref(item.entry),
            text=f"{item.status}: {one_line(item.text, _LONGEST)}",
        )
        for item in items
        if head.is_past(item.entry)
    )


def summaries(head: Head) -> tuple[BlockLine, ...]:
    """Return a line for each earlier summary by another tool, which is not trusted but named."""
    return _earlier(head, Section.REASONING) + tuple(_summaries(head))


def _summaries(head: Head) -> Iterator[BlockLine]:
    for seen in head.folded:
        if seen.entry.author is Author.SUMMARY:
            tokens = head.material.tokens[seen.entry.id]
            text = f"earlier summary by the harness, {tokens:,} tokens, not verified"
            ref = head.ref(seen.entry.id)
            yield BlockLine(section=Section.REASONING, ref=ref, text=text)


def _earlier(head: Head, section: Section) -> tuple[BlockLine, ...]:
    return tuple(line for block in head.carried for line in block.lines if line.section is section)


def _told(branch: Branch) -> str:
    what = one_line(branch.what, _LONGEST)
    failure = one_line(branch.failure, _LONGEST)
    match branch.kind:
        case BranchKind.RETRY_LOOP:
            end = ", then resolved" if branch.resolved else ""
            return f"{what}: failed {branch.attempts}x{end}: {failure}"
        case BranchKind.ABANDONED:
            return f"{what}: given up: {failure}" if failure else f"{what}: given up"
