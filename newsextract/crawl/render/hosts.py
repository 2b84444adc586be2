"""Which hosts a page that the browser renders may load from: those of its own domain, and those that are named."""

from collections.abc import Iterable
from functools import cache
from urllib.parse import urlsplit

import tldextract

from newsextract.urls import site_of


def is_first_party(url: str, page: str, hosts: Iterable[str] = ()) -> bool:
    """Whether a URL has the registrable domain of a page, or its host and port; or a host named or below one named."""
    if site_of(url) == site_of(page):
        return True
    host = (urlsplit(url).hostname or "").lower()
    if any(host == name or host.endswith(f".{name}") or site_of(url) == name for name in map(str.lower, hosts)):
        return True
    domain = _registrable_domain(host)
    return bool(domain) and domain == _registrable_domain((urlsplit(page).hostname or "").lower())


def _registrable_domain(host: str) -> str:
    """The domain under which somebody has the host: example.co.uk of news.example.co.uk; "" of an IP address."""
    return str(_extractor()(host).top_domain_under_public_suffix)


@cache
def _extractor() -> tldextract.TLDExtract:
    """With the public suffix list of the package, private suffixes (github.io) among it; nothing is downloaded."""
    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
