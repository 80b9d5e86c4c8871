"""``check``: every rule over many recorded sessions, as a gate for CI."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, assert_never

import typer

from compactctl.cli import options, output
from compactctl.cli.config import Config
from compactctl.errors import ExitCode, InputError, UsageError
from compactctl.model.audit import Confidence, Severity

if TYPE_CHECKING:
    from compactctl.audit.baseline import Suppression
    from compactctl.engine.checks import CheckedFile, CheckJob
    from compactctl.model.audit import Finding
    from compactctl.report.checks import Check

_SEVERITIES = (Severity.NOTE, Severity.WARNING, Severity.ERROR)
_CONFIDENCES = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)


class CheckFormat(StrEnum):
    """What a check is written as."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


class FailOn(StrEnum):
    """From which severity on findings fail the check."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    NEVER = "never"


def check(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Sessions, and folders of sessions.")
    ],
    *,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Only this rule: a code, its start, or a name."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="All rules but this one.")
    ] = None,
    fail_on: Annotated[
        FailOn, typer.Option(help="The least severity that makes the exit code 1.")
    ] = FailOn.WARNING,
    min_confidence: Annotated[
        Confidence, typer.Option(help="Leave out what is less sure than this.")
    ] = Confidence.LOW,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Only new findings count; written where it does not exist yet."
        ),
    ] = None,
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write the baseline anew.")
    ] = False,
    report: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT:PATH", help="Write one more report, as in sarif:out.sarif."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes [default: one a core].")
    ] = None,
    encoding: options.EncodingOption = None,
    input_format: options.InputFormatOption = None,
    format_: Annotated[
        CheckFormat | None, typer.Option("--format", help="What the report is written as.")
    ] = None,
    report_file: options.ReportFileOption = None,
) -> None:
    """
    Check recorded sessions by every rule: exit 1 for findings.

    \b
    compactctl check sessions/
    compactctl check sessions/ --fail-on error --report sarif:compactctl.sarif
    compactctl check session.jsonl --select constraint-lost --format json
    compactctl check sessions/ --baseline compactctl.baseline.json
    """  # noqa: D301 -- \b is for the help formatter
    config = options.configured()
    asked = _Asked(
        codes=_codes(select or (), ignore or ()),
        encoding=config.pick("encoding", encoding) or options.ENCODING,
        input_format=config.pick("input-format", input_format),
        workers=jobs or _cores(),
        least=_CONFIDENCES.index(min_confidence),
    )
    chosen = _format(config, format_)
    reports = [_report_of(text) for text in report or ()]
    if update_baseline and baseline is None:
        raise UsageError("--update-baseline needs --baseline FILE")
    known = None if update_baseline else _known(baseline)
    done, interrupted = _run(asked, paths)
    if baseline is not None and known is None and not interrupted:
        known = _write_baseline(baseline, done, asked)
    found = _judged(done, asked, known, config.suppressions, interrupted)
    for kind, target in reports:
        output.write_report(_rendered(found, kind, asked.codes), target)
    output.write_report(_rendered(found, chosen, asked.codes), report_file)
    code = _exit_code(found, fail_on)
    if interrupted:
        code = ExitCode.INTERRUPTED
    if code is not ExitCode.OK:
        raise typer.Exit(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    codes: frozenset[str]
    encoding: str
    input_format: str | None
    workers: int
    least: int


def _run(asked: _Asked, paths: Sequence[str]) -> "tuple[list[CheckedFile], int]":
    """Check file by file; an interrupt keeps what is done and says how many are left."""
    from compactctl.engine.checks import check_files  # noqa: PLC0415 -- --help need not load it

    jobs = list(_jobs(asked, paths))
    done: list[CheckedFile] = []
    with output.Progress() as progress:
        results = check_files(jobs, asked.workers)
        try:
            for result in results:
                done.append(result)
                progress(f"checking: {len(done):,} of {len(jobs):,} files")
        except KeyboardInterrupt:
            results.close()
            return done, len(jobs) - len(done)
    return done, 0


def _jobs(asked: _Asked, paths: Sequence[str]) -> "Iterator[CheckJob]":
    from compactctl.engine.checks import CheckJob, files_under  # noqa: PLC0415 -- as above

    for path, found in files_under(paths):
        yield CheckJob(
            path=path,
            codes=asked.codes,
            input_format=asked.input_format,
            encoding=asked.encoding,
            found=found,
        )


def _judged(
    done: "Sequence[CheckedFile]",
    asked: _Asked,
    known: frozenset[str] | None,
    suppressions: "Sequence[Suppression]",
    unfinished: int,
) -> "Check":
    from compactctl.audit.baseline import fingerprints  # noqa: PLC0415 -- as above
    from compactctl.report.checks import (  # noqa: PLC0415 -- as above
        Check,
        Failure,
        FileRow,
        Judged,
    )

    findings = list(_sure(done, asked))
    judged = [
        Judged(finding=f, fingerprint=mark, why_not=_why_not(f, mark, known, suppressions))
        for mark, f in zip(fingerprints(findings), findings, strict=True)
    ]
    return Check(
        files=[
            FileRow(
                path=one.path,
                format=one.format,
                conversations=one.conversations,
                compactions=one.compactions,
            )
            for one in done
            if one.error is None and not one.skipped
        ],
        findings=judged,
        errors=[
            Failure(path=one.path, message=one.error, hint=one.hint)
            for one in done
            if one.error is not None
        ],
        skipped=sum(1 for one in done if one.skipped),
        unfinished=unfinished,
    )


def _sure(done: "Sequence[CheckedFile]", asked: _Asked) -> "Iterator[Finding]":
    for one in done:
        for finding in one.findings:
            if _CONFIDENCES.index(finding.confidence) >= asked.least:
                yield finding


def _why_not(
    finding: "Finding",
    mark: str,
    known: frozenset[str] | None,
    suppressions: "Sequence[Suppression]",
) -> str | None:
    for suppression in suppressions:
        if suppression.covers(finding):
            return f"suppressed: {suppression.reason}"
    return "in the baseline" if known is not None and mark in known else None


def _known(baseline: str | None) -> frozenset[str] | None:
    """The fingerprints of the baseline; ``None`` where there is none yet."""
    if baseline is None or not Path(baseline).exists():
        return None
    from compactctl.audit.baseline import known_of  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.jsonl import loads  # noqa: PLC0415 -- as above
    from compactctl.io.schemas import SchemaError, validate  # noqa: PLC0415 -- as above

    try:
        document = loads(Path(baseline).read_bytes())
        wrapped = document if isinstance(document, dict) else {"not": "an object"}
        validate(wrapped, "baseline")
    except OSError as error:
        raise InputError(f"{baseline}: cannot be read: {error.strerror}") from None
    except (ValueError, SchemaError) as error:
        raise InputError(
            f"{baseline}: is no baseline: {error}",
            hint="write it anew with --update-baseline",
        ) from None
    return known_of(wrapped)


def _write_baseline(path: str, done: "Sequence[CheckedFile]", asked: _Asked) -> frozenset[str]:
    """Write what is found now as known; return the fingerprints."""
    from compactctl.audit.baseline import baseline_document, known_of  # noqa: PLC0415 -- as above
    from compactctl.io.atomic import write_atomic  # noqa: PLC0415 -- as above
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- as above
    from compactctl.io.schemas import validate  # noqa: PLC0415 -- as above

    document = baseline_document(list(_sure(done, asked)))
    validate(document, "baseline")
    write_atomic(Path(path), [dump_json(document), b"\n"])
    output.write_note(f"baseline written: {path}")
    return known_of(document)


def _codes(select: Sequence[str], ignore: Sequence[str]) -> frozenset[str]:
    from compactctl.engine.checks import codes_of  # noqa: PLC0415 -- --help need not load it

    try:
        return codes_of(select, ignore)
    except KeyError as error:
        raise UsageError(
            f"there is no rule {error.args[0]!r}", hint="compactctl rule lists them"
        ) from None


def _format(config: Config, flag: CheckFormat | None) -> CheckFormat:
    found = config.pick("format", flag) or CheckFormat.TEXT
    try:
        chosen = CheckFormat(found)
    except ValueError:
        raise UsageError(
            f"{config.named('format', flag)}: {found!r} is no format",
            hint="formats: " + ", ".join(CheckFormat),
        ) from None
    output.set_json_errors(on=chosen is CheckFormat.JSON)
    return chosen


def _report_of(text: str) -> tuple[CheckFormat, str]:
    kind, colon, target = text.partition(":")
    if not colon or not target or kind not in set(CheckFormat):
        raise UsageError(
            f"--report: {text!r} is no FORMAT:PATH",
            hint="formats: " + ", ".join(CheckFormat),
        )
    return CheckFormat(kind), target


def _cores() -> int:
    counted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return counted or 1


def _exit_code(found: "Check", fail_on: FailOn) -> ExitCode:
    if found.errors:
        return ExitCode.CANNOT_RUN
    if fail_on is FailOn.NEVER:
        return ExitCode.OK
    least = _SEVERITIES.index(Severity(fail_on.value))
    bad = any(_SEVERITIES.index(one.finding.severity) >= least for one in found.counted)
    return ExitCode.FINDINGS if bad else ExitCode.OK


def _rendered(found: "Check", kind: CheckFormat, codes: frozenset[str]) -> str:
    from compactctl import __version__  # noqa: PLC0415 -- beside those that need it
    from compactctl.audit.rules import RULES  # noqa: PLC0415 -- --help need not load it
    from compactctl.io.dumps import dump_json  # noqa: PLC0415 -- as above
    from compactctl.io.schemas import validate  # noqa: PLC0415 -- as above
    from compactctl.report import checks  # noqa: PLC0415 -- as above
    from compactctl.report.github import github_commands  # noqa: PLC0415 -- as above
    from compactctl.report.junit import junit_xml  # noqa: PLC0415 -- as above
    from compactctl.report.sarif import sarif_document  # noqa: PLC0415 -- as above
    from compactctl.report.secrets import masked  # noqa: PLC0415 -- as above

    document: Any = masked(checks.check_document(found))
    rules = [rule for rule in RULES if rule.code in codes]
    match kind:
        case CheckFormat.TEXT:
            return checks.render_check(document, width=output.width())
        case CheckFormat.JSON:
            validate(document, "check")
            return dump_json(document).decode()
        case CheckFormat.MARKDOWN:
            return checks.markdown_check(document)
        case CheckFormat.SARIF:
            return dump_json(sarif_document(document, rules, __version__)).decode()
        case CheckFormat.JUNIT:
            return junit_xml(document, rules)
        case CheckFormat.GITHUB:
            return github_commands(document)
        case _:
            assert_never(kind)
