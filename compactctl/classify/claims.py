"""Claims: what the assistant says is so, and whether a result supports it."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactctl.classify.checks import (
    changes_behaviour,
    checks,
    is_narrowed,
    only_looks,
    repairs,
)
from compactctl.classify.claim_evidence import Known
from compactctl.classify.claim_sorts import (
    Sort,
    named_command,
    sentences_of,
    sort_of,
    subject_kind,
)
from compactctl.classify.results.events import Event
from compactctl.classify.results.tools import Family
from compactctl.classify.session import Session, Speech
from compactctl.model.classification import CHECKS, Claim, Outcome, ResultKind

_MAX_CLAIMS = 3
"""Claims kept of one text: the first of each sort."""
_TEXT = 300
_AHEAD = 24
"""Calls after a claim among which the check that settles it is looked for."""
_ALL = re.compile(r"\b(?:all|every|everything|full|entire|whole|complete)\b", re.IGNORECASE)
_TRIED = re.compile(r"\b(?:verified|tested|validated)\b", re.IGNORECASE)
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")

_SHOWN_BY = {
    Sort.TESTS: (ResultKind.TEST,),
    Sort.LINT: (ResultKind.LINT,),
    Sort.BUILD: (ResultKind.BUILD, ResultKind.TEST),
}

Verdict = tuple[bool | None, Event | None]


def find_claims(session: Session) -> tuple[Claim, ...]:
    """
    Return the assistant's statements that something is so, in order.

    A claim is supported by a successful result that covers it and stands after the last edit that
    could undo it. It is unsupported where the newest result that covers it failed, still runs or
    is older than that edit; where it says that a change works and nothing but edits was done
    since the last check; or where the next check, with no edit in between, shows the contrary.
    Else nobody can say (``None``).
    """
    known: dict[str, Known] = {}
    last = _last_words(session)
    events = sorted(session.events, key=lambda e: e.until)
    ends = [e.until for e in events]
    requests = [speech.at for speech in session.requests]
    at = 0
    claims: list[Claim] = []
    for speech in _first_said(session.speeches):
        stop = bisect_left(ends, speech.at)
        for event in events[at:stop]:
            known.setdefault(event.result.chain, Known()).learn(event)
        at = max(at, stop)
        turn = bisect_right(requests, speech.at)
        judge = _Judge(
            known=known.setdefault(speech.entry.chain, Known()),
            since=requests[turn - 1] if turn else -1,
            ahead=_ahead(speech, events[at : at + _AHEAD], requests[turn : turn + 1]),
            seen=_first_seen(speech, events[at : at + _AHEAD]),
            final=speech.at in last,
        )
        claims.extend(_claims_of(speech, judge))
    return tuple(claims)


def _first_said(speeches: Sequence[Speech]) -> Iterator[Speech]:
    """Leave out what a recorded compaction says again: texts of one line, said before."""
    lines = Counter(speech.entry.line for speech in speeches)
    said: set[str] = set()
    for speech in speeches:
        if lines[speech.entry.line] == 1 or speech.text not in said:
            yield speech
        said.add(speech.text)


def _last_words(session: Session) -> set[int]:
    """Return the positions of texts after which a chain says nothing more in the turn."""
    requests = [speech.at for speech in session.requests]
    last = {
        (speech.entry.chain, bisect_right(requests, speech.at)): speech.at
        for speech in session.speeches
    }
    return set(last.values())


def _ahead(speech: Speech, events: Sequence[Event], ends: Sequence[int]) -> tuple[Event, ...]:
    """Return the checks called after a claim, before the next edit and the next request."""
    found: list[Event] = []
    for event in events:
        if event.result.chain != speech.entry.chain or event.at < speech.at:
            continue
        late = ends and event.at > ends[0]
        if late or changes_behaviour(event) or event.family is Family.TASK:
            break
        if checks(event):
            found.append(event)
    return tuple(found)


def _first_seen(speech: Speech, events: Sequence[Event]) -> Event | None:
    """Return the check before which nothing was done but looking; it repairs nothing itself."""
    for event in events:
        if event.result.chain != speech.entry.chain or event.at < speech.at:
            continue
        if checks(event) and not repairs(event):
            return event
        if not only_looks(event):
            return None
    return None


def _claims_of(speech: Speech, judge: "_Judge") -> Iterator[Claim]:
    seen: set[Sort] = set()
    for sentence in sentences_of(speech.text):
        sort = sort_of(sentence[:600])
        if sort is None or sort in seen:
            continue
        seen.add(sort)
        supported, event = judge.verdict(sort, sentence[:600])
        yield Claim(
            line=speech.entry.line,
            entry=speech.entry.id,
            text=sentence[:_TEXT],
            supported=supported,
            evidence_line=event.end_line if event else None,
        )
        if len(seen) >= _MAX_CLAIMS:
            return


@dataclass(frozen=True, slots=True)
class _Judge:
    """Weighs a claim: what is known, since when the turn runs, and the checks that follow."""

    known: Known
    since: int
    ahead: tuple[Event, ...]
    seen: Event | None
    """The check that followed when nothing had been done but looking."""
    final: bool
    """Nothing more is said in the turn."""

    def verdict(self, sort: Sort, sentence: str) -> Verdict:
        """Return whether a claim of a sort is supported, and the result that says so."""
        match sort:
            case Sort.COMMITTED:
                verdict = self._committed(sentence)
            case Sort.PUSHED:
                verdict = self._pushed()
            case Sort.OPENED:
                verdict = _by_event(self.known.opened)
            case Sort.CHANGED:
                verdict = self._changed()
            case Sort.RAN:
                verdict = self._ran(sentence)
            case Sort.FAILS:
                verdict = self._fails(subject_kind(sentence))
            case _:
                verdict = self._checked(sort, sentence)
        return verdict

    def _checked(self, sort: Sort, sentence: str) -> Verdict:
        """A claim that a check can show and deny."""
        kinds = _SHOWN_BY.get(sort, tuple(CHECKS))
        match sort:
            case Sort.TESTS:
                verdict = self._tests(sentence)
            case Sort.BUILD:
                verdict = self._builds()
            case Sort.LINT:
                verdict = self._by_check(kinds)
            case Sort.EXCUSED if not self._fails_now():
                return None, None
            case Sort.EXCUSED:
                verdict = None, None
            case _:
                tried = sort is Sort.FIXED or _TRIED.search(sentence)
                verdict = self._by_all(works=bool(tried))
        return self._refuted(verdict, kinds)

    def _refuted(self, verdict: Verdict, kinds: Sequence[ResultKind]) -> Verdict:
        """What nobody can say, the next check may deny: it fails, and nothing was edited."""
        if verdict[0] is None:
            for event in self.ahead:
                if event.result.kind in kinds and event.failed:
                    return False, event
        return verdict

    def _tests(self, sentence: str) -> Verdict:
        """A run of a part of the tests does not say that all of them pass."""
        supported, event = self._by_check((ResultKind.TEST,))
        if supported and event and _ALL.search(sentence) and is_narrowed(event):
            full, changed = self.known.full_tests, self.known.change
            whole = full and full.result.outcome is Outcome.SUCCESS
            if full is None or not whole or (changed and changed.until > full.until):
                return None, event
        return supported, event

    def _by_check(self, kinds: Sequence[ResultKind]) -> Verdict:
        """The newest check of these kinds passed, and nothing was edited since."""
        found = [self.known.checks[kind] for kind in kinds if kind in self.known.checks]
        if not found and self._untried():
            return False, self.known.change
        supported, event = _by_event(max(found, key=lambda e: e.until, default=None))
        if supported and event is not None and self._changed_since(event):
            return False, event
        return supported, event

    def _fails_now(self) -> bool:
        """Return whether the newest check failed and nothing was edited since."""
        newest = max(self.known.checks.values(), key=lambda e: e.until, default=None)
        return newest is not None and newest.failed and not self._changed_since(newest)

    def _builds(self) -> Verdict:
        """A build passed, or tests did, which need one; that tests fail denies no build."""
        supported, event = self._by_check(_SHOWN_BY[Sort.BUILD])
        failed = supported is False and event is not None and event.failed
        if failed and event is not None and event.result.kind is ResultKind.TEST:
            return None, event
        return supported, event

    def _ran(self, sentence: str) -> Verdict:
        """A command that is named succeeded when it ran last."""
        command = named_command(sentence) or ""
        for subject, event in reversed(self.known.commands.items()):
            if command in subject:
                return _by_event(event)
        return None, None

    def _untried(self) -> bool:
        """Return whether this turn edited something and ran nothing since."""
        change, run = self.known.change, self.known.run
        if change is None or change.at < self.since:
            return False
        return run is None or run.until < change.until

    def _changed_since(self, event: Event) -> bool:
        change = self.known.change
        return change is not None and change.until > event.until

    def _committed(self, sentence: str) -> Verdict:
        """What was edited after the last commit, or not staged for it, is in no commit."""
        commit = self.known.git.get("commit")
        if commit is None and self._untried():
            return False, self.known.change
        supported, event = _by_event(commit)
        if not supported or event is None:
            return supported, event
        if self.known.left_out > self.since:
            # More commits may follow where the turn goes on.
            return (False if self.final else None), event
        shown = " ".join(event.result.exact)
        if any(name in shown for name in _HASH.findall(sentence)):
            return True, event
        edit = self.known.tracked
        return (edit is None or edit.until < event.until), event

    def _pushed(self) -> Verdict:
        """A commit after the last push is on this machine only."""
        push, commit = self.known.git.get("push"), self.known.git.get("commit")
        supported, event = _by_event(push)
        if supported and push and commit and commit.at > push.until:
            return False, commit
        return supported, event

    def _by_all(self, *, works: bool) -> Verdict:
        """The newest check after the last edit passed; an edit alone shows nothing to work."""
        newest = max(self.known.checks.values(), key=lambda e: e.until, default=None)
        if newest is not None and not self._changed_since(newest):
            if newest.result.outcome is Outcome.SUCCESS:
                return True, newest
            since = self.known.run is not None and self.known.run.until > newest.until
            return (False if newest.failed and not since else None), newest
        if not works or self.known.change is None:
            return None, newest
        failing = newest is not None and newest.failed and self.known.run is newest
        denied = failing or self._untried()
        return (False if denied else None), newest if failing else self.known.change

    def _changed(self) -> Verdict:
        """A change is shown by an edit of this turn: it was made, not that it works."""
        edit = self.known.edit
        if edit is not None and edit.at > self.since:
            return True, edit
        return self._by_all(works=False)

    def _fails(self, kind: ResultKind | None) -> Verdict:
        """That a check fails is shown by its failing, denied by its passing without an edit."""
        kinds = {kind} if kind else CHECKS
        if kind is ResultKind.BUILD:
            # Tests of a program that does not compile do not run.
            kinds = {ResultKind.BUILD, ResultKind.TEST}
        found = [e for k, e in self.known.checks.items() if k in kinds]
        newest = max(found, key=lambda e: e.until, default=None)
        if newest is not None and newest.failed and not self._changed_since(newest):
            return True, newest
        seen = self.seen
        if seen and seen in self.ahead and seen.result.kind in kinds:
            return (False if seen.result.outcome is Outcome.SUCCESS else None), seen
        return None, newest


def _by_event(event: Event | None) -> Verdict:
    if event is None:
        return None, None
    outcome = event.result.outcome
    if outcome is Outcome.SUCCESS:
        return True, event
    return (False if outcome in {Outcome.FAILURE, Outcome.PENDING} else None), event
