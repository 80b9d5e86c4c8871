"""What sort of work a call did, from its decisive command or its tool."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from compactctl.classify.results.commands import Command, Step, is_filter, is_quiet, parse_command
from compactctl.classify.results.names import names
from compactctl.classify.results.tools import Family
from compactctl.model.classification import ResultKind

_T, _B, _L, _G = ResultKind.TEST, ResultKind.BUILD, ResultKind.LINT, ResultKind.GIT
_S, _R, _F, _E = ResultKind.SHELL, ResultKind.READ, ResultKind.SEARCH, ResultKind.EDIT
_W, _O = ResultKind.WEB, ResultKind.OTHER

_PROGRAMS: Mapping[ResultKind, str] = {
    _T: "pytest py.test unittest nose2 nosetests tox nox jest vitest mocha ava rspec phpunit pest "
    "ctest bats cypress karma behave gotestsum ginkgo minitest trial stestr testem tap jasmine "
    "cucumber robot busted prove hspec tasty kaocha artisan-test",
    _B: "make gmake cmake ninja meson gcc g++ cc c++ clang clang++ javac kotlinc rustc swiftc ghc "
    "tsc webpack vite esbuild rollup parcel tsup swc turbo nx gradle gradlew mvn mvnw sbt bazel "
    "buck2 ant msbuild xcodebuild zig scons cabal stack docker-compose buildah kaniko goreleaser "
    "hatch flit maturin dune rebar3 tsdown ld ar cython nvcc pdflatex latexmk sphinx-build mkdocs "
    "hugo jekyll protoc buf next nuxt wasm-pack trunk",
    _L: "ruff flake8 pylint mypy pyright basedpyright black isort eslint prettier biome oxlint "
    "golangci-lint gofmt goimports gofumpt staticcheck revive rustfmt shellcheck shfmt rubocop "
    "phpstan psalm php-cs-fixer phpcs swiftlint swiftformat ktlint detekt checkstyle hadolint "
    "yamllint markdownlint markdownlint-cli2 stylelint svelte-check vue-tsc pre-commit bandit "
    "clang-tidy clang-format cppcheck tflint actionlint ty vulture semgrep govulncheck codespell "
    "commitlint standardrb credo dialyzer hlint ormolu fourmolu buildifier xo "
    "autopep8 yapf sqlfluff "
    "lint-staged knip depcheck",
    _G: "git hg svn jj git-lfs bzr",
    _R: "cat head tail sed nl less more ls tree wc stat file bat jq yq xxd hexdump od du readlink "
    "realpath strings zcat awk gawk cut sort uniq diff cmp md5sum sha256sum man pdftotext exa eza "
    "dir df lsof glow column tac basename dirname",
    _F: "grep egrep fgrep rg ag ack find fd fdfind locate zgrep ripgrep whereis ast-grep sg",
    _W: "curl wget gh glab http https xh lynx w3m httpie aria2c hub tea",
    _E: "apply_patch patch tee ed ex",
}
_KIND = {name: kind for kind, text in _PROGRAMS.items() for name in text.split()}

_SUBCOMMANDS: Mapping[str, Mapping[str, ResultKind]] = {
    "go": {
        "test": _T,
        "build": _B,
        "install": _B,
        "vet": _L,
        "fmt": _L,
        "doc": _R,
        "list": _R,
        "generate": _B,
    },
    "cargo": {
        "test": _T,
        "nextest": _T,
        "bench": _T,
        "build": _B,
        "check": _B,
        "b": _B,
        "c": _B,
        "t": _T,
        "clippy": _L,
        "fmt": _L,
        "doc": _B,
        "install": _B,
        "miri": _T,
    },
    "dotnet": {"test": _T, "build": _B, "publish": _B, "format": _L, "restore": _B, "pack": _B},
    "swift": {"test": _T, "build": _B},
    "mix": {"test": _T, "compile": _B, "format": _L, "credo": _L, "dialyzer": _L},
    "deno": {"test": _T, "lint": _L, "fmt": _L, "check": _L, "compile": _B, "bundle": _B},
    "zig": {"test": _T, "build": _B, "fmt": _L},
    "flutter": {"test": _T, "build": _B, "analyze": _L},
    "dart": {"test": _T, "compile": _B, "analyze": _L, "format": _L},
    "bazel": {"test": _T},
    "buck2": {"test": _T},
    "meson": {"test": _T},
    "dune": {"test": _T},
    "sbt": {"test": _T},
    "stack": {"test": _T},
    "cabal": {"test": _T},
    "rebar3": {"eunit": _T},
    "lein": {"test": _T},
    "crystal": {"spec": _T, "build": _B},
    "nim": {"c": _B, "check": _L},
    "playwright": {"test": _T},
    "rails": {"test": _T, "spec": _T},
    "artisan": {"test": _T},
    "bun": {"test": _T, "build": _B},
    "next": {"lint": _L, "dev": _S, "start": _S},
    "docker": {"build": _B, "buildx": _B, "compose": _S},
    "podman": {"build": _B},
    "docker-compose": {"up": _S, "down": _S, "ps": _S, "logs": _S, "exec": _S, "build": _B},
    "terraform": {"fmt": _L, "validate": _L, "plan": _S, "apply": _S},
    "cmake": {},
    "hatch": {"test": _T, "build": _B, "fmt": _L, "version": _S},
    "git": {"grep": _F, "apply": _G},
    "hugo": {"server": _S},
    "mkdocs": {"serve": _S},
    "xcodebuild": {"test": _T},
    "gradle": {},
    "mvn": {},
    "vite": {"dev": _S, "preview": _S},
    "coverage": {"run": _T, "report": _T},
    "nx": {"test": _T, "lint": _L},
    "turbo": {},
    "ruby": {},
    "helm": {"lint": _L, "template": _B},
    "forge": {"test": _T, "build": _B},
    "hardhat": {"test": _T, "compile": _B},
    "anchor": {"test": _T, "build": _B},
    "pip": {},
    "py_compile": {},
    "jj": {},
    "buf": {"lint": _L},
}
_RUNNERS = names(
    "make gmake just mise task npm yarn pnpm bun rake invoke inv nox tox gradle gradlew mvn mvnw "
    "composer poe pdm hatch turbo nx ant lage moon deno wireit bazel thor"
)
"""Programs whose task names, given by the project, say what they do."""
_TASKS: tuple[tuple[re.Pattern[str], ResultKind], ...] = (
    (
        re.compile(
            r"(?:^|[\s:._-])(?:e2e|spec|specs|tests?|check|checks|verify|ci|coverage|unit|"
            r"integration|test\w*|connectedAndroidTest)(?:$|[\s:._-])",
            re.IGNORECASE,
        ),
        _T,
    ),
    (
        re.compile(
            r"(?:^|[\s:._-])(?:lint\w*|fmt|format\w*|typecheck|type-check|types|tsc|eslint|"
            r"prettier|clippy|vet|stylecheck|mypy|ruff|spotless\w*|ktlint\w*)(?:$|[\s:._-])",
            re.IGNORECASE,
        ),
        _L,
    ),
    (
        re.compile(
            r"(?:^|[\s:._-])(?:build|compile|bundle|package|assemble|dist|all|install|release|"
            r"generate|codegen|jar|classes)(?:$|[\s:._-])",
            re.IGNORECASE,
        ),
        _B,
    ),
)
_RANK = {_T: 8, _B: 7, _L: 6, _G: 5, _W: 4, _E: 3, _S: 2, _F: 1, _R: 1, _O: 0}
"""Of several steps the one with the highest rank decides; of equal ones the first."""
_SIMPLE_GIT = names(
    "status log show diff branch rev-parse remote config ls-files blame describe tag stash "
    "check-ref-format check-ignore cat-file ls-remote ls-tree merge-base reflog shortlog fetch "
    "rev-list for-each-ref symbolic-ref add var"
)
_SED_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-place")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """
    What a shell command does: the decisive step, its kind and what names it.

    ``act`` is the program with its subcommand or task (``go test``, ``git commit``); ``at`` is
    the decisive step's index, -1 where there is none.
    """

    command: Command
    at: int
    kind: ResultKind
    act: str

    @property
    def step(self) -> Step | None:
        """The decisive step."""
        return self.command.steps[self.at] if self.at >= 0 else None


def shell_work(text: str) -> Work:
    """Return what a shell command does; ``shell`` where no program is known."""
    command = parse_command(text)
    best, best_kind, best_rank = -1, _S, -1
    for at, step in enumerate(command.steps):
        if not step.words and not step.writes:
            continue
        kind = step_kind(step)
        rank = _rank(command, at, kind)
        if rank > best_rank:
            best, best_kind, best_rank = at, kind, rank
    if best < 0:
        return Work(command=command, at=-1, kind=_S, act="")
    return Work(command=command, at=best, kind=best_kind, act=act_of(command.steps[best]))


def _rank(command: Command, at: int, kind: ResultKind) -> int:
    step = command.steps[at]
    if is_filter(step) and at > 0 and command.steps[at - 1].program not in {"echo", "printf"}:
        finds = kind is _F and command.steps[at - 1].program == "find"
        return 10 if finds else -1 if kind is not _E else 1
    if is_quiet(step):
        return 0
    rank = _RANK[kind] * 10
    if kind is _G and _git_verb(step) in _SIMPLE_GIT:
        rank = 25
    if kind in {_S, _R, _F}:
        rank = 20 if kind is _S else 15
    return rank


def step_kind(step: Step) -> ResultKind:  # noqa: PLR0911 -- one way out for each sort of program
    """Return what sort of work one simple command does."""
    program = step.program
    words = step.words[1:]
    first = next((w for w in words if not w.startswith(("-", "+"))), "")
    if special := _SPECIAL.get(program):
        found = special(step, first)
        if found is not None:
            return found
    table = _SUBCOMMANDS.get(program)
    if table is not None and first in table:
        return table[first]
    if program in _RUNNERS and (task := _task(step)):
        for pattern, kind in _TASKS:
            if pattern.search(task):
                return kind
        if program in {"npm", "yarn", "pnpm", "bun", "just", "mise", "task", "rake", "deno"}:
            return _S
    if program in {"echo", "printf", "cat"} and (step.writes or step.heredoc):
        return _E if step.writes else _S
    if program in _KIND:
        return _KIND[program]
    return _by_name(program)


def _by_name(program: str) -> ResultKind:
    """Return the kind that a script's own name tells."""
    stem = program.removesuffix(".sh").removesuffix(".py")
    if stem != program or "-" in program or "_" in program:
        if re.fullmatch(
            r"(?:run[-_])?(?:all[-_])?(?:unit[-_]|integration[-_]|e2e[-_])?tests?", stem
        ):
            return _T
        if re.fullmatch(r"(?:run[-_])?lint", stem):
            return _L
        if re.fullmatch(r"(?:re)?build|compile", stem):
            return _B
    return _S


def _task(step: Step) -> str:
    """Return the name of the project's own task that a runner is asked for."""
    words = _plain_words(step)
    if words and words[0] in {"run", "r", "task", "tasks", "run-script", "-s", "tool"}:
        words = words[1:]
    return (
        " ".join(words[:3])
        if step.program in {"gradle", "gradlew", "mvn", "mvnw", "make"}
        else (words[0] if words else "")
    )


_VALUED = names(
    "-C -f --file --prefix -w --workspace --filter -F -p --directory --cwd --project -R"
)


def _plain_words(step: Step) -> list[str]:
    """Return the words that are neither options, their values, nor assignments."""
    found: list[str] = []
    skip = False
    for word in step.words[1:]:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif not word.startswith("-") and "=" not in word:
            found.append(word)
    return found


def _git_verb(step: Step) -> str:
    skip = False
    for word in step.words[1:]:
        if skip:
            skip = False
        elif word in {"-C", "-c", "--git-dir", "--work-tree"}:
            skip = True
        elif not word.startswith("-"):
            return word
    return ""


def act_of(step: Step) -> str:
    """Return what names a step's work: program and subcommand or task."""
    program = step.program
    if program in {"git", "hg", "jj", "svn"}:
        return f"{program} {_git_verb(step)}".strip()
    plain = _plain_words(step)
    if program in {"gh", "glab", "docker", "kubectl", "aws", "gcloud", "az", "helm"}:
        return " ".join([program, *plain[:2]])
    if program in _RUNNERS:
        return f"{program} {_task(step)}".strip()
    if program in _SUBCOMMANDS or program in {
        "pip",
        "pip3",
        "apt-get",
        "apt",
        "brew",
        "uv",
        "npm",
    }:
        return " ".join([program, *plain[:1]])
    if program.startswith(("python", "node", "ruby", "perl", "bash", "sh")):
        return " ".join([program, *plain[:1]])[:80]
    return program


def _sed(step: Step, first: str) -> ResultKind | None:
    del first
    return _E if any(_SED_IN_PLACE.fullmatch(w[:12]) for w in step.words[1:4]) else None


def _tsc(step: Step, first: str) -> ResultKind | None:
    del first
    return _L if "--noEmit" in step.words else _B


def _node(step: Step, first: str) -> ResultKind | None:
    return _T if "--test" in step.words or first.endswith((".test.js", ".test.mjs")) else None


def _manage(step: Step, first: str) -> ResultKind | None:
    """Python and PHP scripts that are known by the script's name."""
    rest = step.words[1:]
    name = first.rsplit("/", 1)[-1]
    if name in {"manage.py", "artisan", "setup.py"}:
        after = rest[rest.index(first) + 1 :][:1] if first in rest else ()
        return {"test": _T, "build": _B, "build_ext": _B}.get(after[0] if after else "")
    if re.fullmatch(r"(?:run)?tests?(?:_\w+)?\.py|\w+_test\.py", name):
        return _T
    return None


def _unittest(step: Step, first: str) -> ResultKind | None:
    del step, first
    return _B


def _read_only_make(step: Step, first: str) -> ResultKind | None:
    del first
    return _S if "-n" in step.words[1:3] else None


def _awk(step: Step, first: str) -> ResultKind | None:
    del first
    return _E if step.writes else None


_SPECIAL: Mapping[str, Callable[[Step, str], ResultKind | None]] = {
    "sed": _sed,
    "perl": _sed,
    "tsc": _tsc,
    "node": _node,
    "python": _manage,
    "python3": _manage,
    "php": _manage,
    "py_compile": _unittest,
    "compileall": _unittest,
    "make": _read_only_make,
    "awk": _awk,
}

_BY_FAMILY = {
    Family.SHELL: _S,
    Family.POLL: _S,
    Family.READ: _R,
    Family.SEARCH: _F,
    Family.EDIT: _E,
    Family.WEB: _W,
    Family.TASK: _O,
    Family.PLAN: _O,
    Family.ASK: _O,
    Family.OTHER: _O,
}


def kind_of_family(family: Family) -> ResultKind:
    """Return the kind of a call whose tool decides it."""
    return _BY_FAMILY[family]
