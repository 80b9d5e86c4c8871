"""The sorts of claims: which sentences of an assistant say that something is so."""

import re
from collections.abc import Iterator
from enum import StrEnum

from compactctl.classify.results.kinds import shell_work
from compactctl.model.classification import ResultKind

_MAX_SENTENCES = 80


class Sort(StrEnum):
    """What a claim is about."""

    TESTS = "tests"
    LINT = "lint"
    BUILD = "build"
    COMMITTED = "committed"
    PUSHED = "pushed"
    OPENED = "opened"
    RAN = "ran"
    FIXED = "fixed"
    CHANGED = "changed"
    DONE = "done"
    FAILS = "fails"
    EXCUSED = "excused"


_HOLDS = (
    r"(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|successful(?:ly)?|ok\b|work(?:s|ing)?)\b"
)
_GAP = r"(?:[^.!?\n]|[.!?](?![\s]))"
_CHANGE = (
    r"(?:added|created|updated|removed|deleted|renamed|refactored|moved|written|wrote|replaced|"
    r"changed|cleaned|extracted|converted|drafted|tightened|simplified|adjusted|switched|split|"
    r"rewritten|introduced|exposed|documented|restored|reverted)"
)
"""What an edit alone shows."""
_PARTICIPLE = (
    r"(?:fixed|implemented|verified|confirmed|validated|merged|installed|configured|"
    r"enabled|disabled|migrated|rebased|wired|covered|hardened|corrected|landed|"
    r"applied|closed|addressed|finalized|cleared|resolved|"
    r"eliminated|registered|published|deployed|released|rerun)"
)
_SAID_OF = (
    r"\b(?:is|are|has|have|was|were|been|now) {0}\b|^\W{{0,6}}{0}\b"
    r"|\b(?:I|we)(?:'ve| have)? (?:just |also |now )?{0}\b"
)
"""How a participle says that something was done."""
_NO_VERB = (
    r"(?:is|was|has|does|this|its|us|as|always|fails|needs|requires|lacks|remains|seems|looks|"
    r"appears|depends|tests|checks|builds)\b"
)
"""Words in -s after "now" that are no verb, or say that nothing holds."""
_CHECKED = r"(?:lint(?:er|ing)?|type ?checks?|tests?|suite|specs?|build|compilation|compiler|ci)"
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
        Sort.TESTS,
        re.compile(
            r"\bpass(?:es|ed)(?: now| again| cleanly| locally)?(?= *(?:[.!;:)]|$))", re.IGNORECASE
        ),
    ),
    (
        Sort.FAILS,
        re.compile(
            r"\b(?:there(?:'s| is| are|'re)|I see|we have|got) (?:(?:still|now|also|just) )?"
            r"(?:an?|one|two|three|some|several|\d+) (?:[\w-]+ ){0,2}?(?:errors?|failures?)\b"
            rf"|\b{_CHECKED} (?:(?:still|now|also) )?(?:fails?|failed|is failing|are failing|"
            r"is broken|is red)\b|\b(?:bug|issue|problem|failure|regression) "
            r"(?:(?:is|was) )?(?:now )?(?:confirmed|reproduced)\b"
            r"|\b(?:does not|doesn't|won't) compile\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.EXCUSED,
        re.compile(
            rf"\b(?:{_CHECKED}|failures?|errors?|diagnostics?|checks?|run)\b[^.!?\n]{{0,40}}?"
            r"\b(?:flak(?:y|ed|es)|flaky|transient|intermittent|spurious|stale|unrelated|"
            r"pre-existing)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.FIXED,
        re.compile(
            r"\b(?:fixed|resolved|solved)\b|\b(?:now|correctly) works?\b|\bworks (?:now|correctly|"
            r"as expected|fine|perfectly)\b|\bworking (?:now|correctly|as expected)\b"
            r"|\b(?:fix|change|solution|it) (?:is working|works)\b|\bwe have found\b"
            r"|\bno longer \w"
            r"|\b(?:is|are) \w{2,20}(?:ed|en) (?:now|correctly|properly)\b"
            r"|\bhas no [^.!?\n]{0,30}?(?:errors?|failures?|warnings?|issues)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Sort.DONE,
        re.compile(
            r"\b(?:all )?(?:done|implemented|complete|completed|finished)\b|\ball set\b|"
            + _SAID_OF.format(_PARTICIPLE),
            re.IGNORECASE,
        ),
    ),
    (
        Sort.CHANGED,
        re.compile(
            r"\bis in(?: and\b|$|\.)|\bin place\b|" + _SAID_OF.format(_CHANGE), re.IGNORECASE
        ),
    ),
    (
        Sort.DONE,
        re.compile(
            r"\bsuccessful(?:ly)?\b|\bsucceed(?:s|ed)\b"
            r"|\b(?:is|are) now\b|\bconfirm(?:s|ed)\b"
            rf"|(?<=[\w`]) now (?:\w+ly |also )?(?!{_NO_VERB})[a-z]{{2,20}}s\b"
            r"|\bnow (?:has|have)\b|✅",
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
    r"\bi(?:'m| am) (?:\w+ ){0,2}?\w+ing\b"
    r"|\b(?:let me|let's|i'll|i will|going to|next,? i|we should|you should|"
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
_MAIN = re.compile(r"; | but ")
"""What parts a sentence into wholes: a supposition does not reach over it."""
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
        return _OF_KIND.get(shell_work(named["command"]).kind, Sort.RAN)
    sentence = _SPAN.sub(_quoted, sentence)
    found = _first_sort(sentence)
    again = _AGAIN.search(sentence) if found is None else None
    return Sort.EXCUSED if again and _is_said(sentence[: again.end()]) else found


def _first_sort(sentence: str) -> Sort | None:
    for sort, pattern in _SORTS:
        found = pattern.search(sentence)
        if found:
            return sort if _is_said(sentence[: found.end()], sort) else None
    return None


_AGAIN = re.compile(
    rf"\b(?:{_CHECKED}|failures?|errors?)\b(?=[^.!?\n]{{1,160}}"
    r"\b(?:re-?run(?:ning)?|re-?try(?:ing)?|run(?:ning)? (?:it|them|that) again)\b)",
    re.IGNORECASE,
)
"""Something is said of a check that is then run again: as if it could come out otherwise."""


def _quoted(span: re.Match[str]) -> str:
    """What stands in a code span is named, not said; a commit's name stays."""
    return span[0] if _HASH.fullmatch(span[0][1:-1]) else "`x`"


_SPAN = re.compile(r"`[^`\n]{1,200}`")
_HASH = re.compile(r"[0-9a-f]{7,40}")


def _is_said(before: str, sort: Sort = Sort.TESTS) -> bool:
    """Return whether words up to a claim neither suppose nor negate it."""
    main = _MAIN.split(before)[-1]
    clause = _CLAUSE.split(main)[-1] or main
    if sort is Sort.FAILS:
        return not _SUPPOSED.search(main)
    return not (_SUPPOSED.search(main) or _NEGATED.search(clause))


def named_command(sentence: str) -> str | None:
    """Return the command that a sentence says has passed."""
    named = _COMMAND.search(sentence)
    return named["command"].strip() if named else None


def subject_kind(sentence: str) -> ResultKind | None:
    """Return the kind of check that a sentence names; ``None`` where it names none."""
    for kind, pattern in _NAMED_KINDS:
        if pattern.search(sentence):
            return kind
    return None


_NAMED_KINDS = (
    (ResultKind.LINT, re.compile(r"\b(?:lint|typ(?:e|ing) ?(?:check|error))", re.IGNORECASE)),
    (ResultKind.BUILD, re.compile(r"\b(?:compil|build|link(?:er|ing)\b)", re.IGNORECASE)),
    (ResultKind.TEST, re.compile(r"\b(?:tests?|suite|specs?|assertion)\b", re.IGNORECASE)),
)
