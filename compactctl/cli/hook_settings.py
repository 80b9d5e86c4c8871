"""``hook install`` and ``hook uninstall``: the settings of Claude Code and Codex."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compactctl.cli import hook, options, output
from compactctl.cli.wording import safe_text
from compactctl.errors import UsageError
from compactctl.model.harness import Harness, Moment

if TYPE_CHECKING:
    from compactctl.engine.hook_settings import Change, Edit

_NAME = "compactctl"
_FILES = {
    Harness.CLAUDE_CODE: (".claude", "settings.json", "CLAUDE_CONFIG_DIR"),
    Harness.CODEX: (".codex", "hooks.json", "CODEX_HOME"),
}
_CODEX_NOTE = "Codex runs a new or changed hook only once you have trusted it: /hooks in Codex"

ClaudeCodeOption = Annotated[
    bool, typer.Option("--claude-code", help="Claude Code: .claude/settings.json.")
]
CodexOption = Annotated[bool, typer.Option("--codex", help="Codex: .codex/hooks.json.")]
UserOption = Annotated[
    bool, typer.Option("--user", help="The person's own settings instead of the project's.")
]
SettingsOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="Another settings file, of one of the two.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Write nothing; show what would change.")
]

commands = typer.Typer(
    name="hook", invoke_without_command=True, rich_markup_mode=None, add_completion=False
)


@commands.callback()
def call(
    ctx: typer.Context,
    *,
    require_snapshot: Annotated[
        bool, typer.Option("--require-snapshot", help="Stop a compaction without a snapshot.")
    ] = False,
    harness: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who calls, where its input does not tell."),
    ] = None,
    store: options.StoreOption = None,
) -> None:
    """
    Keep a snapshot when Claude Code or Codex compacts.

    The two call it; it reads what they say on standard input, prints nothing and exits 0.

    \b
    compactctl hook install --claude-code --dry-run
    compactctl hook install --codex --user
    compactctl hook uninstall --claude-code
    """  # noqa: D301 -- \b is for the help formatter
    if ctx.invoked_subcommand is None:
        raise typer.Exit(hook.status_of_call(hook.Asked(store, harness, require_snapshot)))


@commands.command(hook.INSTALL)
def install(
    *,
    claude_code: ClaudeCodeOption = False,
    codex: CodexOption = False,
    user: UserOption = False,
    settings: SettingsOption = None,
    require_snapshot: Annotated[
        bool, typer.Option("--require-snapshot", help="Stop a compaction without a snapshot.")
    ] = False,
    store: options.StoreOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Put the hook into the settings; nothing else in them changes."""
    from compactctl.formats.hook_settings import with_hooks  # noqa: PLC0415 -- --help need not

    for harness, file in _targets(settings, user=user, claude_code=claude_code, codex=codex):
        lines = _command_lines(harness, store, require_snapshot=require_snapshot)
        _apply(file, lambda old, lines=lines: with_hooks(old, lines), dry_run=dry_run)  # type: ignore[misc] # the default binds the loop's value
        if harness is Harness.CODEX:
            output.write_note(_CODEX_NOTE)


@commands.command(hook.UNINSTALL)
def uninstall(
    *,
    claude_code: ClaudeCodeOption = False,
    codex: CodexOption = False,
    user: UserOption = False,
    settings: SettingsOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Take the hook out of the settings; nothing else in them changes."""
    from compactctl.formats.hook_settings import without_hooks  # noqa: PLC0415 -- as above

    for _, file in _targets(settings, user=user, claude_code=claude_code, codex=codex):
        _apply(file, without_hooks, dry_run=dry_run)


def _targets(
    settings: str | None, *, user: bool, claude_code: bool, codex: bool
) -> Iterator[tuple[Harness, Path]]:
    chosen = [h for h, on in zip(Harness, (claude_code, codex), strict=True) if on]
    if not chosen:
        raise UsageError("hook: for which agent?", hint="--claude-code, --codex, or both")
    if settings is not None and (user or len(chosen) > 1):
        raise UsageError("--settings names one file of one agent", hint="leave the others out")
    for harness in chosen:
        yield harness, Path(settings) if settings is not None else _file(harness, user=user)


def _file(harness: Harness, *, user: bool) -> Path:
    folder, name, variable = _FILES[harness]
    if not user:
        return Path(folder) / name
    named = os.environ.get(variable)
    return (Path(named) if named else Path.home() / folder) / name


def _command_lines(
    harness: Harness, store: str | None, *, require_snapshot: bool
) -> dict[Moment, str]:
    # -P: it runs in the folder of a session, and no module is to be taken from there.
    called = [_NAME] if shutil.which(_NAME) else [sys.executable, "-P", "-m", _NAME]
    words = [*called, "hook", *(("--store", store) if store is not None else ())]
    # A call that cannot be read does not tell whose way to be refused it wants.
    strict = ["--require-snapshot", "--harness", harness.value] if require_snapshot else []
    return {Moment.BEFORE: shlex.join([*words, *strict]), Moment.AFTER: shlex.join(words)}


def _apply(file: Path, change: "Change", *, dry_run: bool) -> None:
    from compactctl.engine.hook_settings import plan_edit, write_edit  # noqa: PLC0415 -- as above

    edit = plan_edit(file, change)
    if not edit.changes:
        output.write_text(safe_text(f"{file}: nothing to change"))
        return
    if dry_run:
        output.write_text(safe_text(_difference(edit)))
        return
    write_edit(edit)
    kept = f"; what was there is in {edit.backup}" if edit.backup is not None else ""
    output.write_text(safe_text(f"{file}: written{kept}"))


def _difference(edit: "Edit") -> str:
    sides = [(side or b"").decode("utf-8", "replace") for side in (edit.before, edit.after)]
    name = str(edit.path)
    lines = unified_diff(sides[0].splitlines(), sides[1].splitlines(), name, name, lineterm="")
    return "\n".join(lines)
