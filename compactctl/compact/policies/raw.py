"""Raw tool output: dropped; a pointer and a one-line result stay, runs rolled into one."""

from collections.abc import Iterator

from compactctl.compact.head import Head
from compactctl.formats.state_block import BlockLine, Section, one_line
from compactctl.model.classification import Outcome, ToolResult
from compactctl.model.entry import Kind

_LONGEST = 160
_EXACT = 300
_ROLL_UP_FROM = 3
_NAMED_IN_ROLL_UP = 4
_NOT_AGAIN_THE_SAME = frozenset({"web"})


def result_lines(head: Head) -> tuple[BlockLine, ...]:
    """Return a line for each folded raw result, with the exact strings it is needed for."""
    return tuple(_line(head, result, _told(result)) for result in _results(head))


def rolled_lines(head: Head) -> tuple[BlockLine, ...]:
    """Return the lines of the folded raw results with runs of one tool in one line."""
    return tuple(_rolled(head, _results(head)))


def carried_lines(head: Head) -> tuple[BlockLine, ...]:
    """Return the raw lines of earlier rounds."""
    return tuple(
        line for block in head.carried for line in block.lines if line.section is Section.RESULTS
    )


def not_refetchable(head: Head) -> tuple[str, ...]:
    """Return a line for each dropped result that a second fetch may not give the same."""
    return tuple(
        result.one_line
        for seen in head.folded
        if seen.entry.kind is Kind.TOOL_RESULT
        and (result := head.material.result_of_entry.get(seen.entry.id)) is not None
        and result.kind in _NOT_AGAIN_THE_SAME
    )


def _results(head: Head) -> list[ToolResult]:
    return [
        result
        for seen in head.folded
        if seen.entry.kind is Kind.TOOL_RESULT
        and (result := head.material.result_of_entry.get(seen.entry.id)) is not None
        and not result.proves
    ]


def _told(result: ToolResult) -> str:
    said = one_line(result.one_line, _LONGEST)
    exact = "; ".join(part for part in result.exact if part not in said)
    return one_line(f"{said}: {exact}", _LONGEST + _EXACT) if exact else said


def _rolled(head: Head, results: list[ToolResult]) -> Iterator[BlockLine]:
    run: list[ToolResult] = []
    for result in results:
        if run and (result.tool, result.outcome, result.kind) != _kind(run[-1]):
            yield from _run(head, run)
            run = []
        run.append(result)
    yield from _run(head, run)


def _kind(result: ToolResult) -> tuple[str, Outcome, str]:
    return result.tool, result.outcome, result.kind


def _run(head: Head, run: list[ToolResult]) -> Iterator[BlockLine]:
    if len(run) < _ROLL_UP_FROM:
        for result in run:
            yield _line(head, result, one_line(result.one_line, _LONGEST))
        return
    first = run[0]
    subjects = list(dict.fromkeys(one_line(result.subject, 60) for result in run))
    named = ", ".join(subjects[:_NAMED_IN_ROLL_UP])
    more = f", +{len(subjects) - _NAMED_IN_ROLL_UP}" if len(subjects) > _NAMED_IN_ROLL_UP else ""
    text = f"{first.tool} x{len(run)} ({first.outcome}): {named}{more}"
    yield _line(head, first, one_line(text, 2 * _LONGEST), last=run[-1].result_entry)


def _line(head: Head, result: ToolResult, text: str, last: str | None = None) -> BlockLine:
    entry = result.result_entry or result.call_entry
    return BlockLine(section=Section.RESULTS, ref=head.ref(entry), text=text, last=last)
