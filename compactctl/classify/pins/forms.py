"""The rules that judge a sentence by its form: ordered, the first that applies decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from compactctl.classify.pins.cues import Hits
from compactctl.model.classification import PinKind, Strength


class Asked(IntEnum):
    """What the assistant's message before asks of the human."""

    NOTHING = 0
    """No message of the assistant stands before."""
    TOLD = 1
    """It reports or proposes."""
    ASKED = 2
    """It ends in a question or offers options."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a sentence is; ``answers`` says that it settles what the assistant offered."""

    kind: PinKind
    strength: Strength
    why: str
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What the rules look at: the cues of a sentence, its size in words, and what it answers."""

    hits: Hits
    size: int
    asks: bool = False
    asked: Asked = Asked.NOTHING
    names_option: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: when it applies, the sentence is ``verdict`` (``None``: it cannot bind)."""

    when: Callable[[Form], bool]
    verdict: Verdict | None


SHORT = 6
"""Words of a sentence that is too short to say more than one thing."""
ANSWER = 14
"""Words up to which an answer is taken as a whole."""
_RULE = 16
"""Words up to which a limit in a sentence is what the sentence is about."""

_C, _D, _G = PinKind.CONSTRAINT, PinKind.DECISION, PinKind.GOAL
_STRONG, _WEAK = Strength.STRONG, Strength.WEAK


def decide(rules: Sequence[Rule], form: Form) -> Rule | None:
    """Return the first rule that applies, ``None`` where none does."""
    return next((rule for rule in rules if rule.when(form)), None)


def binds(hits: Hits) -> bool:
    """Return whether a cue says that the sentence orders, forbids, chooses, asks or wishes."""
    return hits.has("prohibition", "obligation", "choice", "request", "wish", "change")


def _reports(form: Form) -> bool:
    return form.hits.at_edge("observation")


def _whole(form: Form) -> bool:
    """The cue of assent or refusal is the whole sentence."""
    return _taken(form) >= len(form.hits.tokens)


def _taken(form: Form) -> int:
    return max(form.hits.spans.get("approval", 0), form.hits.spans.get("rejection", 0))


def _opens_with_answer(form: Form) -> bool:
    return bool(_taken(form)) and (_taken(form) > form.hits.start or _whole(form))


def _forbids(form: Form) -> bool:
    return form.hits.has("prohibition") and not _reports(form)


def _limits(form: Form) -> bool:
    numbered = any(token.isdigit() for token in form.hits.tokens)
    return form.hits.has("limit") or (numbered and form.hits.has("measure"))


QUESTIONS = (
    Rule(
        lambda f: f.hits.at_start("question") and not f.hits.at_start("request") and f.asks,
        None,
    ),
    Rule(
        lambda f: f.hits.has("request") and f.hits.has("prohibition", "limit"),
        Verdict(_C, _STRONG, "a request that sets a rule or a limit"),
    ),
    Rule(
        lambda f: f.hits.has("request") and f.hits.has("change", "correction", "obligation"),
        Verdict(_D, _WEAK, "a request that changes what was chosen"),
    ),
    Rule(
        lambda f: f.hits.has("request") and f.asks,
        Verdict(_G, _WEAK, "a request put as a question"),
    ),
    Rule(lambda f: f.hits.has("request"), Verdict(_G, _STRONG, "a request")),
    Rule(
        lambda f: "question" in f.hits.ends and f.hits.has("obligation", "wish", "advice"),
        Verdict(_C, _WEAK, "a statement that asks for assent"),
    ),
    Rule(lambda f: f.hits.at_edge("question"), None),
    Rule(
        lambda f: f.asks and f.hits.at_start("imperative", "choice", "prohibition"),
        Verdict(_G, _WEAK, "an order put as a question"),
    ),
    Rule(
        lambda f: f.hits.has("obligation", "wish", "advice") and not _reports(f),
        Verdict(_C, _WEAK, "a wish put as a question"),
    ),
    Rule(
        lambda f: f.asked is Asked.ASKED and f.size > 1 and _opens_with_answer(f),
        Verdict(_D, _WEAK, "an answer that asks back", answers=True),
    ),
)
"""For sentences that end in a question mark or open like a question."""

ANSWERS = (
    Rule(
        lambda f: f.asked is Asked.ASKED and f.names_option and f.size <= ANSWER,
        Verdict(_D, _STRONG, "chooses one of the options offered", answers=True),
    ),
    Rule(
        lambda f: (
            _opens_with_answer(f)
            and f.hits.at_start("thanks")
            and f.size <= SHORT
            and not binds(f.hits)
        ),
        Verdict(_D, _WEAK, "a short assent or a courtesy", answers=True),
    ),
    Rule(
        lambda f: (
            _opens_with_answer(f)
            and f.asked is Asked.ASKED
            and (f.size <= ANSWER or binds(f.hits) or f.hits.has("limit", "imperative"))
        ),
        Verdict(_D, _STRONG, "an answer", answers=True),
    ),
    Rule(
        lambda f: _opens_with_answer(f) and (_whole(f) or binds(f.hits)) and not _reports(f),
        Verdict(_D, _STRONG, "an answer", answers=True),
    ),
    Rule(
        lambda f: _opens_with_answer(f) and not _reports(f),
        Verdict(_D, _WEAK, "an answer to what was told", answers=True),
    ),
    Rule(
        lambda f: (
            f.asked is Asked.ASKED
            and f.size <= ANSWER
            and f.hits.has("approval", "rejection")
            and not f.hits.at_start("observation")
        ),
        Verdict(_D, _STRONG, "an answer that settles what was offered", answers=True),
    ),
)
"""For the first sentence of a message that follows one of the assistant."""

STATEMENTS = (
    Rule(
        lambda f: f.hits.at_start("prohibition") or _forbids(f),
        Verdict(_C, _STRONG, "a prohibition"),
    ),
    Rule(
        lambda f: _reports(f) and f.hits.has("wish", "request", "obligation", "change"),
        Verdict(_C, _WEAK, "an observation with a wish in it"),
    ),
    Rule(_reports, None),
    Rule(
        lambda f: f.hits.has("obligation") and f.hits.has("wish"),
        Verdict(_C, _WEAK, "a wish that names a duty"),
    ),
    Rule(lambda f: f.hits.has("obligation"), Verdict(_C, _STRONG, "an obligation")),
    Rule(
        lambda f: (
            _limits(f) and (f.hits.at_start("imperative", "choice", "wish") or f.size <= _RULE)
        ),
        Verdict(_C, _STRONG, "a limit"),
    ),
    Rule(
        lambda f: f.hits.has("rejection", "change") and f.size <= ANSWER * 2,
        Verdict(_D, _STRONG, "a rejection or a change of what was chosen"),
    ),
    Rule(lambda f: f.hits.has("choice"), Verdict(_D, _STRONG, "a choice")),
    Rule(
        lambda f: f.hits.at_edge("imperative") and f.hits.has("manner", "limit"),
        Verdict(_C, _STRONG, "an order that says how"),
    ),
    Rule(lambda f: f.hits.at_edge("imperative"), Verdict(_G, _STRONG, "an order")),
    Rule(
        lambda f: f.hits.has("politeness", "imperative") and f.hits.has("manner", "limit"),
        Verdict(_C, _STRONG, "a request on how to work"),
    ),
    Rule(lambda f: f.hits.has("politeness"), Verdict(_G, _STRONG, "a request")),
    Rule(lambda f: f.hits.has("request", "imperative"), Verdict(_G, _WEAK, "a request")),
    Rule(lambda f: f.hits.has("correction"), Verdict(_C, _STRONG, "a correction")),
    Rule(
        lambda f: f.hits.has("wish", "advice", "permission", "manner"),
        Verdict(_C, _WEAK, "a wish or advice"),
    ),
    Rule(lambda f: f.hits.at_start("thanks") and f.size <= ANSWER, None),
    Rule(lambda _: True, Verdict(_C, _WEAK, "a statement of the surroundings")),
)
"""For everything else: orders and declaratives."""
