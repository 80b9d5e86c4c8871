import pytest
from recorded import Recorded

from compactctl.classify.session import read_session
from compactctl.model.classification import Outcome, ResultKind, ToolResult


def only(session: Recorded) -> ToolResult:
    events = read_session(session.transcript, session).events
    assert len(events) == 1
    return events[0].result


def shell(command: str, text: str, *, failed: bool | None = None) -> ToolResult:
    session = Recorded()
    session.run(command, text, failed=failed)
    return only(session)


@pytest.mark.parametrize(
    ("command", "text", "failed", "outcome"),
    [
        ("pytest", "3 passed in 0.1s", None, Outcome.SUCCESS),
        ("pytest", "Exit code 1\n1 failed, 2 passed in 0.1s", True, Outcome.FAILURE),
        ("pytest | tail -1", "=== 1 failed, 2 passed in 0.10s ===", None, Outcome.FAILURE),
        ("pytest | tail -1", "=== 3 passed in 0.10s ===", None, Outcome.SUCCESS),
        ("pytest | grep -c x", "0", None, Outcome.UNKNOWN),
        (
            "go test ./... 2>&1 | head",
            "--- FAIL: TestA (0.01s)\nFAIL\tx/y\t0.1s",
            None,
            Outcome.FAILURE,
        ),
        ("cargo test | tail", "test result: FAILED. 1 passed; 2 failed", None, Outcome.FAILURE),
        ("npx jest | cat", "Tests:       2 failed, 5 passed, 7 total", None, Outcome.FAILURE),
        ("npx jest | cat", "Tests:       7 passed, 7 total", None, Outcome.SUCCESS),
        ("npx mocha | cat", "  5 passing (20ms)\n  1 failing", None, Outcome.FAILURE),
        ("mvn test | tail", "[ERROR] Tests run: 3, Failures: 1, Errors: 0", None, Outcome.FAILURE),
        ("rspec | tail", "12 examples, 1 failure", None, Outcome.FAILURE),
        ("rspec | tail", "12 examples, 0 failures", None, Outcome.SUCCESS),
        (
            "phpunit | tail",
            "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
            None,
            Outcome.FAILURE,
        ),
        ("ctest | tail", "100% tests passed, 0 tests failed out of 9", None, Outcome.SUCCESS),
        ("dotnet test | tail", "Failed!  - Failed:     1, Passed:     3", None, Outcome.FAILURE),
        (
            "python -m unittest | cat",
            "Ran 3 tests in 0.1s\n\nFAILED (failures=1)",
            None,
            Outcome.FAILURE,
        ),
        ("grep -rn nothing src", "Exit code 1", True, Outcome.SUCCESS),
        (
            "grep -rn nothing src",
            "Exit code 2\ngrep: src: No such file or directory",
            True,
            Outcome.FAILURE,
        ),
        (
            "git push | cat",
            " ! [rejected]        main -> main (fetch first)",
            None,
            Outcome.FAILURE,
        ),
        ("ls", "Command running in background with ID: b1", None, Outcome.PENDING),
        ("sleep 900", "Command timed out after 2m 0.0s", True, Outcome.FAILURE),
        ("ls", "[Request interrupted by user for tool use]", None, Outcome.UNKNOWN),
        ("gh api x | jq .", "{}\ngh: Not Found (HTTP 404)", None, Outcome.FAILURE),
        ("cat notes.md", "error: this is what the notes say", None, Outcome.SUCCESS),
    ],
)
def test_outcomes_of_shell_calls(
    command: str,
    text: str,
    failed: bool | None,  # noqa: FBT001 -- a column of the table above
    outcome: Outcome,
) -> None:
    assert shell(command, text, failed=failed).outcome is outcome


def test_a_rejected_call_is_rejected_whatever_it_says() -> None:
    session = Recorded()
    session.call("c", "Bash", command="git push --force")
    session.result("c", "no, push to a branch", failed=True, rejected=True)
    assert only(session).outcome is Outcome.REJECTED


@pytest.mark.parametrize(
    ("text", "outcome", "code"),
    [
        ("Chunk ID: 1\nWall time: 0.1\nProcess exited with code 2\nOutput:\nboom", "failure", 2),
        ("Chunk ID: 1\nWall time: 0.1\nProcess exited with code 0\nOutput:\nok", "success", 0),
        ("Wall time: 1\nProcess running with session ID 77\nOutput:\n", "pending", None),
        ('{"output":"boom","metadata":{"exit_code":1}}', "failure", 1),
        ('Script completed\nWall time 1\nOutput:\n{"output":"","exit_code":3}', "failure", 3),
    ],
)
def test_codex_frames(text: str, outcome: str, code: int | None) -> None:
    session = Recorded(format="codex")
    session.call("c", "exec_command", cmd="./deploy")
    session.result("c", text)
    result = only(session)
    assert (result.outcome, result.exit_code) == (outcome, code)


def test_a_poll_is_of_the_kind_of_the_process_that_it_asks_for() -> None:
    session = Recorded(format="codex")
    session.call("a", "exec_command", cmd="go test ./...")
    session.result("a", "Wall time: 1\nProcess running with session ID 5\nOutput:\n")
    session.call("b", "write_stdin", session_id=5, chars="")
    session.result("b", "Wall time: 1\nProcess exited with code 1\nOutput:\nFAIL\tx\t0.1s")
    first, second = (e.result for e in read_session(session.transcript, session).events)
    assert first.outcome is Outcome.PENDING
    assert (second.kind, second.outcome, second.key) == (ResultKind.TEST, "failure", first.key)


def test_an_interim_result_does_not_settle_a_call_and_a_later_one_does() -> None:
    session = Recorded()
    session.call("c", "Bash", command="pytest")
    session.result("c", "Command running in background with ID: b1")
    session.result("c", "3 passed in 0.1s")
    result = only(session)
    assert (result.outcome, result.result_line) == (Outcome.SUCCESS, 3)


def test_a_call_without_result_is_pending_at_the_end_and_unknown_before() -> None:
    session = Recorded()
    session.call("a", "Bash", command="pytest")
    session.human("stop, do it differently")
    session.call("b", "Bash", command="pytest -x")
    first, second = (e.result for e in read_session(session.transcript, session).events)
    assert (first.outcome, first.result_line) == (Outcome.UNKNOWN, None)
    assert (second.outcome, second.result_line) == (Outcome.PENDING, None)


def test_a_reused_call_id_belongs_to_the_newest_call() -> None:
    session = Recorded(format="openai-chat")
    for text in ("3 passed in 1s", "1 failed in 1s"):
        session.call("call_1", "bash", command="pytest")
        session.result("call_1", text)
    outcomes = [e.result.outcome for e in read_session(session.transcript, session).events]
    assert outcomes == [Outcome.SUCCESS, Outcome.FAILURE]


def test_without_flags_and_exit_codes_a_silent_shell_proves_nothing() -> None:
    session = Recorded(format="openai-chat")
    session.call("c", "bash", command="pytest")
    session.result("c", "collected 3 items")
    assert only(session).outcome is Outcome.UNKNOWN


def test_exact_strings_are_copied_bounded_and_telling() -> None:
    body = "\n".join(
        [
            *(f"=== RUN   Test{n}" for n in range(300)),
            "--- FAIL: TestParse (0.00s)",
            "    parse_test.go:41: expected 3, got 4",
            "FAIL",
            "FAIL\texample.org/parse\t0.004s",
        ]
    )
    result = shell("go test ./...", "Exit code 1\n" + body, failed=True)
    assert "--- FAIL: TestParse (0.00s)" in result.exact
    assert "parse_test.go:41: expected 3, got 4" in result.exact
    assert all(text in body for text in result.exact)
    assert sum(map(len, result.exact)) <= 400


def test_the_one_line_never_claims_success_for_anything_else() -> None:
    failed = shell("git commit -m x", "Exit code 1\nfatal: no", failed=True).one_line
    assert "FAILED (exit 1)" in failed
    assert "ok" not in failed.split(":")[-1]
    assert "\x1b" not in shell("echo '\x1b[31m'", "x").one_line


def test_tools_are_known_by_name_by_words_and_by_shape() -> None:
    session = Recorded()
    for number, (tool, arguments) in enumerate(
        [
            ("Read", {"file_path": "a.py"}),
            ("mcp__tracker__create_issue", {"title": "x"}),
            ("mcp__files__read_file", {"path": "a.py"}),
            ("mcp__puppeteer__click", {"selector": "a"}),
            ("run_it", {"command": "pytest"}),
            ("apply_patch", {}),
        ]
    ):
        session.call(f"c{number}", tool, **arguments)
        session.result(f"c{number}", "done")
    kinds = [e.result.kind for e in read_session(session.transcript, session).events]
    assert kinds == ["read", "other", "read", "web", "test", "edit"]


def test_a_client_that_could_not_start_a_command_says_so() -> None:
    session = Recorded(format="codex")
    session.run("git add a.py", "run_it failed for `git add a.py`: could not start: denied")
    assert only(session).outcome is Outcome.FAILURE


def test_a_sandbox_that_refused_a_command_states_its_exit_code() -> None:
    text = 'run_it failed for `git add a.py`: Start { Denied { exit_code: 126, err: "no" } }'
    result = shell("git add a.py", text)
    assert (result.outcome, result.exit_code) == (Outcome.FAILURE, 126)
