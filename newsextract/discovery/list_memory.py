"""Large lists: what an earlier read has taken of one is passed over before it is parsed.

The memory of a list is a hash of the source of each entry that was taken. An entry that stands there as it did is cut
out of the text; what remains is a list of the new and the changed ones, and costs what they cost. The newest are taken
first; the rest is counted, isn't remembered, and so is taken by later reads.
"""

import json
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from newsextract.discovery.entries import Entry, fetchable_url, without_build_dates
from newsextract.discovery.found import list_meta
from newsextract.discovery.list_parser import MAX_BYTES, unpacked
from newsextract.discovery.lists import (
    MAX_ENTRIES,
    MAX_FEED_ENTRIES,
    MAX_RECORDS,
    ListContents,
    keep_newest,
    read_date,
    read_list,
)
from newsextract.discovery.newest_first import dated_newest_first, sort_sitemaps
from newsextract.items import Listing
from newsextract.limits import HEAD

#: Entries from which on a list is large.
LARGE = 1_000
#: Bytes of a hash.
HASH = 8
#: The newest entries of a large list, which are ranked one by one: all that are taken of a feed.
RANKED = MAX_FEED_ENTRIES
#: Other entries that are handled at a time.
BATCH = 2_000
ROOT = re.compile(rb"<(?:[\w.-]+:)?(urlset|rss|rdf|channel|feed|sitemapindex|opml|html)(?=[\s/>])", re.I)
#: Where an entry begins, by the root; the lines of a sitemap in plain text.
STARTS = {
    name: re.compile(rb"(?=<(?:[\w.-]+:)?%b[\s>])" % entry, re.I)
    for name, entry in {
        b"urlset": b"url",
        b"rss": b"item",
        b"rdf": b"item",
        b"channel": b"item",
        b"feed": b"entry",
    }.items()
}
LINES = re.compile(rb"^(?=https?:)", re.I | re.M)
END_TAG = re.compile(rb"</(?:[\w.-]+:)?(?:url|item|entry)\s*>", re.I)
#: An entry of a sitemap that says where a page is, when it was changed, and no more that counts: nearly all of those in
#: large ones. It needs no parser, which takes twenty times as long. Its URL has no entities and no fragment.
PLAIN_URL = rb"\s*+(https?://[!$%'-;=?-\[\]-~]++)\s*+"
PLAIN_ENTRY = re.compile(
    rb"<url>\s*+<loc>%b</loc>\s*+(?:<lastmod>\s*+([\w:.+-]*+)\s*+</lastmod>\s*+)?"
    rb"(?:<(changefreq|priority)>[^<>&]*+</\3>\s*+)*+</url>\s*+" % PLAIN_URL
)
PLAIN_LINE = re.compile(PLAIN_URL + rb"()")


class ListedPages(NamedTuple):
    """Pages of a large list by column: URLs, titles, what else the list says as JSON (`found.list_meta`), and
    dates of the list or the URL."""

    urls: list[str]
    titles: list[str]
    metas: list[str | None]
    dates: list[datetime | None]


def read_new_entries(
    body: bytes, url: str, charset: str | None = None, language: str = "", known: bytes | None = None
) -> ListContents:
    """What a list has beside the entries that are `known`: the memory of an earlier read (`ListContents.memory`).

    The pages of a large list come from new to old, those after the first RANKED in batches (`unpack_batch`). The
    sitemaps of an index come in fetching order.
    """
    contents = _read_new(body, url, charset, language, known)
    contents.sitemaps = sort_sitemaps(contents.sitemaps)
    return contents


def _read_new(body: bytes, url: str, charset: str | None, language: str, known: bytes | None) -> ListContents:
    text = unpacked(body)[:MAX_BYTES]
    head, entries, tail = split_entries(text)
    if len(entries) <= LARGE:
        return read_list(body, url, charset, language)
    hashes = [blake2b(entry.strip(), digest_size=HASH).digest() for entry in entries]
    before = {known[start : start + HASH] for start in range(0, len(known), HASH)} if known else set[bytes]()
    new = [position for position, one in enumerate(hashes) if one not in before]
    unread = max(0, len(new) - MAX_RECORDS)
    if unread:  # whichever end is the new one
        new = new[: MAX_RECORDS // 2] + new[-MAX_RECORDS // 2 :]
    may_be_plain = not has_comments(text, len(head), len(text) - len(tail))
    plain = {place: entry for place in new[1:] if may_be_plain and (entry := read_plain(entries[place], url, place))}
    # the first entry is parsed even if it is known, because a list without any may be no list
    parsed = [0, *(place for place in new if place and place not in plain)]
    contents = read_list(b"".join((head, *(entries[place] for place in parsed), tail)), url, charset, language)
    contents.passed_over, contents.left = len(entries) - len(new) - unread, contents.left + unread
    taken = {*plain}
    if contents.records == len(parsed) and not contents.problem:
        left_out = {parsed[number] for number in contents.left_out}
        taken.update(place for place in parsed if place not in left_out)
        contents.left_out = frozenset(left_out)
        contents.pages = [replace(entry, position=parsed[entry.position]) for entry in contents.pages]
    contents.pages = [*_merged(contents.pages, plain, hashes[0] in before)]
    if plain:
        contents.pages = without_build_dates(contents.pages)
        keep_newest(contents, MAX_ENTRIES)
        taken -= contents.left_out
    kept = (one for place, one in enumerate(hashes) if one in before or place in taken)
    contents.memory = b"".join(dict.fromkeys(kept))
    _make_batches(contents)
    return contents


def _merged(parsed: Sequence[Entry], plain: Mapping[int, Entry], is_first_known: bool) -> Iterator[Entry]:
    """All entries by their place in the list, each URL once."""
    of_list = [entry for entry in parsed if entry.position or not is_first_known]
    seen = set[str]()
    for entry in sorted((*of_list, *plain.values()), key=lambda one: one.position) if plain else of_list:
        if entry.url not in seen:
            seen.add(entry.url)
            yield entry


def _make_batches(contents: ListContents) -> None:
    """Sorts the pages from new to old, and moves those after the first RANKED into batches."""
    pages = dated_newest_first(contents.pages)
    contents.pages = [entry for entry, _ in pages[:RANKED]]
    kind, metas = "feed" if contents.is_feed else "sitemap", dict[int, str | None]()
    for start in range(RANKED, len(pages), BATCH):
        batch = ListedPages([], [], [], [])
        for entry, date in pages[start : start + BATCH]:
            which = id(entry.listing)  # many share one
            if which not in metas:
                metas[which] = json.dumps(list_meta(kind, entry.listing, entry.date), ensure_ascii=False)
            batch.urls.append(entry.url)
            batch.titles.append(entry.title)
            batch.metas.append(metas[which])
            batch.dates.append(date)
        contents.batches.append(pickle.dumps(tuple(batch), 5))


def unpack_batch(batch: bytes) -> ListedPages:
    """The pages of one of `ListContents.batches`."""
    return ListedPages(*pickle.loads(batch))  # made by our own worker


def read_plain(source: bytes, url: str, position: int) -> Entry | None:
    """The entry with this source; None if it has to be parsed."""
    match = (PLAIN_ENTRY if source[:1] == b"<" else PLAIN_LINE).fullmatch(source)
    if match is None:
        return None
    target = fetchable_url(match[1].decode("ascii"), url)
    return Entry(target, changed_at(match[2]), position) if target else None


@lru_cache(4_096)
def changed_at(date: bytes | None) -> Listing | None:
    """What a sitemap says of a page by its time of change alone."""
    when = read_date(date.decode("ascii"), "") if date else None
    listing = Listing("sitemap", date_modified=when)
    return listing if listing.date_modified else None


def has_comments(text: bytes, start: int, end: int) -> bool:
    """Whether something between these places is commented out, or hides tags in another way."""
    return text.find(b"<!", start, end) >= 0 or text.rfind(b"<!--", 0, start) > text.rfind(b"-->", 0, start)


def split_entries(text: bytes) -> tuple[bytes, Sequence[bytes], bytes]:
    """What stands before the entries of a list, each entry up to the next one, and what stands after the last."""
    root = ROOT.search(text, 0, HEAD)
    start = STARTS.get(root[1].lower()) if root else LINES if b"<" not in text[:HEAD] else None
    if start is None:
        return text, (), b""
    head, *entries = start.split(text)
    if not entries or root is None:
        return head, entries, b""
    *_, end = (0, *(match.end() for match in END_TAG.finditer(entries[-1])))
    last, tail = entries[-1][: end or None], entries[-1][end:] if end else b""
    return head, [*entries[:-1], last], tail
