"""The gold standard: the articles of the site as a crawl should store them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from newsextract.demo.texts import Story

#: Tracking parameters of links to English stories, in feeds, on the front page and in related links.
TRACKING = {
    "feed": "?utm_source=rss&utm_medium=feed",
    "front": "?utm_source=front&utm_campaign=top",
    "related": "?fbclid=IwAR2demo",
}
TRACKED = ("broadsheet",)


@dataclass(frozen=True)
class GoldArticle:
    """One article as it should be stored.

    path: the canonical path; paths: all paths (with query) of the article. text: one block a line, without headline,
    standfirst, byline, captions, comments, related lines and editor's credit; optional: lines near the text that an
    extractor may keep or not. reachable_by: the ways in which it is linked: front, section, section-page (page 2 or
    later), tag, related, feed, sitemap. zone_on_page: false if the page shows the time without a zone, so that only the
    local time can be extracted.
    """

    path: str
    paths: tuple[str, ...]
    template: str
    headline: str
    subtitle: str | None
    authors: tuple[str, ...]
    date_published: datetime
    date_modified: datetime | None
    zone_on_page: bool
    language: str
    section: str
    keywords: tuple[str, ...]
    text: str
    optional: tuple[str, ...]
    main_image: str | None
    reachable_by: tuple[str, ...]


def paths_of(story: Story) -> tuple[str, ...]:
    """All paths of a story, the canonical one first."""
    sections = [story.path, *(story.path_in(section) for section in story.also)]
    tracked = [story.path + query for query in TRACKING.values()] if story.template in TRACKED else []
    return (*sections, *tracked)


def credit_line(story: Story) -> str | None:
    """The line with the editor's name as the portal prints it."""
    return f"（责任编辑：{story.credit}）" if story.credit else None


def gold_article(story: Story, reachable_by: tuple[str, ...], text: str | None = None) -> GoldArticle:
    """The gold article of a story; `text` if its page has only a part of the text."""
    subtitle = story.summary if story.template == "broadsheet" else None
    picture = [story.image.caption, story.image.credit] if story.image else []
    return GoldArticle(
        path=story.path,
        paths=paths_of(story),
        template=story.template,
        headline=story.headline,
        subtitle=subtitle,
        authors=story.authors,
        date_published=story.published,
        date_modified=story.modified if story.template in ("broadsheet", "load") else None,
        zone_on_page=story.template != "portal",
        language=story.language,
        section=story.section_label,
        keywords=story.tags,
        text=story.text if text is None else text,
        optional=tuple(line for line in (subtitle, *picture, credit_line(story)) if line),
        main_image=story.image.path if story.image else None,
        reachable_by=reachable_by,
    )
