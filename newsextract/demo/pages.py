"""The site's table of routes: which path shows what, and which ways lead to a story."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from newsextract.demo import feeds
from newsextract.demo.gold import TRACKED, TRACKING, paths_of
from newsextract.demo.hazards import HAZARDS, IN_SECTION, Hazard, Visit, other_base, shortened
from newsextract.demo.images import picture
from newsextract.demo.render import charset_of, environment, html, layout_of, story_template
from newsextract.demo.response import Response, answer
from newsextract.demo.shelves import Entry, ShelfPage, listed, shelf_pages
from newsextract.demo.texts import HAZARD_PATHS, Publication, Story

if TYPE_CHECKING:
    from newsextract.demo.site import Site

FRONT_STORIES = {"broadsheet": 4, "portal": 3, "blog": 2, "pieces": 3}
NEIGHBOURS = 2

#: Pages that are no articles: path, template, template whose layout and bytes they have.
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
    """What a path shows: its kind, and the function from base and query to the response."""

    kind: str
    respond: Callable[[str, str], Response]
    changed: datetime | None = None
    takes_query: bool = False


def routes(site: Site) -> dict[str, Route]:
    """Every path of the site (with its query, where that chooses the page)."""
    return dict(_story_routes(site)) | dict(_list_routes(site)) | dict(_other_routes(site))


def _story_routes(site: Site) -> Iterator[tuple[str, Route]]:
    kinds = {"truncated": "truncated", "private": "private", "elsewhere": "bad:other-host"}
    for source in site.publications.values():
        for story in source.stories:
            kind = kinds.get(story.via, "article")
            show = partial(_shortened_page, site, story) if kind == "truncated" else partial(_show, site, story)
            for path in [story.path, *(story.path_in(section) for section in story.also)]:
                yield path, Route(kind, show, story.changed)


def _list_routes(site: Site) -> Iterator[tuple[str, Route]]:
    yield "/", Route("front", lambda base, query: _front(site, base, "broadsheet"))
    yield "/zh/", Route("front", lambda base, query: _front(site, base, "portal"))
    for source in site.publications.values():
        for shelf in shelf_pages(source):
            yield shelf.path, Route(shelf.kind, partial(_shelf, site, shelf))
    for listing in feeds.listings(site.publications):
        yield listing.path, Route(listing.kind, partial(_listing, listing), feeds.latest_change(listing.stories))
    yield "/sitemap.xml", Route("sitemap", partial(_sitemap_index, site))
    yield "/robots.txt", Route("robots", _robots)


def _other_routes(site: Site) -> Iterator[tuple[str, Route]]:
    for path, template, style in FIXED:
        yield path, Route("page", partial(_fixed, site, template, style))
    yield "/search", Route("search", partial(_search, site), takes_query=True)
    for hazard in HAZARDS:
        yield hazard.path, Route(hazard.kind, partial(_hazard, site, hazard))
    for source in site.publications.values():
        for image in {story.image.path for story in source.stories if story.image}:
            media, body = picture(image)
            yield image, Route("image", partial(_bytes, body, media))
    style_sheet = environment().get_template("site.css").render()
    yield "/static/site.css", Route("asset", partial(_bytes, style_sheet.encode(), "text/css"))


def _robots(base: str, query: str) -> Response:
    return answer(feeds.ROBOTS.format(base=base).encode(), "text/plain; charset=utf-8")


def _bytes(body: bytes, media: str, base: str, query: str) -> Response:
    return answer(body, media)


def context(site: Site, base: str) -> dict[str, object]:
    """What every layout shows: where the site is, its sections, the newest headlines."""
    newest = listed(site.publications["broadsheet"].stories)[:3]
    return {"base": base, "publications": site.publications, "newest": newest, "other_base": other_base(base)}


def story_page(site: Site, story: Story, base: str) -> Response:
    """The page of a story."""
    charset = charset_of(story.template, story.mislabelled)
    entries = related(site.publications[story.template], story)
    layout = layout_of(story.template, site.design)
    names: dict[str, object] = {"layout": layout, "story": story, "related": entries}
    return html(story_template(story, site.design), names | context(site, base), charset)


def _show(site: Site, story: Story, base: str, query: str) -> Response:
    return story_page(site, story, base)


def _shortened_page(site: Site, story: Story, base: str, query: str) -> Response:
    whole = story_page(site, story, base)
    return replace(whole, body=shortened(whole, story.text)[0])


def _front(site: Site, base: str, template: str) -> Response:
    names: dict[str, object] = {
        "layout": layout_of(template, site.design),
        "fronts": front_entries(site.publications),
        "hazards": HAZARDS,
        "private": HAZARD_PATHS["private"],
        "truncated": [story for story in site.publications["broadsheet"].stories if story.via == "truncated"],
    }
    return html(f"front_{template}.html", names | context(site, base), charset_of(template))


def _shelf(site: Site, shelf: ShelfPage, base: str, query: str) -> Response:
    source = site.publications[shelf.template]
    bad = [h for h in HAZARDS if h.kind in IN_SECTION] if shelf.path == "/news/town/" else []
    names: dict[str, object] = {
        "layout": layout_of(shelf.template, site.design),
        "shelf": shelf,
        "bad": bad,
        "language": source.language,
    }
    return html("shelf.html", names | context(site, base), charset_of(shelf.template))


def _listing(listing: feeds.Listing, base: str, query: str) -> Response:
    names = {"listing": listing, "base": base, "feed_link": feeds.feed_link}
    return answer(*feeds.packed(listing, environment().get_template(listing.template).render(**names)))


def _sitemap_index(site: Site, base: str, query: str) -> Response:
    members = [one for one in feeds.listings(site.publications) if one.kind == "sitemap"]
    text = environment().get_template("sitemap_index.xml").render(members=members, base=base)
    return answer(text.encode(), "application/xml; charset=utf-8")


def _fixed(site: Site, template: str, style: str, base: str, query: str) -> Response:
    return html(template, {"layout": layout_of(style, site.design), **context(site, base)}, charset_of(style))


def _search(site: Site, base: str, query: str) -> Response:
    asked = parse_qs(query).get("q", [""])[0][:100]
    stories = listed(site.publications["broadsheet"].stories)
    found = [story for story in stories if asked and asked.casefold() in story.text.casefold()]
    names: dict[str, object] = {"layout": layout_of("broadsheet", site.design), "asked": asked, "found": found}
    return html("page_search.html", names | context(site, base))


def _hazard(site: Site, hazard: Hazard, base: str, query: str) -> Response:
    return hazard.respond(_visit(site, base))


def _visit(site: Site, base: str) -> Visit:
    return Visit(base, site.slow_seconds, layout_of("broadsheet", site.design), context(site, base))


def missing(site: Site, base: str) -> Response:
    """404."""
    return _visit(site, base).notice("notice_missing.html", 404)


def gone(site: Site, base: str) -> Response:
    """410, for what was there."""
    return _visit(site, base).notice("notice_missing.html", 410)


def front_entries(publications: dict[str, Publication]) -> dict[str, list[Entry]]:
    """The stories on the front page; the newspaper's carry the parameters that count clicks."""
    made = {}
    for template, count in FRONT_STORIES.items():
        stories = listed(publications[template].stories)[:count]
        query = TRACKING["front"] if template in TRACKED else ""
        made[template] = [Entry(story.path + query, story) for story in stories]
    return made


def related(source: Publication, story: Story) -> list[Entry]:
    """The stories named as related, then the next older ones (after the oldest, the newest), one with tracking."""
    named = [source.stories[source.positions[slug]] for slug in story.related if slug in source.positions]
    position = source.positions[story.slug]
    around = chain(range(position + 1, len(source.stories)), range(position))
    older = islice((source.stories[n] for n in around if not source.stories[n].via), NEIGHBOURS)
    query = TRACKING["related"] if source.template in TRACKED else ""
    entries = [Entry(other.path + ("" if n else query), other) for n, other in enumerate(older)]
    return [Entry(other.path, other) for other in named] + entries


def ways(publications: dict[str, Publication]) -> dict[str, set[str]]:
    """For each story's canonical path, on which ways a crawl can find it."""
    canonical = {path: s.path for source in publications.values() for s in source.stories for path in paths_of(s)}
    found: dict[str, set[str]] = {}
    for way, path in _links(publications):
        found.setdefault(canonical[path], set()).add(way)
    return found


def _links(publications: dict[str, Publication]) -> Iterator[tuple[str, str]]:
    for entries in front_entries(publications).values():
        yield from (("front", entry.path) for entry in entries)
    for source in publications.values():
        for shelf in shelf_pages(source):
            way = "section-page" if shelf.kind == "section" and shelf.number > 1 else shelf.kind
            yield from ((way, entry.path) for entry in shelf.entries)
        for story in source.stories:
            yield from (("related", entry.path) for entry in related(source, story))
    for listing in feeds.listings(publications):
        yield from ((listing.kind, story.path) for story in listing.stories)
