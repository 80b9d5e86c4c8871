"""The vendored rank data is byte for byte what tiktoken would download."""

import ast
import base64
import hashlib
import inspect

import pytest
from tiktoken_ext import openai_public

from compactctl.tokens.ranks import NAMES, load_ranks, pack


def expected_hash(name: str) -> str:
    """The hash in tiktoken's own source."""
    tree = ast.parse(inspect.getsource(getattr(openai_public, name)))
    (found,) = (
        keyword.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "expected_hash" and isinstance(keyword.value, ast.Constant)
    )
    return str(found)


@pytest.mark.parametrize(("name", "size"), [("o200k_base", 199_998), ("cl100k_base", 100_256)])
def test_regenerated_text_has_the_expected_hash(name: str, size: int) -> None:
    ranks = load_ranks(name)
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())

    assert len(ranks) == size
    assert list(ranks.values()) == list(range(size))
    assert hashlib.sha256(b"".join(lines)).hexdigest() == expected_hash(name)


def test_packing_is_deterministic() -> None:
    tokens = [b"a", b"b" * 255, b"\x00"]

    assert pack(iter(tokens)) == pack(iter(tokens))


def test_names_are_tiktokens() -> None:
    assert set(NAMES) <= set(openai_public.ENCODING_CONSTRUCTORS)
