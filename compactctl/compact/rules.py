"""Tool-name rules: what `clear` may replace by which reference; a policy file is data."""

import hashlib
import json
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from compactctl.errors import UsageError
from compactctl.model.classification import ResultKind

POLICY_SCHEMA = "compactctl.policy/1"
_FALLBACKS = ("path", "file_path", "filename")
_LONGEST_ARGUMENT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRule:
    """Replace the named arguments of calls of the named tools."""

    tools: tuple[str, ...]
    arguments: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRule:
    """Replace the bodies of results of the named tools, or of the kinds of work."""

    tools: tuple[str, ...] = ()
    kinds: tuple[ResultKind, ...] = ()
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    The rules in order, and the settings that a policy file may give.

    ``settings`` maps names of ``Settings`` to numbers; flags of the command line beat them.
    """

    calls: tuple[CallRule, ...]
    results: tuple[ResultRule, ...]
    settings: Mapping[str, int | float] = field(default_factory=dict)

    def call_rule(self, tool: str) -> CallRule | None:
        """Return the rule for the arguments of a tool's calls."""
        name = bare_name(tool)
        return next((rule for rule in self.calls if name in rule.tools), None)

    def result_rule(self, tool: str, kind: ResultKind) -> ResultRule | None:
        """Return the rule for a tool's results: by name first, then by kind."""
        name = bare_name(tool)
        named = next((rule for rule in self.results if name in rule.tools), None)
        return named or next((rule for rule in self.results if kind in rule.kinds), None)

    def sha256(self) -> str:
        """Return the sha256 of the rules in a canonical form."""
        plain = {
            "calls": [[r.tools, r.arguments, r.text] for r in self.calls],
            "results": [[r.tools, r.kinds, r.text] for r in self.results],
            "settings": dict(sorted(self.settings.items())),
        }
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def bare_name(tool: str) -> str:
    """Return a tool's own name without the server that an MCP name carries."""
    return tool.rsplit("__", 1)[-1] if tool.startswith("mcp__") else tool


def fill(template: str, arguments: Mapping[str, object]) -> str:
    """
    Return the template with the call's arguments filled in.

    A missing argument falls back to ``path``, then to the word ``unknown``; long ones are cut.
    """
    return _Filler(arguments).vformat(template, (), {})


def parse_policy(data: Mapping[str, object], *, path: str) -> Policy:
    """
    Return the policy of a parsed TOML document.

    Raises ``UsageError`` naming the file and key where the document is not one.
    """
    reader = _PolicyReader(path)
    reader.known(data, ("schema", "settings", "call", "result"), "")
    if data.get("schema") != POLICY_SCHEMA:
        raise UsageError(f'{path}: schema is not "{POLICY_SCHEMA}"', hint="add that line")
    return Policy(
        calls=tuple(reader.call(rule) for rule in reader.tables(data, "call")),
        results=tuple(reader.result(rule) for rule in reader.tables(data, "result")),
        settings=reader.settings(data.get("settings", {})),
    )


def merge(own: Policy, builtin: Policy) -> Policy:
    """Return a policy in which a person's rules come before the built-in ones."""
    return Policy(
        calls=own.calls + builtin.calls,
        results=own.results + builtin.results,
        settings={**builtin.settings, **own.settings},
    )


class _Filler(string.Formatter):
    def __init__(self, arguments: Mapping[str, object]) -> None:
        self.arguments = arguments

    def get_field(self, field_name: str, args: object, kwargs: object) -> tuple[object, str]:
        # Attribute and index access of format strings is not for policies: they are data.
        del args, kwargs
        names = (field_name, *_FALLBACKS)
        value = next((self.arguments[n] for n in names if n in self.arguments), "unknown")
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        flat = " ".join(shown.split())
        cut = len(flat) > _LONGEST_ARGUMENT
        return (flat[: _LONGEST_ARGUMENT - 1] + "…" if cut else flat), field_name

    def convert_field(self, value: object, conversion: str | None) -> object:
        del conversion
        return value

    def format_field(self, value: object, format_spec: str) -> str:
        del format_spec
        return str(value)


class _PolicyReader:
    SETTINGS = (
        "keep_recent",
        "keep_tail",
        "keep_human",
        "min_item",
        "state_share",
        "budget",
        "target",
    )

    def __init__(self, path: str) -> None:
        self.path = path

    def known(self, table: Mapping[str, object], keys: Iterable[str], where: str) -> None:
        allowed = tuple(keys)
        for key in table:
            if key not in allowed:
                raise UsageError(
                    f"{self.path}: unknown key {where}{key}",
                    hint="known keys: " + ", ".join(allowed),
                )

    def tables(self, data: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
        value = data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise UsageError(f"{self.path}: {key} is not a list of tables", hint=f"use [[{key}]]")
        return value

    def call(self, rule: Mapping[str, object]) -> CallRule:
        self.known(rule, ("tools", "arguments", "text"), "call.")
        return CallRule(
            tools=self._words(rule, "tools"),
            arguments=self._words(rule, "arguments"),
            text=self._template(rule),
        )

    def result(self, rule: Mapping[str, object]) -> ResultRule:
        self.known(rule, ("tools", "kinds", "text"), "result.")
        kinds = self._words(rule, "kinds") if "kinds" in rule else ()
        unknown = [kind for kind in kinds if kind not in set(ResultKind)]
        if unknown:
            raise UsageError(
                f"{self.path}: unknown kind {unknown[0]!r}",
                hint="kinds: " + ", ".join(ResultKind),
            )
        tools = self._words(rule, "tools") if "tools" in rule else ()
        if not tools and not kinds:
            raise UsageError(
                f"{self.path}: a result rule names no tools", hint="add tools or kinds"
            )
        return ResultRule(
            tools=tools, kinds=tuple(ResultKind(kind) for kind in kinds), text=self._template(rule)
        )

    def settings(self, table: object) -> Mapping[str, int | float]:
        if not isinstance(table, dict):
            raise UsageError(f"{self.path}: settings is not a table", hint="use [settings]")
        self.known(table, self.SETTINGS, "settings.")
        for key, value in table.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
                raise UsageError(f"{self.path}: settings.{key} is not a number from 0")
        return table

    def _words(self, rule: Mapping[str, object], key: str) -> tuple[str, ...]:
        value = rule.get(key)
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            raise UsageError(f"{self.path}: {key} is not a list of names")
        return tuple(value)

    def _template(self, rule: Mapping[str, object]) -> str:
        text = rule.get("text")
        if not isinstance(text, str) or not text:
            raise UsageError(f"{self.path}: a rule has no text", hint="add text = ...")
        try:
            fill(text, {})
        except (ValueError, IndexError) as error:
            raise UsageError(f"{self.path}: template {text!r}: {error}") from None
        return text
