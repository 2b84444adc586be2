"""Fetched pages as they are written, compressed: everything that was known comes back, damage isn't a page."""

import json
import random
import tracemalloc
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.compression import compress, decompress
from newsextract.items import FetchedPage, Listing
from newsextract.page_codec import decode_page, encode_page, page_of_values, page_values

TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(timezone(timedelta(hours=9))))
WORDS = st.text(max_size=40)
LISTINGS = st.builds(
    Listing,
    st.sampled_from(("feed", "sitemap", "amp")),
    title=WORDS,
    date_published=st.none() | TIMES,
    authors=st.lists(WORDS.filter(bool), max_size=3).map(tuple),
    summary=WORDS,
)
PAGES = st.builds(
    FetchedPage,
    st.just("https://site.example/a"),
    st.binary(max_size=200),
    TIMES,
    encoding=st.none() | st.just("latin-1"),
    anchor_text=st.none() | WORDS.filter(bool),
    status=st.sampled_from((200, 203)),
    template=st.frozensets(st.integers(0, 2**31), max_size=4),
    drop=st.lists(WORDS.filter(bool), max_size=2).map(tuple),
    listing=st.none() | LISTINGS,
    amp=st.none() | st.just("https://site.example/a/amp"),
)


@given(PAGES)
def test_page_comes_back_with_all_that_the_crawl_knew(page):
    assert decode_page(*encode_page(page)) == page
    assert page_of_values(json.loads(json.dumps(page_values(page))), page.body) == page


@pytest.mark.parametrize(
    "document",
    ["", "[]", "{}", '{"url": 7, "fetched_at": "2024-01-01"}', '{"url": "https://a.example/", "fetched_at": "soon"}'],
)
def test_damaged_page_is_none(document):
    good = '{"url": "https://a.example/", "fetched_at": "2024-01-01T00:00:00Z"}'
    assert decode_page(document, compress(b"x")) is None and decode_page(good, b"damaged") is None
    assert decode_page(good, compress(b"x")) is not None


def test_packed_bytes_take_no_more_memory_than_they_are_long():
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
