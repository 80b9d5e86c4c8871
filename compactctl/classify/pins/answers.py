"""Reads what a question tool asked, so that the answer keeps the words that it settles."""

import json
from collections.abc import Iterator, Sequence

from compactctl.model.entry import Span

_LONGEST = 20_000


def answered_question(call: str, answer: str, spans: Sequence[Span]) -> str | None:
    """
    Return the words of a question tool's call that the human's answer settles.

    ``call`` is the call as the model sees it: name, newline, arguments as JSON. Returned is an
    exact substring of it: the option that the answer names, else the question; ``None`` where
    the call asks nothing.
    """
    _, _, arguments = call.partition("\n")
    if len(arguments) > _LONGEST or '"question' not in arguments:
        return None
    try:
        value = json.loads(arguments)
    except ValueError:
        return None
    said = "\n".join(answer[s.start : s.end] for s in spans)
    strings = list(_strings(value))
    named = [s for key, s in strings if key in ("label", "value", "option") and s and s in said]
    asked = [s for key, s in strings if key in ("question", "prompt", "text")]
    for text in (*sorted(named, key=len, reverse=True), *asked):
        if text in call:
            return text
    return None


def _strings(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, str(name))
