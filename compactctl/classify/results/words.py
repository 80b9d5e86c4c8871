"""What tools say of themselves: passed, failed, and the lines that say so."""

import re
from dataclasses import dataclass

from compactctl.model.classification import ResultKind

WINDOW = 96_000
"""Characters at either end of a long result that are read; runners sum up at their end."""
MAX_LINE = 600


@dataclass(frozen=True, slots=True)
class Said:
    """Lines of a result by what they say, in order."""

    failed: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    """Errors that need not be those of the tool itself."""
    tests: tuple[str, ...] = ()
    """Names of failing tests."""


_TEST_FAILED = re.compile(
    r"""\n[ \t]*+(?:
      --- FAIL: | FAIL\t | FAIL:?[ ]+\S | FAIL$ | panic:[ ] | FAILED[ ]\S+(?:::|\.)
      | ERROR[ ]\S+\.py
    | =+[ ].*\b[1-9]\d*[ ](?:failed|errors?)\b | [1-9]\d*[ ]failed[, ]
    | \d+[ ]passed,[ ][1-9]\d*[ ]failed
    | FAILED[ ]\((?:failures|errors) | test[ ]result:[ ]FAILED | test[ ].{1,200}[ ]\.\.\.[ ]FAILED
    | Tests:?[ ]+(?:.*,[ ])?[1-9]\d*[ ]failed
    | Test[ ](?:Suites|Files):?[ ]+(?:.*,[ ])?[1-9]\d*[ ]failed
    | [1-9]\d*[ ]failing\b
    | \[?(?:ERROR|INFO|WARNING)?\]?[ ]?Tests[ ]run:.*(?:Failures|Errors):[ ][1-9]
    | [1-9]\d*[ ]examples?,[ ][1-9]\d*[ ]failures?
    | [1-9]\d*[ ]tests?,[ ](?:.*,[ ])?[1-9]\d*[ ]failures?
    | FAILURES!|ERRORS! | Tests:[ ]\d+,.*(?:Failures|Errors):[ ][1-9]
    | \d{1,2}%[ ]tests[ ]passed,[ ][1-9]
    | The[ ]following[ ]tests[ ]FAILED | Failed![ ]+-[ ]Failed:
    | not[ ]ok[ ]\d+(?!.*\#[ ]*(?:TODO|SKIP|todo|skip))
    | \#[ ]fail[ ][1-9] | Executed[ ]\d+[ ]tests?,[ ]with[ ][1-9] | ✖[ ] | [✗✘\u00d7][ ]
    | [1-9]\d*[ ]fail$
    | .*[ ]FAILED$ | .*>[ ].*[ ]FAILED\b | Interrupted:[ ]\d+[ ]error
    | \d+[ ]errors?[ ]during[ ]collection
    | There[ ](?:was|were)[ ]\d+[ ](?:failure|error) | E[ ]{3}\S | no[ ]tests[ ]ran
    | BUILD[ ]FAIL(?:ED|URE)
    )""",
    re.VERBOSE | re.MULTILINE,
)
_TEST_PASSED = re.compile(
    r"""\n[ \t]*+(?:
      ok[ ]{2,}\t?\S | ok[ ]*\t\S | PASS$ | PASS\b | --- PASS: | =+[ ].*\b\d+[ ]passed\b
      | \d+[ ]passed\b
    | OK(?:[ ]\(.*\))?$ | test[ ]result:[ ]ok\. | Tests:?[ ]+(?:.*,[ ])?\d+[ ]passed
    | Test[ ]Suites:[ ]\d+[ ]passed
    | Test[ ]Files[ ]+\d+[ ]passed | \d+[ ]passing\b
    | \[?INFO\]?[ ]?Tests[ ]run:.*Failures:[ ]0,[ ]Errors:[ ]0
    | \d+[ ]examples?,[ ]0[ ]failures | OK[ ]\(\d+[ ]tests? | 100%[ ]tests[ ]passed
    | Passed![ ]+-[ ]
    | \#[ ]fail[ ]0 | Executed[ ]\d+[ ]tests?,[ ]with[ ]0[ ]failures
    | \d+[ ]tests?,[ ](?:.*,[ ])?0[ ]failures
    | ok[ ]\d+ | BUILD[ ]SUCCESS(?:FUL)? | ok[ ]\|[ ]\d+[ ]passed | 0[ ]fail$
    | All[ ](?:\d+[ ])?tests[ ]passed
    )""",
    re.VERBOSE | re.MULTILINE,
)
_SHELL_ERROR = re.compile(
    r"""\n(?:
      (?:/bin/|/usr/bin/)?(?:ba|z|da|k)?sh:[ ] | \(eval\):\d+:[ ] | zsh:\d+:[ ] | -bash:[ ]
    | .{0,80}:[ ](?:command[ ]not[ ]found|No[ ]such[ ]file[ ]or[ ]directory|[Pp]ermission[ ]denied
        |Operation[ ]not[ ]permitted|not[ ]found$|cannot[ ]execute)
    | (?:[\w./-]{1,60}:[ ])?(?:fatal|FATAL|panic|PANIC)(?:[ ]error)?:[ ]
    | (?:make|gmake)(?:\[\d+\])?:[ ]\*\*\*[ ] | npm[ ](?:ERR!|error)[ ] | ninja:[ ]error:
    | Traceback[ ]\(most[ ]recent[ ]call[ ]last\) | Segmentation[ ]fault | Killed$
    | Aborted[ ]\(core
    | gh:[ ].{0,200}\(HTTP[ ][45]\d\d\) | curl:[ ]\(\d+\) | error:[ ] | ERROR:[ ] | Error:[ ]
    | \[[^\]\n]{1,60}\][ ]ERROR[ ]task[ ]failed | ERR_PNPM | error[ ]Command[ ]failed | ELIFECYCLE
    | (?:[\w.]{1,80})?(?:Error|Exception):[ ]\S | Unhandled | Uncaught | Usage:[ ].{0,80}\[ERROR
    | Wrong[ ] | (?:The[ ])?(?:[Rr]emote:[ ])?HTTP[ ][45]\d\d
    )""",
    re.VERBOSE | re.MULTILINE,
)
_BUILD_FAILED = re.compile(
    r"""\n[ \t]*+(?:
      [^\s:]{1,200}:\d+(?::\d+)?:[ ](?:fatal[ ])?error\b | error(?:\[E?\w+\])?:[ ]
      | error[ ][A-Z]{2}\d+:
    | [^\s(]{1,200}\(\d+,\d+\):[ ]error\b | [^\s:]{1,200}:\d+:\d+[ ]-[ ]error\b
    | BUILD[ ]FAIL(?:ED|URE)
    | Build[ ]FAILED | \[ERROR\] | e:[ ] | \*\*\*[ ] | (?:g?make)(?:\[\d+\])?:[ ]\*\*\* | ld:[ ]
    | collect2:[ ]error | undefined[ ]reference | npm[ ](?:ERR!|error) | ERROR[ ]in[ ]
    | Failed[ ]to[ ]compile
    | FAILED:[ ] | (?:could[ ]not[ ]compile|linker[ ]command[ ]failed) | vet:[ ]
    | ERROR[ ]failed[ ]to[ ]solve
    | [\w./-]{1,200}\.go:\d+:\d+:[ ] | \#[ ][\w./-]+(?:[ ]\[.*\])?$ | [✗✘\u00d7][ ]
    | ERROR:[ ] | FAIL\t
    )""",
    re.VERBOSE | re.MULTILINE,
)
_BUILD_PASSED = re.compile(
    r"\n[ \t]*(?:BUILD SUCCESS|Build succeeded|Finished |webpack .* compiled success|✓ built|"
    r"Successfully (?:built|tagged|installed)|Compiled successfully|Build complete|up to date)"
)
_LINT_FAILED = re.compile(
    r"""\n[ \t]*+(?:
      [^\s:]{1,200}:\d+(?::\d+)?:?[ ]
      | (?:\[[^\]\n]{1,40}\][ ])?[1-9]\d*[ ](?:issues?|errors?|problems?|offenses?|warnings?)\b
    | Found[ ][1-9]\d*[ ](?:errors?|issues?|problems?|diagnostics) | ✖[ ]\d+[ ]problems?
    | .*\b[1-9]\d*[ ]offenses?[ ]detected | would[ ]reformat | Would[ ]reformat:
    | [1-9]\d*[ ]files?[ ]would[ ]be[ ]reformatted | error(?:\[\w+\])?:[ ] | \[warn\][ ]
    | \[error\][ ]
    | Diff[ ]in[ ] | [^\s(]{1,200}\(\d+,\d+\):[ ]error | \[ERROR\]
    )""",
    re.VERBOSE | re.MULTILINE,
)
_LINT_PASSED = re.compile(
    r"\n[ \t]*(?:(?:\[[^\]\n]{1,40}\] )?0 (?:issues|errors|problems|offenses)|All checks passed|"
    r"Success: no issues found|\d+ files? (?:left unchanged|already formatted|"
    r"reformatted|unchanged)|"
    r"No issues? found|All matched files use|.*no offenses detected|no problems|"
    r"[✓✔] No|Checked \d+ files? .*No fixes)"
)
_GIT_FAILED = re.compile(
    r"\n[ \t]*(?:fatal: |error: |CONFLICT \(| ! \[(?:remote )?rejected\]|hint: "
    r"Updates were rejected|"
    r"Automatic merge failed|remote: error|The following paths are ignored|nothing to commit|"
    r"no changes added to commit|pre-commit hook failed|husky - )"
)
_GIT_PASSED = re.compile(
    r"\n[ \t]*(?:\[[^\]\n]{1,100} (?:\(root-commit\) )?[0-9a-f]{7,40}\]|"
    r"[ \t]*[0-9a-f]{6,40}\.\.[0-9a-f]{6,40} |"
    r" \* \[new (?:branch|tag)\]|Everything up-to-date|Already up to date|Successfully rebased|"
    r"Switched to|Fast-forward|\d+ files? changed|HEAD is now at)"
)
_TEST_NAME = re.compile(
    r"""\n[ \t]*+(?:
      --- FAIL:[ ](?P<go>\S+) | FAILED[ ](?P<py>\S+(?:::|\.)\S+)
      | (?:FAIL|ERROR):[ ](?P<unit>\w+[ ]\(\S+\))
    | test[ ](?P<rust>\S+)[ ]\.\.\.[ ]FAILED | ●[ ](?P<jest>\S.{0,200})
    | not[ ]ok[ ]\d+[ ](?:-[ ])?(?P<tap>\S.{0,200})
    | FAIL[ ]+(?P<file>\S+\.(?:test|spec)\.\w+(?:[ ]>.{0,200})?) | \d+\)[ ](?P<mocha>\S.{0,200})
    | rspec[ ](?P<rspec>\./\S+) | [✗✘\u00d7✖][ ](?P<mark>\S.{0,200})
    | (?P<gradle>\S+[ ]>[ ]\S+.{0,100})[ ]FAILED
    )""",
    re.VERBOSE | re.MULTILINE,
)
_FAILED = {
    ResultKind.TEST: _TEST_FAILED,
    ResultKind.BUILD: _BUILD_FAILED,
    ResultKind.LINT: _LINT_FAILED,
    ResultKind.GIT: _GIT_FAILED,
}
_PASSED = {
    ResultKind.TEST: _TEST_PASSED,
    ResultKind.BUILD: _BUILD_PASSED,
    ResultKind.LINT: _LINT_PASSED,
    ResultKind.GIT: _GIT_PASSED,
}
_MAX_KEPT = 60


def said(kind: ResultKind, text: str) -> Said:
    """
    Return what the lines of a result say in the words of its kind of tool.

    ``text`` is that of ``clipped``. Patterns begin with a line feed rather than with an anchor,
    so that the search skips from line to line.
    """
    spread = "\n" + text
    failed = _starts(_FAILED.get(kind), spread)
    # Failed first: a line that counts both ("1 failed, 2 passed") tells of a failure.
    passed = _starts(_PASSED.get(kind), spread, *failed)
    errors = _starts(_SHELL_ERROR, spread, *failed, *passed)
    tests: dict[str, None] = {}
    if kind is ResultKind.TEST:
        others = {*passed, *errors}
        for found in _TEST_NAME.finditer(spread):
            if found.start() not in others:
                tests[next(group for group in found.groups() if group)] = None
    return Said(
        _ends(spread, failed), _ends(spread, passed), _ends(spread, errors), (*tests,)[:_MAX_KEPT]
    )


def clipped(body: str) -> str:
    """Return a result with its lines clipped in length; of a very long one the two ends."""
    if len(body) > 2 * WINDOW:
        body = body[:WINDOW] + "\n" + body[-WINDOW:]
    lines = body.split("\n")
    if "\r" not in body and len(max(lines, key=len)) <= MAX_LINE:
        return body
    return "\n".join(line[:MAX_LINE].rstrip("\r") for line in lines)


def _starts(pattern: re.Pattern[str] | None, spread: str, *taken: int) -> list[int]:
    """Where the lines begin that a pattern fits, without those that are taken."""
    if pattern is None:
        return []
    found = [match.start() for match in pattern.finditer(spread)]
    if not (taken and found):
        return found
    known = frozenset(taken)
    return [start for start in found if start not in known]


def _ends(spread: str, starts: list[int]) -> tuple[str, ...]:
    """The lines that begin there; of many those at both ends."""
    if len(starts) > _MAX_KEPT:
        half = _MAX_KEPT // 2
        starts = [*starts[:half], *starts[-half:]]
    return tuple(_line(spread, start) for start in starts)


def _line(spread: str, start: int) -> str:
    end = spread.find("\n", start + 1)
    return spread[start + 1 : end if end >= 0 else len(spread)]
