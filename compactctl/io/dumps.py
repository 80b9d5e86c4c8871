"""JSON out: our own documents as bytes."""

import json
import math

import orjson

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def dump_json(document: object) -> bytes:
    """
    Return a document as indented UTF-8 JSON with a final line feed.

    Keys keep their order. A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD; a number
    that is none becomes null. Equal documents give equal bytes.
    """
    try:
        return orjson.dumps(document, option=_OPTIONS)
    except TypeError:
        # It refuses lone surrogates, and integers of more than 64 bits.
        return (json.dumps(_sound(document), indent=2, ensure_ascii=False) + "\n").encode()


def _sound(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_sound(key): _sound(item) for key, item in value.items()}
        case list() | tuple():
            return [_sound(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
