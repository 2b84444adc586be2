"""Time stays in proportion to the input: what some of these once took grew with the square or faster.

Nothing here depends on how busy the machine is: each limit is many times what an input in proportion takes.
"""

import re
from functools import partial

import pytest

from evaluation.growth.inputs import inputs
from evaluation.growth.measure import cpu_seconds, grows_with_the_square
from evaluation.growth.patterns import Called, patterns, slow_patterns, slow_pump
from evaluation.growth.readers import warm_up
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.lists import read_list, sitemaps_in_robots_txt
from newsextract.page import Page
from newsextract.page.data.article import find_data_article
from newsextract.page.decode import decode
from tests.examples import examples

warm_up()  # here, and not in the process of each input
#: Parts of the package's patterns, which several processes pump.
SHARES = 4
INPUTS = {case.name: case for case in inputs()}


@pytest.mark.parametrize("name", examples(__file__, "mended"))
def test_inputs_that_took_more_than_in_proportion(name):
    assert not grows_with_the_square(INPUTS[name])


def test_inputs_have_names_of_their_own_and_are_as_long_as_asked():
    cases = [*inputs()]
    assert len({case.name for case in cases}) == len(cases)
    assert all(20_000 < len(case.make(30_000).encode("utf-8", "surrogatepass")) < 200_000 for case in cases[::50])


@pytest.mark.parametrize("share", range(SHARES))
def test_no_pattern_takes_more_than_in_proportion(share):
    assert slow_patterns([*patterns().items()][share::SHARES]) == {}


@pytest.mark.parametrize(("pattern", "is_slow"), examples(__file__, "pumped"))
def test_pumps_find_patterns_that_are_slow(pattern, is_slow):
    assert bool(slow_pump(Called(re.compile(pattern, re.S), "search"))) is is_slow


URL = "https://news.example.org/2026/05/01/pier"
READERS = {
    "page": lambda body: Page(body, URL).blocks.texts,
    "meta": lambda body: (Page(body, URL).meta.title, Page(body, URL).json_ld),
    "data": lambda body: Page(body, URL).view(find_data_article),
    "decode": lambda body: decode(body, None, URL),
    "list": lambda body: read_list(body, URL),
    "robots": lambda body: sitemaps_in_robots_txt(body, URL),
    "sniffing": lambda body: non_html_reason(body, "text/plain"),
    "header": lambda body: declared_charset(body.decode("latin-1")),
}
STARTS = (b"", b"<rss><channel>", b"<script type='application/ld+json'>", b"charset=")
PIECES = (
    rb"< & &lt; <!-- <!----> <![CDATA[ ]]> <p>x <b><p> </p> a=1\x20 <a\x20b <meta\x20charset\x20 <html\x20lang\x20"
    rb" <?xml\x20 \xe9 \xe9\x20 \xd0\xe1\xc0 \x1b$B \\u03 { [ \x22 \\ \x20 \n <item><link>/a</link></item>"
    rb" <url><loc>/a</loc></url> <image:x> Sitemap:\x20/a\n sitemap\x20 <script>{"
).split()
#: CPU seconds of a text of so many bytes: a tenth of that on a slow machine, many times as much with the square.
SIZE = 16_000
ENOUGH = 1.5


def is_out_of_proportion(reader: str, start: bytes, piece: bytes) -> bool:
    try:
        cpu_seconds(partial(READERS[reader], start + piece * (SIZE // len(piece))), ENOUGH)
    except TimeoutError:
        return True
    return False


@pytest.mark.parametrize("reader", READERS)
def test_readers_take_time_in_proportion_to_their_input(reader):
    pieces = [each.decode("unicode_escape").encode("latin-1") for each in PIECES]
    assert [(start, one) for start in STARTS for one in pieces if is_out_of_proportion(reader, start, one)] == []
