import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactctl.classify.results.commands import parse_command
from compactctl.classify.results.kinds import shell_work
from compactctl.model.classification import ResultKind


@pytest.mark.parametrize(
    ("command", "kind", "act"),
    [
        ("pytest -q", ResultKind.TEST, "pytest"),
        ("cd app && python -m pytest -q 2>&1 | tail -20", ResultKind.TEST, "pytest"),
        ("FOO=1 timeout 60 uv run --with x pytest", ResultKind.TEST, "pytest"),
        ('bash -lc "go test ./... || true"', ResultKind.TEST, "go test"),
        ("npm run lint:fix && npm run test:unit", ResultKind.TEST, "npm test:unit"),
        ("make", ResultKind.BUILD, "make"),
        ("make -C lib check", ResultKind.TEST, "make check"),
        ("cargo clippy -- -D warnings", ResultKind.LINT, "cargo clippy"),
        ("git add a.py && git commit -m 'x; y | z'", ResultKind.GIT, "git commit"),
        ("cat log.txt | grep error", ResultKind.READ, "cat"),
        ("find . -name '*.py' | xargs grep -n main", ResultKind.SEARCH, "find"),
        ("gh pr create --title t --body b", ResultKind.WEB, "gh pr create"),
        ("sed -n '1,5p' a.py", ResultKind.READ, "sed"),
        ("sed -i s/a/b/ a.py", ResultKind.EDIT, "sed"),
        ("cat > a.py <<'EOF'\nprint(1) | x && y\nEOF\n", ResultKind.EDIT, "cat"),
        ("./deploy --dry-run", ResultKind.SHELL, "deploy"),
        ("for f in *.go; do gofmt -l $f; done", ResultKind.LINT, "gofmt"),
    ],
)
def test_the_decisive_command_gives_the_kind(command: str, kind: ResultKind, act: str) -> None:
    work = shell_work(command)
    assert (work.kind, work.act) == (kind, act)


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        ("pytest", True),
        ("cd a && pytest", True),
        ("pytest && echo fine", True),
        ("pytest | tail -3", False),
        ("set -o pipefail; pytest | tail -3", True),
        ("pytest || true", False),
        ("pytest; echo done", False),
        ("true || pytest", False),
        ("pytest &", False),
    ],
)
def test_whether_exit_code_zero_says_that_the_decisive_command_passed(
    command: str,
    shows: bool,  # noqa: FBT001 -- a parameter of the table above
) -> None:
    work = shell_work(command)
    assert work.kind is ResultKind.TEST
    assert work.command.zero_shows(work.at) is shows


def test_operators_in_quotes_part_nothing() -> None:
    steps = parse_command(
        "git commit -m \"$(cat <<'EOF'\nfix: a && b | c; (d\nEOF\n)\" && git push"
    )
    assert [s.words[:2] for s in steps.steps] == [("git", "commit"), ("git", "push")]


@given(st.text(alphabet="ab '\"\\$(){}|&;<>\n#`=-EOF", max_size=200))
def test_any_text_is_taken_apart_without_an_error(text: str) -> None:
    shell_work(text)


@pytest.mark.parametrize("unit", ["'", '"', "(", "$(", "<<E\n", "a|", "\\", "|", "a=", "#"])
def test_a_long_hostile_command_is_read_in_bounded_time(unit: str) -> None:
    assert len(parse_command(unit * 1_000_000).steps) <= 200
