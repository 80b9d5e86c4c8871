import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import Recorded

from compactctl.classify.boundaries import find_boundaries
from compactctl.classify.branches import find_branches
from compactctl.classify.session import read_session
from compactctl.model.classification import CutPoint, NoCut


def cuts_of(session: Recorded) -> tuple[tuple[CutPoint, ...], tuple[NoCut, ...]]:
    read = read_session(session.transcript, session)
    return find_boundaries(read, find_branches(read), read.plan.steps)


def lines_of(session: Recorded) -> list[int]:
    return [point.after_line for point in cuts_of(session)[0]]


def test_a_turn_ends_before_the_next_human_request() -> None:
    session = Recorded()
    session.human("what is this?")
    answered = session.say("A parser.")
    session.human("add a test")
    session.call("c", "Bash", command="ls")
    assert lines_of(session) == [answered]


def test_a_commit_is_a_place_to_cut() -> None:
    session = Recorded()
    session.human("commit it")
    committed = session.run("git commit -am x", "[main 1a2b3c4] x") + 1
    session.call("c", "Bash", command="git push")
    assert lines_of(session) == [committed]


def test_no_cut_between_an_edit_and_the_test_that_covers_it() -> None:
    session = Recorded()
    session.human("fix it")
    start = session.edit("a.py")
    passed = session.run("pytest", "3 passed in 1s") + 1
    session.run("ls", "a.py")
    points, zones = cuts_of(session)
    assert [p.after_line for p in points] == [passed]
    assert [(z.from_line, z.to_line) for z in zones] == [(start, passed)]


def test_no_cut_while_a_test_fails() -> None:
    session = Recorded()
    session.human("fix it")
    session.edit("a.py")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    session.run("git commit -am wip", "[main 1a2b3c4] wip")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    assert lines_of(session) == []


def test_nothing_is_offered_after_a_call_without_result() -> None:
    session = Recorded()
    session.human("go")
    session.call("c", "Bash", command="make deploy")
    points, zones = cuts_of(session)
    assert points == ()
    assert zones[-1].why == "a call has no result yet"


@given(st.lists(st.sampled_from("hsefpgxc"), max_size=40))
def test_no_cut_point_lies_in_a_zone_or_between_a_call_and_its_result(moves: list[str]) -> None:
    session = Recorded()
    for move in moves:
        match move:
            case "h":
                session.human("next")
            case "s":
                session.say("done")
            case "e":
                session.edit("a.py")
            case "f":
                session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
            case "p":
                session.run("pytest", "1 passed in 1s")
            case "g":
                session.run("git commit -am x", "[main 1a2b3c4] x")
            case "x":
                session.call(f"x{session.line}", "Bash", command="ls")
            case _:
                session.run("cat a", "b")
    read = read_session(session.transcript, session)
    points, zones = cuts_of(session)
    for point in points:
        assert not any(z.from_line <= point.after_line < z.to_line for z in zones)
        assert not any(e.line <= point.after_line < e.end_line for e in read.events)


def test_what_was_read_for_an_edit_is_not_cut_from_it() -> None:
    session = Recorded()
    session.human("fix it")
    session.call("r", "Read", file_path="src/a.py")
    session.result("r", "1: total = 0")
    start = session.line - 1
    session.edit("src/a.py")
    passed = session.run("pytest", "3 passed in 1s") + 1
    _, zones = cuts_of(session)
    assert [(z.from_line, z.to_line) for z in zones] == [(start, passed)]


def test_what_was_read_of_another_file_may_be_cut_off() -> None:
    session = Recorded()
    session.human("fix it")
    session.call("r", "Read", file_path="src/b.py")
    session.result("r", "1: total = 0")
    start = session.edit("src/a.py")
    passed = session.run("pytest", "3 passed in 1s") + 1
    _, zones = cuts_of(session)
    assert [(z.from_line, z.to_line) for z in zones] == [(start, passed)]


def test_an_edit_of_prose_needs_no_check() -> None:
    session = Recorded()
    session.human("write it up")
    session.edit("docs/plan.md")
    answered = session.say("The plan is written.")
    session.human("go on")
    session.call("c", "Bash", command="ls")
    points, zones = cuts_of(session)
    assert [p.after_line for p in points] == [answered]
    assert [z.why for z in zones] == ["a call has no result yet"]


def test_checks_in_a_row_end_with_the_last() -> None:
    session = Recorded()
    session.human("fix it")
    start = session.edit("a.py")
    session.run("ruff check", "All checks passed!")
    passed = session.run("pytest", "3 passed in 1s") + 1
    session.run("ls", "a.py")
    points, zones = cuts_of(session)
    assert [(p.after_line, p.why) for p in points] == [(passed, "pytest passed")]
    assert [(z.from_line, z.to_line) for z in zones] == [(start, passed)]


def test_a_check_that_fails_right_after_another_leaves_the_work_open() -> None:
    session = Recorded()
    session.human("fix it")
    session.edit("a.py")
    session.run("ruff check", "All checks passed!")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    assert lines_of(session) == []


def test_a_boundary_names_the_check_and_not_the_formatter_before_it() -> None:
    session = Recorded()
    session.human("fix it")
    session.edit("a.py")
    session.run("make fmt && make lint", "0 issues.")
    session.run("ls", "a.py")
    assert [p.why for p in cuts_of(session)[0]] == ["make lint passed"]


def test_a_place_within_a_group_moves_to_its_end() -> None:
    session = Recorded()
    session.human("go on")
    session.call("a", "TaskUpdate", taskId="4", status="completed")
    session.call("b", "TaskUpdate", taskId="5", status="in_progress")
    session.result("a", "Updated task #4 status")
    end = session.result("b", "Updated task #5 status")
    session.run("ls", "a.py")
    assert [(p.after_line, p.why) for p in cuts_of(session)[0]] == [
        (end, "plan step completed: task 4")
    ]


def test_no_cut_between_an_action_in_words_and_its_answer() -> None:
    session = Recorded(format="openai-chat")
    session.human("look around")
    session.say("```\nls\n```")
    session.answer("a.py")
    answered = session.say("There is one file.")
    session.human("go on")
    session.say("```\ncat a.py\n```")
    session.answer("1")
    points, _ = cuts_of(session)
    assert [p.after_line for p in points] == [answered]


@pytest.mark.parametrize("command", ["python3 tools/draw.py", "./tools/draw.py --fast"])
def test_a_program_that_was_edited_and_ran_is_verified(command: str) -> None:
    session = Recorded()
    session.human("write it")
    start = session.edit("/repo/tools/draw.py")
    ran = session.run(command, "drawn") + 1
    session.run("ls", "a.py")
    points, zones = cuts_of(session)
    assert [(z.from_line, z.to_line) for z in zones] == [(start, ran)]
    assert [(p.after_line, p.why) for p in points] == [(ran, "a program ran that was edited")]


@pytest.mark.parametrize(
    "command", ["chmod +x tools/draw.py", "python3 tools/other.py", "wc -l tools/draw.py"]
)
def test_a_program_that_was_only_named_is_not_verified(command: str) -> None:
    session = Recorded()
    session.human("write it")
    session.edit("/repo/tools/draw.py")
    session.run(command, "ok")
    assert lines_of(session) == []


def turns(file: str, who: str) -> list[tuple[int, int]]:
    session = Recorded()
    session.human(f"{who} asks for it")
    session.call("r", "Read", file_path=file)
    session.result("r", "1: x")
    session.edit(file)
    session.run("pytest", "3 passed in 1s")
    session.run(f"git commit -m x {file}", "[main 1a2b3c4] x")
    session.say("Done.")
    session.human(f"{who} asks again")
    session.edit(file)
    points, zones = cuts_of(session)
    return [(p.after_line, 0) for p in points] + [(z.from_line, z.to_line) for z in zones]


def test_names_of_files_and_people_change_no_boundary() -> None:
    assert turns("src/scale.py", "Ada") == turns("lib/deep/gauge.rs", "Noor")
    assert turns("src/scale.py", "Ada") != turns("notes.md", "Ada")
