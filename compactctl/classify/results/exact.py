"""The exact strings of a result that a later reader needs."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate

from compactctl.classify.results.words import Said
from compactctl.model.classification import Outcome, ResultKind

LIMIT = 400
"""Characters of all exact strings of a result together."""
_LINE = 200
_SAME_FIELD = 3
"""Values of one JSON field that are kept; lists repeat their fields."""
_LOOKS = frozenset({ResultKind.READ, ResultKind.SEARCH})
_FEW = 100
"""Lines that are weighed of what was only looked at: it can be read again."""
_CANDIDATES = 240
"""Lines that are weighed: all of a short result, those at the ends of a long one."""

_PLACE = re.compile(r"\.\w{1,8}(?::\d|\(\d+,\d+\))")
_TROUBLE = re.compile(
    r"\b(?:error|errors|fail|failed|failure|fatal|panic|exception|expected|actual|undefined|undeclared|"
    r"cannot|could not|can't|denied|missing|not found|invalid|unexpected|unable|refused|timed out|"
    r"timeout|conflict|rejected|does not|should(?: not)?|must|warning|wrong|no such)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b\d+ (?:passed|failed|issues?|errors?|warnings?|tests?|files? changed|problems?|matches|"
    r"passing|failing|insertions?|deletions?|results?|examples?|skipped)\b"
)
_HASH = re.compile(
    r"\[[^\]\n]{1,100} [0-9a-f]{7,40}\]|^[0-9a-f]{7,40}[ \t]|\b[0-9a-f]{7,40}\.\.", re.MULTILINE
)
_URL = re.compile(r"https?://[^\s\"'<>)\]}]{4,300}")
_DECLARES = re.compile(
    r"(?:^|[\t :\d→-])(?:export |pub(?:\([^)\n]{0,20}\))? |public |private |"
    r"static |async |final )*"
    r"(?:func|def|class|const|type|struct|interface|enum|fn|impl|trait|var|let|function|module)"
    r"[ \t]",
    re.MULTILINE,
)
_FIELD = re.compile(
    r"\"(?:id|identifier|key|number|url|html_url|state|status|title|name|error|"
    r"message|version|sha|"
    r"code|branch|headRefName|baseRefName|path|type|count|total)\"[ \t]{0,2}:[ \t]{0,2}"
    r"(?:\"(?:[^\"\\\n]|\\.){1,160}+\"|-?\d[\d.]*|true|false|null)"
)
_STARTED = re.compile(
    r"^=== (?:RUN|PAUSE|CONT|NAME)\b|^\[?\d{1,3}%|^(?:Downloading|Compiling) ", re.MULTILINE
)
"""Lines that say what begins, and nothing of how it ends."""
_TEST_LINE = re.compile(
    r"^(?:--- (?:FAIL|PASS): |FAILED \S|(?:ok|FAIL)[ \t]+\S+[ \t]|●|not ok \d)", re.MULTILINE
)
_CODE = frozenset({ResultKind.READ, ResultKind.SEARCH, ResultKind.WEB, ResultKind.GIT})
_NAMED = re.compile(r"^[ \t]*[A-Za-z][\w .-]{1,40}:[ \t]+\S", re.MULTILINE)
_PLAIN_OK = re.compile(
    r"has been (?:updated|created)|[Ss]uccess|^(?:[AMDRU]|\*\*\*) \S|File created", re.MULTILINE
)
_SIGNAL = re.compile(r"[^\s\-=_*#~.·─━│|+{}()\[\];,<>/\\\d→]").search
"""Lines without such a character are rules, brackets and numbers."""


def exact_strings(kind: ResultKind, outcome: Outcome, text: str, said: Said) -> tuple[str, ...]:
    """
    Return strings copied from a result, the most telling ones, in the order they stand there.

    ``text`` is the result as ``words.clipped`` gives it. At most ``LIMIT`` characters in all. Of a
    failure they are its errors, failing tests and places; of a success its sums, commits,
    addresses and declarations.
    """
    looks = kind in _LOOKS and outcome is Outcome.SUCCESS
    found = _candidates(text, _FEW if looks else _CANDIDATES)
    marked = _firsts((*said.failed, *said.errors) if outcome is not Outcome.SUCCESS else ())
    passed = _firsts(said.passed if outcome is not Outcome.FAILURE else ())
    weighed: list[tuple[float, int, str]] = []
    for at, (line, weight) in enumerate(zip(found, _weights(kind, outcome, found), strict=True)):
        said_so = (5 if line in marked else 0) + (4 if line in passed else 0)
        edge = 1.5 if at == 0 else 1.0 if at == len(found) - 1 else 0.0
        weighed.append((weight + said_so + edge - at / 2_000, at, line))
    return _fill(weighed)


def strings_of_json(body: str) -> tuple[str, ...] | None:
    """Return the telling fields of a result that is one long line of JSON, ``None`` of others."""
    if len(body) <= _LINE or body.lstrip()[:1] not in ("{", "["):
        return None
    return None if "\n" in body.strip() else _of_json(body)


def _firsts(lines: tuple[str, ...]) -> frozenset[str]:
    return frozenset(line.strip()[:_LINE] for line in lines)


def _candidates(text: str, most: int) -> list[str]:
    found: dict[str, None] = {}
    every = text.split("\n")
    if len(every) > most:
        every = every[: most // 2] + every[-most // 2 :]
    for line in every:
        short = line.strip()
        if len(short) > _LINE:
            short = _clip(short)
        if short and (short[0].isalpha() or _SIGNAL(short)):
            found.setdefault(short)
    return list(found)


def _clip(line: str) -> str:
    found = _TROUBLE.search(line) or _URL.search(line)
    start = max(0, found.start() - 60) if found and found.start() > _LINE // 2 else 0
    return line[start : start + _LINE].strip()


_ALL = frozenset(ResultKind)
_LINKED = frozenset({ResultKind.WEB, ResultKind.GIT, ResultKind.OTHER})
_TALKS = frozenset({ResultKind.SHELL, ResultKind.WEB})
_TELLING: tuple[tuple[re.Pattern[str], str, frozenset[ResultKind], float, float], ...] = (
    (_COUNT, " ", _ALL, 3, 3),
    (_HASH, "", frozenset({ResultKind.GIT}), 3, 3),
    (_URL, "://", _LINKED, 3, 3),
    (_URL, "://", _ALL - _LINKED, 1, 1),
    (_FIELD, '":', _ALL, 2, 2),
    (_TROUBLE, "", _ALL, 0, 3),
    (_PLACE, ".", _ALL, 1, 2.5),
    (_STARTED, "", frozenset({ResultKind.TEST, ResultKind.BUILD}), -4, -4),
    (_TEST_LINE, "", frozenset({ResultKind.TEST}), 2, 2),
    (_DECLARES, " ", _CODE, 2.5, 2.5),
    (_PLAIN_OK, "", frozenset({ResultKind.EDIT}), 4, 4),
    (_NAMED, ":", _TALKS, 0.7, 0.7),
)
"""
What makes a line telling: a pattern, a string that it needs, for which kinds, and how much so
of other results and of failures.
"""
_Find = Callable[[str], Iterator[re.Match[str]]]
_OF_KIND: dict[tuple[ResultKind, bool], tuple[tuple[_Find, str, float], ...]] = {
    (kind, failed): tuple(
        (pattern.finditer, need, of_failure if failed else other)
        for pattern, need, kinds, other, of_failure in _TELLING
        if kind in kinds and (of_failure if failed else other)
    )
    for kind in ResultKind
    for failed in (False, True)
}


def _weights(kind: ResultKind, outcome: Outcome, found: list[str]) -> list[float]:
    """How telling each line is; all are searched at once, which is many times faster."""
    weights = [-len(line) / 400 for line in found]
    text = "\n".join(found)
    starts = [0, *accumulate(len(line) + 1 for line in found)]
    for find, need, value in _OF_KIND[kind, outcome is Outcome.FAILURE]:
        if need not in text:
            continue
        at, told = 0, -1
        for match in find(text):
            place = match.start()
            while starts[at + 1] <= place:
                at += 1
            if at != told:
                weights[at] += value
                told = at
    return weights


def _fill(weighed: list[tuple[float, int, str]]) -> tuple[str, ...]:
    left = LIMIT
    chosen: list[tuple[int, str]] = []
    for _, at, line in sorted(weighed, key=lambda w: (-w[0], w[1])):
        if len(line) <= left:
            chosen.append((at, line))
            left -= len(line)
        if left < 12 or len(chosen) >= 24:  # noqa: PLR2004 -- nothing telling is shorter
            break
    return tuple(line for _, line in sorted(chosen))


def _of_json(body: str) -> tuple[str, ...]:
    left = LIMIT
    chosen: dict[str, None] = {}
    named: Counter[str] = Counter()
    for found in _FIELD.finditer(body[:60_000]):
        text = found[0]
        name = text.partition(":")[0]
        if text not in chosen and len(text) <= left and named[name] < _SAME_FIELD:
            named[name] += 1
            chosen[text] = None
            left -= len(text)
        if left < 12:  # noqa: PLR2004 -- as above
            break
    return tuple(chosen) or (body.strip()[:_LINE],)
