"""Exact token counts with tiktoken, offline."""

import difflib
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING

from compactctl.errors import UsageError
from compactctl.tokens.ranks import NAMES, load_ranks
from compactctl.tokens.white import long_runs

if TYPE_CHECKING:
    import tiktoken

ENCODINGS = NAMES
DEFAULT_ENCODING = "o200k_base"

_THREADS = 2
_BATCH = 4_000_000
"""Characters counted at once: large chunks are what lets two threads help."""

# Copied from tiktoken_ext.openai_public; a test compares them with the installed tiktoken.
_WORD_END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERNS = {
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        rf"{_WORD_END}|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        rf"{_WORD_END}|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}


class TokenCounter:
    """
    Counts tokens as ``len(encode_ordinary(text))`` of the named encoding.

    Text that looks like a special token counts as text; a lone surrogate counts as U+FFFD. The
    rank data is loaded on the first count. Raises ``UsageError`` for an unknown encoding.
    """

    def __init__(self, encoding: str = DEFAULT_ENCODING) -> None:
        """Check the name; load nothing yet."""
        if encoding not in ENCODINGS:
            near = difflib.get_close_matches(encoding, ENCODINGS, 1, 0.3)
            hint = f"did you mean {near[0]}?" if near else "encodings: " + ", ".join(ENCODINGS)
            raise UsageError(f"unknown encoding {encoding!r}", hint=hint)
        self.encoding = encoding

    def count(self, text: str) -> int:
        """Return the exact number of tokens of a text."""
        if not text:
            return 0
        encoding = _load(self.encoding)
        total, at = 0, 0
        for before, pieces, after in long_runs(text, encoding.name):
            total += len(encoding.encode_ordinary(text[at:before]))
            total += sum(_single_piece(encoding, piece) for piece in pieces)
            at = after
        return total + len(encoding.encode_ordinary(text[at:] if at else text))

    def count_all(self, texts: Iterable[str]) -> Iterator[int]:
        """
        Yield the counts of texts in order, in bounded memory, with two threads.

        Equal texts of a batch are counted once.
        """
        batch: list[str] = []
        size = 0
        with ThreadPoolExecutor(_THREADS) as pool:
            for text in texts:
                batch.append(text)
                size += len(text)
                if size >= _BATCH:
                    yield from self._batch(batch, pool)
                    batch, size = [], 0
            yield from self._batch(batch, pool)

    def _batch(self, batch: list[str], pool: ThreadPoolExecutor) -> list[int]:
        if not batch:
            return []
        unique = list(dict.fromkeys(batch))
        halves = _halves(unique)
        # Loading in one of the threads would let the other one load too.
        _load(self.encoding)
        counted = pool.map(lambda part: [self.count(text) for text in part], halves)
        found = dict(zip(unique, (n for part in counted for n in part), strict=True))
        return [found[text] for text in batch]


_LOADING = threading.Lock()


def _load(name: str) -> "tiktoken.Encoding":
    with _LOADING:
        return _loaded(name)


@lru_cache(maxsize=len(ENCODINGS))
def _loaded(name: str) -> "tiktoken.Encoding":
    import tiktoken  # noqa: PLC0415 -- takes 40 ms, which --help need not pay

    return tiktoken.Encoding(
        name, pat_str=_PATTERNS[name], mergeable_ranks=load_ranks(name), special_tokens={}
    )


def _single_piece(encoding: "tiktoken.Encoding", piece: str) -> int:
    return len(encoding._encode_single_piece(piece))  # noqa: SLF001 -- the only way past the pattern


def _halves(texts: list[str]) -> list[list[str]]:
    """Two parts of about equal size, in order."""
    total, size = sum(map(len, texts)), 0
    for at, text in enumerate(texts):
        size += len(text)
        if size * 2 >= total:
            return [texts[: at + 1], texts[at + 1 :]]
    return [texts]
