"""Metamorphic: other names of tools, files and people leave every judgement as it is."""

from dataclasses import dataclass

import pytest
from recorded import Recorded

from compactctl.classify.boundaries import find_boundaries
from compactctl.classify.branches import find_branches
from compactctl.classify.claims import find_claims
from compactctl.classify.session import read_session


@dataclass(frozen=True)
class Names:
    terminal: tuple[str, str] = ("Bash", "command")
    edit: tuple[str, str] = ("Edit", "file_path")
    read: tuple[str, str] = ("Read", "file_path")
    file: str = "src/scale.py"
    who: str = "Ada"
    branch: str = "main"


def run(session: Recorded, names: Names, command: str, text: str, *, failed: bool = False) -> None:
    tool, argument = names.terminal
    call_id = f"c{session.line}"
    session.call(call_id, tool, **{argument: command})
    session.result(call_id, text, failed=failed or None)


def edit(session: Recorded, names: Names) -> None:
    tool, argument = names.edit
    call_id = f"c{session.line}"
    session.call(call_id, tool, **{argument: names.file, "old_string": "a", "new_string": "b"})
    session.result(call_id, f"The file {names.file} has been updated successfully.")


def judged(names: Names) -> tuple[list[object], list[object], list[object], list[object]]:
    session = Recorded()
    session.human(f"{names.who} wants the sum repaired, says {names.who}.")
    tool, argument = names.read
    session.call("r", tool, **{argument: names.file})
    session.result("r", "1: total = 0")
    edit(session, names)
    session.say("The sum is fixed.")
    run(session, names, "pytest", "Exit code 1\nE   off by one\n1 failed in 1s", failed=True)
    session.say("That failure was flaky.")
    run(session, names, "pytest", "Exit code 1\nE   off by one\n1 failed in 1s", failed=True)
    session.say("This way isn't compatible with the old data.")
    edit(session, names)
    run(session, names, "pytest", "4 passed in 1s")
    session.say("All tests pass.")
    run(session, names, f"git add {names.file}", "")
    run(session, names, "git commit -m sum", f"[{names.branch} 1a2b3c4] sum")
    session.say("Committed as `1a2b3c4`.")
    session.human(f"thanks from {names.who}")
    session.say("Glad to help.")
    read = read_session(session.transcript, session)
    branches = find_branches(read)
    points, zones = find_boundaries(read, branches, read.plan.steps)
    return (
        [(b.kind, b.start_line, b.end_line, b.attempts, b.resolved) for b in branches],
        [(c.line, c.supported, c.evidence_line) for c in find_claims(read)],
        [(p.after_line, p.score) for p in points],
        [(z.from_line, z.to_line) for z in zones],
    )


@pytest.mark.parametrize(
    "names",
    [
        Names(terminal=("exec_command", "cmd")),
        Names(terminal=("run_in_terminal", "command")),
        Names(edit=("replace", "path"), read=("read_file", "path")),
        Names(file="lib/deep/gauge.rs"),
        Names(file="/home/noor/web/gauge.tsx", who="Noor", branch="topic/gauge"),
    ],
)
def test_names_change_nothing(names: Names) -> None:
    assert judged(names) == judged(Names())


def test_what_the_story_shows() -> None:
    branches, claims, points, zones = judged(Names())
    assert branches == [("abandoned", 7, 12, 2, False), ("retry_loop", 7, 16, 2, True)]
    assert claims == [(6, False, 5), (9, False, 11), (17, True, 16), (22, True, 21)]
    assert points == [(16, 0.65), (21, 0.8), (22, 0.9), (24, 0.85)]
    assert zones == [(2, 16)]
