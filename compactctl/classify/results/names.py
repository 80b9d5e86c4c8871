"""Sets of names, written as one would list them."""


def names(text: str) -> frozenset[str]:
    """Return the names that stand in a text with spaces between."""
    return frozenset(text.split())
