"""``rule``: what the rules of ``audit`` and ``check`` are."""

from typing import TYPE_CHECKING, Annotated

import typer

from compactctl.cli import options, output
from compactctl.cli.options import ReportFormat
from compactctl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compactctl.audit.rule import Rule


def rule(
    code: Annotated[
        str | None, typer.Argument(metavar="[CODE]", help="A code or a name [default: list all].")
    ] = None,
    *,
    whole: Annotated[bool, typer.Option("--all", help="Print every rule in full.")] = False,
    format_: options.ReportFormatOption = None,
    report_file: options.ReportFileOption = None,
) -> None:
    """
    Say what a rule finds, why it matters and what to do.

    \b
    compactctl rule
    compactctl rule constraint-lost
    compactctl rule --all --format markdown
    """  # noqa: D301 -- \b is for the help formatter
    from compactctl.audit.rules import RULES  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- as above
    from compactctl.report import rules as pages  # noqa: PLC0415 -- as above

    chosen = options.report_format(options.configured(), format_)
    found = RULES if code is None else _named(RULES, code)
    if chosen is ReportFormat.JSON:
        output.write_report(dump_json(pages.rules_document(found)).decode(), report_file)
    elif chosen is ReportFormat.MARKDOWN:
        output.write_report(pages.markdown_rules(found), report_file)
    elif whole or code is not None:
        output.write_report(pages.render_rules(found), report_file)
    else:
        output.write_report(pages.list_rules(found, output.width()), report_file)


def _named(rules: "Sequence[Rule]", code: str) -> "Sequence[Rule]":
    found = [rule for rule in rules if code.upper() == rule.code or code == rule.name]
    if not found:
        raise UsageError(f"there is no rule {code!r}", hint="compactctl rule lists them")
    return found
