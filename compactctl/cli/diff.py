"""``diff``: what a compaction kept, changed and lost."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.config import Config
from compactctl.cli.options import ReportFormat
from compactctl.errors import ExitCode, StoreError, UsageError

if TYPE_CHECKING:
    from compactctl.engine.sessions import Session
    from compactctl.store.store import Store

Doc = Mapping[str, Any]
_CHANGES = ("added", "superseded", "changed", "removed")


def diff(
    before: Annotated[
        str | None,
        typer.Argument(metavar="[A]", help="A file, a snapshot or a run [default: the last run]."),
    ] = None,
    after: Annotated[
        str | None, typer.Argument(metavar="[B]", help="What to compare it with.")
    ] = None,
    *,
    full: Annotated[bool, typer.Option("--full", help="List every entry.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 where the two differ.")
    ] = False,
    conversation: options.ConversationOption = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.ReportFormatOption = None,
    report_file: options.ReportFileOption = None,
    store: options.StoreOption = None,
) -> None:
    """
    Show what a compaction kept, changed and lost.

    \b
    compactctl diff                                       the last run
    compactctl diff 20260101T120000000Z-1a2b3c4d          one run, as log lists it
    compactctl diff session.jsonl session.compacted.jsonl any two sessions
    compactctl diff RUN RUN                               from one run to a later one
    """  # noqa: D301 -- \b is for the help formatter
    config = options.configured()
    chosen = options.report_format(config, format_)
    with output.Progress() as progress:
        progress("comparing")
        asked = _Asked(config, store, conversation, encoding, input_format)
        documents = asked.documents(before, after)
    output.write_report(_report(documents, chosen, full=full), report_file)
    if exit_code and any(_differs(document) for document in documents):
        raise typer.Exit(ExitCode.FINDINGS)


class _Asked:
    """What the two words of a command line stand for."""

    def __init__(
        self,
        config: Config,
        store: str | None,
        conversation: int | None,
        encoding: str | None,
        input_format: str | None,
    ) -> None:
        self._path = options.store_path(config, store)
        self._conversation = conversation
        self._encoding = config.pick("encoding", encoding) or options.ENCODING
        self._input_format = config.pick("input-format", input_format)

    def documents(self, before: str | None, after: str | None) -> list[Doc]:
        """Return the diff of each conversation."""
        from compactctl.report.ledger_diffs import (  # noqa: PLC0415 -- --help need not load it
            diff_of_ledger,
            diff_of_ledgers,
        )

        if before is None:
            return [diff_of_ledger(self._last())]
        first = self._ledger(before)
        if after is None:
            if first is None:
                raise UsageError(
                    f"diff: {before!r} is no run of the store {self._path}",
                    hint="compactctl diff A B compares two files; log lists the runs",
                )
            return [diff_of_ledger(first)]
        second = self._ledger(after)
        if first is not None and second is not None:
            return [diff_of_ledgers(first, second)]
        return self._compared(before, after)

    def _last(self) -> Doc:
        last = self._store().last_ledger()
        if last is None:
            raise StoreError(
                f"{self._path}: there is no run in the store yet",
                hint="compactctl diff A B compares any two sessions",
            )
        return last

    def _store(self) -> "Store":
        from compactctl.store.store import Store  # noqa: PLC0415 -- --help need not load it

        return Store.open(self._path, create=False)

    def _ledger(self, name: str) -> Doc | None:
        if _is_file(name) or not self._path.exists():
            return None
        fitting = [one for one in self._store().ledgers() if str(one["id"]).startswith(name)]
        if len(fitting) > 1:
            named = ", ".join(str(one["id"]) for one in fitting[:5])
            raise UsageError(f"{name!r} names several runs: {named}", hint="give more of it")
        return fitting[0] if fitting else None

    def _compared(self, before: str, after: str) -> list[Doc]:
        from compactctl.engine.compare import compare  # noqa: PLC0415 -- --help need not load it
        from compactctl.report.documents import diff_document  # noqa: PLC0415 -- as above

        with ExitStack() as stack:
            old = self._sessions(before, stack)
            new = self._sessions(after, stack)
            if len(old) != len(new):
                raise UsageError(
                    f"{before} holds {len(old)} conversations, {after} {len(new)}",
                    hint="name one with --conversation N",
                )
            return [diff_document(compare(a, b)) for a, b in zip(old, new, strict=True)]

    def _sessions(self, name: str, stack: ExitStack) -> "tuple[Session, ...]":
        from compactctl.engine.sessions import sessions_of  # noqa: PLC0415 -- --help need not
        from compactctl.io.source import Source  # noqa: PLC0415 -- as above
        from compactctl.tokens.counter import TokenCounter  # noqa: PLC0415 -- as above

        if _is_file(name) or not self._path.exists():
            source = Source.open(options.session_file(name))
        else:
            source = self._store().open_snapshot(self._snapshot_of(name))
        return sessions_of(
            stack.enter_context(source),
            TokenCounter(self._encoding),
            input_format=self._input_format,
            conversation=self._conversation,
        )

    def _snapshot_of(self, name: str) -> str:
        """A run beside a file stands for what it began with."""
        ledger = self._ledger(name)
        snapshot = ledger.get("snapshot") if ledger else None
        if isinstance(snapshot, Mapping):
            return str(snapshot["sha256"])
        try:
            return self._store().find_snapshot(name).sha256
        except StoreError as error:
            raise UsageError(
                f"{name!r} is neither a file nor a run or snapshot: {error.message}",
                hint="compactctl log lists runs and snapshots",
            ) from None


def _is_file(name: str) -> bool:
    return name == "-" or Path(name).exists()


def _differs(document: Doc) -> bool:
    pins = document["pins"]
    return any(pins[key] for key in _CHANGES) or any(
        entry["action"] != "keep" for entry in document["entries"]
    )


def _report(documents: Sequence[Doc], chosen: ReportFormat, *, full: bool) -> str:
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    safe = [masked(one) for one in documents]
    match chosen:
        case ReportFormat.JSON:
            several = {"schema": "compactctl.diffs/1", "diffs": safe}
            return dump_json(safe[0] if len(safe) == 1 else several).decode()
        case ReportFormat.MARKDOWN:
            return "\n".join(_markdown(safe))
        case ReportFormat.TEXT:
            return "\n".join(_texts(safe, full=full))
        case _:
            assert_never(chosen)


def _markdown(documents: Sequence[Doc]) -> Iterator[str]:
    from compactctl.report.markdown import markdown_diff  # noqa: PLC0415 -- --help need not load

    return (markdown_diff(one) for one in documents)


def _texts(documents: Sequence[Doc], *, full: bool) -> Iterator[str]:
    from compactctl.report.text import render_diff  # noqa: PLC0415 -- --help need not load it

    return (render_diff(one, width=output.width(), full=full) for one in documents)
