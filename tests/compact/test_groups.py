"""What must stay together: calls with their results, actions in words with their answers."""

from dataclasses import replace

from recorded import Recorded

from compactctl.compact.groups import allowed_cuts, group_view
from compactctl.model.entry import Seen, View


def view_of(session: Recorded) -> View:
    return tuple(Seen(entry=entry) for entry in session.entries)


def cuts_of(session: Recorded) -> list[int]:
    view = view_of(session)
    allowed = allowed_cuts(view, group_view(view))
    return [at for at, free in enumerate(allowed) if free]


def test_a_call_and_its_result_are_a_group() -> None:
    session = Recorded()
    session.human("look")
    session.run("ls", "a.py")
    session.say("One file.")
    assert cuts_of(session) == [0, 1, 3, 4]


def test_an_action_in_words_and_what_the_tool_says_are_a_group() -> None:
    session = Recorded()
    session.human("look")
    session.say("```\nls\n```")
    session.answer("a.py")
    session.say("```\ncat a.py\n```")
    session.answer("1")
    assert cuts_of(session) == [0, 1, 3, 5]


def test_what_a_tool_says_after_a_human_answers_no_message() -> None:
    session = Recorded()
    session.say("Hello.")
    session.human("here is the log")
    session.answer("boot ok")
    assert cuts_of(session) == [0, 1, 2, 3]


def test_the_parts_of_one_turn_are_a_group() -> None:
    session = Recorded()
    session.human("see the picture")
    session.human("and this text")
    session.say("Seen.")
    session.entries[1] = replace(session.entries[1], id="L1.1", line=1, block=1, record=0)
    assert cuts_of(session) == [0, 2, 3]
