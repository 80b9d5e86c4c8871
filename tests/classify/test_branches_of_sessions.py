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
