"""The pages of the site: the table of routes from path to page, and the ways in which each story is linked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from urllib.parse import parse_qs

from newsextract.demo import feeds
from newsextract.demo.bad_pages import BAD_PAGES, IN_SECTION, BadPage, truncate_page
from newsextract.demo.gold import TRACKED, TRACKING, paths_of
from newsextract.demo.images import picture
from newsextract.demo.list_pages import Entry, ListPage, list_pages, listed
from newsextract.demo.render import SiteContent, charset_of, environment, story_template
from newsextract.demo.response import Response, answer
from newsextract.demo.texts import BAD_PAGE_PATHS, Publication, Story

#: Stories of each template on the front page.
FRONT_STORIES = {"broadsheet": 4, "portal": 3, "blog": 2, "notes": 3}
#: Older stories that a story links as related.
RELATED_STORIES = 2

#: Pages without article: path, template, and the story template whose layout and charset they use.
FIXED = (
    ("/about/", "page_about.html", "broadsheet"),
    ("/imprint/", "page_imprint.html", "broadsheet"),
    ("/contact/", "page_contact.html", "broadsheet"),
    ("/newsletter/", "page_newsletter.html", "broadsheet"),
    ("/subscribe/", "page_subscribe.html", "broadsheet"),
    ("/blog/impressum/", "page_impressum.html", "blog"),
    ("/zh/about.htm", "page_portal_about.html", "portal"),
)


@dataclass(frozen=True)
class Route:
    """The page of a path: its kind, and the function from base URL and query to the response."""

    kind: str
    respond: Callable[[str, str], Response]
    changed: datetime | None = None
    takes_query: bool = False


def routes(content: SiteContent) -> dict[str, Route]:
    """The route of every path of the site; of paths with a query where the query selects the page."""
    return dict(_story_routes(content)) | dict(_list_routes(content)) | dict(_other_routes(content))


def _story_routes(content: SiteContent) -> Iterator[tuple[str, Route]]:
    kinds = {"truncated": "truncated", "private": "private", "elsewhere": "bad:other-host"}
    for source in content.publications.values():
        for story in source.stories:
            kind = kinds.get(story.via, "article")
            show = partial(_truncated_page if kind == "truncated" else _show_story, content, story)
            for path in [story.path, *(story.path_in(section) for section in story.also)]:
                yield path, Route(kind, show, story.changed)


def _list_routes(content: SiteContent) -> Iterator[tuple[str, Route]]:
    yield "/", Route("front", lambda base, query: _front(content, base, "broadsheet"))
    yield "/zh/", Route("front", lambda base, query: _front(content, base, "portal"))
    for source in content.publications.values():
        for page in list_pages(source):
            yield page.path, Route(page.kind, partial(_show_list, content, page))
    for listing in feeds.listings(content.publications):
        yield listing.path, Route(listing.kind, partial(_listing, listing), feeds.latest_change(listing.stories))
    yield "/sitemap.xml", Route("sitemap", partial(_sitemap_index, content))
    yield "/robots.txt", Route("robots", _robots)


def _other_routes(content: SiteContent) -> Iterator[tuple[str, Route]]:
    for path, template, style in FIXED:
        yield path, Route("page", partial(_fixed, content, template, style))
    yield "/search", Route("search", partial(_search, content), takes_query=True)
    for bad_page in BAD_PAGES:
        yield bad_page.path, Route(bad_page.kind, partial(_bad_page, content, bad_page))
    for source in content.publications.values():
        for image in {story.image.path for story in source.stories if story.image}:
            yield image, Route("image", partial(_bytes, picture(image), "image/png"))
    style_sheet = environment().get_template("site.css").render()
    yield "/static/site.css", Route("asset", partial(_bytes, style_sheet.encode(), "text/css"))


def _robots(base: str, query: str) -> Response:
    return answer(feeds.ROBOTS.format(base=base).encode(), "text/plain; charset=utf-8")


def _bytes(body: bytes, media: str, base: str, query: str) -> Response:
    return answer(body, media)


def story_page(content: SiteContent, story: Story, base: str) -> Response:
    """The page of a story."""
    template, charset = story_template(story.template, content.design), charset_of(story.template, story.mislabelled)
    entries = related(content.publications[story.template], story)
    return content.page(template, base, story.template, charset, story=story, related=entries)


def _show_story(content: SiteContent, story: Story, base: str, query: str) -> Response:
    return story_page(content, story, base)


def _truncated_page(content: SiteContent, story: Story, base: str, query: str) -> Response:
    complete = story_page(content, story, base)
    return replace(complete, body=truncate_page(complete, story.text)[0])


def _front(content: SiteContent, base: str, template: str) -> Response:
    return content.page(
        f"front_{template}.html",
        base,
        template,
        fronts=front_entries(content.publications),
        bad_pages=BAD_PAGES,
        has_rendered=content.has_rendered,
        private=BAD_PAGE_PATHS["private"],
        truncated=[story for story in content.publications["broadsheet"].stories if story.via == "truncated"],
    )


def _show_list(content: SiteContent, page: ListPage, base: str, query: str) -> Response:
    bad = [bad_page for bad_page in BAD_PAGES if bad_page.kind in IN_SECTION] if page.path == "/news/town/" else []
    language = content.publications[page.template].language
    return content.page("list.html", base, page.template, page=page, bad_pages=bad, language=language)


def _listing(listing: feeds.Listing, base: str, query: str) -> Response:
    names = {"listing": listing, "base": base, "feed_link": feeds.feed_link}
    return answer(*feeds.encode(listing, environment().get_template(listing.template).render(**names)))


def _sitemap_index(content: SiteContent, base: str, query: str) -> Response:
    members = [listing for listing in feeds.listings(content.publications) if listing.kind == "sitemap"]
    text = environment().get_template("sitemap_index.xml").render(members=members, base=base)
    return answer(text.encode(), "application/xml; charset=utf-8")


def _fixed(content: SiteContent, template: str, style: str, base: str, query: str) -> Response:
    return content.page(template, base, style)


def _search(content: SiteContent, base: str, query: str) -> Response:
    phrase = parse_qs(query).get("q", [""])[0][:100]
    stories = listed(content.publications["broadsheet"].stories)
    matches = [story for story in stories if phrase and phrase.casefold() in story.text.casefold()]
    return content.page("page_search.html", base, phrase=phrase, matches=matches)


def _bad_page(content: SiteContent, bad_page: BadPage, base: str, query: str) -> Response:
    return bad_page.respond(content, base)


def front_entries(publications: dict[str, Publication]) -> dict[str, list[Entry]]:
    """The stories on the front page; links to the newspaper's carry tracking parameters."""
    entries = {}
    for template, count in FRONT_STORIES.items():
        stories = listed(publications[template].stories)[:count]
        query = TRACKING["front"] if template in TRACKED else ""
        entries[template] = [Entry(story.path + query, story) for story in stories]
    return entries


def related(source: Publication, story: Story) -> list[Entry]:
    """The stories named as related, then the next older ones (after the oldest the newest), the first one with tracking
    parameters."""
    named = [source.stories[source.positions[slug]] for slug in story.related if slug in source.positions]
    position = source.positions[story.slug]
    around = chain(range(position + 1, len(source.stories)), range(position))
    older = islice((source.stories[n] for n in around if not source.stories[n].via), RELATED_STORIES)
    query = TRACKING["related"] if source.template in TRACKED else ""
    entries = [Entry(other.path + ("" if n else query), other) for n, other in enumerate(older)]
    return [Entry(other.path, other) for other in named] + entries


def link_ways(publications: dict[str, Publication]) -> dict[str, set[str]]:
    """Canonical path of each story -> the ways in which it is linked: front, section, section-page, tag, related, feed,
    sitemap."""
    canonical = {path: s.path for source in publications.values() for s in source.stories for path in paths_of(s)}
    ways_of: dict[str, set[str]] = {}
    for way, path in _links(publications):
        ways_of.setdefault(canonical[path], set()).add(way)
    return ways_of


def _links(publications: dict[str, Publication]) -> Iterator[tuple[str, str]]:
    for entries in front_entries(publications).values():
        yield from (("front", entry.path) for entry in entries)
    for source in publications.values():
        for page in list_pages(source):
            way = "section-page" if page.kind == "section" and page.number > 1 else page.kind
            yield from ((way, entry.path) for entry in page.entries)
        for story in source.stories:
            yield from (("related", entry.path) for entry in related(source, story))
    for listing in feeds.listings(publications):
        yield from ((listing.kind, story.path) for story in listing.stories)
