"""Summaries of pages: bytes and back, and no dependence on the profile."""

import struct
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.article import read_article
from newsextract.extractors import make_extractor
from newsextract.page import Page
from newsextract.site_profile import PageSummary, SiteProfile
from newsextract.site_profile.summary import UNDATED

HTML = "<title>A storm</title><h1>A storm</h1>" + "".join(
    f"<p>The storm came over the town in hour {hour}, and it broke {hour} roofs, said the mayor of the town.</p>"
    for hour in range(20)
)


def summary_of(html: str, url: str = "http://example.org/a-storm", site: SiteProfile | None = None) -> PageSummary:
    page = Page(html, url)
    page.site = site
    return read_article(page, make_extractor("fusion")).summary


def test_summary_is_the_same_after_bytes_and_back():
    summary = summary_of(HTML)
    again = PageSummary.from_bytes(summary.to_bytes())
    assert (again.url, again.margin, again.reason) == (summary.url, pytest.approx(summary.margin), summary.reason)
    assert again.rows.tolist() == summary.rows.tolist() and len(again.rows) == 21
    assert again.to_bytes() == summary.to_bytes()


def test_from_bytes_reads_summaries_of_version_1_0():
    summary = summary_of(HTML)
    data = summary.to_bytes()
    numbers = (1, 0, len(summary.url), len(summary.template), len(summary.rows))
    keys = (summary.headline, summary.lead, crc32(summary.url.encode()))
    old = (
        struct.pack("<BBHHHffIII", *numbers, summary.margin, summary.width, *keys)
        + data[struct.calcsize("<BBBHHHffIIII") :]
    )
    again = PageSummary.from_bytes(old)
    assert (again.url, again.headline, again.label, again.dated) == (summary.url, summary.headline, 0, UNDATED)
    assert again.rows.tolist() == summary.rows.tolist()


def test_summary_does_not_depend_on_profile():
    summary = summary_of(HTML)
    assert summary_of(HTML, site=SiteProfile.build([summary])).to_bytes() == summary.to_bytes()


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_from_bytes_takes_or_rejects_damaged_bytes(place, value):
    data = bytearray(summary_of("<p>Some text of a page.</p>").to_bytes())
    data[place % len(data)] = value
    try:
        summary = PageSummary.from_bytes(bytes(data))
    except ValueError:
        return
    assert len(SiteProfile.build([summary])) == 1
