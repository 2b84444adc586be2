"""Generated PNG and JPEG files, encoded without an image library."""

from __future__ import annotations

import struct
import zlib
from functools import cache

WIDTH, HEIGHT = 160, 96


@cache
def picture(name: str) -> tuple[str, bytes]:
    """Media type and bytes of the picture with this file name, which determines format and colour."""
    tint = zlib.crc32(name.encode()) & 0xFFFFFF
    if name.endswith(".png"):
        return "image/png", _png(tint)
    return "image/jpeg", _jpeg(64 + tint % 128)


def _png(tint: int) -> bytes:
    """A PNG of one colour that gets lighter downwards."""
    red, green, blue = tint >> 16, tint >> 8 & 255, tint & 255
    rows = b"".join(
        b"\0" + bytes((min(255, red // 2 + y), min(255, green // 2 + y), min(255, blue // 2 + y))) * WIDTH
        for y in range(HEIGHT)
    )
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(kind, body) for kind, body in chunks)


def _png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _jpeg(quantum: int) -> bytes:
    """A grey baseline JPEG in which every 8 by 8 block repeats the brightness of the first one.

    Two Huffman tables with codes of one bit each suffice: DC category 0 or 3, AC end of block.
    """
    quantisation = _segment(0xDB, b"\0" + bytes([quantum]) + b"\1" * 63)
    frame = _segment(0xC0, struct.pack(">BHHB", 8, HEIGHT, WIDTH, 1) + b"\1\x11\0")
    dc_table = _segment(0xC4, b"\x00" + bytes([1, 1] + [0] * 14) + bytes([0, 3]))
    ac_table = _segment(0xC4, b"\x10" + bytes([1] + [0] * 15) + bytes([0]))
    scan = _segment(0xDA, b"\1\1\0\0\x3f\0")
    blocks = WIDTH // 8 * (HEIGHT // 8)
    bits = "10" + "100" + "0" + "00" * (blocks - 1)  # first block: category 3 (code 10), +4; end of block
    bits += "1" * (-len(bits) % 8)
    entropy = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    return b"\xff\xd8" + quantisation + frame + dc_table + ac_table + scan + entropy + b"\xff\xd9"


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body
