"""Every command that the README shows runs as it stands, in order, and does what is said."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "fixtures" / "claude-code" / "ledger-service.jsonl"
BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    tools = folder / "bin"
    if not tools.exists():
        tools.mkdir()
        tool = tools / "compactctl"
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m compactctl "$@"\n', "utf-8")
        tool.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["sh", "-e", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_runs_in_order(tmp_path: Path) -> None:
    shutil.copy(FIXTURE, tmp_path / "session.jsonl")
    commands = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
    for command in commands:
        done = shell(command, tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

    assert len(commands) >= 15
    assert (tmp_path / "session.restored.jsonl").read_bytes() == FIXTURE.read_bytes()
    assert (tmp_path / "session.jsonl").read_bytes() == FIXTURE.read_bytes()


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_links_lead_somewhere(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    targets = re.findall(r"\]\(([^)#:]+)\)", text)

    assert [t for t in targets if not (ROOT / "docs" / t).exists()] == []


def test_links_of_the_readme_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text("utf-8"))

    assert [t for t in targets if not (ROOT / t).exists()] == []


def test_the_shown_report_is_the_one_that_is_printed(tmp_path: Path) -> None:
    shutil.copy(FIXTURE, tmp_path / "session.jsonl")
    text = (ROOT / "README.md").read_text("utf-8")
    shown = re.search(r"```\n\$ compactctl run session.jsonl\n(.*?)```", text, re.DOTALL)
    assert shown
    printed = " ".join(shell("compactctl run session.jsonl", tmp_path).stdout.split())
    told = [
        row for row in shown[1].splitlines() if row.startswith(("compacted", "tokens", "pinned"))
    ]

    assert len(told) == 3
    assert [row for row in told if " ".join(row.split()) not in printed] == []
