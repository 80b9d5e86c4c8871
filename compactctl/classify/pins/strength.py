"""Judges one sentence by its form: whether it binds, as what, and how firmly."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from compactctl.classify.pins.cues import Hits, Table, languages, tables
from compactctl.classify.pins.parts import Context, PartKind
from compactctl.model.classification import PinKind, Strength
from compactctl.model.entry import Author


class Asked(IntEnum):
    """What the assistant's message before asks of the human."""

    NOTHING = 0
    """No message of the assistant stands before."""
    TOLD = 1
    """It reports or proposes."""
    ASKED = 2
    """It ends in a question or offers options."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a sentence stands."""

    author: Author
    part: PartKind
    context: Context
    asked: Asked
    final: bool
    """In the last paragraph of its message."""
    alone: bool
    """The message is no longer than a few sentences."""
    first: bool
    """It is the first sentence of its message."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a sentence is; ``answers`` says that it settles what the assistant offered."""

    kind: PinKind
    strength: Strength
    why: str
    answers: bool = False


_QUESTION_MARK = re.compile(r"[?？؟][\s\"'”’»)\]*_!]{0,4}$")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|„[^“”\n]{1,400}[“”]|「[^」\n]{1,400}」|『[^』\n]{1,400}』"
    r"|(?<![\w])'[^'\n]{2,200}'(?!\w)|`[^`\n]{1,400}`"
)
_LETTER = re.compile(r"[^\W\d_]")
_MEASURE = re.compile(r"\d")
_LONG = 700
"""A sentence longer than this is no statement of a person but material."""
_SHORT_WORDS = 6
_ANSWER_WORDS = 14
_NO_TABLE = 200

_SC = (PinKind.CONSTRAINT, Strength.STRONG)
_WC = (PinKind.CONSTRAINT, Strength.WEAK)
_SD = (PinKind.DECISION, Strength.STRONG)
_WD = (PinKind.DECISION, Strength.WEAK)
_SG = (PinKind.GOAL, Strength.STRONG)
_WG = (PinKind.GOAL, Strength.WEAK)
_RANK = {Strength.STRONG: 2, Strength.WEAK: 1}


def judge(text: str, setting: Setting, around: Sequence[str]) -> Verdict | None:
    """
    Return what the sentence is, ``None`` where it plainly cannot bind.

    ``around`` are the languages of the message. Where no cue table fits, a short statement is
    weak. Doubt is weak.
    """
    if len(text) > _LONG or not (_LETTER.search(text) or setting.asked is Asked.ASKED):
        return None
    bare = _QUOTED.sub(_blank, text)
    codes = languages(bare, around)
    if not codes:
        return _without_table(text, setting)
    found: list[Verdict | None] = []
    for code in codes[:3]:
        table = tables()[code]
        found.append(_by_table(text, bare, table, setting))
    best = max(found, key=lambda v: _RANK[v.strength] if v else 0)
    if len(found) > 1 and any(v is None for v in found) and _QUESTION_MARK.search(text):
        best = next((v for v in found if v is None), best) if best is None else best
    return best


def _blank(found: re.Match[str]) -> str:
    """Quoted words are somebody else's; what is left tells the form."""
    return " " + "x" * (found.end() - found.start() > 2) + " "  # noqa: PLR2004 -- more than the marks


def _without_table(text: str, setting: Setting) -> Verdict | None:
    if _QUESTION_MARK.search(text) or len(text) > _NO_TABLE or setting.author is Author.SYSTEM:
        return None
    if setting.asked is Asked.ASKED and setting.first and not _LETTER.search(text):
        return Verdict(*_SD, "answers the offer by its number", answers=True)
    if not _LETTER.search(text):
        return None
    return Verdict(*_WC, "short statement in a language without a cue table")


def _by_table(text: str, bare: str, table: Table, setting: Setting) -> Verdict | None:
    hits = table.hits(bare)
    size = len(hits.tokens) if table.unit == "word" else (len(hits.tokens) + 1) // 2
    if not hits.tokens:
        return _quoted_only(setting)
    verdict = _form(text, hits, table, setting, size)
    return _in_setting(verdict, hits, setting, size)


def _quoted_only(setting: Setting) -> Verdict | None:
    if setting.asked is Asked.ASKED and setting.first:
        return Verdict(*_WD, "answers with a quotation or a name", answers=True)
    return None


def _form(text: str, hits: Hits, table: Table, setting: Setting, size: int) -> Verdict | None:
    """Judge by the form of the sentence alone."""
    asks = bool(_QUESTION_MARK.search(text))
    if hits.at_start("thanks") and size <= _SHORT_WORDS and not _binds(hits, "thanks"):
        return None
    if asks or (hits.at_start("question") and not hits.at_start("request")):
        return _question(hits, setting, size, asks=asks)
    if answer := _answer(text, hits, table, setting, size):
        return answer
    return _statement(hits, setting, size)


def _binds(hits: Hits, *but: str) -> bool:
    groups = {"prohibition", "obligation", "choice", "request", "wish", "change", "approval"}
    return bool((hits.any | hits.starts) & (groups - set(but)))


def _question(hits: Hits, setting: Setting, size: int, *, asks: bool) -> Verdict | None:
    if hits.has("request"):
        if hits.at_start("request") or not hits.at_start("question"):
            return _request(hits)
        return None
    if hits.ends & {"question"} and hits.has("obligation", "wish", "prohibition", "advice"):
        return Verdict(*_WC, "a statement that asks for assent")
    if hits.at_start("question"):
        return None
    if hits.at_start("imperative", "choice", "prohibition") and asks:
        return Verdict(*_WG, "an order put as a question")
    if hits.has("obligation", "wish", "advice") and not hits.at_start("observation"):
        return Verdict(*_WC, "a wish put as a question")
    if hits.at_start("approval", "rejection") and setting.asked is Asked.ASKED and size > 1:
        return Verdict(*_WD, "an answer that asks back", answers=True)
    return None


def _request(hits: Hits) -> Verdict:
    if hits.has("prohibition", "obligation", "limit"):
        return Verdict(*_SC, "a request that sets a rule or a limit")
    if hits.has("change", "correction"):
        return Verdict(*_WD, "a request that changes what was chosen")
    return Verdict(*_WG, "a request put as a question")


def _answer(
    text: str, hits: Hits, table: Table, setting: Setting, size: int
) -> Verdict | None:
    """Judge an answer to the assistant: assent, refusal, the choice of an option."""
    if setting.asked is Asked.NOTHING or not setting.first:
        return None
    if setting.asked is Asked.ASKED and names_option(hits.tokens, table) and size <= _ANSWER_WORDS:
        return Verdict(*_SD, "chooses one of the options offered", answers=True)
    taken = max((hits.spans.get(g, 0) for g in ("approval", "rejection")), default=0)
    group = "approval" if hits.at_start("approval") else "rejection"
    whole = taken >= len(hits.tokens) or "approval" in hits.ends or "rejection" in hits.ends
    if hits.at_start("approval", "rejection"):
        if hits.at_start("thanks", "filler") and not hits.has("obligation", "choice") and whole:
            return Verdict(*_WD, "a short assent or a courtesy", answers=True)
        if hits.at_start("observation") and not whole:
            return None
        firm = whole or size <= _ANSWER_WORDS or _binds(hits, "approval")
        return Verdict(*(_SD if firm else _WD), f"an answer: {group}", answers=True)
    if hits.has("approval", "rejection") and size <= _ANSWER_WORDS:
        return Verdict(*_SD, "an answer that settles what was offered", answers=True)
    if setting.asked is Asked.ASKED and size <= _SHORT_WORDS and not hits.at_start("thanks"):
        if not hits.at_start("imperative", "prohibition", "observation"):
            return Verdict(*_WD, "a short answer to a question", answers=True)
    return None


def _statement(hits: Hits, setting: Setting, size: int) -> Verdict | None:
    """Judge a declarative or an order."""
    if hits.at_start("prohibition") or (
        hits.has("prohibition") and not hits.at_start("observation")
    ):
        return Verdict(*_SC, "a prohibition")
    if hits.at_start("observation"):
        if hits.has("wish", "request", "obligation", "change"):
            return Verdict(*_WC, "an observation with a wish in it")
        return None
    if hits.has("obligation"):
        if hits.has("wish"):
            return Verdict(*_WC, "a wish that names a duty")
        return Verdict(*_SC, "an obligation")
    if hits.has("limit") and (hits.at_start("imperative", "choice", "wish") or size <= 16):  # noqa: PLR2004 -- a short rule
        return Verdict(*_SC, "a limit")
    if hits.has("rejection", "change") and size <= _ANSWER_WORDS * 2:
        return Verdict(*_SD, "a rejection or a change of what was chosen")
    if hits.at_start("choice") or hits.has("choice"):
        return Verdict(*_SD, "a choice")
    if hits.at_start("imperative") or "imperative" in hits.ends:
        if hits.has("manner", "limit"):
            return Verdict(*_SC, "an order that says how")
        return Verdict(*_SG, "an order")
    if hits.has("politeness", "request", "imperative"):
        if hits.has("manner", "limit"):
            return Verdict(*_SC, "a request on how to work")
        return Verdict(*_SG if hits.has("politeness") else _WG, "a request")
    if hits.has("correction"):
        return Verdict(*_SC, "a correction")
    if hits.has("wish", "advice", "permission", "manner"):
        return Verdict(*_WC, "a wish or advice")
    if hits.at_start("thanks") and size <= _ANSWER_WORDS:
        return None
    return Verdict(*_WC, "a statement of the surroundings")


def _in_setting(
    verdict: Verdict | None, hits: Hits, setting: Setting, size: int
) -> Verdict | None:
    """Temper the form by where the sentence stands."""
    if verdict is None:
        return None
    firm = verdict.strength is Strength.STRONG
    if setting.context is Context.PASTED:
        requests = hits.has("request", "wish") and setting.final
        return _weak(verdict) if requests else None
    if setting.part is PartKind.HEADING:
        orders = setting.first and hits.has("imperative", "handover", "choice", "obligation")
        return _weak(verdict) if orders and setting.author is not Author.SYSTEM else None
    if setting.context is Context.BACKGROUND:
        return _weak(verdict) if firm and verdict.kind is not PinKind.GOAL else None
    if setting.author is Author.SYSTEM:
        binding = setting.context is Context.BINDING and setting.part is PartKind.ITEM
        return verdict if firm or binding else None
    if setting.context is Context.BINDING and setting.part is PartKind.ITEM and not verdict.answers:
        return Verdict(*_SC, f"an item under a heading that binds: {verdict.why}")
    if setting.part is PartKind.ITEM and setting.context is Context.WORK:
        return verdict if verdict.kind is PinKind.CONSTRAINT and firm else _weak(verdict)
    return verdict


def _weak(verdict: Verdict) -> Verdict:
    return Verdict(verdict.kind, Strength.WEAK, verdict.why, verdict.answers)


def names_option(tokens: Sequence[str], table: Table) -> bool:
    """Return whether an answer begins by naming an option: "2", "option b", "the second one"."""
    lead = {words[0] for words in table.ordinals.get("option", ()) if words}
    at = 0
    while at < len(tokens) and at < _SHORT_WORDS:
        token = tokens[at]
        if token.isdigit() and len(token) <= 2:  # noqa: PLR2004 -- options have one or two digits
            return True
        if len(token) == 1 and token in "abcdef" and (at > 0 or len(tokens) <= _SHORT_WORDS):
            return True
        for key in ("first", "second", "third", "fourth", "last"):
            for words in table.ordinals.get(key, ()):
                if tuple(tokens[at : at + len(words)]) == words:
                    return True
        if token not in lead and at > 0:
            return False
        at += 1
    return False
