"""
Build wheel and sdist, install each into an empty environment, and run the tool there.

The pre-commit hook is run the same way: by pre-commit, which installs the project by itself.
"""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Check both distributions; exits non-zero with the failing command's output."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run(
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "-w",
            work / "wheel",
            ROOT,
        )
        (wheel,) = (work / "wheel").glob("*.whl")
        check(work / "from-wheel", wheel)
        sdist = build_sdist(work)
        check(work / "from-sdist", sdist)
        check_hook(work / "hook")
    print("3 passed, 0 failed")  # noqa: T201 -- the closing line of a check that people run


def build_sdist(work: Path) -> Path:
    """Build the sdist with the backend that pyproject names."""
    builder = environment(work / "builder")
    run(builder, "-m", "pip", "install", "--quiet", "hatchling")
    run(builder, "-m", "hatchling", "build", "-t", "sdist", "-d", work / "sdist", cwd=ROOT)
    (sdist,) = (work / "sdist").glob("*.tar.gz")
    return sdist


def check(folder: Path, distribution: Path) -> None:
    """Install a distribution into an empty environment and run the main job there."""
    python = environment(folder)
    run(python, "-m", "pip", "install", "--quiet", distribution)
    tool = python.parent / "compactctl"
    version = run(tool, "--version", cwd=folder)
    assert "0.1.0" in version, version
    run(tool, "doctor", cwd=folder)
    run(tool, "schema", "ledger", cwd=folder)
    session = ROOT / "fixtures" / "claude-code" / "ledger-service.jsonl"
    out = folder / "out.jsonl"
    printed = run(tool, "run", session, "-o", out, "--format", "json", cwd=folder)
    ledger = json.loads(printed)
    assert ledger["status"] == "compacted", ledger
    assert out.stat().st_size < session.stat().st_size
    run(tool, "verify", cwd=folder)


def check_hook(folder: Path) -> None:
    """Run the pre-commit hook over a repository with one session that holds what was said."""
    python = environment(folder / "tool")
    run(python, "-m", "pip", "install", "--quiet", "pre-commit")
    repository = folder / "repository"
    repository.mkdir()
    session = {"role": "user", "content": "Never edit files under vendor/."}
    (repository / "session.jsonl").write_text(json.dumps(session) + "\n", "utf-8")
    run("git", "init", "--quiet", ".", cwd=repository)
    run("git", "add", "session.jsonl", cwd=repository)
    hook = ("try-repo", ROOT, "compactctl-check", "--files", "session.jsonl", "--verbose")
    printed = run(python, "-m", "pre_commit", *hook, cwd=repository)
    assert "1 file checked" in printed, printed


def environment(folder: Path) -> Path:
    """Return the interpreter of a new environment."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command and return what it prints; exits with its output where it fails."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(
            f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


if __name__ == "__main__":
    main()
