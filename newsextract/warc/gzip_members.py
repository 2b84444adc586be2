"""Reads a gzip file member by member; a damaged one costs itself. WARC files have a member for each record."""

import zlib
from contextlib import suppress
from typing import BinaryIO

#: How a member begins (RFC 1952), and how a WARC record in it does.
MEMBER_START, RECORD_START = b"\x1f\x8b\x08", b"WARC/"
#: Bytes that are read at once: of a member, and in search of the next one.
READ_BYTES, SEARCH_BYTES = 32 * 1024, 1024 * 1024
#: Compressed bytes within which a member has its first decompressed ones.
PEEK_BYTES = 4096


class GzipMember:
    """One member of a gzip file as a file object, decompressed while it is read."""

    def __init__(self, file: BinaryIO, position: int) -> None:
        file.seek(position)
        self._file, self._rest = file, b""
        self._decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._failed = False
        #: The offset behind the member, once it was read to its end and its checksum is right.
        self.end: int | None = None
        #: Whether anything but white space has been read.
        self.has_content = False

    def read(self, size: int = READ_BYTES) -> bytes:
        """Up to `size` bytes; none at the end and where the member is damaged."""
        limit = size if size > 0 else READ_BYTES
        while self.end is None and not self._failed:
            packed = self._rest or self._file.read(READ_BYTES)
            try:
                data = self._decompressor.decompress(packed, limit)
            except zlib.error:
                packed = b""
            if not packed:
                self._failed = True
                return b""
            self._rest = self._decompressor.unconsumed_tail
            if self._decompressor.eof:
                self.end = self._file.tell() - len(self._decompressor.unused_data)
            if data:
                self.has_content = self.has_content or not data.isspace()
                return data
        return b""

    def tell(self) -> int:
        """Not known; only asked for by readers that name positions."""
        return 0

    def read_to_end(self) -> None:
        """Reads what is left, which tells whether the member is whole."""
        while self.read():
            pass


def begins_record(file: BinaryIO, position: int) -> bool:
    """Whether a member begins there, whole or not, whose content begins as a WARC record."""
    file.seek(position)
    packed = file.read(PEEK_BYTES)
    with suppress(zlib.error):
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(packed, len(RECORD_START)) == RECORD_START
    return False


def next_record(file: BinaryIO, position: int) -> int | None:
    """The offset of the first record from `position` on; None where there is none."""
    overlap = b""
    while True:
        file.seek(position)
        chunk = file.read(SEARCH_BYTES)
        if not chunk:
            return None
        window, base = overlap + chunk, position - len(overlap)
        index = window.find(MEMBER_START)
        while index >= 0:
            if begins_record(file, base + index):
                return base + index
            index = window.find(MEMBER_START, index + 1)
        position += len(chunk)
        overlap = window[1 - len(MEMBER_START) :]
