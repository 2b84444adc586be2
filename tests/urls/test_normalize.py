"""URLs: which are one page, and what is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url

from newsextract.urls import PLAIN, article_key, site_of, split_url, strip_tracking

PAGE = "https://example.org/news/the-pier"


@pytest.mark.parametrize(
    "view",
    "?amp ?amp=1 ?print=1 ?print=print ?printable=yes ?outputType=amp ?view=print ?replytocom=4711#respond "
    "?share=twitter&nb=1 ?share=jetpack-whatsapp ?m=1 ?utm_source=rss&fbclid=1 #comments".split(),
)
def test_views_of_a_page_are_asked_for_as_the_page_itself(view):
    assert strip_tracking(PAGE + view) == PAGE


@pytest.mark.parametrize(
    "query", "?share=4711 ?print=4711 ?m=2 ?y=2020&m=1 ?view=list ?amplifier=1 ?format=pdf ?replytocom=a".split()
)
def test_parameters_that_select_a_page_stay(query):
    assert strip_tracking(PAGE + query) == PAGE + query
    assert article_key(PAGE + query) != article_key(PAGE)


def test_index_file_is_its_folder():
    for spelling in ("", "/", "/index.html", "/index.php", "/Default.aspx", "/index.html?amp=1", "/index.html#top"):
        assert article_key(PAGE + spelling) == "example.org/news/the-pier"
    for other in ("/index.php?id=7", "/index.html.txt", "/index-2.html", "/reindex.html"):
        assert article_key(PAGE + other) != article_key(PAGE)


@given(st.from_regex(PLAIN, fullmatch=True))
def test_nothing_is_normalized_of_a_plain_url(url):
    assert split_url(url) is None or (canonicalize_url(url) == url and split_url(url).geturl() == url)


@pytest.mark.parametrize(
    ("host", "in_ascii"),
    [
        ("WWW.Bücher-Kurier.example", "www.xn--bcher-kurier-dlb.example"),
        ("fußball.example", "xn--fuball-cta.example"),
        ("νέος.example", "xn--ixa5ahm.example"),
        ("نامه\u200cای.example", "xn--mgba3gch31f060k.example"),
        ("kurier。example", "kurier.example"),
        ("die_zeitung.übersee.example", "die_zeitung.xn--bersee-2ya.example"),
        ("☃.example", "xn--n3h.example"),
    ],
)
def test_hosts_beyond_ascii_are_those_that_browsers_ask_for(host, in_ascii):
    assert strip_tracking(f"https://{host}:8443/a") == f"https://{in_ascii}:8443/a"
    assert site_of(f"https://{host}/a") == in_ascii.removeprefix("www.")
    assert article_key(f"http://{host}/a") == article_key(f"https://{in_ascii}/a")


@given(st.text())
def test_any_host_is_normalized_or_kept(host):
    strip_tracking(f"https://{host}/a")
    site_of(f"https://{host}/a")
