"""robots.txt, RSS and Atom feeds, and the sitemap index with its sitemaps."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from datetime import datetime

from newsextract.demo.gold import TRACKED, TRACKING
from newsextract.demo.list_pages import listed
from newsextract.demo.texts import Publication, Story

#: Number of newest stories in a feed; it also has the stories that are linked only by feeds.
FEED_LENGTH = 10

ROBOTS = "User-agent: *\nDisallow: /private/\n\nSitemap: {base}/sitemap.xml\nSitemap: {base}/sitemap-news.xml\n"

ATOM = "/blog/atom.xml"
RSS = "/feeds/news.xml"
SECTION_RSS = "/feeds/{section}.xml"


@dataclass(frozen=True)
class Listing:
    """A feed or sitemap: template, title, language and stories; `gzipped`: served as a gzip file."""

    path: str
    kind: str
    template: str
    title: str
    language: str
    stories: tuple[Story, ...]
    gzipped: bool = False


def feed_stories(stories: tuple[Story, ...]) -> tuple[Story, ...]:
    """The newest stories, and those that are linked only by feeds."""
    newest = set(listed(stories)[:FEED_LENGTH])
    return tuple(story for story in stories if story in newest or story.via == "feed")


def feed_link(story: Story) -> str:
    """The link of a story in a feed; those of English stories carry tracking parameters."""
    return story.path + (TRACKING["feed"] if story.template in TRACKED else "")


def listings(publications: dict[str, Publication]) -> tuple[Listing, ...]:
    """Every feed and sitemap. Sitemaps have the stories that all lists link and those that only sitemaps link."""
    news, blog = publications["broadsheet"], publications["blog"]
    chinese = listed(publications["portal"].stories, "sitemap")
    western = [
        story for name in ("broadsheet", "blog", "notes") for story in listed(publications[name].stories, "sitemap")
    ]
    result = [
        Listing(RSS, "feed", "rss.xml", news.title, news.language, feed_stories(news.stories)),
        Listing(ATOM, "feed", "atom.xml", blog.title, blog.language, feed_stories(blog.stories)),
        Listing("/sitemap-articles.xml.gz", "sitemap", "sitemap.xml", "", "en", tuple(western), gzipped=True),
        Listing("/sitemap-zh.xml", "sitemap", "sitemap.xml", "", "zh", chinese),
        Listing("/sitemap-news.xml", "sitemap", "sitemap_news.xml", news.title, news.language, newest(news)),
    ]
    for section, label in news.sections.items():
        stories = tuple(story for story in feed_stories(news.stories) if story.section == section)
        path = SECTION_RSS.format(section=section)
        result.append(Listing(path, "feed", "rss.xml", f"{news.title}: {label}", news.language, stories))
    if "load" in publications:
        result.append(Listing("/sitemap-load.xml", "sitemap", "sitemap.xml", "", "en", publications["load"].stories))
    return tuple(result)


def newest(publication: Publication) -> tuple[Story, ...]:
    """The stories of the last seven days before the newest one, for the news sitemap."""
    stories = listed(publication.stories)
    return tuple(story for story in stories if (stories[0].published - story.published).days < 7)


def latest_change(stories: tuple[Story, ...]) -> datetime | None:
    """The time of the latest change of these stories; None if there are none."""
    return max((story.changed for story in stories), default=None)


def encode(listing: Listing, text: str) -> tuple[bytes, str]:
    """Body and media type of a listing; gzip without a time stamp, so that the body is deterministic."""
    if listing.gzipped:
        return gzip.compress(text.encode(), mtime=0), "application/gzip"
    return text.encode(), {"rss.xml": "application/rss+xml", "atom.xml": "application/atom+xml"}.get(
        listing.template, "application/xml"
    ) + "; charset=utf-8"
