import pytest
from recorded import Recorded

from compactctl.classify.claims import find_claims, sort_of
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
    ],
)
def test_plans_questions_and_negations_are_no_claims(sentence: str) -> None:
    assert sort_of(sentence) is None
