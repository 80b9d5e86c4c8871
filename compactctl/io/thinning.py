"""Long lists of like rows, cut to one row of each kind for validation."""

_LONG = 100
_WORD = 16
"""Letters up to which a string may be one of a closed list of words."""


def thinned(value: object) -> object:
    """
    Return a JSON value with each long list of objects cut to one row of each kind.

    Rows of a kind have the same keys, types, signs and words, so that one answers for all: a
    ledger has a row for every entry, and validating thousands of them takes seconds. Lists of up
    to 100 rows stay whole.
    """
    match value:
        case dict():
            return {key: thinned(item) for key, item in value.items()}
        case list() if len(value) > _LONG and all(isinstance(item, dict) for item in value):
            return list({_kind(item): item for item in reversed(value)}.values())
        case list():
            return [thinned(item) for item in value]
        case _:
            return value


def _kind(value: object) -> object:
    match value:
        case dict():
            return tuple((key, _kind(item)) for key, item in value.items())
        case list():
            return ("list", *sorted({repr(_kind(item)) for item in value}))
        case str():
            return value if len(value) <= _WORD and value.isalpha() else "text"
        case bool() | None:
            return value
        case int() | float():
            return (type(value).__name__, value < 0)
        case _:
            return type(value).__name__
