"""Claims: what the assistant says is done, and whether a result supports it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.classify.session import Session, Speech
from compactctl.model.classification import Claim, Outcome, ResultKind

_MAX_SENTENCES = 80
_MAX_CLAIMS = 3
"""Claims kept of one text: the first of each sort."""
_TEXT = 300


class Sort(StrEnum):
    """What a claim is about."""

    TESTS = "tests"
    LINT = "lint"
    BUILD = "build"
    COMMITTED = "committed"
    PUSHED = "pushed"
    OPENED = "opened"
    FIXED = "fixed"
    DONE = "done"


_PASS = (
    r"(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|successful(?:ly)?|ok\b|work(?:s|ing)?)"
)
_SORTS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    (
        Sort.TESTS,
        re.compile(
            rf"\b(?:tests?|suite|specs?|checks?|everything|integration|e2e|ci)\b[^.!?\n]{{0,60}}?"
            rf"\b{_PASS}|\ball (?:pass(?:ing|ed)?|green)\b|\b(?:is|are) (?:now )?(?:all )?green\b"
            r"|\bpassing\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.LINT,
        re.compile(
            rf"\b(?:lint(?:er|ing)?|type ?checks?|formatting)\b[^.!?\n]{{0,40}}?\b{_PASS}",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.BUILD,
        re.compile(
            rf"\b(?:build|compilation)\b[^.!?\n]{{0,40}}?\b{_PASS}|\bcompiles\b|\bbuilds (?:fine|"
            r"cleanly|successfully)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.COMMITTED,
        re.compile(
            r"\bcommitted\b|\b(?:landed|committed|fixed|done) (?:as|in) `?[0-9a-f]{7,40}\b"
            r"|\bin (?:the )?(?:history|git)\b|\bas separate commits\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.PUSHED,
        re.compile(
            r"\bpushed\b|\bbranch now (?:includes|has|contains)\b"
            r"|\bdeployed\b|\bpublished\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.OPENED,
        re.compile(
            r"\b(?:PR|MR|pull request|merge request|issue|ticket)\b[^.!?\n]{0,40}?"
            r"\b(?:created|opened|updated|merged|is up)\b|\b(?:created|opened|merged) (?:a |the )?"
            r"(?:draft )?(?:PR|MR|pull request|merge request|issue|ticket)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.FIXED,
        re.compile(
            r"\b(?:fixed|resolved|solved)\b|\b(?:now|correctly) works?\b|\bworks (?:now|correctly|"
            r"as expected)\b|\bworking (?:now|correctly)\b|\b(?:fix|change|solution) is working\b"
            r"|\bno longer (?:fails?|crashes|happens|occurs)\b|\bsuccessful\b|\bwe have found\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.DONE,
        re.compile(
            r"\b(?:all )?(?:done|implemented|completed?|finished)\b|\bis in(?: and|$|\.)"
            r"|\bin place\b|\ball set\b|\bdrafted\b|\bverified\b|\bhave been (?:added|updated|"
            r"removed|created)\b",
            re.IGNORECASE,
        ),
    ),
)
_OTHER_LANGUAGES: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    (
        Sort.TESTS,
        re.compile(
            "测试[^。！？\n]{0,12}通过|全部通过|テスト[^。！？\n]{0,12}(?:通り|通過|成功|パス)|테스트[^.!?\n]{0,12}통과"
            r"|pruebas?[^.!?\n]{0,20}pasan|testes?[^.!?\n]{0,20}passa|tests?[^.!?\n]{0,20}(?:passent|"
            r"laufen durch|bestanden|superati|geçti)|тесты[^.!?\n]{0,20}(?:проходят|прошли)",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.COMMITTED,
        re.compile("已提交|コミットしました|커밋했|comiteado|commité|закоммичен|commitado"),
    ),
    (
        Sort.PUSHED,
        re.compile("已推送|プッシュしました|푸시했|запушен|subido a|envoyé sur|gepusht"),
    ),
    (
        Sort.FIXED,
        re.compile(
            "已修复|修好了|已解决|修正しました|直りました|수정했|해결했|corregid[oa]|solucionad[oa]|corrigid[oa]|"
            "corrigé|behoben|исправлен|risolto|düzeltildi|ठीक (?:कर|हो)|تم (?:إصلاح|حل)",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.DONE,
        re.compile(
            "已完成|完成了|実装しました|完了しました|완료했|구현했|implementad[oa]|concluíd[oa]|terminé|"
            "implémenté|umgesetzt|erledigt|fertig|готово|реализован|completato|tamamlandı|पूरा (?:हो|कर)|"
            "تم (?:تنفيذ|الانتهاء)",
            re.IGNORECASE,
        ),
    ),
)
_NOT_SAID = re.compile(
    r"\b(?:let me|let's|i'll|i will|i'm going to|going to|next,? i|we should|you should|should be|"
    r"should now|would|could|might|may|if|once|when|until|unless|need(?:s|ed)? to|want(?:s|ed)? to|"
    r"to (?:verify|check|see|confirm|ensure|make sure)|before|make sure|ensure|verify that|not yet|"
    r"isn't|aren't|wasn't|not|never|no tests|still|remaining|todo|plan to|about to|try|expect(?:ed)?|"
    r"must|were|was|previously|already|only (?:if|when)|instead|suppose|assum\w*|likely|probably)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(slots=True)
class _Known:
    """What is known when a claim is made."""

    checks: dict[ResultKind, Event] = field(default_factory=dict)
    git: dict[str, Event] = field(default_factory=dict)
    opened: Event | None = None
    last_edit: int = -1
    last_edit_event: Event | None = None
    last_success: Event | None = None
    last_failure: Event | None = None
    any_edit_failed: Event | None = None


def find_claims(session: Session) -> tuple[Claim, ...]:
    """
    Return the assistant's statements that something is done, in order.

    A claim is supported by a successful result that covers it and stands after the last edit,
    unsupported where the newest result that covers it failed, still runs, or is older than the
    last edit of a failing matter; else nobody can say (``None``).
    """
    known: dict[str, _Known] = {}
    events = sorted(session.events, key=lambda e: e.until)
    ends = [e.until for e in events]
    at = 0
    claims: list[Claim] = []
    for speech in session.speeches:
        stop = bisect_left(ends, speech.at)
        for event in events[at:stop]:
            _learn(known.setdefault(event.result.chain, _Known()), event)
        at = max(at, stop)
        claims.extend(_claims_of(speech, known.setdefault(speech.entry.chain, _Known())))
    return tuple(claims)


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of prose; code blocks are left out."""
    for number, part in enumerate(_SENTENCE.split(_CODE.sub("\n", text))):
        if number >= _MAX_SENTENCES:
            return
        if part.strip():
            yield part.strip()


def sort_of(sentence: str) -> Sort | None:
    """Return what a sentence claims; ``None`` for plans, wishes, questions and negations."""
    for sort, pattern in _OTHER_LANGUAGES:
        if pattern.search(sentence):
            return None if sentence.endswith(("?", "？")) else sort
    for sort, pattern in _SORTS:
        found = pattern.search(sentence)
        if found:
            before = sentence[: found.end()]
            if sentence.endswith("?") or _NOT_SAID.search(before):
                return None
            return sort
    return None


def _claims_of(speech: Speech, known: _Known) -> Iterator[Claim]:
    seen: set[Sort] = set()
    for sentence in sentences_of(speech.text):
        sort = sort_of(sentence[:600])
        if sort is None or sort in seen:
            continue
        seen.add(sort)
        supported, event = _judge(sort, known)
        yield Claim(
            line=speech.entry.line,
            entry=speech.entry.id,
            text=sentence[:_TEXT],
            supported=supported,
            evidence_line=event.end_line if event else None,
        )
        if len(seen) >= _MAX_CLAIMS:
            return


def _learn(known: _Known, event: Event) -> None:
    result = event.result
    if result.outcome is Outcome.REJECTED:
        return
    if result.kind in {ResultKind.TEST, ResultKind.LINT, ResultKind.BUILD}:
        known.checks[result.kind] = event
    if result.kind is ResultKind.GIT:
        known.git[event.act.removeprefix("git ")] = event
        for words in event.steps:
            if words[0] == "git" and len(words) > 1 and words[1] in {"commit", "push"}:
                known.git[words[1]] = event
    if result.kind is ResultKind.EDIT and result.outcome is Outcome.SUCCESS:
        known.last_edit, known.last_edit_event = event.until, event
    if re.search(r"\b(?:create|open|merge|edit|update)", event.act) and (
        result.kind in {ResultKind.WEB, ResultKind.OTHER} or event.family is Family.OTHER
    ):
        known.opened = event
    if result.outcome is Outcome.SUCCESS:
        known.last_success = event
    elif result.outcome is Outcome.FAILURE:
        known.last_failure = event


def _judge(sort: Sort, known: _Known) -> tuple[bool | None, Event | None]:
    match sort:
        case Sort.TESTS:
            return _by_check(known, known.checks.get(ResultKind.TEST))
        case Sort.LINT:
            return _by_check(known, known.checks.get(ResultKind.LINT))
        case Sort.BUILD:
            return _by_check(
                known, known.checks.get(ResultKind.BUILD) or known.checks.get(ResultKind.TEST)
            )
        case Sort.COMMITTED:
            return _by_event(known.git.get("commit"))
        case Sort.PUSHED:
            return _pushed(known)
        case Sort.OPENED:
            return _by_event(known.opened)
        case Sort.FIXED | Sort.DONE:
            return _by_all(known, fixed=sort is Sort.FIXED)


def _by_event(event: Event | None) -> tuple[bool | None, Event | None]:
    if event is None:
        return None, None
    outcome = event.result.outcome
    if outcome is Outcome.SUCCESS:
        return True, event
    return (False if outcome in {Outcome.FAILURE, Outcome.PENDING} else None), event


def _by_check(known: _Known, event: Event | None) -> tuple[bool | None, Event | None]:
    supported, event = _by_event(event)
    if supported and event is not None and event.until < known.last_edit:
        return None, event
    return supported, event


def _pushed(known: _Known) -> tuple[bool | None, Event | None]:
    """A commit after the last push is on this machine only."""
    push, commit = known.git.get("push"), known.git.get("commit")
    supported, event = _by_event(push)
    if supported and push and commit and commit.at > push.until:
        return False, commit
    return supported, event


def _by_all(known: _Known, *, fixed: bool) -> tuple[bool | None, Event | None]:
    """A fix holds where the newest check after the last edit passed, and no check failed."""
    checks = sorted(known.checks.values(), key=lambda e: e.until)
    if not checks:
        return None, None
    last = checks[-1]
    outcome = last.result.outcome
    if last.until > known.last_edit:
        if outcome is Outcome.SUCCESS:
            return True, last
        return (False if outcome is Outcome.FAILURE else None), last
    if fixed and outcome is Outcome.FAILURE:
        return False, last
    return None, last
