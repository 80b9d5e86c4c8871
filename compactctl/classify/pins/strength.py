# ruff: noqa: RUF001 -- these are the marks that people of other scripts write
"""Judges one sentence by its form and by where it stands: whether it binds, and how firmly."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compactctl.classify.pins.cues import Hits, Table, tables
from compactctl.classify.pins.forms import (
    ANSWERS,
    QUESTIONS,
    SHORT,
    STATEMENTS,
    Asked,
    Form,
    Verdict,
    binds,
    decide,
)
from compactctl.classify.pins.languages import languages
from compactctl.classify.pins.options import names_option
from compactctl.classify.pins.parts import Context, PartKind
from compactctl.model.classification import PinKind, Strength
from compactctl.model.entry import Author


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a sentence stands."""

    author: Author
    part: PartKind
    context: Context
    asked: Asked
    final: bool
    """In the last paragraph of its message."""
    first: bool
    """It is the first sentence of its message."""


_QUESTION_MARK = re.compile(r"[?？؟][\s\"'”’»)\]*_!]{0,4}$")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|„[^“”\n]{1,400}[“”]"
    r"|「[^」\n]{1,400}」|『[^』\n]{1,400}』|(?<!\w)'[^'\n]{2,200}'(?!\w)|`[^`\n]{1,400}`"
)
_DATA = re.compile(r"[\s`]{0,4}(?:\[\s?[\"\[{]|\{\s?\").*[\]}][\s`]{0,4}", re.DOTALL)
"""A JSON array or object: whatever it holds, it is data and no statement."""
_LETTER = re.compile(r"[^\W\d_]")
_CLAUSE = re.compile(r"[,;:](?=\s)|[，；、：،؛]|\s[-–—]{1,2}>?\s|\.{2,3}\s|(?<=\w)[.!]\s")
_CLAUSES = 12
_ORDER = 2
"""Words of the shortest order: a verb and what it is about."""
_LONG = 700
"""A sentence longer than this is no statement of a person but material."""
_NO_TABLE = 200
_RANK = {Strength.STRONG: 2, Strength.WEAK: 1}
_DOUBT = Verdict(PinKind.CONSTRAINT, Strength.WEAK, "a short statement that no cue table fits")
_NUMBER = Verdict(PinKind.DECISION, Strength.STRONG, "answers by a number", answers=True)
_NAME = Verdict(PinKind.DECISION, Strength.WEAK, "answers with a name or quotation", answers=True)
_SHORT_ANSWER = Verdict(
    PinKind.DECISION, Strength.WEAK, "a short answer to a question", answers=True
)
_CLAUSE_VERDICTS = (
    ("prohibition", Verdict(PinKind.CONSTRAINT, Strength.STRONG, "a prohibition in a clause")),
    ("choice", Verdict(PinKind.DECISION, Strength.STRONG, "a choice in a clause")),
)
_CONDITIONAL = Verdict(PinKind.CONSTRAINT, Strength.STRONG, "an order under a condition")
_FIRST_CLAUSE = Verdict(PinKind.GOAL, Strength.STRONG, "an order in a clause")
_LATER_CLAUSE = Verdict(PinKind.GOAL, Strength.WEAK, "an order in a clause")


def judge(text: str, setting: Setting, around: Sequence[str]) -> Verdict | None:
    """
    Return what the sentence is, ``None`` where it plainly cannot bind.

    ``around`` are the languages of the message. Where no cue table fits, a short statement is
    weak. Doubt is weak.
    """
    if len(text) > _LONG or _DATA.fullmatch(text):
        return None
    if not _LETTER.search(text):
        answers = setting.asked is Asked.ASKED and setting.first and any(map(str.isdigit, text))
        return _NUMBER if answers else None
    # Quoted words are somebody else's; what is left tells the form.
    bare = _QUOTED.sub(" x ", text)
    codes = languages(bare, around)
    if not codes:
        return _without_table(text, setting)
    found = [_by_table(text, bare, tables()[code], setting) for code in codes]
    best = max(found, key=lambda v: _RANK[v.strength] if v else 0)
    if best is None or best.strength is Strength.STRONG:
        return best
    # Of several languages that would fit, one that knows the words as a courtesy is right.
    return best if all(found) else None


def _without_table(text: str, setting: Setting) -> Verdict | None:
    if _QUESTION_MARK.search(text) or len(text) > _NO_TABLE or setting.author is Author.SYSTEM:
        return None
    return _DOUBT


def _by_table(text: str, bare: str, table: Table, setting: Setting) -> Verdict | None:
    hits = table.hits(bare)
    if not any(token != "x" for token in hits.tokens):  # noqa: S105 -- the blank of a quotation
        return _NAME if setting.asked is Asked.ASKED and setting.first else None
    return _in_setting(_by_form(text, bare, table, setting), hits, setting)


def _by_form(text: str, bare: str, table: Table, setting: Setting) -> Verdict | None:
    """Judge by the form of the sentence, then by its clauses."""
    hits = table.hits(bare)
    form = Form(
        hits=hits,
        size=table.size(hits),
        asks=bool(_QUESTION_MARK.search(text)),
        asked=setting.asked,
        names_option=names_option(hits.tokens, table),
    )
    if hits.at_start("thanks") and form.size <= SHORT and not binds(hits) and not form.asked:
        return None
    if form.asks or (hits.at_start("question") and not hits.at_start("request")):
        rule = decide(QUESTIONS, form)
        return _clauses(bare, table, rule.verdict if rule else None, asks=form.asks)
    if setting.first and setting.asked is not Asked.NOTHING:
        rule = decide(ANSWERS, form)
        if rule is not None:
            return rule.verdict
    rule = decide(STATEMENTS, form)
    verdict = _clauses(bare, table, rule.verdict if rule else None, asks=False)
    return _short_answer(verdict, form, setting)


def _clauses(bare: str, table: Table, verdict: Verdict | None, *, asks: bool) -> Verdict | None:
    """An order in a clause of its own binds although the sentence around it does not."""
    if verdict is not None and verdict.strength is Strength.STRONG:
        return verdict
    pieces = [p for p in _CLAUSE.split(bare, maxsplit=_CLAUSES) if p.strip()]
    if len(pieces) == 1:
        return verdict
    heads = [table.hits(piece) for piece in pieces]
    conditional = heads[0].at_start("condition")
    for number, head in enumerate(heads[:-1] if asks else heads):
        if head.at_edge("question", "observation") or len(head.tokens) - head.start < _ORDER:
            continue
        if conditional and number and head.at_edge("imperative", "prohibition", "choice"):
            return _CONDITIONAL
        for group, found in _CLAUSE_VERDICTS:
            if head.at_edge(group):
                return found
        if head.at_edge("imperative") and (number == 0 or verdict is None):
            return _FIRST_CLAUSE if number == 0 else _LATER_CLAUSE
    return verdict


def _short_answer(verdict: Verdict | None, form: Form, setting: Setting) -> Verdict | None:
    """A few words after a question answer it, whatever their form."""
    if not setting.first or setting.asked is not Asked.ASKED or form.size > SHORT:
        return verdict
    weak = verdict is not None and verdict.strength is Strength.WEAK
    return _SHORT_ANSWER if weak else verdict


def _in_setting(verdict: Verdict | None, hits: Hits, setting: Setting) -> Verdict | None:
    """Temper the form by where the sentence stands."""
    if verdict is None or setting.part is PartKind.HEADING:
        return _heading(verdict, hits, setting)
    firm = verdict.strength is Strength.STRONG
    if setting.context is Context.PASTED:
        asks = setting.final and hits.has("request", "wish")
        return _weak(verdict) if asks else None
    if setting.context is Context.BACKGROUND:
        return _weak(verdict) if firm and verdict.kind is not PinKind.GOAL else None
    if setting.part is PartKind.ITEM and setting.context in _ITEMS:
        return _ITEMS[setting.context](verdict)
    return verdict if firm or setting.author is not Author.SYSTEM else None


def _binding_item(verdict: Verdict) -> Verdict:
    if verdict.answers:
        return verdict
    why = f"an item under a heading that binds: {verdict.why}"
    return Verdict(PinKind.CONSTRAINT, Strength.STRONG, why)


def _work_item(verdict: Verdict) -> Verdict:
    rule = verdict.kind is PinKind.CONSTRAINT and verdict.strength is Strength.STRONG
    return verdict if rule else _weak(verdict)


_ITEMS = {Context.BINDING: _binding_item, Context.WORK: _work_item}


def _heading(verdict: Verdict | None, hits: Hits, setting: Setting) -> Verdict | None:
    """A heading is a statement only where a message opens with it as an order."""
    if verdict is None:
        return None
    orders = setting.first and hits.has("imperative", "handover", "choice", "obligation")
    return _weak(verdict) if orders and setting.author is not Author.SYSTEM else None


def _weak(verdict: Verdict) -> Verdict:
    return replace(verdict, strength=Strength.WEAK)
