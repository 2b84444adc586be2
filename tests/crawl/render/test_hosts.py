"""What a page may load from which host."""

import pytest

from newsextract.crawl.render.hosts import is_first_party


@pytest.mark.parametrize(
    ("url", "page", "hosts"),
    [
        ("https://example.org/a.js", "https://example.org/", []),
        ("https://static.example.org/a.js", "https://www.example.org/", []),
        ("https://api.example.co.uk/a", "https://news.example.co.uk/", []),
        ("http://127.0.0.1:81/a", "http://127.0.0.1:81/", []),
        ("https://cdn.example.net/a.js", "https://example.org/", ["example.net"]),
        ("https://cdn.example.net/a.js", "https://example.org/", ["CDN.example.net"]),
        ("http://127.0.0.1:82/a", "http://127.0.0.1:81/", ["127.0.0.1:82"]),
    ],
)
def test_first_party(url: str, page: str, hosts: list[str]) -> None:
    assert is_first_party(url, page, hosts)


@pytest.mark.parametrize(
    ("url", "page", "hosts"),
    [
        ("https://example.net/a.js", "https://example.org/", []),
        ("https://other.co.uk/a", "https://news.example.co.uk/", []),
        ("https://a.github.io/a", "https://b.github.io/", []),
        ("http://127.0.0.1:82/a", "http://127.0.0.1:81/", []),
        ("http://10.0.0.1/", "http://10.0.0.2/", []),
        ("https://notexample.net/a.js", "https://example.org/", ["example.net"]),
        ("http://localhost/", "http://printer/", []),
    ],
)
def test_third_party(url: str, page: str, hosts: list[str]) -> None:
    assert not is_first_party(url, page, hosts)
