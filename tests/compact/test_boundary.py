"""Where to cut: the last good boundary, never inside anything, or a reason."""

import pytest
from building import Message, assistant, call, material_of, result, user

from compactctl.compact.boundary import Cut, Deferred, choose_cut
from compactctl.compact.material import Settings
from compactctl.model.classification import CutPoint, NoCut, Outcome, ResultKind

SETTINGS = Settings(keep_tail=20)


def steps(number: int, start: int = 1) -> list[Message]:
    """Complete steps of a call, its result and an answer, some 32 words each."""
    found: list[Message] = []
    for n in range(start, start + number):
        found += [
            call(f"c{n}", "shell", command=f"step {n}"),
            result(f"c{n}", " ".join(["out"] * 20)),
            assistant(" ".join(["said"] * 8)),
        ]
    return found


def test_the_last_offered_boundary_with_enough_tail_is_taken() -> None:
    material = material_of(
        [user("go on"), *steps(6)],
        boundaries=[
            CutPoint(4, 0.9, "early"),
            CutPoint(13, 0.6, "tests passed"),
            CutPoint(19, 0.9, "end"),
        ],
    )

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert (found.at, found.point.after_line, found.point.why) == (13, 13, "tests passed")


def test_a_boundary_inside_a_retry_loop_is_passed_over() -> None:
    material = material_of(
        [user("go on"), *steps(6)],
        boundaries=[CutPoint(10, 0.6, "commit"), CutPoint(13, 0.9, "tests passed")],
        no_cut=[NoCut(11, 17, "retry loop")],
    )

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert found.point.after_line == 10


@pytest.mark.parametrize("after_line", [2, 5, 8, 11])
def test_no_cut_between_a_call_and_its_result(after_line: int) -> None:
    material = material_of(
        [user("go on"), *steps(6)], boundaries=[CutPoint(after_line, 1.0, "offered wrongly")]
    )

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert found.point.after_line != after_line


def test_without_an_offer_the_end_of_a_complete_step_will_do() -> None:
    material = material_of([user("go on"), *steps(6)])

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert found.point.why == "end of a complete step"
    assert found.at == 16


def test_no_cut_across_a_call_without_result() -> None:
    messages = [user("go on"), *steps(3), call("open", "deploy", to="staging"), *steps(6, 10)]
    material = material_of(messages, boundaries=[CutPoint(20, 0.9, "late")])

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert found.at <= 10


def test_a_call_that_the_human_moved_on_from_is_not_waited_for() -> None:
    messages = [
        user("go on"),
        *steps(3),
        call("open", "deploy", to="staging"),
        user("forget that"),
        *steps(6, 10),
    ]
    material = material_of(messages, boundaries=[CutPoint(21, 0.9, "late")])

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert found.point.after_line == 21


def test_an_interim_answer_does_not_settle_a_call() -> None:
    material = material_of(
        [
            user("go on"),
            assistant("Sure."),
            call("ask", "confirm", what="send"),
            result("ask", "pending"),
            *steps(6),
        ],
        boundaries=[CutPoint(13, 0.9, "late")],
        outcomes={"ask": Outcome.PENDING},
        kinds={"ask": ResultKind.OTHER},
    )

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Cut)
    assert found.at == 2


def test_a_whole_retry_loop_defers_and_says_so() -> None:
    material = material_of(
        [user("go on"), *steps(6)], no_cut=[NoCut(1, 19, "retry loop of shell: exit 1")]
    )

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Deferred)
    assert "retry loop of shell: exit 1" in found.reason


def test_a_short_session_defers() -> None:
    found = choose_cut(material_of([user("hello there"), assistant("hello")]), SETTINGS)

    assert isinstance(found, Deferred)
    assert "no boundary leaves a tail of 2 steps" in found.reason


def test_system_messages_alone_are_no_head() -> None:
    material = material_of(
        [{"role": "system", "content": "Rules apply."}, user("go"), *steps(2)],
        boundaries=[CutPoint(1, 1.0, "offered wrongly")],
    )

    found = choose_cut(material, SETTINGS)

    assert not isinstance(found, Cut) or found.at > 1


def test_a_head_without_work_is_not_worth_a_cut() -> None:
    material = material_of(
        [user("go on"), user("and quickly"), *steps(3)], no_cut=[NoCut(3, 12, "edits")]
    )

    found = choose_cut(material, SETTINGS)

    assert isinstance(found, Deferred)
    assert "edits" in found.reason
