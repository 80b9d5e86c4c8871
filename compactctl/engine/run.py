"""A run: attempt, snapshot, output, ledger; nothing is written unless it helps."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from compactctl.engine.attempt import Attempt, attempt
from compactctl.engine.candidate import Stamp, chunks_of
from compactctl.engine.options import RunOptions, settings_of
from compactctl.engine.outputs import STDOUT, check_output, output_path
from compactctl.engine.policy_file import load_policy
from compactctl.engine.sessions import Session, sessions_of
from compactctl.errors import InputError, StoreError
from compactctl.io.atomic import write_atomic
from compactctl.io.schemas import validate
from compactctl.io.source import Source
from compactctl.model.compaction import Compaction, OutputRef, SnapshotRef, Status
from compactctl.model.pointer import PointerStatus
from compactctl.report.documents import ledger_document
from compactctl.store.store import Store, new_ledger_id
from compactctl.tokens.counter import TokenCounter

Progress = Callable[[str], None]
Chunks = Iterable[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """How one conversation came out: the value, its ledger document, how to go on from it."""

    compaction: Compaction
    ledger: Mapping[str, object]
    resume_hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """How a file came out: one outcome for each conversation that was run."""

    conversations: tuple[RunOutcome, ...]

    @property
    def status(self) -> Status:
        """The worst status of all conversations."""
        order = (Status.REFUSED, Status.DEFERRED, Status.COMPACTED, Status.SKIPPED)
        found = {outcome.compaction.status for outcome in self.conversations}
        return next(status for status in order if status in found)


def run_file(
    path: str,
    options: RunOptions,
    *,
    store: Path,
    output: str | None,
    now: datetime,
    new_id: Callable[[], str],
    write_stdout: Callable[[Chunks], None],
    progress: Progress = lambda _: None,
) -> FileOutcome:
    """
    Compact a file, or say why not.

    Order of writing: snapshot, output, ledger, each whole or not at all. ``store`` is the folder
    of the store, created when something is to be kept. ``output`` is a file, ``-`` for
    ``write_stdout``, or ``None`` for the default name.

    Raises ``InputError``, ``UsageError``, ``OutputError`` and ``StoreError``; then nothing but a
    snapshot was written.
    """
    target = None if options.dry_run else output_path(path, output)
    with ExitStack() as stack:
        progress("reading")
        source = stack.enter_context(Source.open(path))
        run = _Run(path, source, options, store, stack, Stamp.at(now, new_id), progress)
        attempts = run.attempts()
        return run.commit(attempts, target, write_stdout, to_stdout=output == STDOUT)


class _Run:
    def __init__(
        self,
        path: str,
        source: Source,
        options: RunOptions,
        store: Path,
        stack: ExitStack,
        stamp: Stamp,
        progress: Progress,
    ) -> None:
        self.path = path
        self.source = source
        self.options = options
        self.store_path = store
        self.stack = stack
        self.stamp = stamp
        self.progress = progress
        self.counter = TokenCounter(options.encoding)
        self.policy = load_policy(options.policy_path)
        self.settings = settings_of(options, self.policy)

    def attempts(self) -> tuple[Attempt, ...]:
        """Attempt each conversation in turn, the next one on what the last one became."""
        found: list[Attempt] = []
        current = self.source
        for first in self._sessions(self.source, self.options.conversation):
            session = first
            if current is not self.source:
                (now,) = self._sessions(current, first.transcript.conversation)
                session = now.named(self.source.sha256())
            if self.options.strict and session.transcript.damage:
                raise self._damaged(session)
            self.progress("classifying and counting")
            tried = attempt(session, self.options, self.policy, self.settings, self.stamp)
            found.append(tried)
            if tried.candidate is not None:
                current = self.stack.enter_context(tried.candidate)
        return tuple(found)

    def commit(
        self,
        attempts: tuple[Attempt, ...],
        target: Path | None,
        write_stdout: Callable[[Chunks], None],
        *,
        to_stdout: bool,
    ) -> FileOutcome:
        """Write what the attempts came to."""
        self.source.check_unchanged()
        written = [tried.candidate for tried in attempts if tried.candidate is not None]
        result = written[-1] if written else None
        copies = result is None and self._copies(attempts)
        if self.options.dry_run:
            snapshot = self._snapshot(attempts) if self.options.snapshot else None
            return self._outcome(attempts, snapshot, None)
        if target is not None and (result is not None or copies):
            check_output(target, self.path, self._own_outputs(), force=self.options.force)
        snapshot = self._snapshot(attempts)
        if result is None and not copies:
            return self._refused(attempts, snapshot)
        body = result if result is not None else self.source
        self.progress("writing")
        if target is None or to_stdout:
            ref = OutputRef(path=STDOUT, sha256=body.sha256())
            outcome = self._logged(attempts, snapshot, ref)
            write_stdout(chunks_of(body))
            return outcome
        sha256 = write_atomic(target, chunks_of(body), before_replace=self._last_look)
        return self._logged(attempts, snapshot, OutputRef(path=str(target), sha256=sha256))

    def _sessions(self, source: Source, conversation: int | None) -> tuple[Session, ...]:
        return sessions_of(
            source,
            self.counter,
            input_format=self.options.input_format,
            conversation=conversation,
        )

    def _damaged(self, session: Session) -> InputError:
        first = session.transcript.damage[0]
        more = len(session.transcript.damage) - 1
        return InputError(
            f"{self.path}:{first.line}: {first.kind} at byte {first.byte_offset}, "
            f"{first.length} bytes" + (f"; and {more} more" if more else ""),
            hint="leave --strict out to read around it",
        )

    def _copies(self, attempts: tuple[Attempt, ...]) -> bool:
        # A skip hands the input on, so that a pipe of commands works whether it was needed or not.
        return all(tried.compaction.status is Status.SKIPPED for tried in attempts)

    def _snapshot(self, attempts: tuple[Attempt, ...]) -> SnapshotRef | None:
        if not self.options.snapshot and not any(tried.attempted for tried in attempts):
            return None
        self.progress("writing the snapshot")
        store = Store.open(self.store_path, create=True)
        return store.put_snapshot(
            self.source,
            expected_sha256=self.source.sha256(),
            taken_at=self.stamp.now,
            fmt=attempts[0].compaction.format,
        )

    @cached_property
    def _ledgers(self) -> tuple[Mapping[str, object], ...]:
        """The runs of the store before this one."""
        if not self.store_path.exists():
            return ()
        return tuple(Store.open(self.store_path, create=False).ledgers())

    def _own_outputs(self) -> frozenset[str]:
        found: set[str] = set()
        for ledger in self._ledgers:
            output = ledger.get("output")
            if isinstance(output, dict):
                found.add(str(output.get("sha256")))
        return frozenset(found)

    def _last_look(self, written: Path) -> None:
        del written
        self.source.check_unchanged()

    def _refused(self, attempts: tuple[Attempt, ...], snapshot: SnapshotRef | None) -> FileOutcome:
        if any(tried.attempted for tried in attempts):
            return self._logged(attempts, snapshot, None)
        return self._outcome(attempts, snapshot, None)

    def _logged(
        self,
        attempts: tuple[Attempt, ...],
        snapshot: SnapshotRef | None,
        output: OutputRef | None,
    ) -> FileOutcome:
        outcome = self._outcome(attempts, snapshot, output)
        if any(tried.attempted for tried in attempts):
            store = Store.open(self.store_path, create=True)
            for one in outcome.conversations:
                if one.compaction.status in (Status.COMPACTED, Status.REFUSED):
                    store.append_ledger(one.ledger)
        return outcome

    def _outcome(
        self,
        attempts: tuple[Attempt, ...],
        snapshot: SnapshotRef | None,
        output: OutputRef | None,
    ) -> FileOutcome:
        parent = self._parent()
        return FileOutcome(
            conversations=tuple(
                self._one(tried, snapshot, output, parent, number)
                for number, tried in enumerate(attempts)
            )
        )

    def _one(
        self,
        tried: Attempt,
        snapshot: SnapshotRef | None,
        output: OutputRef | None,
        parent: str | None,
        number: int,
    ) -> RunOutcome:
        compaction = tried.compaction
        wrote = output if compaction.status in (Status.COMPACTED, Status.SKIPPED) else None
        compaction = replace(compaction, snapshot=snapshot, output=wrote)
        if snapshot is not None:
            # The snapshot's hash is that of the bytes from which the evidence was read.
            found = tuple(
                replace(pointer, status=PointerStatus.RESOLVES) for pointer in compaction.pointers
            )
            compaction = replace(compaction, pointers=found)
        ledger = ledger_document(
            compaction,
            ledger_id=new_ledger_id(self.stamp.now, f"{compaction.sha256}{number}{wrote}"),
            time=self.stamp.now,
            parent=parent,
        )
        validate(ledger, "ledger")
        hint = ""
        if compaction.status is Status.COMPACTED and wrote is not None and tried.after is not None:
            hint = tried.after.format.resume_hint(tried.after.transcript, wrote.path)
        return RunOutcome(compaction=compaction, ledger=ledger, resume_hint=hint)

    def _parent(self) -> str | None:
        """The ledger of the run whose output this input is."""
        sha256 = self.source.sha256()
        try:
            ledgers = self._ledgers
        except StoreError:
            if any((self.options.snapshot, not self.options.dry_run)):
                raise
            return None
        for ledger in reversed(ledgers):
            output = ledger.get("output")
            if isinstance(output, dict) and output.get("sha256") == sha256:
                return str(ledger.get("id"))
        return None
