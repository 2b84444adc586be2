"""The links of a page: where to, the text readers click, and the feeds that its head names."""

import re
from dataclasses import dataclass, field
from typing import Any

from newsextract.discovery.entries import absolute
from newsextract.items import Link
from newsextract.page.decode import to_utf8
from newsextract.page.parse import parse
from newsextract.urls import article_key

#: More links than any real page has; the rest of such a page is not read.
MAX_LINKS = 3_000
MAX_ANCHOR = 300
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
#: Feeds of comments name pages that are known already.
COMMENT_FEED = re.compile(r"comments?(?:/feed|\.xml|\.rss)|/comments?/", re.I)
#: Endings of files that are no page.
FILE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|ogg|og[av]|wav|avi|mov|wmv|flv|mpe?g|m3u8|pdf|docx?"
    r"|xlsx?|pptx?|odt|epub|zip|gz|tgz|bz2|rar|7z|exe|dmg|apk|iso|css|js|mjs|json|xml|rss|atom|woff2?|ttf|eot|ics|vcf|swf)$",
    re.I,
)


@dataclass(slots=True)
class PageLinks:
    """Links in document order, each URL once with its longest text; feeds in the order of the head; `rel=next`."""

    links: list[Link] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    next: str | None = None


def page_links(html: bytes, url: str, declared: str | None = None) -> PageLinks:
    """All that a page of that URL links to over http(s), less what is a file and no page; empty for an empty page."""
    return links_of(parse(to_utf8(html, declared)[0]), url)


def links_of(root: Any, url: str) -> PageLinks:
    """The same for a page that is parsed already; `root` may be None."""
    found = PageLinks()
    if root is None:
        return found
    base = _base(root, url)
    known: dict[str, Link] = {}
    for element in root.iter("a", "area", "link"):
        target = absolute(element.get("href") or "", base)
        if target is None:
            continue
        if element.tag == "link":
            _add_of_head(element, target, found)
        elif not FILE.search(target.partition("?")[0]):
            _add_link(element, target, known)
        if len(known) >= MAX_LINKS:
            break
    found.links = list(known.values())
    return found


def _base(root: Any, url: str) -> str:
    for element in root.iter("base"):
        if href := element.get("href"):
            return absolute(href, url) or url
    return url


def _add_of_head(element: Any, target: str, found: PageLinks) -> None:
    relations = (element.get("rel") or "").lower().split()
    if "next" in relations:
        found.next = target
    alternate = "alternate" in relations
    media_type = (element.get("type") or "").partition(";")[0].strip().lower()
    if alternate and media_type in FEED_TYPES and target not in found.feeds and not COMMENT_FEED.search(target):
        found.feeds.append(target)


def _add_link(element: Any, target: str, known: dict[str, Link]) -> None:
    text = _anchor_text(element)
    link = known.setdefault(target, Link(target, text, article_key(target)))
    if len(text) > len(link.anchor_text):
        link.anchor_text = text


def _anchor_text(element: Any) -> str:
    """The text of a link; of one around a picture, what the picture is called."""
    text = " ".join("".join(_pieces(element)).split())
    if not text:
        text = " ".join((element.get("aria-label") or element.get("title") or _alt(element)).split())
    return text[:MAX_ANCHOR]


def _pieces(element: Any) -> list[str]:
    pieces: list[str] = []
    length = 0
    for piece in element.itertext():
        pieces.append(piece)
        length += len(piece)
        if length > 10 * MAX_ANCHOR:
            break
    return pieces


def _alt(element: Any) -> str:
    for image in element.iter("img"):
        if alt := image.get("alt"):
            return str(alt)
    return ""
