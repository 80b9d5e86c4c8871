"""Context windows by model, for recordings that do not state theirs."""

DEFAULT_WINDOW = 200_000

# From the providers' model pages as of late 2026; a longer prefix wins. A wrong guess only moves
# the percentage that is shown and `--if-needed`; `--window` overrides it.
_BY_PREFIX = {
    "claude-": 200_000,
    "gpt-4o": 128_000,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5": 400_000,
    "o1": 200_000,
    "o3": 200_000,
    "o4-mini": 200_000,
    "gemini-": 1_048_576,
    "deepseek-": 128_000,
}
_MILLION_SUFFIX = "[1m]"


def window_of(model: str | None) -> int | None:
    """Return the window of a model in tokens, ``None`` for a model that is not known."""
    if not model:
        return None
    name = model.rsplit("/", 1)[-1].lower()
    if name.endswith(_MILLION_SUFFIX):
        return 1_000_000
    fitting = [prefix for prefix in _BY_PREFIX if name.startswith(prefix)]
    return _BY_PREFIX[max(fitting, key=len)] if fitting else None
