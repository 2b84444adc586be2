"""How a crawler finds pages without links: robots.txt, RSS, Atom, and a sitemap index with its sitemaps."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from datetime import datetime

from newsextract.demo.gold import TRACKED, TRACKING
from newsextract.demo.shelves import listed
from newsextract.demo.texts import Publication, Story

#: Newest stories that a feed holds beside those that only it has.
FEED_LENGTH = 10

ROBOTS = "User-agent: *\nDisallow: /private/\n\nSitemap: {base}/sitemap.xml\nSitemap: {base}/sitemap-news.xml\n"

ATOM = "/blog/atom.xml"
RSS = "/feeds/news.xml"
SECTION_RSS = "/feeds/{section}.xml"


@dataclass(frozen=True)
class Listing:
    """A feed or sitemap: its template, title, language and stories; `gzipped` where it is served as a gzip file."""

    path: str
    kind: str
    template: str
    title: str
    language: str
    stories: tuple[Story, ...]
    gzipped: bool = False


def feed_stories(stories: tuple[Story, ...]) -> tuple[Story, ...]:
    """The newest stories, and those that are in a feed and nowhere else."""
    newest = set(listed(stories)[:FEED_LENGTH])
    return tuple(story for story in stories if story in newest or story.via == "feed")


def feed_link(story: Story) -> str:
    """The path by which a feed links a story: English ones carry tracking parameters."""
    return story.path + (TRACKING["feed"] if story.template in TRACKED else "")


def listings(publications: dict[str, Publication]) -> tuple[Listing, ...]:
    """Every feed and sitemap; in a sitemap stands what is listed everywhere and what only a sitemap has."""
    news, blog = publications["broadsheet"], publications["blog"]
    chinese = listed(publications["portal"].stories, "sitemap")
    western = [
        story for name in ("broadsheet", "blog", "pieces") for story in listed(publications[name].stories, "sitemap")
    ]
    made = [
        Listing(RSS, "feed", "rss.xml", news.title, news.language, feed_stories(news.stories)),
        Listing(ATOM, "feed", "atom.xml", blog.title, blog.language, feed_stories(blog.stories)),
        Listing("/sitemap-articles.xml.gz", "sitemap", "sitemap.xml", "", "en", tuple(western), gzipped=True),
        Listing("/sitemap-zh.xml", "sitemap", "sitemap.xml", "", "zh", chinese),
        Listing("/sitemap-news.xml", "sitemap", "sitemap_news.xml", news.title, news.language, newest(news)),
    ]
    for section, label in news.sections.items():
        stories = tuple(story for story in feed_stories(news.stories) if story.section == section)
        path = SECTION_RSS.format(section=section)
        made.append(Listing(path, "feed", "rss.xml", f"{news.title}: {label}", news.language, stories))
    if "load" in publications:
        made.append(Listing("/sitemap-load.xml", "sitemap", "sitemap.xml", "", "en", publications["load"].stories))
    return tuple(made)


def newest(publication: Publication) -> tuple[Story, ...]:
    """The stories of the last days before the newest one, as a news sitemap has them."""
    stories = listed(publication.stories)
    return tuple(story for story in stories if (stories[0].published - story.published).days < 7)


def latest_change(stories: tuple[Story, ...]) -> datetime | None:
    """When a list last changed; None for an empty one."""
    return max((story.changed for story in stories), default=None)


def packed(listing: Listing, text: str) -> tuple[bytes, str]:
    """Bytes and media type of a listing; gzip without a time stamp, so that the same list gives the same bytes."""
    if listing.gzipped:
        return gzip.compress(text.encode(), mtime=0), "application/gzip"
    return text.encode(), {"rss.xml": "application/rss+xml", "atom.xml": "application/atom+xml"}.get(
        listing.template, "application/xml"
    ) + "; charset=utf-8"
