"""Estimates for images and files, which have no text to count."""

import base64
import binascii
import math
import re
import struct

FLAT_IMAGE_TOKENS = 1_600
"""An image whose size is unknown: the most that one costs."""
FLAT_FILE_TOKENS = 2_000
"""A document that is not text."""

_PIXELS_PER_TOKEN = 750
_LONGEST_EDGE = 1_568
_HEAD = 262_144
"""Encoded characters that are looked at; a JPEG's size stands behind its metadata."""
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers before a size: SOF0 to SOF15 but for DHT, JPG, DAC (ITU-T T.81, table B.1)."""
_SPACE = re.compile(r"\s+")


def image_tokens(width: int, height: int) -> int:
    """
    Return the estimated tokens of an image of that many pixels.

    ``width * height / 750``, at most 1,600; an image with an edge of more than 1,568 pixels is
    scaled down to that before it is counted (Anthropic's documentation, "Vision").
    """
    scale = min(1.0, _LONGEST_EDGE / max(width, height, 1))
    pixels = width * height * scale * scale
    return max(1, min(math.ceil(pixels / _PIXELS_PER_TOKEN), FLAT_IMAGE_TOKENS))


def image_tokens_from_base64(data: str) -> int:
    """
    Return the estimated tokens of an encoded image, by its size in pixels.

    PNG, GIF, JPEG and WebP say their size near the start; anything else costs
    ``FLAT_IMAGE_TOKENS``. The length of the encoding never matters.
    """
    head = _SPACE.sub("", data[:_HEAD].rpartition("base64,")[2])
    try:
        raw = base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return FLAT_IMAGE_TOKENS
    size = _png(raw) or _gif(raw) or _webp(raw) or _jpeg(raw)
    return image_tokens(*size) if size and all(size) else FLAT_IMAGE_TOKENS


def _png(raw: bytes) -> tuple[int, int] | None:
    if raw[:8] != b"\x89PNG\r\n\x1a\n" or len(raw) < 24:  # noqa: PLR2004 -- end of IHDR's size
        return None
    width, height = struct.unpack(">II", raw[16:24])
    return width, height


def _gif(raw: bytes) -> tuple[int, int] | None:
    if raw[:6] not in (b"GIF87a", b"GIF89a") or len(raw) < 10:  # noqa: PLR2004 -- header size
        return None
    width, height = struct.unpack("<HH", raw[6:10])
    return width, height


def _webp(raw: bytes) -> tuple[int, int] | None:
    if raw[:4] != b"RIFF" or raw[8:12] != b"WEBP" or len(raw) < 30:  # noqa: PLR2004 -- as above
        return None
    match raw[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", raw[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = int.from_bytes(raw[21:25], "little")
            return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
        case b"VP8X":
            width = int.from_bytes(raw[24:27], "little") + 1
            return width, int.from_bytes(raw[27:30], "little") + 1
        case _:
            return None


def _jpeg(raw: bytes) -> tuple[int, int] | None:
    if raw[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:  # noqa: PLR2004 -- a marker's first byte
        marker = raw[at + 1]
        if marker in _FRAME_HEADERS:
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        if marker == 0xFF:  # noqa: PLR2004 -- markers may be padded with their first byte
            at += 1
        else:
            at += 2 + int.from_bytes(raw[at + 2 : at + 4], "big")
    return None
