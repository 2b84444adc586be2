import random
import tracemalloc

from newsextract.compression import compress, decompress


def test_packed_bytes_take_no_more_memory_than_they_are_long() -> None:
    words = [f"word{number}" for number in range(2000)]
    data = " ".join(random.Random(1).choices(words, k=100_000)).encode()
    tracemalloc.start()
    try:
        assert decompress(compress(b"")) == b""
        before = tracemalloc.get_traced_memory()[0]
        packed = compress(data)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert decompress(packed) == data
    assert len(packed) < taken < 1.1 * len(packed) < len(data) / 2
