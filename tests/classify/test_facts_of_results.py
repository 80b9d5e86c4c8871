from recorded import Recorded

from compactctl.classify.facts import find_facts
from compactctl.classify.session import read_session
from compactctl.model.classification import Fact


def facts_of(session: Recorded) -> tuple[Fact, ...]:
    return find_facts(read_session(session.transcript, session).events)


def test_a_later_fact_of_the_same_key_takes_the_place_of_the_earlier() -> None:
    session = Recorded()
    session.run("pytest -q", "Exit code 1\n1 failed, 2 passed in 1s", failed=True)
    session.run("cd app && pytest -q", "3 passed in 1s")
    first, second = facts_of(session)
    assert (first.key, first.status, first.latest) == ("test:pytest -q", "failed", False)
    assert (second.key, second.status, second.latest) == ("test:pytest -q", "verified", True)
    assert second.verified_by is not None
    assert second.verified_by.entry == "L4.0"


def test_an_applied_edit_is_edited_and_never_fixed() -> None:
    session = Recorded()
    session.edit("src/app.py")
    (fact,) = facts_of(session)
    assert fact.text == "edited src/app.py"


def test_deleting_a_file_replaces_what_was_known_of_its_edits() -> None:
    session = Recorded()
    session.edit("src/app.py")
    session.run("rm src/app.py", "")
    edited, removed = facts_of(session)
    assert not edited.latest
    assert removed.latest


def test_what_was_not_done_is_attempted_or_pending() -> None:
    session = Recorded()
    session.call("a", "Bash", command="git push")
    session.result("a", "not yet", failed=True, rejected=True)
    session.call("b", "Bash", command="git commit -m x")
    assert [f.status for f in facts_of(session)] == ["attempted", "pending"]


def test_reading_and_searching_prove_nothing_lasting() -> None:
    session = Recorded()
    session.run("cat a.py", "print(1)")
    session.run("grep -n x a.py", "1:x")
    assert facts_of(session) == ()
