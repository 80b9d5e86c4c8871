"""``run``: compact a session, or say why not."""

import shlex
import uuid
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.amounts import parse_line, parse_tokens, parse_trigger
from compactctl.cli.config import Config
from compactctl.cli.options import ReportFormat
from compactctl.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from compactctl.engine.options import RunOptions
    from compactctl.engine.run import FileOutcome


class LevelChoice(StrEnum):
    """How far the ladder is climbed."""

    CLEAR = "clear"
    FOLD = "fold"


def run(
    file: options.FileArgument,
    *,
    level: Annotated[
        LevelChoice | None,
        typer.Option(
            help="clear: results become references; fold: the head becomes a state block."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="Stop once the view is this small.")
    ] = None,
    trigger: Annotated[
        str | None,
        typer.Option(metavar="SHARE|TOKENS", help="What counts as full [default: 0.65]."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="What may stand in place of the head.")
    ] = None,
    at: options.AtOption = None,
    keep_recent: Annotated[
        str | None, typer.Option(metavar="N", help="Results that clear leaves alone [3].")
    ] = None,
    keep_tail: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="Least size of the tail [10000].")
    ] = None,
    keep_human: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="Human text kept verbatim [20000].")
    ] = None,
    if_needed: Annotated[
        bool, typer.Option("--if-needed", help="Only where the window is full (--trigger).")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would be.")
    ] = False,
    snapshot: Annotated[
        bool, typer.Option("--snapshot", help="Take a snapshot even where nothing is compacted.")
    ] = False,
    append: Annotated[
        bool, typer.Option("--append", help="Add the compaction to a copy of the whole file.")
    ] = False,
    policy: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Rules (TOML) in front of the built-in ones."),
    ] = None,
    conversation: options.ConversationOption = None,
    window: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="Size of the context window.")
    ] = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: options.ReportFormatOption = None,
    target_file: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where to write; - is stdout [default: STEM.compacted.jsonl].",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Replace broken surrogate escapes in the output.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a file that is damaged anywhere.")
    ] = False,
    store: options.StoreOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every entry.")] = False,
) -> None:
    """
    Compact a session; the input is never touched.

    \b
    compactctl run session.jsonl
    compactctl run session.jsonl --dry-run
    compactctl run session.jsonl --if-needed --trigger 0.8 -o next.jsonl
    agent-log | compactctl run - -o - > next.jsonl

    First the snapshot is written, then the output, then the ledger, each whole or not at all.
    Exit code 3: deferred or refused, nothing written.
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.engine.options import RunOptions  # noqa: PLC0415 -- --help need not load it
    from compactctl.model.compaction import Level  # noqa: PLC0415 -- as above

    config = options.configured()
    chosen = options.report_format(config, format_)
    texts = _Texts(config)
    rules = config.pick("policy", policy)
    asked = RunOptions(
        level=Level(texts.choice("level", level) or LevelChoice.FOLD),
        target=texts.tokens("target", target),
        trigger=texts.trigger(trigger),
        budget=texts.tokens("budget", budget),
        at=parse_line(at, "--at") if at is not None else None,
        keep_recent=texts.tokens("keep-recent", keep_recent),
        keep_tail=texts.tokens("keep-tail", keep_tail),
        keep_human=texts.tokens("keep-human", keep_human),
        if_needed=if_needed,
        dry_run=dry_run,
        snapshot=snapshot,
        append=append,
        policy_path=Path(rules) if rules else None,
        conversation=conversation,
        window=texts.window(window),
        encoding=config.pick("encoding", encoding) or options.ENCODING,
        input_format=config.pick("input-format", input_format),
        force=force,
        repair=repair,
        strict=strict,
    )
    outcome = _compact(file, asked, options.store_path(config, store), target_file, quiet=quiet)
    if not quiet or chosen is ReportFormat.JSON:
        report = _report(outcome, chosen, store_option=_store_option(store), verbose=verbose)
        output.write_report(report, None, aside=target_file == "-")
    raise typer.Exit(_exit_code(outcome))


class _Texts:
    """Values as they were typed or configured, read as what they mean."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def choice(self, key: str, flag: str | None) -> LevelChoice | None:
        """Return the level that is asked for."""
        text = self.config.pick(key, flag)
        if text is not None and text not in set(LevelChoice):
            raise UsageError(
                f"{self.config.named(key, flag)}: {text!r} is no level",
                hint="levels: " + ", ".join(LevelChoice),
            )
        return LevelChoice(text) if text is not None else None

    def tokens(self, key: str, flag: str | None) -> int | None:
        """Return a number of tokens, or of results."""
        text = self.config.pick(key, flag)
        return None if text is None else parse_tokens(text, self.config.named(key, flag))

    def window(self, flag: str | None) -> int | None:
        """Return the size of the window, which cannot be 0."""
        size = self.tokens("window", flag)
        if size == 0:
            raise UsageError(f"{self.config.named('window', flag)}: a window is above 0 tokens")
        return size

    def trigger(self, flag: str | None) -> float:
        """Return the trigger, a share or tokens."""
        text = self.config.pick("trigger", flag)
        named = self.config.named("trigger", flag)
        return options.TRIGGER if text is None else parse_trigger(text, named)


def _compact(
    file: str, asked: "RunOptions", store: Path, target: str | None, *, quiet: bool
) -> "FileOutcome":
    from compactctl.engine.run import run_file  # noqa: PLC0415 -- --help need not load it

    with output.Progress(quiet=quiet) as progress:
        return run_file(
            options.session_file(file),
            asked,
            store=store,
            output=target,
            now=datetime.now(UTC),
            new_id=lambda: str(uuid.uuid4()),
            write_stdout=output.write_bytes,
            progress=progress,
        )


def _report(
    outcome: "FileOutcome", chosen: ReportFormat, *, store_option: str, verbose: bool
) -> str:
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.documents import ledgers_document  # noqa: PLC0415 -- as above
    from compactctl.report.markdown import markdown_run  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above
    from compactctl.report.text import render_run  # noqa: PLC0415 -- as above

    ledgers = [masked(one.ledger) for one in outcome.conversations]
    hints = [one.resume_hint for one in outcome.conversations]
    match chosen:
        case ReportFormat.JSON:
            whole = ledgers[0] if len(ledgers) == 1 else ledgers_document(ledgers)
            return dump_json(whole).decode()
        case ReportFormat.MARKDOWN:
            written = (
                markdown_run(one, resume_hint=hint, store_option=store_option)
                for one, hint in zip(ledgers, hints, strict=True)
            )
            return "\n".join(written)
        case ReportFormat.TEXT:
            shown = (
                render_run(
                    one,
                    width=output.width(),
                    resume_hint=hint,
                    store_option=store_option,
                    verbose=verbose,
                )
                for one, hint in zip(ledgers, hints, strict=True)
            )
            return "\n".join(shown)
        case _:
            assert_never(chosen)


def _store_option(store: str | None) -> str:
    """What a printed command needs to find the store again."""
    return f"--store {shlex.quote(store)}" if store is not None else ""


def _exit_code(outcome: "FileOutcome") -> ExitCode:
    from compactctl.model.compaction import Status  # noqa: PLC0415 -- --help need not load it

    written = outcome.status in (Status.COMPACTED, Status.SKIPPED)
    return ExitCode.OK if written else ExitCode.NOTHING_WRITTEN
