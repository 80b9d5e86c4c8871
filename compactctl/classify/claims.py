"""Claims: what the assistant says is done, and whether a result supports it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from compactctl.classify.results.events import Event
from compactctl.classify.results.kinds import shell_work
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


_HOLDS = (
    r"(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|successful(?:ly)?|ok\b|work(?:s|ing)?)\b"
)
_GAP = r"(?:[^.!?\n]|[.!?](?![\s]))"
_PARTICIPLE = (
    r"(?:added|created|updated|removed|deleted|fixed|implemented|renamed|refactored|moved|written|"
    r"wrote|verified|confirmed|validated|replaced|changed|cleaned|merged|installed|configured|"
    r"enabled|disabled|migrated|extracted|converted|rebased|restored|reverted|wired|covered|"
    r"drafted|tightened|simplified|hardened|corrected|adjusted|landed|switched|"
    r"split|applied|closed|addressed|finalized|cleared|rewritten|resolved|"
    r"eliminated|introduced|exposed|documented|registered|published|deployed|released|rerun)"
)
_SORTS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
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
        Sort.TESTS,
        re.compile(
            rf"\b(?:tests?|suite|specs?|checks?|everything|integration|e2e|ci)\b{_GAP}{{0,60}}?"
            rf"\b{_HOLDS}|\ball (?:pass(?:ing|ed)?|green)\b|\b(?:is|are) (?:now )?(?:all )?green\b"
            r"|\bpassing\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.LINT,
        re.compile(
            rf"\b(?:lint(?:er|ing)?|type ?checks?|formatting)\b{_GAP}{{0,40}}?\b{_HOLDS}",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.BUILD,
        re.compile(
            rf"\b(?:build|compilation)\b{_GAP}{{0,40}}?\b{_HOLDS}|\bcompiles\b|\bbuilds (?:fine|"
            r"cleanly|successfully)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.FIXED,
        re.compile(
            r"\b(?:fixed|resolved|solved)\b|\b(?:now|correctly) works?\b|\bworks (?:now|correctly|"
            r"as expected|fine|perfectly)\b|\bworking (?:now|correctly|as expected)\b"
            r"|\b(?:fix|change|solution|it) (?:is working|works)\b|\bwe have found\b"
            r"|\bno longer (?:fails?|crashes|happens|occurs|needed|shows?)\b|\bsuccessful(?:ly)?\b"
            r"|\bsucceed(?:s|ed)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.DONE,
        re.compile(
            rf"\b(?:all )?(?:done|implemented|complete|completed|finished)\b|\bis "
            rf"in(?: and\b|$|\.)"
            rf"|\bin place\b|\ball set\b|\b(?:is|are|has|have|was|were|been|now) {_PARTICIPLE}\b"
            rf"|^\W{{0,6}}{_PARTICIPLE}\b|\b(?:I|we)(?:'ve| have)? (?:just |also |"
            rf"now )?{_PARTICIPLE}\b"
            r"|\b(?:is|are) now\b|\bconfirm(?:s|ed)\b"
            r"|\bnow (?:has|have|uses?|handles?|supports?|returns?|shows?|includes?|matches)\b|✅",
            re.IGNORECASE,
        ),
    ),
)
_OTHER_LANGUAGES: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    (
        Sort.TESTS,
        re.compile(
            r"测试[^。\uff01\uff1f\n]{0,12}通过|全部通过|テスト[^。\uff01\uff1f\n]{0,12}(?:通り|"
            r"通過|成功|パス)|테스트[^.!?\n]{0,12}통과"
            r"|pruebas?[^.!?\n]{0,20}pasan|testes?[^.!?\n]{0,20}passa|"
            r"tests?[^.!?\n]{0,20}(?:passent|"
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
            "implémenté|umgesetzt|erledigt|fertig|готово|реализован|completato|"
            "tamamland\u0131|पूरा (?:हो|कर)|"
            "تم (?:تنفيذ|الانتهاء)",
            re.IGNORECASE,
        ),
    ),
)
_SUPPOSED = re.compile(
    r"\b(?:let me|let's|i'll|i will|i'm going to|going to|next,? i|we should|you should|"
    r"should be|should now|would|could|might|may|if|once|when|until|unless|whether|"
    r"(?:need|want)(?:s|ed)? to|to (?:verify|check|see|confirm|ensure|make sure)|before|"
    r"make sure|ensure|plan to|about to|expect(?:ed)?|must|suppos\w*|assum\w*|likely|probably)\b",
    re.IGNORECASE,
)
"""Wishes, plans and conditions: what follows is not said to be so."""
_NEGATED = re.compile(
    r"\b(?:not|isn't|aren't|wasn't|doesn't|don't|didn't|hasn't|never|no tests|still|remaining|"
    r"todo|try|trying|only (?:if|when)|instead|previously|partly|partially|half)\b",
    re.IGNORECASE,
)
"""Negations: they reach over their own clause."""
_CLAUSE = re.compile(r"[,;:()\u2014\u2013]| but | and | so ")
_COMMAND = re.compile(
    r"`(?P<command>[^`\n]{2,160})`[^.!?\n]{0,24} (?:pass(?:es|ed)?|succeed(?:s|ed)|(?:is|are|was) "
    r"(?:now )?(?:clean|green))\b",
    re.IGNORECASE,
)
_OF_KIND = {
    ResultKind.TEST: Sort.TESTS,
    ResultKind.LINT: Sort.LINT,
    ResultKind.BUILD: Sort.BUILD,
}
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。\uff01\uff1f])|\n+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(slots=True)
class _Known:
    """What is known when a claim is made."""

    checks: dict[ResultKind, Event] = field(default_factory=dict)
    git: dict[str, Event] = field(default_factory=dict)
    opened: Event | None = None
    unstaged: set[str] = field(default_factory=set)
    """Names of files that were edited and in no ``git add`` since."""
    last_edit: int = -1


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
    sentence = sentence.replace("\u2019", "'")
    for sort, pattern in _OTHER_LANGUAGES:
        if pattern.search(sentence):
            return None if sentence.endswith(("?", "\uff1f")) else sort
    if sentence.endswith("?"):
        return None
    named = _COMMAND.search(sentence)
    if named and _is_said(sentence[: named.end()]):
        return _OF_KIND.get(shell_work(named["command"]).kind, Sort.TESTS)
    for sort, pattern in _SORTS:
        found = pattern.search(sentence)
        if found:
            return sort if _is_said(sentence[: found.end()]) else None
    return None


def _is_said(before: str) -> bool:
    """Return whether words up to a claim neither suppose nor negate it."""
    clause = _CLAUSE.split(before)[-1] or before
    return not (_SUPPOSED.search(before) or _NEGATED.search(clause))


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
    for words in event.steps:
        if words[0] == "git" and len(words) > 1:
            _learn_git(known, event, words)
    if result.kind is ResultKind.EDIT and result.outcome is Outcome.SUCCESS:
        known.last_edit = event.until
        known.unstaged.update(_name(path) for path in event.paths)
    if _OPENS.search(event.act) and (
        result.kind in {ResultKind.WEB, ResultKind.OTHER} or event.family is Family.OTHER
    ):
        known.opened = event


_OPENS = re.compile(r"\b(?:create|open|merge|edit|update)")


def _learn_git(known: _Known, event: Event, words: Sequence[str]) -> None:
    known.git[words[1]] = event
    if event.result.outcome is not Outcome.SUCCESS or words[1] not in {"add", "commit"}:
        return
    if _ALL & set(words[2:]) or (words[1] == "commit" and _COMMITS_ALL & set(words[2:])):
        known.unstaged.clear()
    for word in words[2:]:
        known.unstaged.discard(_name(word))


_ALL = frozenset({".", "-A", "--all", "-u", "--update", "*", ":/"})
_COMMITS_ALL = frozenset({"-a", "-am", "--all", "-sam"})


def _name(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def _judge(sort: Sort, known: _Known) -> tuple[bool | None, Event | None]:
    match sort:
        case Sort.TESTS:
            verdict = _by_check(known, (ResultKind.TEST,))
        case Sort.LINT:
            verdict = _by_check(known, (ResultKind.LINT,))
        case Sort.BUILD:
            verdict = _by_check(known, (ResultKind.BUILD, ResultKind.TEST))
        case Sort.COMMITTED:
            verdict = _committed(known)
        case Sort.PUSHED:
            verdict = _pushed(known)
        case Sort.OPENED:
            verdict = _by_event(known.opened)
        case Sort.FIXED | Sort.DONE:
            verdict = _by_all(known, fixed=sort is Sort.FIXED)
    return verdict


def _by_event(event: Event | None) -> tuple[bool | None, Event | None]:
    if event is None:
        return None, None
    outcome = event.result.outcome
    if outcome is Outcome.SUCCESS:
        return True, event
    return (False if outcome in {Outcome.FAILURE, Outcome.PENDING} else None), event


def _by_check(known: _Known, kinds: Sequence[ResultKind]) -> tuple[bool | None, Event | None]:
    """The newest check of these kinds passed, and nothing was edited since."""
    checks = [known.checks[kind] for kind in kinds if kind in known.checks]
    newest = max(checks, key=lambda e: e.until, default=None)
    supported, event = _by_event(newest)
    if supported and event is not None and event.until < known.last_edit:
        return (False if _STALE_IS_FALSE else None), event
    return supported, event


_STALE_IS_FALSE = True


def _committed(known: _Known) -> tuple[bool | None, Event | None]:
    """What was edited after the last commit, or never staged, is in no commit."""
    supported, event = _by_event(known.git.get("commit"))
    if supported and event is not None and (event.until < known.last_edit or known.unstaged):
        return (False if event.until < known.last_edit else None), event
    return supported, event


def _pushed(known: _Known) -> tuple[bool | None, Event | None]:
    """A commit after the last push is on this machine only."""
    push, commit = known.git.get("push"), known.git.get("commit")
    supported, event = _by_event(push)
    if supported and push and commit and commit.at > push.until:
        return False, commit
    return supported, event


def _by_all(known: _Known, *, fixed: bool) -> tuple[bool | None, Event | None]:
    """A fix holds where the newest check after the last edit passed."""
    newest = max(known.checks.values(), key=lambda e: e.until, default=None)
    if newest is None:
        return None, None
    outcome = newest.result.outcome
    if newest.until > known.last_edit:
        if outcome is Outcome.SUCCESS:
            return True, newest
        return (False if outcome is Outcome.FAILURE else None), newest
    return (False if fixed and outcome is Outcome.FAILURE else None), newest
