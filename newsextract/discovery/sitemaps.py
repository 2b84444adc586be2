"""Sitemaps, sitemap indexes and news sitemaps, gzipped or not; and the sitemaps that robots.txt declares.

https://www.sitemaps.org/protocol.html, with the news extension. Parsed as a stream, without entities and network.
"""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from newsextract.compression import gunzip
from newsextract.discovery.entries import MAX_TITLE, Entry, absolute_url, plain_text, without_build_dates
from newsextract.discovery.feeds import is_feed, parse_feed
from newsextract.items import Listing
from newsextract.metadata.date_parser import parse_w3c_datetime

#: The protocol's own limits: 50,000 URLs and 50 MB a file.
MAX_ENTRIES = 50_000
MAX_BYTES = 50 * 1024 * 1024
#: Namespaces of a page's images and videos, which have their own titles and dates.
MEDIA = re.compile(r"/sitemap-(?:image|video)/")
#: Usual paths of sitemaps, for sites whose robots.txt declares none.
COMMON_PATHS = ("/sitemap.xml",)


@dataclass(slots=True)
class Sitemap:
    """The pages and further sitemaps in a sitemap."""

    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[Entry] = field(default_factory=list)


def parse_sitemap(body: bytes, url: str) -> Sitemap:
    """The entries of a sitemap in XML, plain text or as a feed, as far as it is well-formed; none for other bodies."""
    if body.startswith(b"\x1f\x8b"):
        try:
            body = gunzip(body, MAX_BYTES)
        except ValueError:
            return Sitemap()
    if is_feed(body):
        return Sitemap(parse_feed(body, url))
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = body.decode("utf-8-sig", "replace").splitlines()[:MAX_ENTRIES]
        return Sitemap([Entry(target) for target in _absolute_urls((line for line in lines if "://" in line), url)])
    return _parse_xml(body[:MAX_BYTES], url)


def sitemaps_in_robots_txt(robots: bytes, url: str) -> list[str]:
    """The sitemaps that a robots.txt declares, each once."""
    lines = re.findall(rb"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", robots[:500_000], re.I | re.M)
    return _absolute_urls((line.decode("utf-8", "replace") for line in lines), url)


def _absolute_urls(lines: Iterable[str], base: str) -> list[str]:
    return [target for target in dict.fromkeys(absolute_url(line, base) for line in lines) if target]


def _parse_xml(body: bytes, url: str) -> Sitemap:
    sitemap = Sitemap()
    seen: set[str] = set()
    safe = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
    events = etree.iterparse(io.BytesIO(body), tag=("{*}url", "{*}sitemap"), recover=True, **safe)
    try:
        for _, element in events:
            entry = _entry(element, url)
            entries = sitemap.sitemaps if etree.QName(element).localname == "sitemap" else sitemap.pages
            if entry and entry.url not in seen:
                seen.add(entry.url)
                entries.append(entry)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
            if len(seen) >= MAX_ENTRIES:
                break
    except etree.XMLSyntaxError:
        pass  # the entries before the error count
    sitemap.pages = without_build_dates(sitemap.pages)
    return sitemap


def _entry(element: Any, url: str) -> Entry | None:
    texts: dict[str, str] = {}
    for child in element.iter():
        if isinstance(child.tag, str) and not MEDIA.search(etree.QName(child).namespace or ""):
            texts.setdefault(etree.QName(child).localname, (child.text or "").strip())
    target = absolute_url(texts.get("loc", ""), url) if texts.get("loc") else None
    if target is None:
        return None
    listing = Listing(
        "sitemap",
        title=plain_text(texts.get("title", "")[: 4 * MAX_TITLE])[:MAX_TITLE],
        date_published=parse_w3c_datetime(texts.get("publication_date")),
        date_modified=parse_w3c_datetime(texts.get("lastmod")),
    )
    return Entry(target, listing if len(listing.to_dict()) > 1 else None)
