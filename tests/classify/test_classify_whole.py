import time

import pytest
from recorded import Recorded

from compactctl.classify import classify
from compactctl.model.classification import Classification
from compactctl.model.entry import StateClass


def classified(session: Recorded) -> Classification:
    return classify(session.transcript, session, (), pins=())


def test_every_entry_has_a_class_and_a_call_shares_that_of_its_result() -> None:
    session = Recorded()
    session.human("make it pass")
    session.run("pytest", "1 passed in 1s")
    session.run("cat a.py", "x")
    session.say("All tests pass.")
    found = classified(session)
    assert list(found.entries) == [e.id for e in session.entries]
    states = [c.state for c in found.entries.values()]
    fact, raw = StateClass.FACT, StateClass.RAW
    assert states == [StateClass.DECISION, fact, fact, raw, raw, StateClass.REASONING]
    assert all(c.why for c in found.entries.values())


def test_a_rejection_with_a_reason_is_a_decision() -> None:
    session = Recorded()
    session.call("a", "Bash", command="git push --force")
    session.result("a", "never force", failed=True, rejected=True)
    assert classified(session).entries["L2.0"].state is StateClass.DECISION


def test_the_last_todo_list_wins_and_what_is_done_stays_done() -> None:
    session = Recorded()
    for statuses in (("in_progress", "pending"), ("completed", "in_progress")):
        todos = [
            {"content": name, "status": status}
            for name, status in zip(("write it", "test it"), statuses, strict=True)
        ]
        call_id = f"t{session.line}"
        session.call(call_id, "TodoWrite", todos=todos)
        session.result(call_id, "Todos have been modified")
    assert [(i.text, i.status) for i in classified(session).open_items] == [
        ("test it", "in_progress")
    ]


def test_tasks_that_are_updated_one_by_one() -> None:
    session = Recorded()
    session.call("a", "TaskCreate", subject="write it")
    session.call("b", "TaskCreate", subject="test it")
    session.call("c", "TaskUpdate", taskId="1", status="completed")
    assert [i.text for i in classified(session).open_items] == ["test it"]


@pytest.mark.parametrize(
    "unit", ["x", "[", "'", '"', "- a\n", "error: ", "FAILED ", "1 failed, ", "a:1:1: ", '{"id":']
)
def test_no_rule_is_worse_than_linear_in_a_hostile_result(unit: str) -> None:
    session = Recorded()
    text = unit * (2_000_000 // len(unit))
    session.run("pytest | tail", text)
    session.run("git log | cat", text)
    session.say(text)
    start = time.process_time()
    classified(session)
    assert time.process_time() - start < 5
