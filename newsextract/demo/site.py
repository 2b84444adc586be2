"""The demonstration site: every page as a pure function of its path, and its articles as a crawl should store them."""

import gzip
import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from importlib.resources import files
from itertools import chain, islice
from typing import Any
from urllib.parse import parse_qs, unquote_plus

from newsextract.demo.bad_pages import BAD_PAGES, BadPage
from newsextract.demo.rendering import HTML, Response, render, render_page, tag_slug
from newsextract.demo.texts import SITE, TEMPLATES, Publication, Story, generate_publication, publication

#: The default URL of the site.
BASE = "http://courier.example"
XML, ATOM, RSS = (f"application/{kind}xml; charset=utf-8" for kind in ("", "atom+", "rss+"))
#: Query parameters that don't change a page.
_TRACKING = ("utm_", "fbclid")
#: Values of `Story.via` whose stories aren't articles of the site, and the kind of their pages.
NO_ARTICLE = {"private": "private", "truncated": "truncated", "elsewhere": "bad:other-host"}
#: Stories of a feed, and older ones that a story links as related.
FEED_STORIES = 10
RELATED_STORIES = 2
#: The picture of each story: one grey pixel, enlarged by the style sheet.
PICTURE = files("newsextract.demo").joinpath("picture.png").read_bytes()
#: From the base URL to the response.
Respond = Callable[[str], Response]


@dataclass(frozen=True, eq=False)
class Site:
    """A fictional news site in three languages and four templates.

    `extra`: number of generated articles under /load/ for load tests. `rendered`: number of articles under /app/, which
    scripts render. `slow_seconds`: delay of the slow page. `removed`: paths of stories left out. `until`: stories
    published later don't exist yet. The same values give the same bytes.
    """

    extra: int = 0
    rendered: int = 0
    slow_seconds: float = 3.0
    removed: Collection[str] = ()
    until: datetime | None = None

    def page(self, path: str, *, base: str = BASE) -> Response:
        """The response for a path (with its query) under the base URL."""
        if (path, base) in self._cache:
            return self._cache[path, base]
        bare_path, _, query = path.partition("#")[0].partition("?")
        query = "&".join(part for part in query.split("&") if not unquote_plus(part).startswith(_TRACKING))
        if bare_path == "/search":
            return self._search(query, base)
        found = self._routes.get(f"{bare_path}?{query}" if query else bare_path)
        if found is None:
            return self._page("notice_missing.html", "broadsheet", base, 404)
        self._cache[path, base] = response = found[1](base)
        return response

    def render_all(self, base: str) -> None:
        """Renders every page into the cache, so that a benchmark of a crawl doesn't measure templates."""
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
        """The publications by template, without removed and future stories."""
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

    def _page(self, template: str, style: str, base: str, status: int = 200, **names: Any) -> Response:
        return render_page(template, base, style, status, names | {"publications": self.publications})

    def _story_routes(self) -> Iterator[tuple[str, str, Respond]]:
        for source in self.publications.values():
            for position, story in enumerate(source.stories):
                for path in (story.path, *map(story.path_in, story.also)):
                    yield path, NO_ARTICLE.get(story.via, "article"), partial(self._story, source, position)

    def _story(self, source: Publication, position: int, base: str) -> Response:
        story, related = source.stories[position], _related(source, position)
        template = f"story_{'broadsheet' if story.template == 'load' else story.template}.html"
        style = "mislabelled" if story.mislabelled else story.template
        response = self._page(template, style, base, story=story, related=related)
        if story.via == "truncated":  # within a tag, after half of the text
            end = response.body.index(story.blocks[len(story.blocks) // 2].html.encode())
            return replace(response, body=response.body[:end] + b' <a class="inl')
        return response

    def _list_routes(self) -> Iterator[tuple[str, str, Respond]]:
        """Front pages, sections and topics."""
        names: dict[str, Any] = {
            "fronts": {name: self.publications[name].listed()[: SITE["paths"][name]["front"]] for name in TEMPLATES},
            "truncated": [story for story in self.publications["broadsheet"].stories if story.via == "truncated"],
            "bad_pages": BAD_PAGES,
            "private": SITE["bad_paths"]["private"],
            "has_rendered": bool(self.rendered),
        }
        for path, style in (("/", "broadsheet"), ("/zh/", "portal")):
            yield path, "front", partial(self._page, f"front_{style}.html", style, **names)
        for source in self.publications.values():
            for path, kind, names in _lists(source):
                names["language"] = source.language
                yield path, kind, partial(self._page, "list.html", source.template, **names)

    def _feed_routes(self) -> Iterator[tuple[str, str, Respond]]:
        news, blog = self.publications["broadsheet"], self.publications["blog"]
        western = [s for name in ("broadsheet", "blog", "notes") for s in self.publications[name].listed("sitemap")]
        recent = [s for s in news.listed() if (news.listed()[0].published - s.published).days < 7]
        sitemaps = {
            "/sitemap-articles.xml.gz": partial(_gzipped_sitemap, western),
            "/sitemap-zh.xml": partial(
                render, "sitemap.xml", XML, stories=self.publications["portal"].listed("sitemap")
            ),
            "/sitemap-news.xml": partial(render, "sitemap_news.xml", XML, stories=recent),
        }
        if self.extra:
            load = self.publications["load"].stories
            sitemaps["/sitemap-load.xml"] = partial(render, "sitemap.xml", XML, stories=load)
        for path, respond in sitemaps.items():
            yield path, "sitemap", respond
        yield "/sitemap.xml", "sitemap", partial(render, "sitemap_index.xml", XML, members=sitemaps)
        stories = _feed_stories(blog)
        yield "/blog/atom.xml", "feed", partial(render, "atom.xml", ATOM, title=blog.title, stories=stories)
        feeds = {"news": (news.title, _feed_stories(news))}
        for section, label in news.sections.items():
            feeds[section] = f"{news.title}: {label}", [s for s in _feed_stories(news) if s.section == section]
        for name, (title, stories) in feeds.items():
            yield f"/feeds/{name}.xml", "feed", partial(render, "rss.xml", RSS, title=title, stories=stories)

    def _app_routes(self) -> Iterator[tuple[str, str, Respond]]:
        """The section rendered by scripts: each page is one empty frame, its content JSON."""
        if not self.rendered:
            return
        stories = [{"path": story.path, "headline": story.headline} for story in self._app]
        data: dict[str, dict[str, Any]] = {"/app/": {"title": "Harbour Wire", "stories": stories}}
        for story in self._app:
            lines, published = story.text.split("\n"), story.published.isoformat()
            data[story.path] = {"headline": story.headline, "authors": story.authors}
            data[story.path] |= {"published": published, "blocks": lines}
        for path, content in data.items():
            yield path, "section" if path == "/app/" else "article", partial(render, "frame.html", HTML)
            yield f"/app/data{path}.json", "data", partial(_json, content)
        yield "/app/static/app.js", "asset", partial(render, "app.js", "text/javascript; charset=utf-8")

    def _others(self) -> Iterator[tuple[str, str, Respond]]:
        for path, (template, style) in SITE["pages"].items():
            yield path, "page", partial(self._page, template, style)
        for bad_page in BAD_PAGES:
            yield bad_page.path, bad_page.kind, partial(self._bad_page, bad_page)
        for story in self.gold():
            if story.image:
                yield story.image.path, "image", lambda base: Response(PICTURE, "image/png")
        yield "/search", "search", partial(self._search, "")
        yield "/static/site.css", "asset", partial(render, "site.css", "text/css")
        yield "/robots.txt", "robots", partial(render, "robots.txt", "text/plain")

    def _bad_page(self, bad_page: BadPage, base: str) -> Response:
        if bad_page.template is None:
            return bad_page.response(base)
        response = self._page(bad_page.template, "broadsheet", base, bad_page.status)
        return replace(response, delay=self.slow_seconds) if bad_page.kind == "bad:slow" else response

    def _search(self, query: str, base: str) -> Response:
        phrase = parse_qs(query).get("q", [""])[0][:100]
        stories = self.publications["broadsheet"].listed()
        matches = [story for story in stories if phrase and phrase.casefold() in story.text.casefold()]
        return self._page("page_search.html", "broadsheet", base, phrase=phrase, matches=matches)


def _json(content: dict[str, Any], base: str) -> Response:
    return Response(json.dumps(content, ensure_ascii=False).encode(), "application/json")


def _gzipped_sitemap(stories: list[Story], base: str) -> Response:
    """Without a time stamp: the same bytes each time."""
    body = gzip.compress(render("sitemap.xml", XML, base, stories=stories).body, mtime=0)
    return Response(body, "application/gzip")


def _feed_stories(source: Publication) -> list[Story]:
    """The newest stories, and those linked only by feeds."""
    newest = source.listed()[:FEED_STORIES]
    return [story for story in source.stories if story in newest or story.via == "feed"]


def _lists(source: Publication) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, kind and content of each page of the sections, and of the single page of a tag or a topic of the blog."""
    patterns = SITE["paths"][source.template]
    size: int = patterns["size"]
    sections = source.sections if "{section}" in patterns["section"] else {"": source.title}
    for section, title in sections.items():
        stories = [s for s in source.listed("section-page") if section in ("", s.section, *s.also)]
        numbers = range(1, max(1, -(-len(stories) // size)) + 1)
        paths = ["", *(patterns["section" if n == 1 else "further"].format(section=section, n=n) for n in numbers), ""]
        for n in numbers:
            links = [(story.path_in(section), story) for story in stories[(n - 1) * size : n * size]]
            names = {"title": title, "links": links, "number": n, "newer": paths[n - 1], "older": paths[n + 1]}
            yield paths[n], "section", names
    listed, pattern = source.listed(), patterns.get("tag")
    topics = [
        (pattern.format(tag=tag_slug(tag)), tag, [s for s in listed if tag in s.tags]) for tag in source.tags if pattern
    ]
    if source.template == "blog":
        for section, title in source.sections.items():
            topics.append((f"/blog/thema/{section}/", title, [s for s in listed if s.section == section]))
    for path, title, stories in topics:
        links = [(story.path, story) for story in stories]
        yield path, "tag", {"title": title, "links": links, "number": 1, "newer": "", "older": ""}


def _related(source: Publication, position: int) -> list[tuple[str, Story]]:
    """Links to the stories named as related, then to the next older ones (after the oldest, the newest)."""
    stories, named = source.stories, source.stories[position].related
    links = [(other.path, other) for slug in named for other in stories if other.slug == slug]
    around = (stories[n] for n in chain(range(position + 1, len(stories)), range(position)))
    older = islice((story for story in around if not story.via), RELATED_STORIES)
    return links + [(story.path if n else story.link("related"), story) for n, story in enumerate(older)]
