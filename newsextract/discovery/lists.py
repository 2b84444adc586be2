"""The reader of lists: feeds (RSS, Atom, JSON Feed) and sitemaps (XML, text, indexes), from bytes to entries.

https://www.sitemaps.org/protocol.html with the news extension, https://www.jsonfeed.org/version/1.1/. Reading never
fails: what can't be read is left out, and `ListContents.problem` says so.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

from newsextract.discovery.entries import Entry, fetchable_url, plain_text, without_build_dates
from newsextract.discovery.list_parser import (
    FEEDS,
    MAX_VALUE,
    SITEMAPS,
    ListParser,
    Record,
    Reference,
    text_pieces,
)
from newsextract.discovery.newest_first import newest_first
from newsextract.items import Listing
from newsextract.language.date_parser import parse_date
from newsextract.language.names import parse_names
from newsextract.metadata.date_readings import ZONES_OF_LANGUAGES
from newsextract.page.decode import decode, without_surrogates
from newsextract.page.json_text import DECODER
from newsextract.page.json_text import read as read_json
from newsextract.reasons import NOT_A_LIST, PARTLY_READ
from newsextract.settings import DOWNLOAD_MAXSIZE
from newsextract.text import LONG_LINE, MAX_SUMMARY, MAX_TITLE
from newsextract.urls import REMEMBERED

#: Usual paths of feeds and sitemaps, for sites whose pages or robots.txt name none.
FEED_PATHS = ("/feed", "/rss.xml", "/feed/", "/atom.xml", "/rss")
SITEMAP_PATHS = ("/sitemap.xml",)
#: The line of robots.txt that names a sitemap, or several.
DECLARATION = re.compile(
    r"(?:^|[\r\ufeff])[ \t]*site-?maps?(?:[-_ ]?(?:index|url))?(?:[ \t]*[:：=]|[ \t]+(?=[\"'<]?https?:))([^\r\n]*)",
    re.I | re.M,
)
#: What stands around a URL there.
AROUND_URL = "\"'<>[](),;"
#: Maximum entries that are taken at a time, the newest: of a sitemap, by the protocol; of a feed. Entries that are read
#: to find these.
MAX_ENTRIES = 50_000
MAX_FEED_ENTRIES = 1_000
MAX_RECORDS = 200_000
#: Names of an entry.
MAX_AUTHORS = 5
PARAGRAPH = re.compile(r"</?(?:p|br|div)\b[^<>]*>|\n\s*\n", re.I)
#: What systems append to the beginning of a text.
CUT_OFF = re.compile(r"(?<!\s)\s*+\[(?:…|\.\.\.)\]\s*+(?:[→»]\s*+)?$")
#: An author in RSS: "jane@example.org (Jane Roe)".
MAIL_AND_NAME = re.compile(r"(?<![^\s@])[^\s@]++@[^\s@(]++\s*+\(((?:[^()]++|\([^()]*+\))*+)\)")
#: The URLs of an entry, best first: of the page itself rather than of a redirect that counts readers.
RELATIONS = {name: rank for rank, name in enumerate(("origlink", "alternate", "link", "loc", "guid"))}
HTML_TYPES = ("", "text/html", "application/xhtml+xml")
#: A line of a sitemap in plain text.
URL = re.compile(r"\s*https?://\S+\s*$", re.I)


@dataclass(slots=True)
class ListContents:
    """The pages of a feed or sitemap, and the sitemaps of an index. `problem`: a reason, or "".

    `left_out`: the positions of entries that are too many at a time; `left`: how many are; `records`: how many entries
    there are, with or without a URL. Of a large list (`list_memory`): `batches`: further pages; `passed_over`: entries
    that were known;
    `memory`: for the next read.
    """

    is_feed: bool = False
    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[Entry] = field(default_factory=list)
    problem: str = ""
    left_out: frozenset[int] = frozenset()
    left: int = 0
    records: int = 0
    batches: list[bytes] = field(default_factory=list)
    passed_over: int = 0
    memory: bytes | None = None


def read_list(body: bytes, url: str, charset: str | None = None, language: str = "") -> ListContents:
    """The contents of the list at `url`, each URL once; `charset`: of the HTTP header; `language`: of the site."""
    pieces = text_pieces(body, charset, url)
    first = next(pieces, "")
    pieces, start = chain([first], pieces), first[:1_000].lstrip()
    parser = ListParser(url)
    if start.startswith("{"):
        records = _json_records("".join(pieces)[:DOWNLOAD_MAXSIZE], parser)
    elif "<" not in start:
        records = _text_records(pieces, parser)
    else:
        records = parser.parse(pieces)
    contents, by_name = ListContents(), defaultdict[str, list[Record]](list)
    for record in records:
        if contents.records >= MAX_RECORDS:
            parser.is_whole = False
            break
        contents.records += 1
        by_name[record.name].append(record)
    language = parser.language or language
    contents.sitemaps = [*_entries(by_name.pop("sitemap", ()), language)]
    contents.pages = without_build_dates([*_entries(chain.from_iterable(by_name.values()), language)])
    keep_newest(contents, MAX_FEED_ENTRIES if parser.root in FEEDS else MAX_ENTRIES)
    contents.is_feed = parser.root in FEEDS
    is_list = contents.is_feed or parser.root in SITEMAPS
    contents.problem = NOT_A_LIST if not is_list else "" if parser.is_whole else PARTLY_READ
    return contents


def sitemaps_in_robots_txt(robots: bytes, url: str) -> list[str]:
    """The sitemaps that a robots.txt declares, each once."""
    declared = dict[str, None]()
    for line in DECLARATION.findall(decode(robots[:500_000])[0]):
        first, *others = (word.strip(AROUND_URL) for word in line.partition(" #")[0].split() or [""])
        declared |= dict.fromkeys(filter(None, (first, *filter(URL.match, others))))
    targets = dict.fromkeys(fetchable_url(one, url) for one in declared)
    return [target for target in targets if target]


def keep_newest(contents: ListContents, limit: int) -> None:
    """Leaves the newest pages, from new to old, if there are too many."""
    if len(contents.pages) > limit:
        kept = newest_first(contents.pages)
        contents.left_out |= {entry.position for entry in kept[limit:]}
        contents.pages, contents.left = kept[:limit], contents.left + len(kept) - limit


def _entries(records: Iterable[Record], language: str) -> Iterator[Entry]:
    """The entries with a URL, each URL once; what is said of a part of a page isn't said of the page."""
    linked = [(*best, number, record) for number, record in enumerate(records) if (best := target_of(record))]
    has_fragments = any(fragment for _, fragment, *_ in linked)
    pairs = {(target, fragment) for target, fragment, *_ in linked} if has_fragments else ()
    of_target, of_fragment = (Counter(pair[part] for pair in pairs) for part in (0, 1))
    targets = set[str]()
    for target, fragment, number, record in linked:
        is_mark = "=" in fragment or of_fragment[fragment] > 1  # of the feed, as "#xtor=RSS-3"
        is_page = not fragment or (is_mark and of_target[target] == 1)
        if target not in targets:
            targets.add(target)
            yield Entry(target, _listing(record, language) if is_page else None, number)


def target_of(record: Record) -> tuple[str, str] | None:
    """The best URL of an entry, and its fragment; None if it has none that can be fetched."""
    by_rank = sorted(record.links, key=lambda one: (RELATIONS.get(one.relation, 9), one.media_type not in HTML_TYPES))
    for relation, href, base, _ in by_rank:
        is_url = relation != "guid" or href[:8].lower().startswith(("http://", "https://", "/"))
        if relation in RELATIONS and is_url and (target := fetchable_url(href.replace("&amp;", "&"), base)):
            return target, href.partition("#")[2]
    return None


def _listing(record: Record, language: str) -> Listing | None:
    is_feed, language = record.name not in SITEMAPS["urlset"], record.first("language") or language
    listing = Listing(
        "feed" if is_feed else "sitemap",
        title=plain_text(record.first("title")[: 4 * MAX_TITLE])[:MAX_TITLE],
        date_published=read_date(record.first("published", "date"), language),
        date_modified=read_date(record.first("modified"), language),
        authors=_authors(record) if is_feed else (),
        summary=_summary(record.first("summary", "content")) if is_feed else "",
    )
    return listing if is_feed or listing.title or listing.date_published or listing.date_modified else None


@lru_cache(REMEMBERED)
def read_date(text: str, language: str) -> datetime | None:
    """A date that is understood as a whole; without a zone, it is in that of the language, or in UTC."""
    if not text:
        return None
    date = parse_date(text, language or None)
    if date is None or date.tzinfo:
        return date
    zone = ZONES_OF_LANGUAGES.get(language[:2].lower())
    return date.replace(tzinfo=ZoneInfo(zone) if zone else UTC)


def _authors(record: Record) -> tuple[str, ...]:
    raws = [text[: 4 * LONG_LINE] for text in record.values.get("author", ())[:MAX_AUTHORS]]
    names = (MAIL_AND_NAME.sub(r"\1", plain_text(text)) for text in raws)
    return tuple(parse_names(names)[:MAX_AUTHORS])


def _summary(text: str) -> str:
    """The first paragraph of the summary; "" if it is so long that it is the article's text."""
    paragraphs = PARAGRAPH.split(text)
    first = next((text for piece in paragraphs if (text := CUT_OFF.sub("", plain_text(piece)))), "")
    return first if len(first) <= MAX_SUMMARY else ""


def _text_records(pieces: Iterable[str], parser: ListParser) -> Iterator[Record]:
    """The lines of a sitemap in plain text that are URLs."""
    rest, parser.is_whole = "", True
    for piece in chain(pieces, ("\n",)):
        *lines, rest = f"{rest}{piece}".replace("\r", "\n").split("\n")
        for line in filter(URL.match, lines):
            parser.root = "urlset"
            yield Record("url", links=[Reference("loc", line.strip(), parser.url)])
        rest = rest[:MAX_VALUE]  # a longer line is no URL, and would be copied with each piece


def _json_records(text: str, parser: ListParser) -> Iterator[Record]:
    """The items of a feed in JSON; of a damaged one, those that can be understood."""
    try:
        feed, parser.is_whole = DECODER.decode(text), True
    except (ValueError, RecursionError):
        feed = read_json(text)
    items = feed.get("items") if isinstance(feed, dict) else None
    if isinstance(items, list):
        parser.root, parser.language = "feed", next(iter(_texts(feed, "language")), "")
        yield from (_json_record(item, parser.url) for item in items if isinstance(item, dict))


def _json_record(item: dict[str, Any], url: str) -> Record:
    persons = item.get("authors")
    people = [item.get("author"), *(persons if isinstance(persons, list) else [])]
    values = {
        "title": _texts(item, "title"),
        "published": _texts(item, "date_published"),
        "modified": _texts(item, "date_modified"),
        "summary": _texts(item, "summary", "content_html", "content_text"),
        "author": [name for person in people for name in _texts(person, "name")],
        "language": _texts(item, "language"),
    }
    links = zip(("alternate", "link", "guid"), ("url", "external_url", "id"), strict=True)
    references = [Reference(relation, href, url) for relation, name in links for href in _texts(item, name)]
    return Record("item", {}, values, references)


def _texts(value: object, *names: str) -> list[str]:
    """The texts and numbers under these names of an object; of another value, itself."""
    values = map(value.get, names) if isinstance(value, dict) else (value,)
    return [without_surrogates(str(text)) for text in values if type(text) in (str, int)]
