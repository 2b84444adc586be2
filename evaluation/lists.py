"""How feeds and sitemaps of other projects' tests are read, compared with another reader of each."""

import json
import tarfile
from calendar import timegm
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

import feedparser
import typer

from newsextract.discovery.entries import fetchable_url
from newsextract.discovery.list_parser import ListParser, text_pieces
from newsextract.discovery.lists import read_date, read_list, target_of
from newsextract.errors import WrongCall

URL = "http://example.org/list"
ARCHIVES = ("feedparser_tests.tar.xz", "crawler_commons.tar.xz")
ROWS = "miniflux_feeds.json"


def main(
    folder: Annotated[Path | None, typer.Argument(help=f"The folder with {', '.join((*ARCHIVES, ROWS))}.")] = None,
    show: Annotated[int, typer.Option(min=0, help="How many files of each set and kind are shown.")] = 5,
    urls: Annotated[str, typer.Option(help="Measure instead what sitemaps of so many URLs cost a crawl.")] = "",
) -> None:
    """Compare how feeds are read with feedparser, and how sitemaps are with a strict parser of XML; with `--urls`,
    print what large sitemaps cost a crawl (exit status 1 if it grows faster than they do)."""
    if urls:
        from evaluation.crawling.large_lists import measure  # imports Scrapy

        raise typer.Exit(0 if measure(_counts(urls)) else 1)
    if folder is None:
        raise WrongCall("scripts/bench lists takes the folder with other projects' tests of lists, or --urls")
    if missing := [name for name in (*ARCHIVES, ROWS) if not (folder / name).is_file()]:
        raise WrongCall(f"{folder} has no {missing[0]}; give the folder with other projects' tests of lists")
    files = [(ROWS, name, url, text.encode()) for _, name, url, text in json.loads((folder / ROWS).read_text("utf-8"))]
    for archive in ARCHIVES:
        with tarfile.open(folder / archive) as tar:
            contents = ((member.name, tar.extractfile(member)) for member in tar)
            files += [(archive, name, URL, content.read()) for name, content in contents if content]
    kinds: Counter[tuple[str, str]] = Counter()
    for title, name, url, body in files:
        if title != ARCHIVES[1] or name.startswith("sitemaps/"):
            difference = difference_of_sitemap if title == ARCHIVES[1] else difference_of_feed
            kind, ours, theirs = difference(body, url or URL)
            kinds[title, kind] += 1
            if kind != "same" and kinds[title, kind] <= show:
                print(f"{title}: {name}: {kind}: {ours}, not {theirs}")
    for title in (*ARCHIVES, ROWS):
        print(f"{title}:", ", ".join(f"{number} {kind}" for (of, kind), number in kinds.most_common() if of == title))


def _counts(text: str) -> list[int]:
    """Numbers of URLs, separated by commas. Raises WrongCall."""
    numbers = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if not all(numbers):
        raise WrongCall(f"--urls takes whole numbers, such as 50000,200000, not {text!r}")
    return numbers


def difference_of_feed(body: bytes, url: str) -> tuple[str, object, object]:
    """The kind of the first difference to feedparser's reading (entries, link, date, or same), and the two values."""
    parser = ListParser(url)
    records = [record for record in parser.parse(text_pieces(body, None, url)) if record.name in ("item", "entry")]
    entries = feedparser.parse(BytesIO(body), response_headers={"content-location": url}).entries
    if len(records) != len(entries):
        return "entries", len(records), len(entries)
    for record, entry in zip(records, entries, strict=True):
        link = fetchable_url(entry["link"], url) if entry.get("link") else None
        target = (target_of(record) or (None,))[0]
        ours, theirs = read_date(record.first("published", "date", "modified"), parser.language), parsed_date(entry)
        if target != link:
            return "link", target, link
        if (ours and ours.replace(microsecond=0)) != theirs:
            return "date", ours, theirs
    return "same", None, None


def parsed_date(entry: Any) -> datetime | None:
    parts = next((entry[name] for name in ("published_parsed", "updated_parsed") if entry.get(name)), None)
    return datetime.fromtimestamp(timegm(parts), UTC) if parts else None


def difference_of_sitemap(body: bytes, url: str) -> tuple[str, object, object]:
    """How the number of entries differs from that of a strict parser, which reads no sitemaps in text or gzip."""
    contents = read_list(body, url)
    ours = len(contents.pages) + len(contents.sitemaps)
    try:
        names = [element.tag.rpartition("}")[2] for element in ElementTree.fromstring(body).iter()]
    except ElementTree.ParseError:
        return ("same" if ours else "entries"), ours, "some"
    theirs = sum(name in ("url", "sitemap", "entry") for name in names)
    return ("same" if ours == theirs else "entries"), ours, theirs
