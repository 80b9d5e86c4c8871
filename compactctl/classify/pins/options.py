"""Tells whether an answer begins by naming one of the options offered."""

from collections.abc import Sequence

from compactctl.classify.pins.cues import ORDINALS, Table

_LETTERS = frozenset("abcdef")
_LOOKED_AT = 6
"""Words at the start of an answer among which the option is named."""
_DIGITS = 2
"""Options have numbers of one or two digits."""


def names_option(tokens: Sequence[str], table: Table) -> bool:
    """Return whether an answer begins by naming an option: "2", "option b", "the second one"."""
    lead = {word for words in table.ordinals["option"] for word in words}
    for at, token in enumerate(tokens[:_LOOKED_AT]):
        alone = at > 0 or len(tokens) == 1
        plain = alone or token not in table.function_words
        if _is_key(token, alone=plain) or _is_ordinal(tokens, at, table):
            return True
        if token not in lead:
            return False
    return False


def _is_key(token: str, *, alone: bool) -> bool:
    if token.isdigit():
        return len(token) <= _DIGITS
    return alone and token in _LETTERS


def _is_ordinal(tokens: Sequence[str], at: int, table: Table) -> bool:
    return any(
        tuple(tokens[at : at + len(words)]) == words
        for key in ORDINALS
        if key != "option"
        for words in table.ordinals[key]
    )
