"""Events: calls with what became of them, read once in the order of the file."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from compactctl.classify.results.answers import Answer, State, read_answer
from compactctl.classify.results.exact import exact_strings, strings_of_json
from compactctl.classify.results.keys import key_of
from compactctl.classify.results.kinds import Work, kind_of_family, shell_work
from compactctl.classify.results.one_line import one_line
from compactctl.classify.results.outcome import Evidence, outcome_of
from compactctl.classify.results.proof import proves
from compactctl.classify.results.tools import (
    Family,
    edited_paths,
    family_of,
    script_calls,
    subject_of,
)
from compactctl.classify.results.words import clipped, said
from compactctl.model.classification import Outcome, ResultKind, ToolResult
from compactctl.model.entry import Entry

MAX_SUBJECT = 4_000
_MAX_TERMS = 24
_TERM = re.compile(r"[^\s\"'`=,;()\[\]{}<>|&$]{2,120}")
_NUMBER = re.compile(r"\d+")
_ERROR = 240
_STEP_WORDS = 24
_SAYS_NOTHING = 200
"""Longer bodies are never taken for empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    A call with its result, and the small values that branches, claims and boundaries work on.

    ``at`` and ``until`` are positions in ``Transcript.entries`` of the call and of its final
    result (of the call itself where there is none). ``act`` names the work (``go test``),
    ``terms`` are the words of its key argument, ``error`` is the line that says what failed.
    """

    result: ToolResult
    at: int
    until: int
    family: Family
    act: str
    terms: frozenset[str]
    error: str
    tests: tuple[str, ...]
    paths: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    """The first words of each step of a shell command."""
    empty: bool
    """The result says nothing, as of a search that found nothing."""
    zero_shows: bool = True
    """Of a shell command: its exit code says how the decisive step ended."""

    @property
    def failed(self) -> bool:
        """Whether the call failed."""
        return self.result.outcome is Outcome.FAILURE

    @property
    def line(self) -> int:
        """The line of the call."""
        return self.result.call_line

    @property
    def end_line(self) -> int:
        """The line of the result, of the call where there is none."""
        return self.result.result_line or self.result.call_line


@dataclass(slots=True, kw_only=True)
class _Call:
    entry: Entry
    at: int
    tool: str
    family: Family
    kind: ResultKind
    work: Work | None
    subject: str
    digest: str
    paths: tuple[str, ...]
    key: str
    event: Event | None = None


@dataclass(slots=True)
class EventReader:
    """
    Pairs calls with results, in the order of the file.

    ``flags`` says that the recording marks failed results. Feed it every call and result, then
    take ``events``.
    """

    flags: bool
    _calls: list[_Call] = field(default_factory=list)
    _open: dict[tuple[str, str], _Call] = field(default_factory=dict)
    _unnamed: dict[str, _Call] = field(default_factory=dict)
    _processes: dict[tuple[str, str], _Call] = field(default_factory=dict)

    def call(self, at: int, entry: Entry, text: str, arguments: Mapping[str, object]) -> None:
        """Take a call; ``at`` is its position in the transcript's entries."""
        call = self._new_call(at, entry, text, arguments)
        self._calls.append(call)
        if entry.call_id is None:
            self._unnamed[entry.chain] = call
        else:
            self._open[entry.chain, entry.call_id] = call

    def result(self, at: int, entry: Entry, text: str) -> Event | None:
        """Take a result and return what its call has come to; ``None`` for one without a call."""
        call = (
            self._unnamed.get(entry.chain)
            if entry.call_id is None
            else self._open.get((entry.chain, entry.call_id))
        )
        if call is None:
            return None
        answer = read_answer(text, rejected=entry.rejected)
        if answer.process is not None:
            self._processes[entry.chain, answer.process] = call
        event = self._settle(call, at, entry, answer)
        settled = call.event is not None and call.event.result.outcome is not Outcome.PENDING
        if not settled or event.result.outcome is not Outcome.PENDING:
            call.event = event
        return call.event

    def events(self, last_at: Mapping[str, int]) -> tuple[Event, ...]:
        """
        Return one event a call, in the order of the calls.

        ``last_at`` is the position of the last entry that is no call, by chain: a call without
        result after it is pending, one before it was never answered.
        """
        return tuple(call.event or self._silent(call, last_at) for call in self._calls)

    def _new_call(
        self, at: int, entry: Entry, text: str, arguments: Mapping[str, object]
    ) -> _Call:
        tool = entry.tool or "tool"
        family = family_of(tool, arguments)
        subject = plan_subject(arguments) if family is Family.PLAN else None
        subject = subject or subject_of(family, arguments, text)
        if family is Family.SHELL and (script := script_calls(subject)):
            family, subject = script
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        paths = edited_paths(family, arguments, text)
        if family is Family.EDIT and paths:
            subject = ", ".join(paths)
        work = shell_work(subject) if family is Family.SHELL else None
        kind = work.kind if work else kind_of_family(family)
        if family is Family.POLL:
            origin = self._origin(entry.chain, arguments)
            if origin is not None:
                kind, work, subject = origin.kind, origin.work, origin.subject
        if work is not None and work.step is not None and kind is ResultKind.EDIT:
            paths = work.step.writes or work.step.words[-1:]
        key = key_of(kind=kind, family=family, tool=tool, subject=subject, work=work)
        return _Call(
            entry=entry,
            at=at,
            tool=tool,
            family=family,
            kind=kind,
            work=work,
            subject=subject[:MAX_SUBJECT],
            digest=digest,
            paths=paths,
            key=key,
        )

    def _origin(self, chain: str, arguments: Mapping[str, object]) -> _Call | None:
        for name in ("session_id", "bash_id", "task_id", "shell_id", "id", "cell_id"):
            value = arguments.get(name)
            if value is not None and (call := self._processes.get((chain, str(value)))):
                return call
        return None

    def _settle(self, call: _Call, at: int, entry: Entry, answer: Answer) -> Event:
        text = clipped(answer.body)
        heard = said(call.kind, text)
        outcome = outcome_of(
            Evidence(
                answer=answer,
                family=call.family,
                kind=call.kind,
                work=call.work,
                said=heard,
                failed=entry.failed,
                flags=self.flags,
            )
        )
        exact = strings_of_json(answer.body)
        if exact is None:
            exact = exact_strings(call.kind, outcome, text, heard)
        if answer.state is State.RUNNING and answer.process:
            exact = (f"Process running with session ID {answer.process}", *exact)[:4]
        shape = _shape(call, outcome, answer.exit_code, exact, size=len(answer.body))
        result = replace(
            shape,
            result_line=entry.line,
            result_entry=entry.id,
            proves=proves(call.family, call.work, call.tool, shape.kind, outcome),
        )
        error = next((line.strip() for line in (*heard.failed, *heard.errors)), "")
        if not error and outcome is Outcome.FAILURE:
            error = exact[0] if exact else f"exit code {answer.exit_code}"
        return _event(call, at, result, error[:_ERROR], heard.tests, empty=_empty(answer.body))

    def _silent(self, call: _Call, last_at: Mapping[str, int]) -> Event:
        own = call.entry.call_id is None
        waits = not own and call.at > last_at.get(call.entry.chain, -1)
        outcome = Outcome.PENDING if waits else Outcome.UNKNOWN
        result = _shape(call, outcome, None, (), size=None)
        proven = call.kind in {ResultKind.TEST, ResultKind.GIT, ResultKind.EDIT, ResultKind.BUILD}
        return _event(call, call.at, replace(result, proves=proven), "", (), empty=True)


def _shape(
    call: _Call, outcome: Outcome, exit_code: int | None, exact: tuple[str, ...], size: int | None
) -> ToolResult:
    entry = call.entry
    return ToolResult(
        call_id=entry.call_id or entry.id,
        call_line=entry.line,
        call_entry=entry.id,
        result_line=None,
        result_entry=None,
        tool=call.tool,
        kind=call.kind,
        outcome=outcome,
        exit_code=exit_code,
        exact=exact,
        one_line=one_line(
            tool=call.tool,
            subject=call.subject,
            kind=call.kind,
            outcome=outcome,
            exit_code=exit_code,
            size=size or 0,
            answered=size is not None,
        ),
        key=call.key,
        subject=call.subject,
        arguments_digest=call.digest,
        proves=False,
        chain=entry.chain,
    )


def _event(
    call: _Call, until: int, result: ToolResult, error: str, tests: tuple[str, ...], *, empty: bool
) -> Event:
    work = call.work
    return Event(
        result=result,
        at=call.at,
        until=until,
        family=call.family,
        act=(work.act if work else "") or call.tool,
        terms=terms_of(call.subject),
        error=error,
        tests=tests,
        paths=call.paths,
        steps=tuple(s.words[:_STEP_WORDS] for s in work.command.steps if s.words) if work else (),
        empty=empty,
        zero_shows=work.command.zero_shows(work.at) if work and work.at >= 0 else True,
    )


def terms_of(subject: str) -> frozenset[str]:
    """Return the words of a key argument, numbers made equal, at most ``_MAX_TERMS``."""
    found: dict[str, None] = {}
    for match in _TERM.finditer(subject[:1_500]):
        found[_NUMBER.sub("0", match[0])] = None
        if len(found) >= _MAX_TERMS:
            break
    return frozenset(found)


def plan_subject(arguments: Mapping[str, object]) -> str | None:
    """Return the step that a plan or todo call is about: in progress, else the last done."""
    for name in ("todos", "plan", "todoList", "task_list", "items"):
        items = arguments.get(name)
        if isinstance(items, list):
            return _plan_step(items)
    return None


def _plan_step(items: list[object]) -> str | None:
    done: str | None = None
    for item in items:
        if not isinstance(item, dict):
            continue
        text = next(
            (item[k] for k in ("content", "step", "title", "description") if k in item), None
        )
        if not isinstance(text, str):
            continue
        if item.get("status") == "in_progress":
            return text
        if item.get("status") in {"completed", "done"} or done is None:
            done = text
    return done


def _empty(body: str) -> bool:
    return len(body) < _SAYS_NOTHING and body.strip().lower() in {
        "",
        "0",
        "[]",
        "null",
        "no matches found",
        "no files found",
        "(no output)",
        "(bash completed with no output)",
        "no results found",
    }
