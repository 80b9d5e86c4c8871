"""Finds the pins of a session: every statement of a person that binds, verbatim, in order."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from compactctl.classify.pins.answers import answered_question
from compactctl.classify.pins.examples import examples
from compactctl.classify.pins.forms import Asked, Verdict
from compactctl.classify.pins.languages import languages
from compactctl.classify.pins.parts import Context, Part, PartKind, parse
from compactctl.classify.pins.referents import Said, asks, referent
from compactctl.classify.pins.sentences import split
from compactctl.classify.pins.strength import Setting, judge
from compactctl.classify.pins.supersede import superseded
from compactctl.model.classification import Pin, PinKind, PinPlace, Referent, Strength
from compactctl.model.entry import AUTHORITIES, Author, Entry, Kind, Span
from compactctl.model.transcript import Content, Transcript

_SPEAKING_PARTS = (PartKind.PROSE, PartKind.ITEM, PartKind.HEADING)
_WHOLE = 400_000
"""Characters: of a longer message the first and last half of this are read for statements."""
_REMEMBERED = 8000
"""Characters of the assistant's last message that an answer can refer to."""


@dataclass(frozen=True, slots=True)
class _Found:
    text: str
    at: int
    verdict: Verdict
    referent: Referent | None = None


@dataclass(slots=True)
class _Ledger:
    """Pins by chain and text in first-said order."""

    pins: dict[tuple[str, str], Pin] = field(default_factory=dict)

    def add(self, entry: Entry, found: _Found) -> None:
        key = (entry.chain, found.text)
        place = PinPlace(entry.line, entry.id)
        known = self.pins.get(key)
        if known is None:
            self.pins[key] = _pin(entry, found, place)
            return
        if place not in known.places:
            known = replace(known, places=(*known.places, place))
        self.pins[key] = _stronger(known, found)


def find_pins(transcript: Transcript, content: Content) -> tuple[Pin, ...]:
    """
    Return the pins of the whole file in the order in which they were first said.

    Only what stands in the ``authored`` spans of human, delegator and system entries makes pins;
    each text is an exact substring of its entry's text. A statement that was said again in its
    chain is one pin with all its places. Superseded pins stay in the list, marked.
    """
    ledger = _Ledger()
    said: dict[str, list[Entry]] = {}
    calls: dict[str, Entry] = {}
    for entry in transcript.entries:
        if entry.author is Author.ASSISTANT and entry.kind is Kind.TEXT:
            last = said.get(entry.chain)
            same = last and entry.message is not None and last[-1].message == entry.message
            said[entry.chain] = [*last[-4:], entry] if last and same else [entry]
        elif entry.kind is Kind.TOOL_CALL and entry.call_id:
            calls[entry.call_id] = entry
        elif entry.author in AUTHORITIES and entry.authored:
            before = calls.get(entry.call_id) if entry.call_id else None
            for found in _statements(entry, content, said.get(entry.chain, ()), before):
                ledger.add(entry, found)
    return superseded(tuple(ledger.pins.values()))


def _statements(
    entry: Entry, content: Content, said: Sequence[Entry], call: Entry | None
) -> Iterator[_Found]:
    """Yield the statements of an entry in order."""
    text = content.text(entry)
    spans = [piece for span in entry.authored for piece in _pieces(text, span)]
    if not any(text[s.start : s.end].strip() for s in spans):
        return
    before = _last_said(content, said) if entry.author is Author.HUMAN else None
    if call is not None and (asked := answered_question(content.text(call), text, spans)):
        before = Said(call, asked)
    first = True
    for span in spans:
        for found in _in_span(entry, text, span, before, first=first):
            yield found
            first = False


def _pieces(text: str, span: Span) -> tuple[Span, ...]:
    """A message too long to have been typed is read at its two ends."""
    size = span.end - span.start
    if size <= _WHOLE:
        return (span,)
    half = _WHOLE // 2
    left = text.rfind("\n", span.start, span.start + half)
    right = text.find("\n", span.end - half, span.end)
    return (
        Span(span.start, left if left > span.start else span.start + half),
        Span(right if right > 0 else span.end - half, span.end),
    )


def _last_said(content: Content, said: Sequence[Entry]) -> Said | None:
    for entry in reversed(said):
        text = content.text(entry)
        if text.strip():
            return Said(entry, text)
    return None


def _in_span(
    entry: Entry, text: str, span: Span, before: Said | None, *, first: bool
) -> Iterator[_Found]:
    codes = languages(text[span.start : min(span.end, span.start + 5000)])
    parts = parse(text, span.start, span.end)
    shown = {s.start for s in examples(text, parts, codes)}
    asked = Asked.NOTHING
    if before is not None:
        asked = Asked.ASKED if asks(before.text[-_REMEMBERED:]) else Asked.TOLD
    for part in parts:
        if part.span.start in shown and entry.author is not Author.SYSTEM:
            body = text[part.span.start : part.span.end].strip("\n")
            yield _Found(body, part.span.start, _EXAMPLE)
        if part.kind not in _SPEAKING_PARTS:
            continue
        for sentence in split(text, part.span.start, part.span.end):
            words = text[sentence.start : sentence.end]
            setting = _setting(entry, part, asked, first=first)
            first = False
            verdict = judge(words, setting, codes)
            if verdict is None:
                continue
            named = None
            if verdict.answers and before is not None:
                named = referent(words, before, codes)
            yield _Found(words, sentence.start, verdict, named)


_EXAMPLE = Verdict(PinKind.EXAMPLE, Strength.STRONG, "an example of the style to follow")


def _setting(entry: Entry, part: Part, asked: Asked, *, first: bool) -> Setting:
    return Setting(
        author=entry.author,
        part=part.kind,
        context=Context.NONE if part.kind is PartKind.HEADING else part.context,
        asked=asked,
        final=part.final,
        first=first,
    )


def _pin(entry: Entry, found: _Found, place: PinPlace) -> Pin:
    return Pin(
        id=hashlib.sha256(found.text.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        kind=found.verdict.kind,
        strength=found.verdict.strength,
        text=found.text,
        line=entry.line,
        entry=entry.id,
        author=entry.author,
        chain=entry.chain,
        places=(place,),
        referent=found.referent,
        why=found.verdict.why,
    )


def _stronger(known: Pin, found: _Found) -> Pin:
    """Said again: the firmer reading and the latest referent count."""
    newer = found.referent or known.referent
    if known.strength is Strength.WEAK and found.verdict.strength is Strength.STRONG:
        verdict = found.verdict
        return replace(
            known, strength=verdict.strength, kind=verdict.kind, why=verdict.why, referent=newer
        )
    return replace(known, referent=newer) if newer is not known.referent else known
