"""Assembling a state block within its budget: what gives way, in which order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from compactctl.compact.head import Head
from compactctl.compact.material import Settings
from compactctl.compact.policies import decision, fact, raw, reasoning
from compactctl.formats.state_block import (
    BlockFact,
    BlockLine,
    BlockPin,
    BlockText,
    Ref,
    Section,
    StateBlock,
    render,
)
from compactctl.model.classification import Strength
from compactctl.model.pointer import SnapshotPointer

_LEAST_STATE = 2_000
"""Tokens that the state part may always take."""
_LONG_PASTE = 200
_ITEM_OVERHEAD = 12
"""Tokens of an item's own line; a message shorter than this is not worth a pointer."""

Item = BlockPin | BlockText | BlockFact | BlockLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A block, its size, and what of the human words gave way to a pointer."""

    block: StateBlock
    tokens: int
    """Tokens of everything that is written in place of the head."""
    pointed_pins: tuple[BlockPin, ...]
    pointed_text: tuple[BlockText, ...]
    unwritten: tuple[Ref, ...]
    """Originals whose one line gave way too; the ledger still points at them."""


@dataclass(frozen=True, slots=True)
class TooSmall:
    """The budget cannot hold what must never be lost: what is in the way."""

    reason: str
    hint: str


def assemble(
    head: Head,
    settings: Settings,
    *,
    policy: str,
    last_entry: str,
    round_number: int,
    human_apart: bool,
) -> Assembled | TooSmall:
    """
    Return the state block for a head.

    Order of giving way to ``budget``: raw lines of earlier rounds, raw lines, older facts,
    verified facts, open work, human text that holds no pin, human text whose pins stay, weak
    pins. Failed and pending facts, do-not-retry lines and strong pins never do. Without a budget
    only the state part is bounded, and only raw lines and facts give way to that.
    """
    parts = _Parts.of(head)
    frame = StateBlock(
        policy=policy,
        last_entry=last_entry,
        snapshot=head.material.snapshot,
        round=round_number,
        session=head.material.transcript.session_id or "-",
        pins=(),
        human=(),
        facts=(),
        lines=(),
    )
    press = _Press(head, parts, frame, human_apart=human_apart)
    press.limit_human(settings.keep_human)
    if settings.budget is None:
        press.limit_state(max(_LEAST_STATE, int(settings.state_share * head.tokens)))
    elif not press.limit_all(settings.budget):
        return press.in_the_way(settings.budget)
    return press.assembled()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    pins: tuple[BlockPin, ...]
    human: tuple[BlockText, ...]
    facts: tuple[BlockFact, ...]
    old_facts: frozenset[Ref]
    """Facts of earlier epochs, and facts that a later one replaced."""
    replaced: frozenset[Ref]
    lines: tuple[BlockLine, ...]
    rolled: tuple[BlockLine, ...]
    """The raw lines with runs in one line each."""
    carried: tuple[BlockLine, ...]

    @classmethod
    def of(cls, head: Head) -> "_Parts":
        facts = fact.facts(head)
        here = head.folded_ids
        own = head.material.snapshot
        replaced = frozenset(Ref(own, entry) for entry in fact.replaced(head))
        return cls(
            pins=decision.pins(head),
            human=decision.human_text(head),
            facts=facts,
            old_facts=frozenset(
                f.ref for f in facts if f.ref.snapshot != own or f.ref.entry not in here
            )
            | replaced,
            replaced=replaced,
            rolled=raw.rolled_lines(head),
            lines=(
                *reasoning.do_not_retry(head),
                *reasoning.open_work(head),
                *raw.result_lines(head),
                *reasoning.summaries(head),
            ),
            carried=raw.carried_lines(head),
        )


class _Press:
    """Holds what is still in the block, and takes out what gives way."""

    def __init__(self, head: Head, parts: _Parts, frame: StateBlock, *, human_apart: bool) -> None:
        self.count: Callable[[str], int] = head.material.count
        self.frame = frame
        self.human_apart = human_apart
        self.old_facts = parts.old_facts
        self.replaced = parts.replaced
        self.rolled = parts.rolled
        self.pins = dict(enumerate(parts.pins))
        self.human = dict(enumerate(parts.human))
        self.facts = dict(enumerate(parts.facts))
        self.lines = dict(enumerate((*parts.carried, *parts.lines)))
        self.carried = range(len(parts.carried))
        self.pointed_pins: list[BlockPin] = []
        self.pointed_text: list[BlockText] = []
        self.unwritten: list[Ref] = []
        self.costs: dict[Item, int] = {}

    def block(self) -> StateBlock:
        return replace(
            self.frame,
            pins=tuple(self.pins.values()),
            human=tuple(_merged(self.human.values())),
            facts=tuple(self.facts.values()),
            lines=tuple(self.lines.values()),
        )

    def tokens(self) -> int:
        block = self.block()
        size = self.count(render(block, with_human=not self.human_apart))
        if self.human_apart:
            texts = [said.text for said in block.human]
            size += sum(self.count(t) if t is not None else _ITEM_OVERHEAD for t in texts)
        return size

    def assembled(self) -> Assembled:
        return Assembled(
            block=self.block(),
            tokens=self.tokens(),
            pointed_pins=tuple(self.pointed_pins),
            pointed_text=tuple(self.pointed_text),
            unwritten=tuple(self.unwritten),
        )

    def limit_human(self, limit: int) -> None:
        """Long pastes become pointers until the human text fits."""
        total = sum(said.tokens for said in self.human.values() if said.text is not None)
        for key in self._longest_texts():
            if total <= limit or self.human[key].tokens < _LONG_PASTE:
                return
            total -= self.human[key].tokens
            self._point(key)

    def limit_state(self, limit: int) -> None:
        """Raw lines and facts give way until the state part fits."""
        total = sum(map(self._cost, self.facts.values()))
        total += sum(map(self._cost, self.lines.values()))
        steps = (
            self._carried_lines,
            self._roll_up,
            self._raw_lines,
            self._older_facts,
            self._verified,
        )
        for step in steps:
            for saved in step():
                if total <= limit:
                    return
                total -= saved()

    def limit_all(self, limit: int) -> bool:
        """Everything that may gives way until the block fits; returns whether it does."""
        steps = (
            self._carried_lines,
            self._roll_up,
            self._raw_lines,
            self._older_facts,
            self._verified,
            self._open_work,
            self._texts_without_pin,
            self._longest,
            self._weak_pins,
        )
        excess = self.tokens() - limit
        for step in steps:
            for saved in step():
                # Costs of items are estimates of their share; the block is counted again.
                if excess <= 0 and (excess := self.tokens() - limit) <= 0:
                    return True
                excess -= saved()
        return self.tokens() <= limit

    def in_the_way(self, limit: int) -> TooSmall:
        strong = sum(self._cost(pin) for pin in self.pins.values())
        facts = sum(self._cost(item) for item in self.facts.values())
        lines = sum(self._cost(line) for line in self.lines.values())
        return TooSmall(
            f"a budget of {limit:,} tokens cannot hold {len(self.pins)} strong pins ({strong:,} "
            f"tokens), {len(self.facts)} failed or pending facts ({facts:,}) and "
            f"{len(self.lines)} do-not-retry lines ({lines:,})",
            f"give at least --budget {self.tokens():,}",
        )

    def _carried_lines(self) -> Iterator[Callable[[], int]]:
        yield from (self._drop_line(key) for key in self.carried if key in self.lines)

    def _roll_up(self) -> Iterator[Callable[[], int]]:
        own = [
            key
            for key, line in self.lines.items()
            if line.section is Section.RESULTS and key not in self.carried
        ]

        def roll() -> int:
            before = sum(self._cost(self.lines.pop(key)) for key in own)
            start = max(self.lines, default=-1) + len(own) + 1
            self.lines.update(enumerate(self.rolled, start))
            return before - sum(map(self._cost, self.rolled))

        if own:
            yield roll

    def _raw_lines(self) -> Iterator[Callable[[], int]]:
        found = (Section.RESULTS, Section.REASONING)
        keys = [key for key, line in self.lines.items() if line.section in found]
        yield from (self._drop_line(key) for key in keys)

    def _open_work(self) -> Iterator[Callable[[], int]]:
        keys = [k for k, line in self.lines.items() if line.section is Section.OPEN_WORK]
        yield from (self._drop_line(key) for key in keys)

    def _older_facts(self) -> Iterator[Callable[[], int]]:
        keys = [k for k, f in self.facts.items() if f.ref in self.old_facts]
        yield from (self._drop_fact(key) for key in keys if self._may_go(key))

    def _verified(self) -> Iterator[Callable[[], int]]:
        yield from (self._drop_fact(key) for key in list(self.facts) if self._may_go(key))

    def _texts_without_pin(self) -> Iterator[Callable[[], int]]:
        pinned = {pin.ref for pin in self.pins.values()}
        for key in self._longest_texts():
            if self.human[key].ref not in pinned:
                yield self._pointed(key)

    def _longest(self) -> Iterator[Callable[[], int]]:
        yield from (self._pointed(key) for key in self._longest_texts())

    def _weak_pins(self) -> Iterator[Callable[[], int]]:
        weak = [key for key, pin in self.pins.items() if pin.strength is Strength.WEAK]
        for key in sorted(weak, key=lambda k: -self._cost(self.pins[k])):
            yield self._drop_pin(key)

    def _longest_texts(self) -> Sequence[int]:
        whole = [key for key, said in self.human.items() if said.text is not None]
        return sorted(whole, key=lambda key: -self.human[key].tokens)

    def _may_go(self, key: int) -> bool:
        found = self.facts[key]
        return found.status not in fact.LASTING or found.ref in self.replaced

    def _drop_line(self, key: int) -> Callable[[], int]:
        def drop() -> int:
            line = self.lines.pop(key)
            self.unwritten.append(line.ref)
            return self._cost(line)

        return drop

    def _drop_fact(self, key: int) -> Callable[[], int]:
        def drop() -> int:
            gone = self.facts.pop(key)
            self.unwritten.append(gone.ref)
            return self._cost(gone)

        return drop

    def _drop_pin(self, key: int) -> Callable[[], int]:
        def drop() -> int:
            pin = self.pins.pop(key)
            self.pointed_pins.append(pin)
            return self._cost(pin)

        return drop

    def _pointed(self, key: int) -> Callable[[], int]:
        def point() -> int:
            return self._point(key)

        return point

    def _point(self, key: int) -> int:
        said = self.human[key]
        saved = self._cost(said) - _ITEM_OVERHEAD
        self.human[key] = replace(said, text=None)
        self.pointed_text.append(said)
        return max(saved, 0)

    def _cost(self, item: Item) -> int:
        found = self.costs.get(item)
        if found is None:
            found = self.costs[item] = self.count(_rendered(item)) + _ITEM_OVERHEAD
        return found


def pointer_of(ref: Ref) -> str:
    """Return a ref as a pointer."""
    return str(SnapshotPointer(ref.snapshot, ref.entry))


def _rendered(item: Item) -> str:
    match item:
        case BlockPin(text=text, referent=referent):
            return f"{text}\n{referent or ''}"
        case BlockText(text=text):
            return text or ""
        case BlockFact(key=key, text=text, proof=proof):
            return f"{key} {text} {proof}"
        case BlockLine(text=text):
            return text


def _merged(texts: Iterable[BlockText]) -> Iterator[BlockText]:
    """Runs of messages that gave way become one pointer."""
    run: BlockText | None = None
    for said in texts:
        if said.text is not None or run is None or not _joins(run, said):
            if run is not None:
                yield run
            run = None
            if said.text is not None:
                yield said
            else:
                run = said
        else:
            run = replace(run, tokens=run.tokens + said.tokens, last=said.last or said.ref.entry)
    if run is not None:
        yield run


def _joins(run: BlockText, said: BlockText) -> bool:
    return run.ref.snapshot == said.ref.snapshot and run.author is said.author
