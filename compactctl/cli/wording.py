"""Text of sessions made fit for people: secrets masked, control characters visible."""


def safe_line(text: str) -> str:
    """Return text as one line."""
    return safe_text(text).replace("\n", "⏎")


def safe_text(text: str) -> str:
    """Return text with its line feeds and tabs kept."""
    from compactctl.report.printable import printable  # noqa: PLC0415 -- --help need not load it
    from compactctl.report.secrets import mask  # noqa: PLC0415 -- as above

    return printable(mask(text), keep_newlines=True)


def first_words(text: str, width: int) -> str:
    """Return the beginning of a text as one line of at most ``width`` columns."""
    from compactctl.report.words import safe  # noqa: PLC0415 -- --help need not load it

    return safe(text, width)
