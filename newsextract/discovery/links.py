"""Links of a page: target, anchor text, `rel=next`, and the feeds that its head declares."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.discovery.entries import fetchable_url
from newsextract.items import Link
from newsextract.limits import MAX_ELEMENTS
from newsextract.page.decode import decode
from newsextract.page.parse import parse
from newsextract.text import MAX_TITLE, composed
from newsextract.urls import REMEMBERED, article_key, is_of_site

FEED_TYPES = frozenset(
    (*(f"application/{name}" for name in "rss+xml x-rss+xml atom+xml rdf+xml xml feed+json".split()), "text/xml")
)
#: Feeds of comments list known pages: recognised by their URL, or by a title such as "Comments on: The pier". A title
#: with the word elsewhere ("News and comment") may be that of a feed of opinion.
COMMENT_FEED = re.compile(r"comments?(?:/feed|\.xml|\.rss)|/comments?(?:/|$)|[?&]feed=comments|/comments?-rss", re.I)
COMMENT_TITLE = re.compile(
    r"^\W*(?:[ck]omm?ent[aá]?\w+|reacti\w+|yorum\w*|комм?ентар\w+|σχόλι\w+|تعليق\w*)\s(?:\w\s)?\w{1,6}\s?:"
    r"|\bcomments\s(?:feed|rss)\b",
    re.I,
)
#: Paths of feeds that pages link to like pages.
FEED_PATH = re.compile(r"/(?:feed|rss|atom)2?/?$", re.I)
FEED_FILE = (".rss", ".atom")
FEED_NAME = re.compile(r"(?<![a-z])(?:rss|feeds?|atom)(?![a-z])", re.I)
DATA_FILE = (".xml", ".json")
MAX_LINKED_FEEDS = 10
#: Paths of files that aren't pages; and of those, slugs of headlines that end in a word like a file's extension.
FILE_PATH = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|ogg|og[av]|wav|avi|mov|wmv|flv|mpe?g|m3u8|pdf|docx?"
    r"|xlsx?|pptx?|odt|epub|zip|gz|tgz|bz2|rar|7z|exe|dmg|apk|iso|css|js|mjs|json|xml|rss|atom|woff2?|ttf|eot|ics|vcf|swf)$",
    re.I,
)
SLUG_PATH = re.compile(r"(.*/)(?:[^/._-]+[_-]){2,}[^/._-]+\.(?:m?js|css|json|xml|zip|rss|atom|swf|exe|iso)$", re.I)
MIN_WORDS = 3


@dataclass(slots=True)
class PageLinks:
    """Links in document order, each URL once with its longest text; the head's feeds, `rel=next`, AMP copy; `lang`.

    `linked_feeds`: what looks like a feed of the site and is only linked to.
    """

    links: list[Link] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    linked_feeds: list[str] = field(default_factory=list)
    next: str | None = None
    amp: str | None = None
    language: str = ""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Pickles the links by column, in a tenth of the time: those of each page go from a worker to the crawl."""
        columns = ([getattr(link, name) for link in self.links] for name in ("url", "anchor_text", "key"))
        others = (self.feeds, self.linked_feeds, self.next, self.amp, self.language)
        return _links_of_columns, (*columns, *others)


def _links_of_columns(urls: list[str], texts: list[str], keys: list[str], *others: Any) -> PageLinks:
    return PageLinks([*map(Link, urls, texts, keys)], *others)


def parse_links(html: bytes, url: str, charset: str | None = None) -> PageLinks:
    """The links of a page at `url` to pages over http(s); `charset`: as the HTTP header declares it."""
    return extract_links(parse(decode(html, charset, url)[0]), url)


def extract_links(root: ElementView, url: str) -> PageLinks:
    links = PageLinks(language=root.node.attr("lang") or "")
    bases = (element.attr("href") for element in root.node.iter_elements("base"))
    declared = next(filter(None, bases), "")
    base = (fetchable_url(declared, url) if declared else None) or url
    by_url: dict[str, Link] = {}
    linked_feeds, feeds = dict[str, None](), dict[str, None]()
    slugs: list[tuple[Element, str, str]] = []
    for element in root.node.iter_elements(("a", "area", "link")):
        target = fetchable_url(element.attr("href") or "", base)
        if target is None:
            continue
        if element.tag == "link":
            _read_head_link(element, target, url, links)
            if _is_declared_feed(element, target):
                feeds[target] = None
        elif target in by_url or not _is_file(target):
            _add_link(element, target, by_url)
        elif slug := SLUG_PATH.fullmatch(path := target.partition("?")[0]):
            slugs.append((element, target, slug[1]))
        elif _may_be_feed(target, path, url):
            linked_feeds[target] = None
        if len(by_url) >= MAX_ELEMENTS:
            break
    folders = {link.url.partition("?")[0].rpartition("/")[0] + "/" for link in by_url.values()} if slugs else set()
    for element, target, folder in slugs:  # a page among pages, with a headline
        if folder in folders and _anchor_text(element).count(" ") >= MIN_WORDS - 1:
            _add_link(element, target, by_url)
    links.links, links.feeds = list(by_url.values()), list(feeds)
    links.linked_feeds = [feed for feed in linked_feeds if feed not in feeds][:MAX_LINKED_FEEDS]
    return links


@lru_cache(REMEMBERED)
def _is_file(url: str) -> bool:
    """Whether a URL looks like that of a file, or of a feed; cached, as most links of a page are its site's menu."""
    path = url.partition("?")[0]
    return (FILE_PATH.search(path) or FEED_PATH.search(path)) is not None


def _may_be_feed(target: str, path: str, url: str) -> bool:
    """Whether a link that isn't to a page may be to a feed of this site."""
    lowered = path.lower()
    is_data = lowered.endswith(DATA_FILE) and FEED_NAME.search(path)
    is_named = is_data or FEED_PATH.search(path) or lowered.endswith(FEED_FILE)
    return bool(is_named) and not COMMENT_FEED.search(target) and is_of_site(target, url)


def _read_head_link(element: Element, target: str, url: str, links: PageLinks) -> None:
    """Keeps the next page and the AMP copy that a `link` names."""
    relations = (element.attr("rel") or "").lower().split()
    if "next" in relations:
        links.next = target
    if "amphtml" in relations and target != url:
        links.amp = target


def _is_declared_feed(element: Element, target: str) -> bool:
    """Whether a `link` names a feed, other than one of comments."""
    relations = (element.attr("rel") or "").lower().split()
    media_type = (element.attr("type") or "").partition(";")[0].strip().lower()
    if "feed" not in relations and not ("alternate" in relations and media_type in FEED_TYPES):
        return False
    return not COMMENT_FEED.search(target) and not COMMENT_TITLE.search(element.attr("title") or "")


def is_feed_of_page(feed: str, url: str) -> bool:
    """Whether a feed belongs to one page: its URL is the page's, and more. An article's feed has its comments."""
    page = article_key(url)
    return article_key(feed).startswith(f"{page}/") and page.count("/") > 0


def _add_link(element: Element, target: str, by_url: dict[str, Link]) -> None:
    text = _anchor_text(element)
    link = by_url.get(target)
    if link is None:
        by_url[target] = Link(target, text, article_key(target))
    elif len(text) > len(link.anchor_text):
        link.anchor_text = text


def _anchor_text(element: Element) -> str:
    """The text of a link; without text its label, its title or its image's alternative text."""
    text = " ".join(element.text[: 10 * MAX_TITLE].split())
    if not text:
        alternatives = (image.attr("alt") for image in element.iter_elements("img"))
        label = element.attr("aria-label") or element.attr("title") or next(filter(None, alternatives), "")
        text = " ".join(label.split())
    return composed(text[:MAX_TITLE])
