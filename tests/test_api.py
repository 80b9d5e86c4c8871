"""The Python interface as its users have it: page, examples, types, errors, fixture."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import summarized
from cli.commands import ROOT, clean_environment

import compactctl
import compactctl.classify.pins
from compactctl import CompactctlError, RunOptions, Status

DOCS = ROOT / "docs"
FIXTURE = ROOT / "fixtures" / "claude-code" / "ledger-service.jsonl"
BLOCKS = re.findall(r"```python\n(.*?)```", (DOCS / "api.md").read_text("utf-8"), re.DOTALL)
EXAMPLES = sorted((DOCS / "examples").glob("*.py"))
FROZEN = "Never touch anything under migrations/legacy, those files are frozen for the auditors."


def python(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=clean_environment() | environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    runnable = [block for block in BLOCKS if "compactctl_check" not in block]
    assert len(runnable) == 2

    done = python("-c", "\n".join(runnable), cwd=tmp_path)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_compact_and_still_know_what_binds(example: Path, tmp_path: Path) -> None:
    done = python(str(example), cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" pins intact") >= 2
    assert done.stdout.endswith("still binds: True\n")


def test_functions_stand_where_rooms_of_the_same_name_are() -> None:
    assert callable(compactctl.classify)
    assert callable(compactctl.audit)
    assert callable(compactctl.compact)
    assert compactctl.classify.__module__ == "compactctl.api"
    assert "compactctl.classify.pins" in sys.modules


def test_all_names_are_there() -> None:
    assert [name for name in compactctl.__all__ if not hasattr(compactctl, name)] == []
    with pytest.raises(AttributeError, match="'compactctl' has no attribute 'compress'"):
        _ = compactctl.compress  # type: ignore[attr-defined] # that is what is tested


def test_path_bytes_and_session_are_the_same_to_it() -> None:
    by_path = [pin.id for pin in compactctl.pinned(FIXTURE)]

    assert by_path == [pin.id for pin in compactctl.pinned(FIXTURE.read_bytes())]
    assert by_path == [pin.id for pin in compactctl.pinned(compactctl.load(FIXTURE))]
    assert FROZEN in [pin.text for pin in compactctl.pinned(FIXTURE)]


def test_compacting_keeps_what_binds_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(FIXTURE.read_bytes())

    done = compactctl.compact(file)

    assert done.compaction.status is Status.COMPACTED
    assert done.output is not None
    assert len(done.output) < len(FIXTURE.read_bytes())
    assert FROZEN in [pin.text for pin in compactctl.pinned(done.output)]
    assert [path.name for path in tmp_path.iterdir()] == ["session.jsonl"]
    again = compactctl.compact(done.output)
    assert (again.compaction.status, again.output) == (Status.REFUSED, None)


def test_a_run_keeps_snapshot_and_ledger(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(FIXTURE.read_bytes())

    outcome = compactctl.run(file, store=tmp_path / "store")

    assert outcome.status is Status.COMPACTED
    assert (tmp_path / "session.compacted.jsonl").exists()
    lost = compactctl.diff(file, tmp_path / "session.compacted.jsonl").pins
    assert (lost.removed, lost.changed) == ((), ())


def test_audit_and_check_find_the_lost_rule(tmp_path: Path) -> None:
    file = summarized.write(tmp_path / "lossy.jsonl", summarized.lossy())

    (checked,) = compactctl.check(file, select=["constraint-lost"])

    assert [finding.evidence[0].text for finding in checked.findings] == [summarized.RULE]
    names = {finding.name for finding in compactctl.audit(file).findings}
    assert "constraint-lost" in names


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CompactctlError, match="no such file") as caught:
        compactctl.load(tmp_path / "gone.jsonl")
    assert caught.value.hint == "check the path"


def test_a_skip_hands_nothing_back() -> None:
    messages = [{"role": "user", "content": "Hello."}]

    done = compactctl.compact(messages, RunOptions(if_needed=True))

    assert (done.compaction.status, done.messages) == (Status.SKIPPED, None)


def test_types_are_those_that_users_see(tmp_path: Path) -> None:
    code = (
        "import compactctl\n"
        "reveal_type(compactctl.pinned('a.jsonl'))\n"
        "reveal_type(compactctl.compact([{'role': 'user'}]).messages)\n"
        "compactctl.compact(3)\n"
    )
    file = tmp_path / "user.py"
    file.write_text(code, "utf-8")

    done = python("-m", "mypy", "--strict", str(file), *map(str, EXAMPLES), cwd=tmp_path)

    told = done.stdout
    assert 'Revealed type is "tuple[compactctl.model.classification.Pin, ...]"' in told
    assert 'Revealed type is "list[dict[str, object]] | None"' in told or (
        'Revealed type is "Union[list[dict[str, object]], None]"' in told
    )
    assert 'Argument 1 to "compact" has incompatible type "int"' in told
    assert "Found 1 error in 1 file" in told


def test_the_fixture_fails_a_test_with_the_finding(tmp_path: Path) -> None:
    summarized.write(tmp_path / "lossy.jsonl", summarized.lossy())
    summarized.write(tmp_path / "clean.jsonl", summarized.clean())
    tests = (
        "def test_lossy(compactctl_check):\n"
        "    compactctl_check('lossy.jsonl', select=['constraint-lost'])\n"
        "def test_clean(compactctl_check):\n"
        "    compactctl_check('clean.jsonl', select=['constraint-lost'])\n"
    )
    (tmp_path / "test_sessions.py").write_text(tests, "utf-8")

    plugin = ("-p", "compactctl.pytest_plugin", "-p", "no:cacheprovider")
    environment = ("-c", "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))")
    # Named here and not found by its entry point, which an older installation may lack.
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = python(*environment, *plugin, "-q", str(tmp_path), cwd=tmp_path, **alone)

    assert "1 failed, 1 passed" in done.stdout
    assert f"L1: {summarized.RULE}" in done.stdout
