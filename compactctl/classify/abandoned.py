"""Abandoned approaches: rejected, reverted, replaced by another way, given up in words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.classify.retries import alike
from compactctl.classify.session import Speech
from compactctl.model.classification import CHECKS, Outcome, ResultKind

_NEAR = 5
"""Calls after a failure among which another way is looked for."""
_ALIKE = 0.12
_BACK = 40
"""Calls before a revert among which the work that it undoes is looked for."""

_GIVES_UP = re.compile(
    r"\b(?:(?:try|take|use|need|switch(?:ing)? to|go with) (?:a |an |another )?"
    r"(?:different|another|alternative|simpler|other) (?:approach|way|method|strategy|route|tack)|"
    r"(?:that|this|it) (?:approach |idea |attempt )?(?:didn't|did not|doesn't|does not|won't|"
    r"isn't going to|is not going to) (?:work|help|fit|apply)|"
    r"(?:revert(?:ing)?|undo(?:ing)?|roll(?:ing)? back|back(?:ing)? out|scrap(?:ping)?|"
    r"abandon(?:ing)?|drop(?:ping)?|discard(?:ing)?) (?:that|this|my|the|those|these)\b|"
    r"(?:wrong|dead) (?:approach|end|track|path)|not the (?:right|issue|problem|cause|bottleneck)|"
    r"isn't the (?:issue|problem|cause|bottleneck)|giv(?:e|ing) up on|instead of (?:that|this)|"
    r"a better (?:approach|way)|start(?:ing)? over|on second thought|"
    r"(?:can't|cannot) be (?:used|done) (?:this|that) way|"
    r"(?:I'm|I am|I'll|I will|let me|let's|we'll|we will|switch(?:ing)? to|us(?:e|ing))\b"
    r"[^.!?\n]{1,160}\binstead\b(?! of))",
    re.IGNORECASE,
)
"""Words that leave a way: for another one, or because it cannot be gone."""
_CANNOT = re.compile(
    r"\b(?:(?:does not|doesn't|do not|don't) (?:\w+ly )?support|"
    r"(?:is not|isn't|are not|aren't) (?:\w+ly )?(?:supported|\w{2,20}[ai]ble)|"
    r"(?:is|are) (?:\w+ly )?(?:unsupported|(?:un|in)\w{2,20}[ai]ble)|"
    r"too \w{2,20} (?:for|to))\b",
    re.IGNORECASE,
)
"""
Words that say why a way cannot be gone, of a failure right before them: what is not supported,
adjectives of what can be done (-able, -ible) denied, and too much of something.
"""
_DISPROVED = re.compile(
    r"\b(?:not|isn't|wasn't) the (?:issue|problem|cause|bottleneck|culprit)\b", re.IGNORECASE
)
_SHORT = 800
"""Characters of a remark; longer texts discuss more than one approach."""
_REVERTS = frozenset({"restore", "stash", "revert"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandoned:
    """An approach that was given up: its events, where it was left and what failed."""

    start_line: int
    end_line: int
    lines: tuple[int, ...]
    attempts: int
    what: str
    failure: str
    entry: str
    chain: str


def find_abandoned(
    events: Sequence[Event], speeches: Sequence[Speech], turn_of: Sequence[int]
) -> tuple[Abandoned, ...]:
    """Return the abandoned approaches in order of their start, none inside another's lines."""
    succeeded: dict[str, int] = {}
    for number, event in enumerate(events):
        if event.result.outcome is Outcome.SUCCESS:
            succeeded[event.result.subject] = number
    found = [
        *_rejected(events, succeeded),
        *_replaced(events, turn_of),
        *_reverted(events),
        *_said(events, speeches),
    ]
    return tuple(_distinct(found))


def _rejected(events: Sequence[Event], succeeded: dict[str, int]) -> Iterator[Abandoned]:
    for number, event in enumerate(events):
        if event.result.outcome is not Outcome.REJECTED:
            continue
        again = succeeded.get(event.result.subject, -1)
        if number < again <= number + _BACK and event.family is not Family.EDIT:
            continue
        yield _make([event], event.end_line, "rejected by the human")


def _replaced(events: Sequence[Event], turn_of: Sequence[int]) -> Iterator[Abandoned]:
    """A failed call and, right after it, success by another tool at the same matter."""
    for number, event in enumerate(events):
        if not event.failed or event.result.kind in CHECKS or event.family is Family.EDIT:
            continue
        for later in events[number + 1 : number + 1 + _NEAR]:
            if later.at <= event.until or later.result.chain != event.result.chain:
                continue
            if later.result.outcome is not Outcome.SUCCESS or later.empty:
                continue
            if turn_of[number] != turn_of[min(number + _NEAR, len(turn_of) - 1)]:
                break
            if later.act == event.act:
                break
            if alike(event, later) >= _ALIKE:
                yield _make([event], later.line, event.error, later.line)
                break


def _reverted(events: Sequence[Event]) -> Iterator[Abandoned]:
    for number, event in enumerate(events):
        if event.result.outcome is not Outcome.SUCCESS or not _reverts(event):
            continue
        before = events[max(0, number - _BACK) : number]
        names = {word.rsplit("/", 1)[-1] for words in event.steps for word in words[1:]}
        undone = [
            e
            for e in before
            if e.result.kind is ResultKind.EDIT
            and e.result.outcome is Outcome.SUCCESS
            and (not e.paths or any(p.rsplit("/", 1)[-1] in names for p in e.paths))
        ]
        work = undone[-4:] or [event]
        yield _make(work, event.end_line, f"undone by {event.result.subject[:120]}", event.line)


def _reverts(event: Event) -> bool:
    for words in event.steps:
        if words[0] != "git" or len(words) < 2:  # noqa: PLR2004 -- git and its verb
            continue
        if words[1] in _REVERTS and "list" not in words and "pop" not in words:
            return "--staged" not in words
        if words[1] == "checkout" and ("--" in words or "." in words[2:]):
            return True
        if words[1] == "reset" and "--hard" in words:
            return True
    return False


def _said(events: Sequence[Event], speeches: Sequence[Speech]) -> Iterator[Abandoned]:
    """Words that give up, with the failures that came right before them."""
    at = 0
    for speech in speeches:
        while at < len(events) and events[at].until < speech.at:
            at += 1
        if not _leaves(speech.text[:4_000].replace("\u2019", "'")):
            continue
        recent = [
            e
            for e in events[max(0, at - 6) : at]
            if e.result.chain == speech.entry.chain and e.failed
        ]
        if not recent and len(speech.text) <= _SHORT and _DISPROVED.search(speech.text):
            recent = [
                e for e in events[max(0, at - 3) : at] if e.result.chain == speech.entry.chain
            ]
        if recent:
            yield _make(
                recent,
                speech.entry.line,
                recent[-1].error or speech.text.strip()[:200],
                speech.entry.line,
            )


def _leaves(text: str) -> bool:
    if _GIVES_UP.search(text):
        return True
    return len(text) <= _SHORT and bool(_CANNOT.search(text))


def _make(events: Sequence[Event], end_line: int, failure: str, *more: int) -> Abandoned:
    last = events[-1]
    lines = {line for e in events for line in (e.line, e.end_line)} | set(more)
    return Abandoned(
        start_line=min(lines),
        end_line=max(end_line, *lines),
        lines=tuple(sorted(lines)),
        attempts=len(events),
        what=last.result.one_line,
        failure=failure,
        entry=last.result.result_entry or last.result.call_entry,
        chain=last.result.chain,
    )


def _distinct(found: Sequence[Abandoned]) -> Iterator[Abandoned]:
    seen: set[tuple[str, str]] = set()
    for one in sorted(found, key=lambda a: (a.start_line, a.end_line)):
        key = (one.chain, one.entry)
        if key not in seen:
            seen.add(key)
            yield one
