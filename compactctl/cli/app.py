"""The command line: one list of commands, one boundary for errors, one exit code."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from compactctl import __version__
from compactctl.cli import (
    audit,
    brief,
    check,
    classify,
    diff,
    doctor,
    hook_settings,
    log,
    output,
    pins,
    prune,
    restore,
    rule,
    run,
    schema,
    show,
    trace,
    verify,
)
from compactctl.errors import CompactctlError, ExitCode, UsageError

COMMANDS = (
    run.run,
    diff.diff,
    classify.classify,
    show.show,
    verify.verify,
    log.log,
    restore.restore,
    pins.pins,
    brief.brief,
    check.check,
    audit.audit,
    trace.trace,
    rule.rule,
    schema.schema,
    prune.prune,
    doctor.doctor,
)
TRACEBACK = "COMPACTCTL_TRACEBACK"

# Typer brings its own copy of click (from 0.26 on), so click itself may not be there to import.
_ParserError: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


class _PipeClosedError(Exception):
    """A closed pipe under a name that typer does not turn into exit code 1."""


class _Boundary(TyperGroup):
    """Lets a closed pipe through to ``status_of``."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- as in the base
        """Parse; help is printed here."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError as error:
            raise _PipeClosedError from error

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 -- as in the base
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _PipeClosedError from error


app = typer.Typer(
    name="compactctl",
    cls=_Boundary,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 findings or differences, 2 cannot run, 3 nothing written.",
)
for _command in COMMANDS:
    app.command()(_command)
app.add_typer(hook_settings.commands)


def _show_version(*, on: bool) -> None:
    if on:
        output.write_text(f"compactctl {__version__}")
        raise typer.Exit


@app.callback()
def start(
    ctx: typer.Context,
    *,
    color: Annotated[
        output.Color | None,
        typer.Option(help="When to colour [default: auto; NO_COLOR and FORCE_COLOR are heeded]."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda on: _show_version(on=on),
            is_eager=True,
            help="Show the version.",
        ),
    ] = False,
) -> None:
    """
    Compact transcripts of LLM agents as a logged, reversible write, and see what was lost.

    \b
    compactctl run session.jsonl          compact it; the input is never touched
    compactctl diff                       what the last run kept, changed and dropped
    compactctl show snap:1a2b3c4d5e6f#L12.0   the original of something dropped
    compactctl restore 1a2b3c4d -o back.jsonl undo
    """  # noqa: D301 -- \b is for the help formatter: keep these lines as they are
    del version
    output.set_color(color)
    if ctx.invoked_subcommand is None:
        output.write_text(ctx.get_help())


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(status_of(sys.argv[1:]))


def status_of(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; nothing is raised."""
    output.set_json_errors(on=_wants_json(arguments))
    try:
        return _run(arguments)
    except (BrokenPipeError, _PipeClosedError):
        output.silence()
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    try:
        command = typer.main.get_command(app)
        result = command.main(args=list(arguments), prog_name="compactctl", standalone_mode=False)
        output.flush()
    except (BrokenPipeError, _PipeClosedError, KeyboardInterrupt):
        raise
    except CompactctlError as error:
        output.write_error(error)
        return error.exit_code
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except _ParserError as error:
        output.write_error(_usage(error))
        return ExitCode.CANNOT_RUN
    except Exception as error:  # noqa: BLE001 -- the one boundary: a fault of ours has its own code
        return _internal(error)
    return result if isinstance(result, int) else ExitCode.OK


def _usage(error: Any) -> UsageError:  # noqa: ANN401 -- typer's own class has no public name
    ctx = getattr(error, "ctx", None)
    command = ctx.command_path if ctx is not None else "compactctl"
    return UsageError(error.format_message(), hint=f"{command} --help lists what there is")


def _internal(error: Exception) -> int:
    if os.environ.get(TRACEBACK):
        output.write_note("".join(traceback.format_exception(error)))
    output.write_error(_InternalError(f"{type(error).__name__}: {error}"))
    return ExitCode.INTERNAL


class _InternalError(CompactctlError):
    kind = "internal"

    def __init__(self, message: str) -> None:
        first = message.partition("\n")[0]
        super().__init__(
            f"a fault of compactctl: {first}",
            hint=f"please report it; {TRACEBACK}=1 shows where it happened",
        )


def _wants_json(arguments: Sequence[str]) -> bool:
    words = list(arguments)
    return "--format=json" in words or any(
        words[at : at + 2] == ["--format", "json"] for at in range(len(words))
    )
