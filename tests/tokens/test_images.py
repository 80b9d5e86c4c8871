"""Images are estimated by their size in pixels, never by the length of their encoding."""

import base64
import struct
import zlib

import pytest

from compactctl.tokens.images import (
    FLAT_FILE_TOKENS,
    FLAT_IMAGE_TOKENS,
    image_tokens,
    image_tokens_from_base64,
)


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def png(width: int, height: int, body: bytes = b"") -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    crc = struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + crc + body


def jpeg(width: int, height: int, before: bytes = b"") -> bytes:
    app0 = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03" + bytes(9)
    return b"\xff\xd8" + app0 + before + frame


def riff(chunk: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk + bytes(30)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        # The table in Anthropic's documentation ("Vision"), to the next whole number.
        (200, 200, 54),
        (1000, 1000, 1334),
        (1092, 1092, 1590),
        (1, 1, 1),
        # Larger than what is shown to the model: scaled down, at most 1,600.
        (4000, 3000, 1600),
        (8000, 200, 82),
    ],
)
def test_tokens_by_pixels(width: int, height: int, tokens: int) -> None:
    assert image_tokens(width, height) == tokens


@pytest.mark.parametrize(
    "raw",
    [
        png(200, 200),
        b"GIF89a" + struct.pack("<HH", 200, 200),
        b"GIF87a" + struct.pack("<HH", 200, 200),
        jpeg(200, 200),
        jpeg(200, 200, before=b"\xff\xe1\xff\xff" + bytes(65_533)),
        jpeg(200, 200, before=b"\xff\xff\xff"),
        riff(b"VP8 " + bytes(4) + b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 200, 200)),
        riff(b"VP8L" + bytes(4) + b"\x2f" + (199 | 199 << 14).to_bytes(4, "little")),
        riff(b"VP8X" + bytes(8) + (199).to_bytes(3, "little") * 2),
    ],
    ids=["png", "gif89", "gif87", "jpeg", "jpeg-exif", "jpeg-padded", "vp8", "vp8l", "vp8x"],
)
def test_size_is_read_from_every_common_format(raw: bytes) -> None:
    assert image_tokens_from_base64(encoded(raw)) == 54


def test_length_of_the_encoding_never_matters() -> None:
    assert image_tokens_from_base64(encoded(png(200, 200, bytes(2_000_000)))) == 54


@pytest.mark.parametrize("break_at", [64, 76])
def test_line_ends_in_the_encoding_are_read_over(break_at: int) -> None:
    flat = encoded(png(200, 200, bytes(500)))
    lines = "\r\n".join(flat[i : i + break_at] for i in range(0, len(flat), break_at))

    assert image_tokens_from_base64(lines) == 54


def test_a_data_url_is_read_too() -> None:
    assert image_tokens_from_base64("data:image/png;base64," + encoded(png(200, 200))) == 54


@pytest.mark.parametrize(
    "data",
    [
        *("", "not base64 at all", "é", "[image omitted]", encoded(b"BM" + bytes(60))),
        *(encoded(png(200, 200)[:20]), encoded(png(0, 200)), encoded(jpeg(200, 200)[:24])),
        encoded(b"\xff\xd8" + b"\xff\xe0\x00\x00" * 20),
    ],
)
def test_anything_else_costs_the_flat_figure(data: str) -> None:
    assert image_tokens_from_base64(data) == FLAT_IMAGE_TOKENS == 1600


def test_a_file_costs_a_flat_figure() -> None:
    assert FLAT_FILE_TOKENS == 2000
