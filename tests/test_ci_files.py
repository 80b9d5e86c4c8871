"""The files that CI services and pre-commit read: their command lines run and do what is said."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import summarized

ROOT = Path(__file__).parents[1]
CI = (ROOT / "docs" / "ci.md").read_text("utf-8")


def shell(command: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    tool = tools / "compactctl"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m compactctl "$@"\n', "utf-8")
    tool.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=environment | environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    summarized.write(tmp_path / "sessions" / "lossy.jsonl", summarized.lossy())
    return tmp_path


def action_step() -> str:
    text = (ROOT / "action.yml").read_text("utf-8")
    found = re.search(r"^        (compactctl check .*)$", text, re.MULTILINE)
    assert found
    return found[1]


def test_the_action_annotates_summarises_and_fails(repository: Path) -> None:
    summary = repository / "summary.md"

    done = shell(
        action_step(),
        repository,
        PATHS="sessions/",
        FAIL_ON="error",
        ARGUMENTS="--select constraint-lost",
        SARIF="out.sarif",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=sessions/lossy.jsonl,line=6,title=CC101 constr")
    assert "constraint-lost" in summary.read_text("utf-8")
    assert '"uri":"sessions/lossy.jsonl"' in (repository / "out.sarif").read_text("utf-8").replace(
        '": "', '":"'
    )


def test_commands_of_the_page_run_in_order(repository: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", CI, re.DOTALL)
    codes = [
        shell(line, repository).returncode
        for block in blocks
        for line in block.splitlines()
        if line.strip()
    ]

    assert codes == [1, 0, 0, 0]
    assert (repository / "compactctl.xml").exists()


def test_the_gitlab_job_writes_what_it_hands_over(repository: Path) -> None:
    (line,) = re.findall(r"^    - (compactctl check .*)$", CI, re.MULTILINE)

    done = shell(line, repository)

    assert done.returncode == 1
    assert (repository / "compactctl.xml").read_text("utf-8").startswith("<?xml")


def test_the_hook_runs_as_pre_commit_would(repository: Path) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.search(r"^  entry: (.*)$", text, re.MULTILINE)
    arguments = re.search(r"^  args: \[(.*)\]$", text, re.MULTILINE)
    assert entry
    assert arguments
    command = f"{entry[1]} {arguments[1].replace(',', ' ')} sessions/lossy.jsonl"

    assert shell(command, repository).returncode == 1
