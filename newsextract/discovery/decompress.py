"""Compressed bytes to plain ones, never more than a given number."""

import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]

try:
    from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # Python 3.14
except ImportError:
    import zstandard as zstd


def ungzip(body: bytes, limit: int) -> bytes:
    """The first `limit` bytes of gzip, zlib or raw deflate; several members are one. ValueError where it is none."""
    pieces: list[bytes] = []
    room = limit
    while body and room > 0:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
        try:
            piece = unpacker.decompress(body, room)
        except zlib.error as error:
            if pieces:
                break  # padding after the last member
            raise ValueError(str(error)) from error
        pieces.append(piece)
        room -= len(piece)
        body = unpacker.unused_data
    return b"".join(pieces)


def unpack(body: bytes, encodings: str, limit: int) -> bytes:
    """A body without its Content-Encoding.

    One whose bytes are not packed as declared is returned as it is: archives keep the header and drop the packing.
    """
    for name in reversed([part.strip().lower() for part in encodings.split(",")]):
        unpacker = UNPACKERS.get(name)
        if unpacker is None:
            continue
        try:
            body = unpacker(body, limit)
        except ValueError:
            return body
    return body


def _inflate(body: bytes, limit: int) -> bytes:
    try:
        return ungzip(body, limit)
    except ValueError:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            return unpacker.decompress(body, limit)
        except zlib.error as error:
            raise ValueError(str(error)) from error


def _unbrotli(body: bytes, limit: int) -> bytes:
    unpacker = brotli.Decompressor()
    try:
        plain: bytes = unpacker.process(body, output_buffer_limit=limit)
    except brotli.error as error:
        raise ValueError(str(error)) from error
    return plain[:limit]


def _unzstd(body: bytes, limit: int) -> bytes:
    try:
        if hasattr(zstd, "ZstdDecompressor") and hasattr(zstd, "ZstdFile"):
            return bytes(zstd.ZstdDecompressor().decompress(body, max_length=limit))
        with zstd.ZstdDecompressor().stream_reader(body) as reader:
            return bytes(reader.read(limit))
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


UNPACKERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": ungzip,
    "x-gzip": ungzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
