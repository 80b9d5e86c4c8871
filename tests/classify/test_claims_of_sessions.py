import pytest
from recorded import Recorded

from compactctl.classify.claim_sorts import sort_of
from compactctl.classify.claims import find_claims
from compactctl.classify.session import read_session


def verdicts(session: Recorded) -> list[bool | None]:
    return [c.supported for c in find_claims(read_session(session.transcript, session))]


def test_a_passed_test_after_the_last_edit_supports() -> None:
    session = Recorded()
    session.edit("a.py")
    line = session.run("pytest", "3 passed in 1s") + 1
    session.say("All tests pass.")
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (True, line)


def test_an_edit_after_the_test_takes_the_support_away() -> None:
    session = Recorded()
    session.run("pytest", "3 passed in 1s")
    session.edit("a.py")
    session.say("All tests pass.")
    assert verdicts(session) == [False]


def test_failed_and_running_tests_support_nothing() -> None:
    for text, failed in (
        ("Exit code 1\n1 failed in 1s", True),
        ("Command running in background with ID: b", None),
    ):
        session = Recorded()
        session.run("pytest", text, failed=failed)
        session.say("All tests pass.")
        assert verdicts(session) == [False]


def test_a_commit_after_the_push_is_not_pushed() -> None:
    session = Recorded()
    session.run("git push", "To x\n  1a2b3c4..5d6e7f8  main -> main")
    session.run("git commit -m y", "[main 9a8b7c6] y")
    session.say("The fix is pushed.")
    assert False in verdicts(session)


def test_nobody_can_say_without_a_check() -> None:
    session = Recorded()
    session.say("Fixed the parser.")
    assert verdicts(session) == [None]


@pytest.mark.parametrize(
    "sentence",
    [
        "All tests pass.",
        "I\u2019ve fixed the parser.",
        "Committed as `1a2b3c4`.",
        "Draft PR created.",
        "`ruff check` is clean now.",
        "测试全部通过。",
        "テストはすべて通りました。",
    ],
)
def test_claims(sentence: str) -> None:
    assert sort_of(sentence) is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "Let me check that all tests pass.",
        "The tests should be passing once this is merged.",
        "Are all tests passing?",
        "The parser is not fixed.",
        "Next, I will commit the change.",
        "The file has three functions.",
        "The label `committed` and the state `fixed` come from the table.",
    ],
)
def test_plans_questions_and_negations_are_no_claims(sentence: str) -> None:
    assert sort_of(sentence) is None


def test_a_fix_that_nothing_has_tried_is_not_supported() -> None:
    session = Recorded()
    session.human("the date is wrong")
    edited = session.edit("src/dates.py") + 1
    session.say("The date is fixed.")
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (False, edited)


def test_a_program_that_ran_after_the_edit_leaves_a_fix_open() -> None:
    session = Recorded()
    session.human("the date is wrong")
    session.edit("src/dates.py")
    session.run("./show-dates", "2031-04-05")
    session.say("The date is fixed.")
    assert verdicts(session) == [None]


def test_an_edit_shows_that_something_was_changed() -> None:
    session = Recorded()
    session.human("add a helper")
    edited = session.edit("src/dates.py") + 1
    session.say("I've added the helper.")
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (True, edited)


@pytest.mark.parametrize("path", ["README.md", "docs/notes.rst", "CHANGES.txt"])
def test_an_edit_of_prose_leaves_a_passed_test_standing(path: str) -> None:
    session = Recorded()
    session.run("pytest", "3 passed in 1s")
    session.edit(path)
    session.say("All tests pass.")
    assert verdicts(session) == [True]


@pytest.mark.parametrize(
    ("words", "supported"),
    [("Leap years are counted correctly.", False), ("The work is complete.", False)],
)
def test_the_next_check_denies_a_claim_where_nothing_was_edited(
    words: str, *, supported: bool
) -> None:
    session = Recorded()
    session.human("handle leap years")
    session.edit("src/dates.py")
    session.run("./show-dates", "2031-04-05")
    session.say(words)
    failed = session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True) + 1
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (supported, failed)


def test_a_check_after_another_edit_denies_nothing() -> None:
    session = Recorded()
    session.human("handle leap years")
    session.edit("src/dates.py")
    session.run("./show-dates", "2031-04-05")
    session.say("The work is complete.")
    session.edit("src/other.py")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    assert verdicts(session) == [None]


def test_a_check_in_the_next_turn_denies_nothing() -> None:
    session = Recorded()
    session.human("handle leap years")
    session.say("The work is complete.")
    session.human("now break it")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    assert verdicts(session) == [None]


def test_a_run_of_some_tests_does_not_say_that_all_pass() -> None:
    session = Recorded()
    session.edit("src/dates.py")
    session.run("pytest -k leap", "1 passed in 1s")
    session.say("All tests pass.")
    assert verdicts(session) == [None]
    session.run("pytest", "40 passed in 9s")
    session.run("pytest -k leap", "1 passed in 1s")
    session.say("All tests pass.")
    assert verdicts(session) == [None, True]


def test_what_a_formatter_says_supports_no_fix() -> None:
    session = Recorded()
    session.human("the date is wrong")
    session.edit("src/dates.go")
    session.run("gofmt -w src/dates.go", "")
    session.say("The date is fixed.")
    assert verdicts(session) == [False]


def test_a_failure_that_is_claimed_is_shown_by_the_failing_check() -> None:
    session = Recorded()
    failed = session.run("make lint", "Exit code 2\nmake: *** [lint] Error 1", failed=True) + 1
    session.say("I see two style failures.")
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (True, failed)


def test_a_failure_that_is_claimed_is_denied_by_the_passing_check() -> None:
    session = Recorded()
    session.edit("src/dates.go")
    session.say("Compilation is broken.")
    passed = session.run("go build ./...", "") + 1
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (False, passed)


def test_a_failure_that_is_explained_away_is_denied_when_it_comes_again() -> None:
    for text, failed, expected in (
        ("Exit code 1\n1 failed in 1s", True, False),
        ("3 passed in 1s", None, None),
    ):
        session = Recorded()
        session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
        session.say("That failure was flaky.")
        session.run("pytest", text, failed=failed)
        assert verdicts(session) == [expected]


def test_a_commit_that_leaves_out_a_file_of_the_turn_is_not_all() -> None:
    session = Recorded()
    session.human("add the flag and commit")
    session.edit("src/flag.py")
    session.edit("src/main.py")
    session.run("git add src/flag.py", "")
    session.run("git commit -m flag", "[main 1a2b3c4] flag\n 1 file changed")
    session.say("Committed as `1a2b3c4`.")
    assert verdicts(session) == [False]
    session.run("git add src/main.py", "")
    session.run("git commit -m main", "[main 2b3c4d5] main\n 1 file changed")
    session.say("Committed as `2b3c4d5`.")
    assert verdicts(session) == [None, True]


@pytest.mark.parametrize("named", ["src", "src/", "./src", "-A", ".", "*.py"])
def test_a_commit_of_a_folder_leaves_out_none_of_its_files(named: str) -> None:
    session = Recorded()
    session.human("add the flag and commit")
    session.edit("/repo/src/flag.py")
    session.run(f"git add {named}", "")
    session.run("git commit -m flag", "[main 1a2b3c4] flag\n 1 file changed")
    session.say("Committed as `1a2b3c4`.")
    assert verdicts(session) == [True]


def test_a_command_that_a_claim_names_is_judged_by_its_own_result() -> None:
    session = Recorded()
    session.run("make check-links", "Exit code 2\nmake: *** Error 2", failed=True)
    session.run("git status", "nothing to commit, working tree clean")
    session.say("`git status` is clean now.")
    assert verdicts(session) == [True]


def test_failing_tests_do_not_deny_that_it_builds() -> None:
    session = Recorded()
    session.run("go test ./...", "--- FAIL: TestSum (0.00s)\nFAIL", failed=True)
    session.say("The parser builds fine.")
    assert verdicts(session) == [None]


def story(names: dict[str, str]) -> Recorded:
    session = Recorded()
    session.human(f"{names['who']} wants {names['thing']} repaired")
    session.edit(names["file"])
    session.say(f"{names['thing']} is fixed.")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    session.say("The failure was flaky.")
    session.edit(names["file"])
    session.run("pytest", "2 passed in 1s")
    session.say("All tests pass.")
    session.run(f"git add {names['file']}", "")
    session.run("git commit -m x", "[main 1a2b3c4] x")
    session.say("Committed as `1a2b3c4`.")
    return session


def test_names_of_files_and_people_change_no_verdict() -> None:
    first = {"who": "Ada", "thing": "The scale", "file": "src/scale.py"}
    other = {"who": "Noor", "thing": "The gauge", "file": "lib/deep/gauge.rs"}
    assert verdicts(story(first)) == verdicts(story(other)) == [False, None, True, True]


@pytest.mark.parametrize(
    "words",
    [
        "All tests pass.",
        "It builds cleanly.",
        "Lint is clean.",
        "Committed.",
        "I've verified the new path.",
    ],
)
def test_what_nothing_in_the_turn_could_show_is_not_supported(words: str) -> None:
    session = Recorded()
    session.human("change the path")
    edited = session.edit("src/path.py") + 1
    session.say(words)
    (claim,) = find_claims(read_session(session.transcript, session))
    assert (claim.supported, claim.evidence_line) == (False, edited)


def test_what_a_sub_agent_may_have_shown_stays_open() -> None:
    session = Recorded()
    session.human("change the path")
    session.edit("src/path.py")
    session.call("t", "Task", description="review", prompt="run the tests")
    session.result("t", "They pass.")
    session.say("All tests pass.")
    assert verdicts(session) == [None]


@pytest.mark.parametrize("between", ["gofmt -w .", "go mod tidy", "make lint --fix"])
def test_a_failure_that_something_may_have_mended_is_not_denied(between: str) -> None:
    session = Recorded()
    session.say("Lint is red.")
    session.run(between, "ok")
    session.run("make lint", "0 issues.")
    assert verdicts(session) == [None]


def test_a_failure_that_a_sub_agent_may_have_mended_is_not_denied() -> None:
    session = Recorded()
    session.say("Lint is red.")
    session.call("t", "Task", description="mend it", prompt="mend it")
    session.result("t", "Mended.")
    session.run("make lint", "0 issues.")
    assert verdicts(session) == [None]


def test_a_failure_that_was_only_looked_for_is_denied() -> None:
    session = Recorded()
    session.say("Lint is red.")
    session.run("cat src/a.go", "package a")
    session.run("make lint", "0 issues.")
    assert verdicts(session) == [False]


def test_a_bug_is_confirmed_by_the_test_that_fails() -> None:
    session = Recorded()
    session.run("pytest -k leap", "Exit code 1\n1 failed in 1s", failed=True)
    session.say("The regression is reproduced.")
    assert verdicts(session) == [True]


@pytest.mark.parametrize(
    ("edited", "supported"),
    [(False, False), (True, None)],
)
def test_a_check_that_is_excused_and_run_again_unchanged_may_deny_it(
    *, edited: bool, supported: bool | None
) -> None:
    session = Recorded()
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    if edited:
        session.edit("src/dates.py")
    session.say("The suite met a full disk, so I'm rerunning it.")
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    assert verdicts(session) == [supported]


@pytest.mark.parametrize(
    "sentence",
    ["I'm rerunning the tests.", "The tests need a disk.", "Let me rerun the suite once more."],
)
def test_a_check_that_is_only_run_again_is_no_claim(sentence: str) -> None:
    assert sort_of(sentence) is None


def test_what_a_thing_now_does_is_left_open_by_an_edit_and_denied_by_a_check() -> None:
    session = Recorded()
    session.human("count in leap years")
    session.edit("src/dates.py")
    session.say("The calendar now counts leap years.")
    assert verdicts(session) == [None]
    session.run("pytest", "Exit code 1\n1 failed in 1s", failed=True)
    assert verdicts(session) == [False]
