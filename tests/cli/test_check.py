"""``check``: what it finds, what counts, every output format, and many files at once."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import summarized
from cli.commands import ROOT, Folder, clean_environment

from compactctl.audit.rules import RULES

SARIF = json.loads((ROOT / "tests" / "report" / "sarif-schema-2.1.0.json").read_text("utf-8"))
LOST = "constraint-lost"


def names(document: Any) -> list[str]:
    return [finding["name"] for finding in document["findings"]]


def lossy(command: Folder, name: str = "lossy.jsonl") -> Path:
    return summarized.write(command.path / name, summarized.lossy())


def test_a_lost_rule_is_found_with_its_place(command: Folder) -> None:
    lossy(command)

    ended = command("check", "lossy.jsonl", "--select", LOST, "--format", "json")

    assert ended.code == 1
    (finding,) = ended.json["findings"]
    assert finding["code"] == "CC101"
    assert finding["path"] == "lossy.jsonl"
    assert finding["boundary_line"] == 5
    assert finding["line"] == 6
    assert finding["severity"] == "error"
    assert finding["evidence"] == [{"line": 1, "text": summarized.RULE}]
    assert ended.json["files"] == [
        {"path": "lossy.jsonl", "format": "claude-code", "conversations": 1, "compactions": 1}
    ]


def test_what_came_through_gives_no_finding(command: Folder) -> None:
    summarized.write(command.path / "clean.jsonl", summarized.clean())

    ended = command("check", "clean.jsonl", "--select", "CC101", "--select", "CC102")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "1 file checked, 1 recorded compaction, no findings\n"


def test_one_broken_file_never_stops_the_others(command: Folder) -> None:
    lossy(command)
    (command.path / "broken.jsonl").write_bytes(b"\x00\x01\x02 no session")
    (command.path / "notes.json").write_text('{"a": 1}')

    ended = command.process("check", ".", "--format", "json", "--jobs", "2")

    assert ended.code == 2
    assert [error["path"] for error in ended.json["errors"]] == ["broken.jsonl"]
    assert LOST in names(ended.json)
    assert ended.json["skipped"] == 1
    assert b"Traceback" not in ended.raw_err


def test_a_named_path_that_is_not_there_is_an_error(command: Folder) -> None:
    ended = command("check", "gone.jsonl")

    assert ended.code == 2
    assert "gone.jsonl: no such file or folder" in ended.err


def test_severity_and_confidence_decide_what_fails(command: Folder) -> None:
    lossy(command)
    common = ("check", "lossy.jsonl", "--select", LOST)

    assert command(*common, "--fail-on", "error").code == 1
    assert command(*common, "--fail-on", "never").code == 0
    assert command(*common, "--min-confidence", "high").code == 1
    assert command("check", "lossy.jsonl", "--ignore", "CC").code == 0


def test_a_rule_that_there_is_not_is_named(command: Folder) -> None:
    lossy(command)

    ended = command("check", "lossy.jsonl", "--select", "constraint-lots")

    assert ended.code == 2
    assert "constraint-lots" in ended.err


def test_only_what_is_new_since_the_baseline_counts(command: Folder) -> None:
    lossy(command)
    common = ("check", ".", "--baseline", "known.json", "--select", LOST)

    first = command(*common)
    assert first.code == 0
    assert "baseline written: known.json" in first.err
    second = command(*common)
    assert second.code == 0
    assert "1 known or suppressed" in second.out

    longer = [summarized.record("u0", None, "user", "Hello there."), *summarized.lossy()]
    summarized.write(command.path / "lossy.jsonl", longer)
    assert command(*common).code == 0, "a line added before a finding makes no new one"

    summarized.write(command.path / "other.jsonl", summarized.lossy())
    third = command(*common, "--format", "json")
    assert third.code == 1
    counted = [f["path"] for f in third.json["findings"] if f["ignored"] is None]
    assert counted == ["other.jsonl"]
    assert command(*common, "--update-baseline").code == 0
    assert command(*common).code == 0


def test_a_broken_baseline_is_named_and_left_alone(command: Folder) -> None:
    lossy(command)
    file = command.path / "known.json"
    file.write_text('{"schema": "something else"}')

    ended = command("check", "lossy.jsonl", "--baseline", "known.json")

    assert ended.code == 2
    assert "known.json: is no baseline" in ended.err
    assert file.read_text() == '{"schema": "something else"}'


def test_a_suppression_needs_a_reason_and_shows_it(command: Folder) -> None:
    lossy(command)
    config = command.path / "compactctl.toml"
    config.write_text('[[suppress]]\nrule = "constraint-lost"\n')

    ended = command("check", "lossy.jsonl")
    assert ended.code == 2
    assert "suppress 1: has no reason" in ended.err

    config.write_text(
        '[[suppress]]\nrule = "CC101"\ncontains = "vendor/"\nreason = "old client"\n'
    )
    ended = command("check", "lossy.jsonl", "--select", LOST, "--format", "json")
    assert ended.code == 0
    assert ended.json["findings"][0]["ignored"] == "suppressed: old client"


def test_sarif_fits_the_official_schema(command: Folder) -> None:
    lossy(command)
    (command.path / "broken.jsonl").write_bytes(b"\x00\x01")

    command("check", ".", "--report", "sarif:out.sarif", "--select", "CC1")

    document = json.loads((command.path / "out.sarif").read_bytes())
    jsonschema.Draft7Validator(SARIF).validate(document)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [r.code for r in RULES if r.code.startswith("CC1")]
    assert all("Why it matters" in rule["help"]["text"] for rule in rules)
    result = next(r for r in run["results"] if r["ruleId"] == "CC101")
    assert rules[result["ruleIndex"]]["id"] == "CC101"
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "lossy.jsonl", "uriBaseId": "%SRCROOT%"}
    assert location["region"] == {"startLine": 6}
    assert len(result["partialFingerprints"]["compactctl/v1"]) == 20
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "broken.jsonl" in told["message"]["text"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_junit_counts_rules_that_failed(command: Folder) -> None:
    lossy(command)
    (command.path / "broken.jsonl").write_bytes(b"\x00\x01")

    ended = command("check", ".", "--format", "junit", "--select", "CC101", "--select", "CC103")

    root = ET.fromstring(ended.out)  # noqa: S314 -- written above by the code under test
    assert (root.tag, root.attrib["tests"], root.attrib["failures"]) == ("testsuites", "3", "1")
    assert root.attrib["errors"] == "1"
    suites = {suite.attrib["name"]: suite for suite in root}
    cases = {c.attrib["name"]: c for c in suites["lossy.jsonl"]}
    failure = cases["CC101 constraint-lost"].find("failure")
    assert failure is not None
    assert summarized.RULE in (failure.text or "")
    assert cases["CC103 invented-user-text"].find("failure") is None
    assert suites["broken.jsonl"][0][0].tag == "error"


def test_text_of_transcripts_issues_no_commands(command: Folder) -> None:
    hostile = "Never do this: ::error::pwned <script>alert(1)</script> \x1b[31m | `x` %0A."
    session = summarized.rows("Nothing much.")
    session[0] = summarized.record("u1", None, "user", hostile)
    summarized.write(command.path / "a,b:c.jsonl", session)

    github = command("check", ".", "--select", LOST, "--format", "github").out.splitlines()
    markdown = command("check", ".", "--select", LOST, "--format", "markdown").out

    commands = [line for line in github if line.startswith("::")]
    assert len(commands) == 1
    assert commands[0].startswith(
        "::error file=a%2Cb%3Ac.jsonl,line=6,title=CC101 constraint-lost"
    )
    assert "%250A" in commands[0]
    assert "\x1b" not in commands[0]
    assert "<script>" not in markdown
    assert "::error" not in markdown


def test_reports_are_the_same_however_many_processes_work(command: Folder) -> None:
    for number in range(6):
        lossy(command, f"s{number}.jsonl")

    one = command.process("check", ".", "--format", "json", "--jobs", "1")
    two = command.process("check", ".", "--format", "json", "--jobs", "2")

    assert one.raw == two.raw
    assert one.code == two.code == 1


def test_an_interrupt_keeps_what_is_done(command: Folder) -> None:
    for number in range(400):
        lossy(command, f"s{number:03}.jsonl")
    running = subprocess.Popen(
        [sys.executable, "-m", "compactctl", "check", ".", "--format", "json", "--jobs", "1"],
        cwd=command.path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not _has_begun(running.pid, command.path):
        assert running.poll() is None, "it was over before it could be interrupted"
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)

    document = json.loads(out)
    assert running.returncode == 130
    assert document["unfinished"] == 400 - len(document["files"])
    assert b"Traceback" not in err


def _has_begun(pid: int, folder: Path) -> bool:
    """Whether the process has a session open, or had one: its files are read in order."""
    opened = Path(f"/proc/{pid}/fd")
    if not opened.is_dir():
        return True
    for link in opened.iterdir():
        try:
            target = link.readlink()
            if target.suffix == ".jsonl" and target.is_relative_to(folder):
                return True
        except OSError:
            continue
    return False
