"""The vendored rank data: every token of an encoding, in rank order."""

import gzip
from collections.abc import Iterator
from importlib import resources

NAMES = ("o200k_base", "cl100k_base")


def load_ranks(name: str) -> dict[bytes, int]:
    """
    Return the ranks of an encoding by token bytes.

    The data is that of the ``.tiktoken`` files, stored as one length byte and the bytes of each
    token, ranks 0 to n-1 in order, gzip-compressed (NOTICE names the source).
    """
    return {token: rank for rank, token in enumerate(_tokens(name))}


def pack(tokens: Iterator[bytes]) -> bytes:
    """Return tokens in rank order in the stored form."""
    body = b"".join(bytes((len(token),)) + token for token in tokens)
    return gzip.compress(body, 9, mtime=0)


def _tokens(name: str) -> Iterator[bytes]:
    file = resources.files("compactctl.tokens").joinpath("ranks", f"{name}.bin.gz")
    data = gzip.decompress(file.read_bytes())
    at, end = 0, len(data)
    while at < end:
        stop = at + 1 + data[at]
        yield data[at + 1 : stop]
        at = stop
