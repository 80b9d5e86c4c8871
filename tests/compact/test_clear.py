"""Clearing: references by tool name and kind, and what is left alone."""

from building import Message, assistant, call, material_of, result, user

from compactctl.compact.clear import clear
from compactctl.compact.material import Settings
from compactctl.compact.rules import CallRule, Policy, ResultRule
from compactctl.model.classification import NoCut, Outcome, ResultKind
from compactctl.model.compaction import NewArguments, NewText

POLICY = Policy(
    calls=(CallRule(tools=("write_file",), arguments=("content",), text="[saved]"),),
    results=(
        ResultRule(tools=("read_file",), text="Content of {file_path}. Re-read if needed."),
        ResultRule(kinds=(ResultKind.SEARCH,), text="Results of {query}."),
    ),
)
SETTINGS = Settings(keep_recent=1, min_item=50)
LONG = " ".join(["line"] * 80)


def read(call_id: str, text: str = LONG, **arguments: object) -> list[Message]:
    return [call(call_id, "read_file", **arguments), result(call_id, text)]


def session(*parts: list[Message]) -> list[Message]:
    """The parts, then a short last read (kept as recent) and an answer."""
    messages = [user("go")]
    for part in parts:
        messages += part
    return [*messages, *read("last", file_path="z.py"), assistant("done")]


def test_an_answered_read_becomes_a_reference_with_its_pointer() -> None:
    material = material_of(session(read("a", file_path="src/a.py")))

    (rewrite,) = clear(material, SETTINGS, POLICY)

    snapshot = material.transcript.sha256[:12]
    assert rewrite.entry == "L3.0"
    assert rewrite.replacement == NewText(
        f"Content of src/a.py. Re-read if needed. (snap:{snapshot}#L3.0)"
    )


def test_a_missing_argument_falls_back_to_path_and_then_to_unknown() -> None:
    material = material_of(session(read("a", path="b.py"), read("c", limit=3)))

    texts = [
        r.replacement.text
        for r in clear(material, SETTINGS, POLICY)
        if isinstance(r.replacement, NewText)
    ]

    assert texts[0].startswith("Content of b.py.")
    assert texts[1].startswith("Content of unknown.")


def test_large_arguments_of_a_successful_write_become_a_reference() -> None:
    write = [call("w", "write_file", path="a.md", content=LONG), result("w", "ok")]
    material = material_of(session(write))

    (rewrite,) = clear(material, SETTINGS, POLICY)

    snapshot = material.transcript.sha256[:12]
    assert rewrite.replacement == NewArguments({"content": f"[saved] (snap:{snapshot}#L2.0)"})


def test_a_failed_write_keeps_its_arguments() -> None:
    write = [call("w", "write_file", path="a.md", content=LONG), result("w", "disk full")]
    material = material_of(session(write), outcomes={"w": Outcome.FAILURE})

    assert clear(material, SETTINGS, POLICY) == ()


def test_errors_keep_their_text() -> None:
    material = material_of(session(read("a", file_path="a.py")), outcomes={"a": Outcome.FAILURE})

    assert clear(material, SETTINGS, POLICY) == ()


def test_an_outcome_that_nothing_proves_is_left_alone() -> None:
    material = material_of(session(read("a", file_path="a.py")), outcomes={"a": Outcome.UNKNOWN})

    assert clear(material, SETTINGS, POLICY) == ()


def test_small_items_stay() -> None:
    material = material_of(session(read("a", "three short words", file_path="a.py")))

    assert clear(material, SETTINGS, POLICY) == ()


def test_the_last_results_and_their_calls_stay() -> None:
    material = material_of(session(read("a", file_path="a.py"), read("b", file_path="b.py")))

    kept = clear(material, Settings(keep_recent=3, min_item=50), POLICY)

    assert kept == ()


def test_a_result_that_nobody_answered_stays() -> None:
    messages = [user("go"), *read("a", file_path="a.py")]
    material = material_of(messages)

    assert clear(material, Settings(keep_recent=0, min_item=50), POLICY) == ()


def test_results_in_a_retry_loop_stay() -> None:
    material = material_of(session(read("a", file_path="a.py")))

    assert clear(material, SETTINGS, POLICY, zones=(NoCut(2, 4, "retry loop"),)) == ()


def test_unknown_tools_are_cleared_by_kind() -> None:
    search = [call("s", "mcp__docs__lookup", query="retries"), result("s", LONG)]
    material = material_of(session(search), kinds={"s": ResultKind.SEARCH})

    (rewrite,) = clear(material, SETTINGS, POLICY)

    assert isinstance(rewrite.replacement, NewText)
    assert rewrite.replacement.text.startswith("Results of retries. (snap:")


def test_tokens_are_those_of_the_reference() -> None:
    material = material_of(session(read("a", file_path="a.py")))

    (rewrite,) = clear(material, SETTINGS, POLICY)

    assert rewrite.tokens == 7
