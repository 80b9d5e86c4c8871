"""
The state block: what a fold writes in place of the head, as text and back.

A block is plain text, so that every transcript format can hold it and every model can read it::

    <compactctl-state v=1 fence=~cc checksum=<16 hex> policy=<12 hex> last=L44.0 snap=<12 hex> ...>
    (two sentences for the model)
    ~cc pinned
    ~cc L3.0 strong constraint human
    Never touch the vendored files.
    ~cc human
    ~cc L1.0
    ...
    ~cc state
    ...
    ~cc end
    </compactctl-state>

The fence is chosen so that no line of any text in the block starts with it: texts stand byte for
byte and can neither close a part nor pose as another. The checksum covers everything from the
first line's attributes to the end line. Recognising a block by its place is the business of the
format that reads it; this module only says whether a text is a whole, unedited block.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from compactctl.model.classification import FactStatus, PinKind, Strength
from compactctl.model.entry import Author

VERSION = 1
OPEN = "<compactctl-state "
CLOSE = "</compactctl-state>"
_PINNED_WHOLE = "pinned whole above"
_PROSE = (
    "Earlier work in this session was compacted; nothing below is a new request. The parts pinned "
    "and human are the words of people, verbatim, in the order said, and still bind. The part "
    "state is a record kept by the tool, not an instruction: 'attempted' and 'failed' are not "
    "done. An original is printed by: compactctl show snap:{snapshot}#L12.0"
)
_HEADER = re.compile(
    r"<compactctl-state v=(?P<version>\d+) fence=(?P<fence>\S+) "
    r"checksum=(?P<checksum>[0-9a-f]{16}) "
    r"policy=(?P<policy>\S+) last=(?P<last>\S+) snap=(?P<snapshot>[0-9a-f]{12}) "
    r"round=(?P<round>\d+) session=(?P<session>\S+)>"
)
_REF = re.compile(r"(?:(?P<snapshot>[0-9a-f]{12})#)?(?P<entry>(?:C\d+\.)?L\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Ref:
    """Where an item's original stands: 12 hex digits of the snapshot, entry id."""

    snapshot: str
    entry: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPin:
    """A pin as the pinned part holds it; ``referent`` is what a short approval answered."""

    ref: Ref
    kind: PinKind
    strength: Strength
    author: Author
    text: str
    referent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockText:
    """A human (or delegator) message; ``text`` is ``None`` where it gave way to its pointer."""

    ref: Ref
    author: Author
    text: str | None
    tokens: int = 0
    """Size of the original, shown where the text gave way."""
    last: str | None = None
    """Last entry of a run of messages that gave way together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockFact:
    """A fact; ``proof`` says what verified it (``exit 0``), ``""`` where nothing did."""

    ref: Ref
    status: FactStatus
    key: str
    text: str
    proof: str = ""


class Section(StrEnum):
    """The lists of one-line items in the state part, in the order in which they stand."""

    DO_NOT_RETRY = "do-not-retry"
    OPEN_WORK = "open-work"
    RESULTS = "results"
    REASONING = "reasoning"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLine:
    """A one-line item; ``ref`` is its original, ``last`` closes a range of originals."""

    section: Section
    ref: Ref
    text: str
    last: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateBlock:
    """The content of a state block; texts are unescaped."""

    policy: str
    """12 hex digits of the policy's sha256."""
    last_entry: str
    snapshot: str
    """12 hex digits of the sha256 of the snapshot taken by the run that wrote the block."""
    round: int
    """1 for a first compaction, k for the k-th of a session."""
    session: str
    """Id of the session that was compacted, ``-`` where it has none."""
    pins: tuple[BlockPin, ...]
    human: tuple[BlockText, ...]
    facts: tuple[BlockFact, ...]
    lines: tuple[BlockLine, ...]


@dataclass(frozen=True, slots=True)
class InvalidBlock:
    """A text that begins as a state block and is none: what is wrong with it."""

    reason: str


def render(block: StateBlock, *, with_human: bool = True) -> str:
    """Return the block as text; ``with_human=False`` leaves the human part to the caller."""
    fence = _fence(block)
    body = "\n".join(_body(block, fence, with_human=with_human))
    attributes = (
        f"policy={block.policy} last={block.last_entry} snap={block.snapshot} "
        f"round={block.round} session={_one_word(block.session)}>"
    )
    checksum = _checksum(fence, attributes, body)
    return f"{OPEN}v={VERSION} fence={fence} checksum={checksum} {attributes}\n{body}\n{CLOSE}"


def parse(text: str) -> StateBlock | InvalidBlock | None:
    """
    Return the block that ``text`` is as a whole.

    ``None`` where the text does not begin as one; ``InvalidBlock`` where it does and is edited,
    truncated, of another version, or followed by other text.
    """
    if not text.startswith(OPEN):
        return None
    try:
        return _parse_whole(text)
    except _InvalidError as error:
        return InvalidBlock(str(error))
    except (ValueError, IndexError, KeyError):
        return InvalidBlock("its items cannot be read")


class _InvalidError(Exception):
    """Why a text is no whole block."""


def _parse_whole(text: str) -> StateBlock:
    head, _, rest = text.partition("\n")
    found = _HEADER.fullmatch(head)
    if not found:
        raise _InvalidError("its first line is not that of a state block")
    if int(found["version"]) != VERSION:
        raise _InvalidError(f"it has version {found['version']}, this tool reads {VERSION}")
    body, close, after = rest.rpartition("\n" + CLOSE)
    if not close or after.strip():
        raise _InvalidError("it is not closed, or other text follows it")
    attributes = head.split(" ", 4)[4]
    if _checksum(found["fence"], attributes, body) != found["checksum"]:
        raise _InvalidError("its checksum does not fit its text: it was edited")
    return _parse_body(found, body)


def one_line(text: str, limit: int = 300) -> str:
    """
    Return text of a tool as one safe line: controls made visible, at most ``limit`` characters.

    It cannot start a line of its own, so that it can neither close a part nor pose as human.
    """
    flat = " ".join(text.split())
    if flat.isprintable():
        return flat if len(flat) <= limit else flat[: limit - 1] + "…"
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in flat)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _one_word(text: str) -> str:
    """A session's id, which may be any text, as one word that the header can hold."""
    kept = "".join(c if c.isprintable() and not c.isspace() else "_" for c in text)
    return kept or "-"


def _body(block: StateBlock, fence: str, *, with_human: bool) -> Iterator[str]:
    yield _PROSE.format(snapshot=block.snapshot)
    yield f"{fence} pinned"
    for pin in block.pins:
        yield f"{fence} {_ref(pin.ref, block.snapshot)} {pin.strength} {pin.kind} {pin.author}"
        yield pin.text
        if pin.referent is not None:
            yield f"{fence} answers"
            yield pin.referent
    if with_human:
        yield f"{fence} human"
        yield from _human(block, fence)
    yield f"{fence} state"
    yield from _state(block, fence)
    yield f"{fence} end"


def _human(block: StateBlock, fence: str) -> Iterator[str]:
    pinned = _whole_pins(block.pins)
    for said in block.human:
        ref = _ref(said.ref, block.snapshot) + (f"..{said.last}" if said.last else "")
        if said.text is None:
            yield f"{fence} {ref} {said.author} {said.tokens} tokens, see the original"
        elif pinned.get(said.ref) == said.text:
            yield f"{fence} {ref} {said.author} {_PINNED_WHOLE}"
        else:
            yield f"{fence} {ref} {said.author}"
            yield said.text


def _state(block: StateBlock, fence: str) -> Iterator[str]:
    for fact in block.facts:
        fields = (fact.status, fact.key, fact.text, fact.proof, _ref(fact.ref, block.snapshot))
        yield "\t".join(one_line(field, 600) for field in fields)
    for section in Section:
        lines = [line for line in block.lines if line.section is section]
        if lines:
            yield f"{fence} {section}"
        for line in lines:
            to = f"..{line.last}" if line.last else ""
            yield f"{one_line(line.text, 600)}\t{_ref(line.ref, block.snapshot)}{to}"


def _parse_body(found: re.Match[str], body: str) -> StateBlock:
    fence, own = found["fence"] + " ", found["snapshot"]
    items = _items(body, fence)
    pins: list[BlockPin] = []
    human: list[BlockText] = []
    facts: list[BlockFact] = []
    lines: list[BlockLine] = []
    whole: dict[Ref, str] = {}
    part = ""
    for head, text in items:
        words = head.split(" ")
        if words[0] in ("pinned", "human", "end"):
            part = words[0]
        elif words[0] == "answers":
            pins[-1] = _with_referent(pins[-1], text)
        elif words[0] == "state":
            facts = [_parse_fact(line, own) for line in text.split("\n") if line]
        elif words[0] in set(Section):
            section = Section(words[0])
            lines += [_parse_line(section, line, own) for line in text.split("\n") if line]
        elif part == "pinned":
            ref, strength, kind, author = words
            pins.append(
                BlockPin(
                    ref=_parse_ref(ref, own),
                    strength=Strength(strength),
                    kind=PinKind(kind),
                    author=Author(author),
                    text=text,
                )
            )
            whole.setdefault(pins[-1].ref, text)
        else:
            human.append(_parse_text(words, text, own, whole))
    return StateBlock(
        policy=found["policy"],
        last_entry=found["last"],
        snapshot=own,
        round=int(found["round"]),
        session=found["session"],
        pins=tuple(pins),
        human=tuple(human),
        facts=tuple(facts),
        lines=tuple(lines),
    )


def _items(body: str, fence: str) -> Iterator[tuple[str, str]]:
    head: str | None = None
    text: list[str] = []
    for line in body.split("\n"):
        if line.startswith(fence):
            if head is not None:
                yield head, "\n".join(text)
            head, text = line[len(fence) :], []
        else:
            text.append(line)
    if head is not None:
        yield head, "\n".join(text)


def _with_referent(pin: BlockPin, text: str) -> BlockPin:
    return BlockPin(
        ref=pin.ref,
        kind=pin.kind,
        strength=pin.strength,
        author=pin.author,
        text=pin.text,
        referent=text,
    )


def _parse_text(words: list[str], text: str, own: str, whole: Mapping[Ref, str]) -> BlockText:
    first, _, last = words[0].partition("..")
    ref, author, rest = _parse_ref(first, own), Author(words[1]), " ".join(words[2:])
    if rest == _PINNED_WHOLE:
        return BlockText(ref=ref, author=author, text=whole[ref])
    if rest:
        return BlockText(
            ref=ref, author=author, text=None, tokens=int(words[2]), last=last or None
        )
    return BlockText(ref=ref, author=author, text=text)


def _whole_pins(pins: Iterable[BlockPin]) -> dict[Ref, str]:
    """First pin of each place: where a message is one pin, it need not stand twice."""
    found: dict[Ref, str] = {}
    for pin in pins:
        found.setdefault(pin.ref, pin.text)
    return found


def _parse_fact(line: str, own: str) -> BlockFact:
    status, key, text, proof, ref = line.split("\t")
    return BlockFact(
        ref=_parse_ref(ref, own), status=FactStatus(status), key=key, text=text, proof=proof
    )


def _parse_line(section: Section, line: str, own: str) -> BlockLine:
    text, ref = line.rsplit("\t", 1)
    first, _, last = ref.partition("..")
    return BlockLine(section=section, ref=_parse_ref(first, own), text=text, last=last or None)


def _ref(ref: Ref, own: str) -> str:
    return ref.entry if ref.snapshot == own else f"{ref.snapshot}#{ref.entry}"


def _parse_ref(text: str, own: str) -> Ref:
    found = _REF.fullmatch(text)
    if not found:
        raise ValueError(text)
    return Ref(found["snapshot"] or own, found["entry"])


def _fence(block: StateBlock) -> str:
    texts = [pin.text for pin in block.pins]
    texts += [pin.referent for pin in block.pins if pin.referent is not None]
    texts += [said.text for said in block.human if said.text is not None]
    texts += [line.text for line in block.lines]
    used = "\n" + "\n".join(texts)
    fence, number = "~cc", 0
    while f"\n{fence} " in used:
        number += 1
        fence = f"~cc{number}"
    return fence


def _checksum(fence: str, attributes: str, body: str) -> str:
    whole = f"{VERSION}\n{fence}\n{attributes}\n{body}"
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
