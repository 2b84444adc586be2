"""Compresses bytes in memory, and decompresses with a limit on the output: gzip, and the content encodings of HTTP."""

import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import brotli  # type: ignore[import-untyped]
import zstandard

from newsextract.limits import CHUNK_BYTES

#: Bytes that are decompressed at a time, so that damage costs no more of what precedes it.
STEP = 4_096


def compress(data: bytes) -> bytes:
    """The data, compressed quickly. A copy, because zstandard's own result keeps five times the memory."""
    return bytes(memoryview(_compressor().compress(data)))


def decompress(compressed: bytes) -> bytes:
    """The inverse of `compress`."""
    return zstandard.ZstdDecompressor().decompress(compressed)


@cache
def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=1)


def gunzip(body: bytes, limit: int) -> bytes:
    """The first `limit` decompressed bytes of gzip or zlib data, of all its members; ValueError for other data."""
    if body[:1] not in (b"\x1f", b"\x78"):
        raise ValueError("neither gzip nor zlib")
    pieces: list[bytes] = []
    remaining, decompressor = limit, zlib.decompressobj(zlib.MAX_WBITS | 32)
    for start in range(0, len(body), STEP):
        data = body[start : start + STEP]
        while data and remaining > 0:
            try:
                piece = decompressor.decompress(data, remaining)
            except zlib.error as error:
                if pieces:
                    return b"".join(pieces)  # damaged from here, or padding after the last member
                raise ValueError(str(error)) from error
            pieces += [piece] if piece else []
            remaining -= len(piece)
            data = decompressor.unused_data
            if decompressor.eof:
                decompressor = zlib.decompressobj(zlib.MAX_WBITS | 32)
    return b"".join(pieces)


def decode_content(body: bytes, encodings: str, limit: int) -> bytes:
    """A body without its Content-Encoding, `limit` bytes at most; unchanged if it isn't encoded that way."""
    for name in reversed([part.strip().lower() for part in encodings.split(",")]):
        if decoder := DECODERS.get(name):
            try:
                body = decoder(body, limit)
            except (ValueError, zlib.error, brotli.error, zstandard.ZstdError):
                return body
    return body


def is_whole_stream(body: bytes, encodings: str) -> bool:
    """Whether the outermost Content-Encoding's stream has its end; True for one that isn't known or isn't readable."""
    name = encodings.rpartition(",")[2].strip().lower()
    try:
        if name in ("gzip", "x-gzip"):
            return _ends(zlib.decompressobj(zlib.MAX_WBITS | 16), body)
        if name == "deflate":
            return _ends(zlib.decompressobj(zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS), body)
        if name == "br":
            stream = brotli.Decompressor()
            output = stream.process(body, output_buffer_limit=CHUNK_BYTES)
            while output and not stream.is_finished():
                output = stream.process(b"", output_buffer_limit=CHUNK_BYTES)
            return bool(stream.is_finished())
        if name == "zstd":
            decompressor = zstandard.ZstdDecompressor().decompressobj()
            for start in range(0, len(body), STEP):
                decompressor.decompress(body[start : start + STEP])
                if decompressor.eof:
                    break
            return bool(decompressor.eof)
    except (zlib.error, brotli.error, zstandard.ZstdError):
        pass
    return True


def _ends(decompressor: Any, body: bytes) -> bool:
    """Whether a stream of zlib has its end. Its output, which may be large, isn't kept."""
    for start in range(0, len(body), STEP):
        data = body[start : start + STEP]
        while data and not decompressor.eof:
            decompressor.decompress(data, CHUNK_BYTES)
            data = decompressor.unconsumed_tail
    return bool(decompressor.eof)


def _inflate(body: bytes, limit: int) -> bytes:
    try:
        return gunzip(body, limit)
    except ValueError:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, limit)


def _unbrotli(body: bytes, limit: int) -> bytes:
    plain: bytes = brotli.Decompressor().process(body, output_buffer_limit=limit)
    return plain[:limit]


def _unzstd(body: bytes, limit: int) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(body) as reader:
        return bytes(reader.read(limit))


DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": gunzip,
    "x-gzip": gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
