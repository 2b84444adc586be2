"""The demonstration site: every page as a pure function of its path, and its articles as a crawl should store them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any
from urllib.parse import parse_qs, unquote_plus

from newsextract.demo.bad_pages import BAD_PAGES, BadPage
from newsextract.demo.rendering import HTML, Response, render, render_page, tag_slug
from newsextract.demo.texts import BAD_PAGE_PATHS, TEMPLATES, Publication, Story, generate_publication, publication

_BASE = "http://courier.example"
XML = "application/xml; charset=utf-8"

#: Query parameters that do not change a page.
_TRACKING = ("utm_", "fbclid")

#: Values of `Story.via` whose stories aren't articles of the site, and the kind of their pages.
NO_ARTICLE = {"private": "private", "truncated": "truncated", "elsewhere": "bad:other-host"}

#: Stories of each template on the front page, of a feed, and older ones that a story links as related.
FRONT_STORIES = {"broadsheet": 4, "portal": 3, "blog": 2, "notes": 3}
FEED_STORIES = 10
RELATED_STORIES = 2

#: Sections of each template: path of the first page, of further pages, stories a page.
SECTION_PAGES = {
    "broadsheet": ("/news/{section}/", "/news/{section}/?page={n}", 4),
    "portal": ("/zh/{section}/", "/zh/{section}/index_{n}.htm", 4),
    "blog": ("/blog/", "/blog/page/{n}/", 5),
    "notes": ("/notes/", "/notes/older-{n}.html", 6),
    "load": ("/load/", "/load/?page={n}", 100),
}
#: Templates with one list of all stories, whatever their section.
WITHOUT_SECTIONS = ("blog", "notes", "load")
TAG_PAGES = {"broadsheet": "/tag/{tag}/", "blog": "/blog/tag/{tag}/"}

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

#: The picture of every story: one grey pixel, enlarged by the style sheet.
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a4944415478da63e80000008a0089"
    "529b3b430000000049454e44ae426082"
)

ROBOTS = "User-agent: *\nDisallow: /private/\n\nSitemap: {base}/sitemap.xml\nSitemap: {base}/sitemap-news.xml\n"

#: From base URL and query to the response.
Respond = Callable[[str, str], Response]


@dataclass(frozen=True, eq=False)
class Site:
    """A fictional news site in three languages and four templates.

    extra: number of generated articles under /load/ for load tests. rendered: number of articles under /app/, which
    scripts render. slow_seconds: delay of the slow page. removed: paths of stories left out. until: stories published
    later don't exist yet. The same values give the same bytes.
    """

    extra: int = 0
    rendered: int = 0
    slow_seconds: float = 3.0
    removed: Collection[str] = ()
    until: datetime | None = None

    def page(self, path: str, *, base: str = _BASE) -> Response:
        """The response for a path (with its query) under the base URL."""
        if (path, base) in self._cache:
            return self._cache[path, base]
        bare_path, _, query = path.partition("#")[0].partition("?")
        query = "&".join(part for part in query.split("&") if not unquote_plus(part).startswith(_TRACKING))
        found = self._routes.get(f"{bare_path}?{query}" if query and bare_path != "/search" else bare_path)
        if found is None:
            return self._page("notice_missing.html", base, status=404)
        self._cache[path, base] = response = found[1](base, query)
        return response

    def render_all(self, base: str) -> None:
        """Renders every page into the cache, so that a benchmark of a crawl does not measure templates."""
        for path in self._routes:
            self.page(path, base=base)

    def gold(self) -> list[Story]:
        """Every article of the site, newest first within its template."""
        stories = [story for source in self.publications.values() for story in source.stories] + self._app
        return [story for story in stories if story.via not in NO_ARTICLE]

    def non_articles(self) -> dict[str, str]:
        """Path -> kind: front, section, tag, page, search, feed, sitemap, robots, image, truncated, bad:404, ..."""
        return {path: kind for path, (kind, _) in self._routes.items() if kind != "article"}

    def article_paths(self) -> dict[str, str]:
        """Every path of an article -> the article's canonical path."""
        return {path: story.path for story in self.gold() for path in story.paths}

    @cached_property
    def publications(self) -> dict[str, Publication]:
        """The publications by template, without removed and not yet published stories."""
        publications = {template: self._published(publication(template)) for template in TEMPLATES}
        return publications | ({"load": generate_publication(self.extra)} if self.extra else {})

    def _published(self, source: Publication) -> Publication:
        stories = (story for story in source.stories if self.until is None or story.published <= self.until)
        return replace(source, stories=tuple(story for story in stories if story.path not in self.removed))

    @cached_property
    def _app(self) -> list[Story]:
        return list(generate_publication(self.rendered, "app").stories)

    @cached_property
    def _cache(self) -> dict[tuple[str, str], Response]:
        return {}

    @cached_property
    def _routes(self) -> dict[str, tuple[str, Respond]]:
        """Path, with the query that selects a page -> kind and response."""
        sources = (self._story_routes(), self._list_routes(), self._feed_routes(), self._app_routes(), self._others())
        return {path: (kind, respond) for path, kind, respond in chain(*sources)}

    def _page(self, template: str, base: str, style: str = "broadsheet", status: int = 200, **names: Any) -> Response:
        return render_page(template, base, style, status, names | {"publications": self.publications})

    def _story_routes(self) -> Iterator[tuple[str, str, Respond]]:
        for source in self.publications.values():
            for position, story in enumerate(source.stories):
                for path in (story.path, *map(story.path_in, story.also)):
                    yield path, NO_ARTICLE.get(story.via, "article"), partial(self._story, source, position)

    def _story(self, source: Publication, position: int, base: str, query: str) -> Response:
        story, related = source.stories[position], _related(source, position)
        template = f"story_{'broadsheet' if story.template == 'load' else story.template}.html"
        style = "mislabelled" if story.mislabelled else story.template
        response = self._page(template, base, style, story=story, related=related)
        if story.via == "truncated":  # within a tag, after half of the text
            end = response.body.index(story.blocks[len(story.blocks) // 2].html.encode())
            return replace(response, body=response.body[:end] + b' <a class="inl')
        return response

    def _list_routes(self) -> Iterator[tuple[str, str, Respond]]:
        for path, style in (("/", "broadsheet"), ("/zh/", "portal")):
            yield path, "front", partial(self._front, style)
        for source in self.publications.values():
            first, further, size = SECTION_PAGES[source.template]
            stories = source.listed("section-page")
            if source.template in WITHOUT_SECTIONS:
                yield from self._list(source, source.title, [(s.path, s) for s in stories], first, further, size)
            else:
                for section, label in source.sections.items():
                    links = [(s.path_in(section), s) for s in stories if section in (s.section, *s.also)]
                    paths = [path.replace("{section}", section) for path in (first, further)]
                    yield from self._list(source, label, links, paths[0], paths[1], size)
            for path, title, stories in _topics(source):
                names: dict[str, Any] = {"title": title, "number": 1, "links": [(s.path, s) for s in stories]}
                yield path, "tag", partial(self._show_list, source, names | {"newer": None, "older": None})

    def _list(
        self, source: Publication, title: str, links: Sequence[tuple[str, Story]], first: str, further: str, size: int
    ) -> Iterator[tuple[str, str, Respond]]:
        """The pages of a section; `links`: path and story of each entry."""
        count = max(1, -(-len(links) // size))
        paths = [None, first, *(further.format(n=n) for n in range(2, count + 1)), None]
        for number in range(1, count + 1):
            entries = links[(number - 1) * size : number * size]
            names = {"links": entries, "newer": paths[number - 1], "older": paths[number + 1]}
            path = paths[number] or first
            yield path, "section", partial(self._show_list, source, {"title": title, "number": number} | names)

    def _show_list(self, source: Publication, names: dict[str, Any], base: str, query: str) -> Response:
        return self._page("list.html", base, source.template, language=source.language, **names)

    def _front(self, style: str, base: str, query: str) -> Response:
        fronts = {name: self.publications[name].listed()[:count] for name, count in FRONT_STORIES.items()}
        truncated = [story for story in self.publications["broadsheet"].stories if story.via == "truncated"]
        bad: dict[str, Any] = {"bad_pages": BAD_PAGES, "private": BAD_PAGE_PATHS["private"], "truncated": truncated}
        return self._page(f"front_{style}.html", base, style, fronts=fronts, has_rendered=bool(self.rendered), **bad)

    def _feed_routes(self) -> Iterator[tuple[str, str, Respond]]:
        news, blog = self.publications["broadsheet"], self.publications["blog"]
        western = [s for name in ("broadsheet", "blog", "notes") for s in self.publications[name].listed("sitemap")]
        recent = [s for s in news.listed() if (news.listed()[0].published - s.published).days < 7]
        sitemaps = {
            "/sitemap-articles.xml.gz": ("sitemap.xml", western),
            "/sitemap-zh.xml": ("sitemap.xml", self.publications["portal"].listed("sitemap")),
            "/sitemap-news.xml": ("sitemap_news.xml", recent),
        }
        if self.extra:
            sitemaps["/sitemap-load.xml"] = "sitemap.xml", list(self.publications["load"].stories)
        for path, (template, stories) in sitemaps.items():
            yield path, "sitemap", partial(self._xml, template, XML, {"stories": stories, "path": path})
        yield "/sitemap.xml", "sitemap", partial(self._xml, "sitemap_index.xml", XML, {"path": "", "members": sitemaps})
        names: dict[str, Any] = {"path": "/blog/atom.xml", "title": blog.title, "stories": _feed_stories(blog)}
        yield "/blog/atom.xml", "feed", partial(self._xml, "atom.xml", "application/atom+xml; charset=utf-8", names)
        feeds = {"news": (news.title, _feed_stories(news))}
        for section, label in news.sections.items():
            feeds[section] = f"{news.title}: {label}", [s for s in _feed_stories(news) if s.section == section]
        for name, (title, stories) in feeds.items():
            names = {"path": f"/feeds/{name}.xml", "title": title, "stories": stories}
            content_type = "application/rss+xml; charset=utf-8"
            yield f"/feeds/{name}.xml", "feed", partial(self._xml, "rss.xml", content_type, names)

    def _xml(self, template: str, content_type: str, names: dict[str, Any], base: str, query: str) -> Response:
        response = render(template, content_type, base=base, **names)
        if str(names["path"]).endswith(".gz"):  # without a time stamp: the same bytes each time
            return Response(gzip.compress(response.body, mtime=0), "application/gzip")
        return response

    def _app_routes(self) -> Iterator[tuple[str, str, Respond]]:
        """The section that scripts render: each page is one empty frame, its content JSON."""
        if not self.rendered:
            return
        stories = [{"path": story.path, "headline": story.headline} for story in self._app]
        data: dict[str, dict[str, Any]] = {"/app/": {"title": "Harbour Wire", "stories": stories}}
        for story in self._app:
            lines, published = story.text.split("\n"), story.published.isoformat()
            data[story.path] = {"headline": story.headline, "authors": story.authors}
            data[story.path] |= {"published": published, "blocks": lines}
        for path, content in data.items():
            yield path, "section" if path == "/app/" else "article", partial(_fixed, render("frame.html", HTML))
            answer = Response(json.dumps(content, ensure_ascii=False).encode(), "application/json")
            yield f"/app/data{path}.json", "data", partial(_fixed, answer)
        yield "/app/static/app.js", "asset", partial(_fixed, render("app.js", "text/javascript; charset=utf-8"))

    def _others(self) -> Iterator[tuple[str, str, Respond]]:
        for path, template, style in FIXED:
            yield path, "page", partial(self._fixed_page, template, style)
        for bad_page in BAD_PAGES:
            yield bad_page.path, bad_page.kind, partial(self._bad_page, bad_page)
        for story in self.gold():
            if story.image:
                yield story.image.path, "image", partial(_fixed, Response(PICTURE, "image/png"))
        yield "/search", "search", self._search
        yield "/static/site.css", "asset", partial(_fixed, render("site.css", "text/css"))
        yield "/robots.txt", "robots", lambda base, query: Response(ROBOTS.format(base=base).encode(), "text/plain")

    def _fixed_page(self, template: str, style: str, base: str, query: str) -> Response:
        return self._page(template, base, style)

    def _bad_page(self, bad_page: BadPage, base: str, query: str) -> Response:
        if bad_page.respond:
            return bad_page.respond(base)
        response = self._page(bad_page.template, base, status=bad_page.status)
        return replace(response, delay=self.slow_seconds) if bad_page.kind == "bad:slow" else response

    def _search(self, base: str, query: str) -> Response:
        phrase = parse_qs(query).get("q", [""])[0][:100]
        stories = self.publications["broadsheet"].listed()
        matches = [story for story in stories if phrase and phrase.casefold() in story.text.casefold()]
        return self._page("page_search.html", base, phrase=phrase, matches=matches)


def _fixed(response: Response, base: str, query: str) -> Response:
    return response


def _feed_stories(source: Publication) -> list[Story]:
    """The newest stories, and those that are linked only by feeds."""
    newest = source.listed()[:FEED_STORIES]
    return [story for story in source.stories if story in newest or story.via == "feed"]


def _topics(source: Publication) -> Iterator[tuple[str, str, list[Story]]]:
    """Path, title and stories of the pages by tag, and of the blog's topics."""
    if pattern := TAG_PAGES.get(source.template):
        for tag in source.tags:
            yield pattern.format(tag=tag_slug(tag)), tag, [story for story in source.listed() if tag in story.tags]
    if source.template == "blog":
        for section, label in source.sections.items():
            yield f"/blog/thema/{section}/", label, [story for story in source.listed() if story.section == section]


def _related(source: Publication, position: int) -> list[tuple[str, Story]]:
    """Links to the stories named as related, then to the next older ones (after the oldest the newest)."""
    stories, named = source.stories, source.stories[position].related
    links = [(other.path, other) for slug in named for other in stories if other.slug == slug]
    around = (stories[n] for n in chain(range(position + 1, len(stories)), range(position)))
    older = islice((story for story in around if not story.via), RELATED_STORIES)
    return links + [(story.path if n else story.link("related"), story) for n, story in enumerate(older)]
