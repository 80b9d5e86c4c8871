# ruff: noqa: RUF001 -- these are the marks that people of other scripts write
"""Parses a message into its parts: prose, list items, headings, and material that binds nobody."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from compactctl.classify.pins.cues import tables
from compactctl.classify.pins.languages import languages
from compactctl.classify.pins.lines import Made, is_prompt, made_by
from compactctl.formats.state_block import CLOSE, OPEN
from compactctl.model.entry import Span


class PartKind(StrEnum):
    """What a part of a message is; only prose, items and headings can hold statements."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    CODE = "code"
    LOG = "log"
    QUOTE = "quote"
    TABLE = "table"
    BLOCK = "block"
    """A state block of ours, pasted back by a person."""


class Context(StrEnum):
    """What the heading or the lead above a part says about it."""

    NONE = "none"
    BINDING = "binding"
    WORK = "work"
    BACKGROUND = "background"
    PASTED = "pasted"
    EXAMPLE = "example"


@dataclass(frozen=True, slots=True)
class Part:
    """A range of the text, what it is, and under which heading or lead it stands."""

    kind: PartKind
    span: Span
    context: Context = Context.NONE
    lead: str = ""
    """The line ending in a colon that introduces the part, or its heading."""
    final: bool = False
    """It belongs to the last paragraph of the message."""


_ITEM = re.compile(
    r"[ \t]{0,40}(?:[-*+•‣–]|\(?\d{1,3}[.)、．]|\(?[a-zA-Z][.)]|[①-⑳])"
    r"(?:[ \t]+|(?<=[、．①-⑳]))(?:\[[ xX]\][ \t]+)?(?=\S)"
)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_BOLD_LINE = re.compile(r"[ \t]{0,3}(?:\*\*|__)([^*_\n]{1,100})(?:\*\*|__):?[ \t]*$")
_FENCE = re.compile(r"[ \t]{0,12}(```+|~~~+)")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_TABLE = re.compile(r"[ \t]{0,3}\|.*\|[ \t]*$")
_RULE = re.compile(r"[ \t]{0,3}(?:[-=_*][ \t]?){3,200}$")
_TITLE = re.compile(r"[^.!?。！？]{1,60}[:：][ \t*_]*$")
_END_MARK = re.compile(r"[.!?;:。！？；：।؟…][\"'”’»)\]*_`]{0,4}[ \t]*$")
_RUNS = (PartKind.QUOTE, PartKind.TABLE, PartKind.LOG)
"""Kinds whose lines make one part."""
_WRAPPED = 56
"""A line this long that ends without an end mark was broken by an editor, not by its author."""
_TITLE_WORDS = 8
_SPEAKING = 2
"""Function words that make a line one of prose."""


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    made: Made


def parse(text: str, start: int, end: int) -> tuple[Part, ...]:
    """
    Return the parts of ``text[start:end]`` in order.

    They do not overlap; blank lines, fences, list markers and quote marks are outside them.
    Linear in the length of the range.
    """
    blocks = list(_blocks(text, start, end))
    blocks = _pasted_between(blocks)
    parts = list(_in_context(text, blocks))
    return _mark_final(text, parts)


def _blocks(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield the parts without their context."""
    paragraph: list[_Line] = []
    fence: tuple[str, int] | None = None
    skip_to = start
    for line in _lines(text, start, end):
        if line.start < skip_to:
            continue
        if fence is not None:
            if line.text.strip().startswith(fence[0]) and not line.text.strip(" \t`~"):
                yield Part(PartKind.CODE, Span(fence[1], line.start))
                fence = None
            continue
        opened = _FENCE.match(line.text)
        boundary = opened or not line.text.strip() or _RULE.match(line.text)
        if boundary or line.text.startswith(OPEN):
            yield from _paragraph(paragraph)
            paragraph = []
        if opened:
            fence = (opened[1][:3], min(line.end + 1, end))
        elif line.text.startswith(OPEN):
            close = text.find(CLOSE, line.start, end)
            skip_to = end if close < 0 else close + len(CLOSE)
            yield Part(PartKind.BLOCK, Span(line.start, skip_to))
        elif not boundary:
            paragraph.append(line)
    yield from _paragraph(paragraph)
    if fence is not None:
        yield Part(PartKind.CODE, Span(fence[1], end))


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    at = start
    before = ""
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop]
        made = Made.MACHINE if before.endswith("\\") and line.strip() else made_by(line)
        yield _Line(at, stop, line, made)
        before = line.rstrip()[-1:]
        at = stop + 1


def _paragraph(lines: Sequence[_Line]) -> Iterator[Part]:
    """Yield the parts of lines without a blank one between them."""
    if not lines:
        return
    first, last = _machine_range(lines)
    yield from _prose(lines[:first])
    if first < last:
        yield Part(PartKind.LOG, Span(lines[first].start, lines[last - 1].end))
    yield from _prose(lines[last:])


def _machine_range(lines: Sequence[_Line]) -> tuple[int, int]:
    """Return the half-open range of lines that were pasted from a machine."""
    made = [_plain_made(line) for line in lines]
    prompt = next((i for i, line in enumerate(lines) if is_prompt(line.text)), None)
    machine = [i for i, m in enumerate(made) if m is Made.MACHINE]
    likely = sum(m is not Made.PROSE for m in made)
    if prompt is not None:
        return prompt, _spoken_tail(lines, prompt + 1)
    if not machine or (len(machine) + likely) < len(lines) * 0.8:
        return (0, 0) if not machine or len(lines) > 1 else (0, 1)
    first = machine[0]
    while first and made[first - 1] is Made.MAYBE:
        first -= 1
    return first, _spoken_tail(lines, machine[-1] + 1)


def _plain_made(line: _Line) -> Made:
    """List items, headings and quotes are judged by their own form."""
    if _HEADING.match(line.text) or _QUOTE.match(line.text) or _TABLE.match(line.text):
        return Made.PROSE
    marker = _ITEM.match(line.text)
    return made_by(line.text[marker.end() :]) if marker else line.made


def _spoken_tail(lines: Sequence[_Line], at_least: int) -> int:
    end = len(lines)
    while end > at_least and _speaks(lines[end - 1].text) and lines[end - 1].made is Made.PROSE:
        end -= 1
    return end


def _speaks(line: str) -> bool:
    """The line is a person's sentence by its words, or a question."""
    head = line[:400]
    if head.rstrip().endswith(("?", "？", "؟")):
        return True
    codes = languages(head)
    latin = [tables()[code] for code in codes if "latin" in tables()[code].scripts]
    if len(latin) < len(codes):
        return True
    return any(
        sum(t in table.function_words for t in set(table.tokens(head))) >= _SPEAKING
        for table in latin
    )


def _prose(lines: Sequence[_Line]) -> Iterator[Part]:
    """Yield items, headings, quotes, tables and runs of prose lines, wrapped lines joined."""
    kind: PartKind | None = None
    start = end = 0
    widest = max((len(line.text) for line in lines), default=0)
    before: _Line | None = None
    for line in lines:
        now, at = _form(line)
        speaks = kind in (PartKind.PROSE, PartKind.ITEM) and now is PartKind.PROSE
        wrapped = speaks and before is not None and _continues(before, line, widest)
        if wrapped or (now in _RUNS and kind is now):
            end = line.end
        else:
            if kind is not None:
                yield Part(kind, Span(start, end))
            kind, start, end = now, at, line.end
        before = line
    if kind is not None:
        yield Part(kind, Span(start, end))


def _form(line: _Line) -> tuple[PartKind, int]:
    """Return what a line is and where its own text begins."""
    text = line.text
    for pattern, kind in ((_HEADING, PartKind.HEADING), (_QUOTE, PartKind.QUOTE)):
        if found := pattern.match(text):
            return kind, line.start + found.end()
    if _TABLE.match(text[:4000]):
        return PartKind.TABLE, line.start
    if _BOLD_LINE.match(text[:200]):
        return PartKind.HEADING, line.start
    if found := _ITEM.match(text):
        machine = made_by(text[found.end() :]) is Made.MACHINE
        return (PartKind.LOG if machine else PartKind.ITEM), line.start + found.end()
    if line.made is Made.MACHINE and not _speaks(text):
        return PartKind.LOG, line.start
    return PartKind.PROSE, line.start


def _continues(before: _Line, line: _Line, widest: int) -> bool:
    """Whether the break between two lines is an editor's, so that the sentence goes on."""
    old, new = before.text.rstrip(), line.text.lstrip()
    if _END_MARK.search(old[-8:]):
        return False
    if _ITEM.match(before.text) and line.text[:1] in " \t":
        return True
    long = len(old) >= _WRAPPED and len(old) >= widest * 0.6
    return long or (new[:1].islower() and len(old) >= _WRAPPED // 2 and len(old) >= widest * 0.5)


def _pasted_between(blocks: Sequence[Part]) -> list[Part]:
    """Prose between two pastes is part of the paste where pastes are most of the message."""
    pasted = [i for i, part in enumerate(blocks) if part.kind is PartKind.LOG]
    if len(pasted) < 2:  # noqa: PLR2004 -- between needs two
        return list(blocks)
    first, last = pasted[0], pasted[-1]
    size = sum(p.span.end - p.span.start for p in blocks[first : last + 1])
    logs = sum(blocks[i].span.end - blocks[i].span.start for i in pasted)
    if logs < size * 0.6:
        return list(blocks)
    between = (PartKind.PROSE, PartKind.ITEM, PartKind.HEADING)
    return [
        replace(p, kind=PartKind.LOG) if first < i < last and p.kind in between else p
        for i, p in enumerate(blocks)
    ]


def _in_context(text: str, blocks: Sequence[Part]) -> Iterator[Part]:
    """Give each part the context of its heading, or of the lead just above it."""
    codes = languages(text[:5000])
    section = lead_context = Context.NONE
    heading = lead = ""
    handed_over = pasted = False
    for part in blocks:
        here = text[part.span.start : min(part.span.end, part.span.start + 400)]
        if part.kind is PartKind.HEADING or (part.kind is PartKind.PROSE and _is_title(here)):
            section = _context_of(here, codes, heading=True)
            heading, lead, lead_context = here, "", Context.NONE
            pasted = section is Context.PASTED
            if _hands_over(here, codes):
                handed_over = True
            yield replace(part, context=section, lead=heading)
            continue
        context = lead_context if lead_context is not Context.NONE else section
        if context is Context.NONE and pasted:
            context = Context.PASTED
        if context is Context.NONE and handed_over:
            context = Context.WORK
        yield replace(part, context=context, lead=lead or heading)
        if part.kind is PartKind.PROSE:
            handed_over = handed_over or _hands_over(here, codes)
            lead, lead_context = "", Context.NONE
            tail = text[max(part.span.start, part.span.end - 200) : part.span.end].rstrip(" \t*_")
            if tail.endswith((":", "：")):
                lead = tail
                lead_context = _context_of(tail, codes, heading=False)
                pasted = pasted or lead_context is Context.PASTED


def _is_title(text: str) -> bool:
    return bool(_TITLE.match(text)) and len(text.split()) <= _TITLE_WORDS


def _hands_over(text: str, codes: Sequence[str]) -> bool:
    return any(tables()[code].hits(text).has("handover") for code in codes)


def _context_of(text: str, codes: Sequence[str], *, heading: bool) -> Context:
    words = (
        ("example", Context.EXAMPLE),
        ("paste", Context.PASTED),
        ("heading_binding", Context.BINDING),
        ("heading_work", Context.WORK),
        ("heading_context", Context.BACKGROUND),
    )
    for code in codes:
        hits = tables()[code].hits(text)
        for group, context in words[2 if heading else 0 :]:
            if group in hits.any:
                return context
        if not heading and hits.has("obligation", "prohibition", "limit"):
            return Context.BINDING
        if heading and hits.has("paste"):
            return Context.PASTED
    return Context.NONE


def _mark_final(text: str, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Mark the parts after the last blank line of the message."""
    if not parts:
        return ()
    end = parts[-1].span.end
    blank = max(text.rfind("\n\n", 0, end), text.rfind("\n\r\n", 0, end))
    return tuple(replace(p, final=True) if p.span.start > blank else p for p in parts)
