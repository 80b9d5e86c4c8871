"""What a result proves: success, failure, pending, rejected, or nothing."""

from dataclasses import dataclass

from compactctl.classify.results.answers import Answer, State
from compactctl.classify.results.kinds import Work
from compactctl.classify.results.tools import Family
from compactctl.classify.results.words import Said
from compactctl.model.classification import CHECKS, Outcome, ResultKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    All that can speak for an outcome.

    ``failed`` is the format's error flag; ``flags`` says that this recording marks its failures,
    so that no flag means none was seen. ``work`` is set for shell commands.
    """

    answer: Answer
    family: Family
    kind: ResultKind
    work: Work | None
    said: Said
    failed: bool | None
    flags: bool


def outcome_of(evidence: Evidence) -> Outcome:  # noqa: PLR0911 -- a ladder of proofs, each ends it
    """
    Return the outcome; ``unknown`` where nothing proves one, never ``success`` in doubt.

    Exit codes come first, then error flags, then the tool's own words, but an exit code that a
    pipe or a following command hides gives way to the words.
    """
    answer = evidence.answer
    match answer.state:
        case State.REJECTED:
            return Outcome.REJECTED
        case State.RUNNING:
            return Outcome.PENDING
        case State.ABORTED:
            return Outcome.UNKNOWN
        case State.TIMED_OUT:
            return Outcome.FAILURE
        case State.TOOL_ERROR if not (evidence.flags and _quotes(evidence)):
            return Outcome.FAILURE
        case State.TOOL_ERROR | State.FINAL:
            pass
    if answer.exit_code is not None and answer.exit_code != 0:
        return _nonzero(evidence)
    if answer.exit_code is None and evidence.failed:
        return Outcome.FAILURE
    if evidence.work is None:
        return _plain_tool(evidence)
    sure = answer.exit_code == 0 or (evidence.flags and not evidence.failed)
    return _zero(evidence, evidence.work) if sure else _by_words(evidence, evidence.work)


def _quotes(evidence: Evidence) -> bool:
    """Return whether a result shows what files or programs hold, errors among it."""
    return evidence.work is not None or evidence.family in {Family.READ, Family.SEARCH}


def _nonzero(evidence: Evidence) -> Outcome:
    """A search that finds nothing exits 1 and has answered its question."""
    work = evidence.work
    finds = work is not None and work.kind is ResultKind.SEARCH and evidence.answer.exit_code == 1
    if finds and not evidence.said.errors and not _words_only(evidence):
        return Outcome.SUCCESS
    return Outcome.FAILURE


def _words_only(evidence: Evidence) -> bool:
    """Return whether the body says more than that nothing was found."""
    body = evidence.answer.body.strip()
    return bool(body) and body.lower() not in {"no matches found", "(no output)", "exit code 1"}


def _zero(evidence: Evidence, work: Work) -> Outcome:  # noqa: PLR0911 -- as above
    said = evidence.said
    if work.at < 0:
        return Outcome.FAILURE if said.errors[:1] and _shell_broke(said) else Outcome.SUCCESS
    if work.command.zero_shows(work.at):
        return Outcome.SUCCESS
    if said.failed and work.kind in _FAIL_WORDS:
        return Outcome.FAILURE
    if _shell_broke(said) and len(said.errors) >= _body_lines(evidence.answer.body, 12):
        return Outcome.FAILURE
    if work.kind in CHECKS:
        return _hidden_verifier(evidence, work)
    if _names_itself(said, work):
        return Outcome.FAILURE
    if work.kind is ResultKind.GIT and said.errors and not said.passed:
        return Outcome.FAILURE
    if said.errors and work.kind in {ResultKind.SHELL, ResultKind.WEB} and _speaks_first(evidence):
        return Outcome.FAILURE
    return Outcome.SUCCESS


_FAIL_WORDS = frozenset({ResultKind.TEST, ResultKind.LINT, ResultKind.BUILD, ResultKind.GIT})


def _hidden_verifier(evidence: Evidence, work: Work) -> Outcome:
    """A verifier whose exit code is hidden: its words, or its silence where silence is its yes."""
    if evidence.said.passed and not evidence.said.errors:
        return Outcome.SUCCESS
    if evidence.said.passed:
        return Outcome.SUCCESS if work.kind is ResultKind.TEST else Outcome.UNKNOWN
    if evidence.said.errors:
        return Outcome.FAILURE
    silent = not evidence.answer.body.strip()
    if silent and work.kind in {ResultKind.BUILD, ResultKind.LINT} and not _searched(work):
        return Outcome.SUCCESS
    ran_on = work.kind is ResultKind.BUILD and not work.command.filtered(work.at)
    if ran_on or (work.kind is ResultKind.LINT and not _searched(work)):
        return Outcome.SUCCESS if not silent else Outcome.UNKNOWN
    return Outcome.UNKNOWN


def _searched(work: Work) -> bool:
    """Return whether a search stands right of the verifier, so that its silence says nothing."""
    for step in work.command.steps[work.at + 1 :]:
        if step.operator != "|":
            return False
        if step.program in {"grep", "egrep", "rg", "awk", "sed"}:
            return True
    return False


def _by_words(evidence: Evidence, work: Work) -> Outcome:
    """No exit code and no flag in the whole recording: only words can prove anything."""
    said = evidence.said
    if said.failed and work.kind in _FAIL_WORDS:
        return Outcome.FAILURE
    if said.errors:
        return Outcome.FAILURE
    if said.passed:
        return Outcome.SUCCESS
    if work.kind in {ResultKind.READ, ResultKind.SEARCH, ResultKind.WEB}:
        return Outcome.SUCCESS if evidence.answer.body.strip() else Outcome.UNKNOWN
    if work.kind in CHECKS:
        return Outcome.UNKNOWN
    return Outcome.SUCCESS if evidence.answer.body.strip() else Outcome.UNKNOWN


def _plain_tool(evidence: Evidence) -> Outcome:
    body = evidence.answer.body
    if evidence.answer.exit_code == 0 or (evidence.flags and evidence.failed is False):
        return Outcome.SUCCESS
    if not evidence.flags and _speaks_first(evidence):
        return Outcome.FAILURE
    if not body.strip() and not evidence.flags:
        return Outcome.UNKNOWN
    return Outcome.SUCCESS


def _speaks_first(evidence: Evidence) -> bool:
    """Return whether an error is the first thing that a result says."""
    first = next((line for line in evidence.answer.body[:2000].split("\n") if line.strip()), "")
    return bool(evidence.said.errors) and evidence.said.errors[0].strip() == first.strip()[:600]


def _names_itself(said: Said, work: Work) -> bool:
    """Return whether an error line starts with the decisive program's own name."""
    if work.step is None or not work.step.program:
        return False
    return any(line.startswith(f"{work.step.program}: ") for line in said.errors)


_BREAKS = ("(eval):", "zsh:", "sh:", "bash:", "-bash:", "/bin/", "/usr/bin/")


def _shell_broke(said: Said) -> bool:
    return any(line.startswith(_BREAKS) for line in said.errors[:8])


def _body_lines(body: str, most: int) -> int:
    count = 0
    for line in body[:4000].split("\n"):
        count += bool(line.strip())
        if count >= most:
            break
    return max(1, count)
