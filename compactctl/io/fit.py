"""Whether a document fits a schema, fast; a document that does not goes to jsonschema for why."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Fits = Callable[[Any], bool]
Schema = Mapping[str, Any]

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "examples"})
_TYPES: Mapping[str, Fits] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, float) and value.is_integer())
    ),
}


def compile_fit(schema: Schema) -> Fits:
    """
    Return a function that says whether a plain JSON value fits a schema.

    It knows the keywords that our own schemas use and agrees with jsonschema on them, in a
    fiftieth of the time: a ledger holds a row for each entry of a session. Raises ``ValueError``
    for any other keyword.
    """
    return _Compiler().fits(schema, schema)


class _Compiler:
    def __init__(self) -> None:
        self.resources: dict[str, Schema] = {}
        self.known: dict[int, Fits] = {}

    def fits(self, schema: Schema, root: Schema) -> Fits:
        """Compile a schema; ``root`` is the document or embedded document that it is part of."""
        if "$id" in schema:
            root = schema
            self.resources[schema["$id"]] = schema
            for inner in schema.get("$defs", {}).values():
                if "$id" in inner:
                    self.resources[inner["$id"]] = inner
        checks = [
            self.keyword(keyword, schema, root)
            for keyword in schema
            if keyword not in _ANNOTATIONS and keyword != "required"
        ]
        if "required" in schema:
            checks.insert(0, _required(tuple(schema["required"])))
        return checks[0] if len(checks) == 1 else lambda value: all(c(value) for c in checks)

    def keyword(self, keyword: str, schema: Schema, root: Schema) -> Fits:
        """Compile one keyword."""
        rule = schema[keyword]
        match keyword:
            case "$ref":
                fits = self.reference(rule, root)
            case "anyOf":
                fits = _any_of([self.fits(one, root) for one in rule])
            case "items":
                fits = _items(self.fits(rule, root))
            case "properties":
                fits = _properties({key: self.fits(one, root) for key, one in rule.items()})
            case "additionalProperties" if rule is False:
                fits = _no_others(frozenset(schema["properties"]))
            case _:
                fits = _simple(keyword, rule)
        return fits

    def reference(self, reference: str, root: Schema) -> Fits:
        """Compile what a reference names: a definition, or a schema that is embedded."""
        if reference.startswith("#/$defs/"):
            target = root["$defs"][reference.removeprefix("#/$defs/")]
        else:
            target = self.resources[reference]
        if id(target) not in self.known:
            self.known[id(target)] = self.fits(target, root)
        return self.known[id(target)]


def _simple(keyword: str, rule: Any) -> Fits:  # noqa: ANN401 -- of the type that the keyword has
    match keyword:
        case "type":
            return _any_of([_TYPES[t] for t in ([rule] if isinstance(rule, str) else rule)])
        case "const" | "enum":
            return _one_of([rule] if keyword == "const" else rule)
        case "additionalProperties" if rule is True:
            return lambda _: True
        case "minimum":
            number = _TYPES["number"]
            return lambda value: not number(value) or value >= rule
        case "minLength":
            return lambda value: not isinstance(value, str) or len(value) >= rule
        case "pattern":
            found = re.compile(rule).search
            return lambda value: not isinstance(value, str) or bool(found(value))
        case _:
            raise ValueError(f"unknown keyword {keyword}")


def _any_of(options: list[Fits]) -> Fits:
    return options[0] if len(options) == 1 else lambda value: any(o(value) for o in options)


def _one_of(values: list[object]) -> Fits:
    # True equals 1 in Python and not in JSON; our own enums hold no numbers.
    assert not any(isinstance(v, (bool, int, float)) for v in values)  # noqa: S101 -- as above
    return lambda value: any(value == v for v in values)


def _required(keys: tuple[str, ...]) -> Fits:
    return lambda value: not isinstance(value, dict) or all(key in value for key in keys)


def _no_others(keys: frozenset[str]) -> Fits:
    return lambda value: not isinstance(value, dict) or keys.issuperset(value)


def _items(fits: Fits) -> Fits:
    return lambda value: not isinstance(value, list) or all(map(fits, value))


def _properties(checks: Mapping[str, Fits]) -> Fits:
    def fits(value: object) -> bool:
        if not isinstance(value, dict):
            return True
        return all(check(value[key]) for key, check in checks.items() if key in value)

    return fits
