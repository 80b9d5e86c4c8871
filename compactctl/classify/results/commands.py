"""Shell commands: which part decides what was done, and what an exit code says of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compactctl.classify.results.names import names

MAX_COMMAND = 20_000
"""Characters of a command that are looked at; what follows is data, as a rule."""
MAX_STEPS = 200
MAX_WORDS = 80
_MAX_DEPTH = 3

_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")
_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r]++|\\\n)
  | (?P<op>\n|&&|\|\||\|&|;;|;|\||&(?![>&])|\(|\)(?![>]))
  | (?P<redirect>\d?>&\d|&>>?[ \t]*|\d?>>?\|?[ \t]*|\d?<(?!\()[ \t]*)
  | (?P<comment>(?<![^\s;&|(])\#[^\n]*+)
  | (?P<single>'[^']*+')
  | (?P<double>"(?:[^"\\]|\\.)*+")
  | (?P<subst>\$\(|<\()
  | (?P<escape>\\.)
  | (?P<plain>[^\s'"\\;|&<>()\#$`]++)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_KEYWORDS = names("do then else elif if while until ! { } done fi time builtin")
_LOOP_HEADS = frozenset({"for", "case", "select", "function"})
_SHELLS = names("bash sh zsh dash ksh fish /bin/bash /bin/sh /bin/zsh /usr/bin/bash")
_PREFIXES = {
    "env": frozenset({"-u", "-C"}),
    "sudo": frozenset({"-u", "-g"}),
    "nohup": frozenset[str](),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c"}),
    "stdbuf": frozenset[str](),
    "command": frozenset[str](),
    "exec": frozenset[str](),
    "xvfb-run": frozenset[str](),
    "caffeinate": frozenset[str](),
    "npx": frozenset({"-p", "--package"}),
    "bunx": frozenset[str](),
    "uvx": frozenset({"--from"}),
    "pipx": frozenset[str](),
    "time": frozenset[str](),
    "watch": frozenset({"-n"}),
}
"""Commands that run the command after them, with those of their options that take a value."""
_RUNNERS = {
    ("uv", "run"): frozenset({"--with", "--python", "-p", "--group", "--extra", "--directory"}),
    ("poetry", "run"): frozenset[str](),
    ("pipenv", "run"): frozenset[str](),
    ("pdm", "run"): frozenset[str](),
    ("hatch", "run"): frozenset[str](),
    ("rye", "run"): frozenset[str](),
    ("conda", "run"): frozenset({"-n", "-p"}),
    ("bundle", "exec"): frozenset[str](),
    ("pnpm", "exec"): frozenset[str](),
    ("yarn", "exec"): frozenset[str](),
    ("npm", "exec"): frozenset[str](),
    ("mise", "exec"): frozenset[str](),
    ("mise", "x"): frozenset[str](),
    ("direnv", "exec"): frozenset[str](),
    ("dotenv", "run"): frozenset[str](),
    ("pipx", "run"): frozenset[str](),
}
_FILTERS = names(
    "grep egrep fgrep rg head tail wc sort uniq cut tr sed awk gawk jq yq tee "
    "cat less more column "
    "xargs nl fold rev tac paste fmt strip-ansi ansi2txt python python3 perl node bat xxd"
)
"""What stands right of a pipe only to look at what comes from the left."""
_QUIET = names(
    "cd pushd popd export set unset source . echo printf sleep true false : mkdir wait trap umask "
    "ulimit alias shopt declare local readonly read pwd which type hash test [ [["
)
"""Steps that prepare or talk, and are no work of their own where others stand beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    One simple command of a compound one.

    ``operator`` is what stands before it (``""`` for the first); ``words`` are without wrappers
    (``env``, ``timeout 60``, ``uv run``, ...), assignments and redirections.
    """

    operator: str
    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    """Files that its output is redirected to."""
    heredoc: bool = False
    assigns: bool = False
    """Nothing but assignments."""

    @property
    def program(self) -> str:
        """The name of the program, without folders; ``""`` for assignments alone."""
        return self.words[0].rstrip("/").rsplit("/", 1)[-1] if self.words else ""

    @property
    def text(self) -> str:
        """The words as one line."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A shell command, taken apart."""

    steps: tuple[Step, ...]
    pipefail: bool = False

    def pipe_head(self, at: int) -> int:
        """Return the first step of the pipeline that step ``at`` is part of."""
        while at > 0 and self.steps[at].operator == "|":
            at -= 1
        return at

    def exit_shows(self, at: int) -> bool:
        """Return whether a failure of step ``at`` makes the whole command fail."""
        for after in self.steps[at + 1 :]:
            if after.operator == "|" and not self.pipefail:
                return False
            if after.operator in {"||", ";", "\n", "&"}:
                return False
        return not (self.steps and self.steps[-1].operator == "&" and not self.steps[-1].words)

    def zero_shows(self, at: int) -> bool:
        """Return whether exit code 0 of the whole says that step ``at`` ran and succeeded."""
        return self.exit_shows(at) and self.steps[at].operator != "||"

    def filtered(self, at: int) -> bool:
        """Return whether the output of step ``at`` passes a filter before it is seen."""
        after = at + 1
        return after < len(self.steps) and self.steps[after].operator == "|"


def parse_command(text: str) -> Command:
    """
    Return the steps of a shell command; never raises, whatever the text.

    ``bash -lc "..."`` is opened up. Substitutions stay words. At most ``MAX_COMMAND`` characters
    and ``MAX_STEPS`` steps are looked at.
    """
    steps = tuple(_steps(text[:MAX_COMMAND], 0))[:MAX_STEPS]
    pipefail = any(s.program == "set" and "pipefail" in s.words for s in steps)
    return Command(steps=steps, pipefail=pipefail)


def is_filter(step: Step) -> bool:
    """Return whether a step right of a pipe only looks at what comes from the left."""
    return step.operator == "|" and step.program in _FILTERS


def is_quiet(step: Step) -> bool:
    """Return whether a step only prepares or talks."""
    return step.assigns or (step.program in _QUIET and not step.writes) or not step.words


def _steps(text: str, depth: int) -> Iterator[Step]:
    if depth > _MAX_DEPTH:
        return
    for step in _split(*_without_heredocs(text)):
        yield from _opened(step, depth)


def _without_heredocs(text: str) -> tuple[str, bool]:
    parts: list[str] = []
    at = 0
    while found := _HEREDOC.search(text, at):
        parts.append(text[at : found.start()])
        line_end = text.find("\n", found.end())
        if line_end < 0:
            parts.append(text[found.end() :])
            at = len(text)
            break
        parts.append("<<")
        parts.append(text[found.end() : line_end])
        end = re.compile(rf"^[ \t]*{found[2]}(?=[ \t]*[)\"]*[ \t]*$|\))", re.MULTILINE).search(
            text, line_end + 1
        )
        if end is None:
            at = len(text)
            break
        at = end.end()
    parts.append(text[at:])
    return "".join(parts), len(parts) > 1


class _Builder:
    def __init__(self) -> None:
        self.operator = ""
        self.reset("")

    def reset(self, operator: str) -> None:
        self.operator = operator
        self.words: list[str] = []
        self.word: list[str] = []
        self.in_word = False
        self.target = False
        self.writes: list[str] = []
        self.heredoc = False

    def add(self, text: str) -> None:
        self.word.append(text)
        self.in_word = True

    def end_word(self) -> None:
        if not self.in_word:
            return
        word = "".join(self.word)
        self.word, self.in_word = [], False
        if self.target:
            self.target = False
            if word not in {"/dev/null", "/dev/stderr", "/dev/stdout"}:
                self.writes.append(word)
        elif len(self.words) < MAX_WORDS:
            self.words.append(word)

    def redirect(self, text: str) -> None:
        self.end_word()
        self.target = ">" in text and not text[-1].isdigit()
        if "<" in text:
            self.target = False

    def step(self) -> Step | None:
        self.end_word()
        if not self.words and not self.writes and self.operator in {"", ";", "\n"}:
            return None
        return Step(
            operator=self.operator,
            words=tuple(self.words),
            writes=tuple(self.writes),
            heredoc=self.heredoc,
        )


def _split(  # noqa: C901, PLR0912 -- one branch a sort of token, nothing nested
    text: str,
    heredocs: bool,  # noqa: FBT001 -- said by the caller
) -> Iterator[Step]:
    build = _Builder()
    depth = 0
    for token in _TOKEN.finditer(text):
        kind, value = token.lastgroup, token[0]
        if kind == "subst":
            depth += 1
            build.add(value)
        elif depth and value in "()":
            depth += 1 if value == "(" else -1
            build.add(value)
        elif depth:
            build.add(value)
        elif kind == "op":
            if value in "()":
                build.end_word()
                continue
            if step := build.step():
                yield step
            build.reset({"|&": "|", ";;": ";"}.get(value, value))
        elif kind == "redirect":
            build.heredoc = build.heredoc or (heredocs and value.startswith("<"))
            build.redirect(value)
        elif kind == "space":
            build.end_word()
        elif kind in {"single", "double"}:
            build.add(value[1:-1])
        elif kind == "escape":
            build.add(value[1:])
        elif kind != "comment":
            build.add(value)
    step = build.step()
    if step and (step.words or step.writes or step.operator == "&"):
        yield step


def _opened(step: Step, depth: int) -> Iterator[Step]:
    words = _bare(step.words)
    if words and words[0] in _SHELLS and len(words) > 2:  # noqa: PLR2004 -- sh -c TEXT
        flag = next((at for at, w in enumerate(words[1:3], 1) if w[:1] == "-" and "c" in w), None)
        if flag is not None and flag + 1 < len(words):
            inner = tuple(_steps(words[flag + 1], depth + 1))
            if inner:
                yield replace(inner[0], operator=step.operator)
                yield from inner[1:]
                return
    assigns = bool(step.words) and not words
    yield replace(step, words=words, assigns=assigns)


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without keywords, assignments and commands that run commands."""
    at, size = 0, len(words)
    while at < size:
        word = words[at]
        name = word.rsplit("/", 1)[-1]
        pair = (name, words[at + 1]) if at + 1 < size else None
        if word in _KEYWORDS or _ASSIGNMENT.match(word):
            at += 1
        elif word in _LOOP_HEADS:
            return ()
        elif name in {"timeout", "gtimeout"}:
            at = _after_options(words, at + 1, frozenset({"-k", "-s"})) + 1
        elif pair in _RUNNERS:
            at = _after_options(words, at + 2, _RUNNERS[pair])
        elif name in _PREFIXES and size > at + 1:
            at = _after_options(words, at + 1, _PREFIXES[name])
        elif _is_python(name) and pair and pair[1] == "-m" and at + 2 < size:
            return words[at + 2 :]
        else:
            return words[at:]
    return ()


def _is_python(name: str) -> bool:
    return name.startswith("python") or name == "py"


def _after_options(words: tuple[str, ...], at: int, valued: frozenset[str]) -> int:
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        at += 2 if option in valued else 1
        if option == "--":
            break
    return at
