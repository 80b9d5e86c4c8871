import pytest
from recorded import Recorded

from compactctl.classify.branches import find_branches
from compactctl.classify.session import read_session
from compactctl.model.classification import Branch


def branches_of(session: Recorded) -> tuple[Branch, ...]:
    return find_branches(read_session(session.transcript, session))


def test_two_failures_and_a_success_are_a_resolved_loop() -> None:
    session = Recorded()
    session.human("make it pass")
    start = session.run("pytest -q", "Exit code 1\nE   boom\n1 failed in 1s", failed=True)
    session.edit("a.py")
    session.run("pytest -q tests", "Exit code 1\nE   bang\n1 failed in 1s", failed=True)
    session.edit("a.py")
    end = session.run("pytest -q", "1 passed in 1s") + 1
    (loop,) = branches_of(session)
    assert (loop.kind, loop.attempts, loop.resolved) == ("retry_loop", 2, True)
    assert (loop.start_line, loop.end_line) == (start, end)
    assert loop.failure == "E   bang"


def test_one_failure_is_no_loop_and_a_new_request_ends_one() -> None:
    session = Recorded()
    session.run("curl http://a.example/x", "Exit code 7\ncurl: (7) no", failed=True)
    session.say("It is down.")
    session.human("try again now")
    session.run("curl http://a.example/x", "Exit code 7\ncurl: (7) no", failed=True)
    assert branches_of(session) == ()


def test_calls_made_at_once_are_one_attempt() -> None:
    session = Recorded()
    session.call("a", "Bash", command="gh pr view 1")
    session.call("b", "Bash", command="gh pr view 2")
    session.result("a", "Exit code 1\ngh: no", failed=True)
    session.result("b", "Exit code 1\ngh: no", failed=True)
    assert [b.kind for b in branches_of(session)] == []


def test_a_rejected_call_is_abandoned_unless_it_is_made_again() -> None:
    session = Recorded()
    session.call("a", "Bash", command="git push")
    session.result("a", "not yet", failed=True, rejected=True)
    (branch,) = branches_of(session)
    assert (branch.kind, branch.failure) == ("abandoned", "rejected by the human")
    session.run("git push", "Everything up-to-date")
    assert branches_of(session) == ()


def test_a_failed_way_that_another_replaces_is_abandoned() -> None:
    session = Recorded()
    session.run("gh pr diff 7 src/app.py", "Exit code 1\naccepts at most 1 arg", failed=True)
    session.run("git diff main -- src/app.py", "+x")
    (branch,) = branches_of(session)
    assert branch.kind == "abandoned"
    assert "accepts at most 1 arg" in branch.failure


def test_a_reverted_edit_is_abandoned() -> None:
    session = Recorded()
    session.edit("src/app.py")
    session.run("git checkout -- src/app.py", "")
    (branch,) = branches_of(session)
    assert (branch.kind, branch.start_line) == ("abandoned", 1)


def test_another_program_with_the_same_error_at_the_same_matter_is_one_more_attempt() -> None:
    session = Recorded()
    session.human("install it")
    error = "paint: the palette has no such colour"
    start = session.run("npx paintbox@3 draw", f"Exit code 7\n{error}", failed=True)
    session.run("which npx", "/usr/bin/npx")
    session.run("yarn global add paintbox@3", f"Exit code 7\n{error}", failed=True)
    loops = [b for b in branches_of(session) if b.kind == "retry_loop"]
    assert [(b.start_line, b.attempts, b.failure) for b in loops] == [(start, 2, error)]


def test_the_same_error_at_another_matter_is_no_attempt() -> None:
    session = Recorded()
    session.human("install it")
    error = "paint: the palette has no such colour"
    session.run("npx paintbox@3 draw", f"Exit code 7\n{error}", failed=True)
    session.run("yarn global add inkwell@1", f"Exit code 7\n{error}", failed=True)
    assert [b.kind for b in branches_of(session) if b.kind == "retry_loop"] == []


def test_calls_that_failed_at_once_and_are_made_again_are_a_loop() -> None:
    session = Recorded()
    session.human("change both places")
    start = session.call("a", "Edit", file_path="src/a.py", old_string="1", new_string="2")
    session.call("b", "Edit", file_path="src/a.py", old_string="3", new_string="4")
    session.result("a", "<tool_use_error>File has changed.</tool_use_error>", failed=True)
    session.result("b", "<tool_use_error>File has changed.</tool_use_error>", failed=True)
    end = session.edit("src/a.py") + 1
    (loop,) = branches_of(session)
    assert (loop.kind, loop.attempts, loop.resolved) == ("retry_loop", 2, True)
    assert (loop.start_line, loop.end_line) == (start, end)


@pytest.mark.parametrize(
    "words",
    [
        "The printer doesn't support blue.",
        "This plugin isn't compatible with the host.",
        "The column is too wide for this page.",
        "Such a table is not printable.",
        "I'll generate the table by hand instead.",
        "I\u2019m switching to the vendored copy instead.",
    ],
)
def test_words_that_leave_a_way_right_after_its_failure(words: str) -> None:
    session = Recorded()
    session.human("build it")
    session.run("make table", "Exit code 2\nmake: *** [table] Error 2", failed=True)
    session.say(words)
    (branch,) = branches_of(session)
    assert branch.kind == "abandoned"


@pytest.mark.parametrize(
    "words",
    [
        "I'll check the table instead of guessing.",
        "The table is old. Let me build it again.",
        "That supports what we expected.",
    ],
)
def test_other_words_after_a_failure_leave_nothing(words: str) -> None:
    session = Recorded()
    session.human("build it")
    session.run("make table", "Exit code 2\nmake: *** [table] Error 2", failed=True)
    session.say(words)
    assert branches_of(session) == ()


def test_words_that_leave_a_way_without_a_failure_leave_nothing() -> None:
    session = Recorded()
    session.human("build it")
    session.run("ls", "table")
    session.say("This plugin isn't compatible with the host.")
    assert branches_of(session) == ()


def story(file: str, program: str) -> list[tuple[str, int, int, bool]]:
    session = Recorded()
    session.human("draw it")
    session.run(f"{program} draw {file}", "Exit code 3\nno such colour", failed=True)
    session.run(f"{program} draw --fast {file}", "Exit code 3\nno such colour", failed=True)
    session.say("It does not support colours. I'll draw it by hand instead.")
    session.edit(file)
    session.run(f"git checkout -- {file}", "")
    return [(b.kind, b.start_line, b.end_line, b.resolved) for b in branches_of(session)]


def test_names_of_files_and_programs_change_no_branch() -> None:
    assert story("art/sun.svg", "paintbox") == story("img/deep/moon.xml", "inkwell")
    assert {kind for kind, *_ in story("art/sun.svg", "paintbox")} == {"retry_loop", "abandoned"}
