"""Reads summaries: their sections, what they quote from people, what they say is open or done."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_HEADING = re.compile(
    r"^[ \t]{0,6}(?:#{1,6}[ \t]+|\d{1,2}[.)][ \t]+)?(?:\*\*|__)?"
    r"(?P<title>[^\n:*]{3,80}?)(?:\*\*|__)?:?(?:\*\*|__)?[ \t]*$",
)
_TITLED = re.compile(
    r"^[ \t]{0,6}(?:#{1,6}[ \t]+|\d{1,2}[.)][ \t]+)(?:\*\*|__)?(?P<title>[^\n:*]{3,80})"
    r"(?:\*\*|__)?:"
)
_ITEM = re.compile(r"^[ \t]{0,16}(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)$")
_QUOTE = re.compile(r"\"(?P<a>[^\"\n]{1,600})\"|“(?P<b>[^”\n]{1,600})”|「(?P<c>[^」\n]{1,600})」")
_SAID = re.compile(
    r"\b(?:user|human|they|he|she)(?:'s)?\b(?: (?:then|also|explicitly|later|finally|just))?"
    r"(?: (?:said|says|asked|wrote|typed|replied|answered|stated|confirmed|responded|requested|"
    r"instructed|noted|insisted|approved|exact (?:request|words?|message))|:)"
    r"[^\"“\n]{0,60}$",
    re.IGNORECASE,
)
_USER = re.compile(r"\buser (?:messages?|said|instructions?|feedback|quotes?)\b", re.IGNORECASE)
_PENDING = re.compile(
    r"\b(?:pending|remaining|outstanding|open|unfinished|to-?dos?|next steps?|left to do|"
    r"still to do|not (?:yet )?done)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,12}(?:```|~~~)")


class SectionKind(StrEnum):
    """What a section of a summary is about."""

    USER = "user"
    PENDING = "pending"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a summary outside code, with the kind of the section that it stands in."""

    text: str
    section: SectionKind
    item: bool


def lines_of(summary: str) -> Iterator[Line]:
    """Yield the lines of a summary that are prose or items; code blocks are left out."""
    section, fenced = SectionKind.OTHER, False
    for raw in summary.split("\n"):
        if _FENCE.match(raw):
            fenced = not fenced
            continue
        if fenced or not raw.strip():
            continue
        title = _title(raw)
        if title is not None:
            section = _kind(title)
            rest = raw.partition(":")[2].strip(" *_")
            if not rest:
                continue
        item = _ITEM.match(raw)
        yield Line((item["text"] if item else raw).strip(), section, item is not None)


def quotations(summary: str) -> Iterator[str]:
    """Yield what a summary gives as the words of the person: quoted, and attributed to them."""
    for line in lines_of(summary):
        for found in _QUOTE.finditer(line.text):
            quoted = found["a"] or found["b"] or found["c"]
            before = line.text[: found.start()]
            whole_item = line.item and not before.strip(" *_-\u2013:0123456789.)(")
            listed = line.section is SectionKind.USER and whole_item
            if listed or _SAID.search(before):
                yield quoted


def pending_items(summary: str) -> Iterator[str]:
    """Yield the items that a summary lists as open."""
    for line in lines_of(summary):
        if line.section is SectionKind.PENDING and line.item:
            yield line.text


def told(summary: str) -> Iterator[str]:
    """Yield the lines that tell what happened: neither open items nor the person's words."""
    for line in lines_of(summary):
        if line.section is SectionKind.OTHER:
            yield line.text


def _title(raw: str) -> str | None:
    for pattern in (_TITLED, _HEADING):
        found = pattern.match(raw)
        if found and (
            pattern is _TITLED
            or raw.rstrip().endswith((":", "**", "__"))
            or raw.lstrip().startswith("#")
        ):
            return found["title"]
    return None


def _kind(title: str) -> SectionKind:
    if _USER.search(title):
        return SectionKind.USER
    return SectionKind.PENDING if _PENDING.search(title) else SectionKind.OTHER
