"""Sitemaps, sitemap indexes and news sitemaps, packed or not; and where robots.txt says they are.

https://www.sitemaps.org/protocol.html, with the news extension. Read as a stream with entities and network off.
"""

import io
import re
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from newsextract.discovery.decompress import ungzip
from newsextract.discovery.entries import Entry, absolute, written_date
from newsextract.discovery.feeds import feed_entries, is_feed

#: The protocol's own limits: 50,000 URLs and 50 MB a file.
MAX_ENTRIES = 50_000
MAX_BYTES = 50 * 1024 * 1024
GUESSES = ("/sitemap.xml",)
#: Parts of an index that are most likely to name articles, best first.
LIKELY = (r"news", r"article|post|stor(?:y|ies)", r"")
UNLIKELY = re.compile(r"image|video|author|tag|categor|product|page-sitemap|topic", re.I)


@dataclass(slots=True)
class Sitemap:
    """The pages and the further sitemaps that a sitemap names."""

    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[Entry] = field(default_factory=list)


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """What a sitemap of any kind names, as far as it can be read; empty for what is none."""
    if body.startswith(b"\x1f\x8b"):
        try:
            body = ungzip(body, MAX_BYTES)
        except ValueError:
            return Sitemap()
    if is_feed(body):
        return Sitemap(pages=feed_entries(body, url))
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return Sitemap(pages=_lines(body, url))
    return _read_xml(body[:MAX_BYTES], url)


def robots_sitemaps(robots: bytes, url: str) -> list[str]:
    """The sitemaps that a robots.txt names, each once."""
    lines = re.findall(rb"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", robots[:500_000], re.I | re.M)
    found = (absolute(line.decode("utf-8", "replace"), url) for line in lines)
    return list(dict.fromkeys(target for target in found if target))


def best_first(sitemaps: list[Entry]) -> list[Entry]:
    """Parts of an index: those named after news before articles before others, newest first, the unlikely last."""

    def rank(entry: Entry) -> tuple[bool, int, float]:
        kind = next(place for place, pattern in enumerate(LIKELY) if re.search(pattern, entry.url, re.I))
        return bool(UNLIKELY.search(entry.url)), kind, -(entry.date.timestamp() if entry.date else 0.0)

    return sorted(sitemaps, key=rank)


def _lines(body: bytes, url: str) -> list[Entry]:
    found = (
        absolute(line, url) for line in body.decode("utf-8-sig", "replace").splitlines()[:MAX_ENTRIES] if "://" in line
    )
    return [Entry(target) for target in dict.fromkeys(found) if target]


def _read_xml(body: bytes, url: str) -> Sitemap:
    found = Sitemap()
    seen: set[str] = set()
    events = etree.iterparse(
        io.BytesIO(body),
        tag=("{*}url", "{*}sitemap"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
    )
    try:
        for _, element in events:
            entry = _entry(element, url)
            kind = found.sitemaps if etree.QName(element).localname == "sitemap" else found.pages
            if entry and entry.url not in seen:
                seen.add(entry.url)
                kind.append(entry)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
            if len(seen) >= MAX_ENTRIES:
                break
    except etree.XMLSyntaxError:
        pass  # what was read up to there counts
    return found


def _entry(element: Any, url: str) -> Entry | None:
    texts: dict[str, str] = {}
    for child in element.iter():
        if isinstance(child.tag, str):
            texts.setdefault(etree.QName(child).localname, (child.text or "").strip())
    target = absolute(texts.get("loc", ""), url) if texts.get("loc") else None
    if target is None:
        return None
    date = written_date(texts.get("publication_date")) or written_date(texts.get("lastmod"))
    return Entry(target, texts.get("title", "")[:300], date)
