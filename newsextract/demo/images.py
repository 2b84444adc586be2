"""Generated PNG files, encoded without an image library."""

import struct
import zlib
from functools import cache

WIDTH, HEIGHT = 160, 96


@cache
def picture(name: str) -> bytes:
    """The PNG with this file name: a colour that the name determines, lighter downwards."""
    tint = zlib.crc32(name.encode())
    red, green, blue = tint >> 16 & 255, tint >> 8 & 255, tint & 255
    rows = b"".join(
        b"\0" + bytes((min(255, red // 2 + y), min(255, green // 2 + y), min(255, blue // 2 + y))) * WIDTH
        for y in range(HEIGHT)
    )
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
