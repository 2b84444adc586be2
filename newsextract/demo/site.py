"""The demonstration site: every page as a pure function of its path, and the gold standard of its articles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from urllib.parse import unquote_plus

from newsextract.demo import pages, rendered
from newsextract.demo.bad_pages import truncate_page
from newsextract.demo.gold import GoldArticle, gold_article, paths_of
from newsextract.demo.pages import Route
from newsextract.demo.render import SiteContent
from newsextract.demo.response import VALIDATORS, Response, validated
from newsextract.demo.texts import TEMPLATES, Block, Publication, Story, generate_publication, publication
from newsextract.errors import WrongCall

_BASE = "http://courier.example"

#: Rendered pages in the cache of a site; a full cache is cleared.
CACHED_PAGES = 12_000

#: Query parameters that do not change a page.
_TRACKING = ("utm_", "fbclid")

#: Values of `Story.via` whose stories are no articles of the site but belong to bad pages.
_NO_ARTICLE = ("private", "truncated", "elsewhere")


@dataclass(frozen=True, eq=False)
class Site:
    """A fictional news site in four languages and templates.

    design: 1, or 2 after the redesign of newspaper and blog. extra: number of generated articles under /load/ for load
    tests. rendered: number of articles under /app/, by scripts. slow_seconds: delay of the slow page. validators:
    "honest", "lying" (a 304 although the page has changed) or "none". amended: path -> a paragraph added later.
    removed: paths that answer 410. until: stories published later do not exist yet. The same values give the same
    bytes.
    """

    design: int = 1
    extra: int = 0
    rendered: int = 0
    slow_seconds: float = 3.0
    validators: str = "honest"
    amended: Mapping[str, str] = field(default_factory=dict)
    removed: Collection[str] = ()
    until: datetime | None = None

    def __post_init__(self) -> None:
        if self.design not in (1, 2):
            raise WrongCall(f"design is {self.design!r}; the demonstration site has 1 and 2")
        if self.validators not in VALIDATORS:
            raise WrongCall(f"validators is {self.validators!r}; known are {', '.join(VALIDATORS)}")
        for name in ("extra", "rendered"):
            if getattr(self, name) < 0:
                raise WrongCall(f"{name} is {getattr(self, name)}; it is a number of articles, 0 or more")

    def page(self, path: str, *, base: str = _BASE) -> Response:
        """The response for a path (with its query) under the base URL; ignores conditional requests and delays."""
        response = self._cache.get((path, base))
        if response is None:
            if len(self._cache) >= CACHED_PAGES:
                self._cache.clear()
            response = self._cache[path, base] = self._render(path, base)
        return response

    def render_all(self, base: str) -> None:
        """Renders every page into the cache, so that a benchmark of a crawl does not measure templates."""
        for path in self._routes:
            self.page(path, base=base)

    def gold(self) -> list[GoldArticle]:
        """Every article of the site, newest first within its template."""
        return [
            gold_article(story, tuple(sorted(self._ways.get(story.path, ()))))
            for story in self._stories
            if story.via not in _NO_ARTICLE
        ]

    def tolerated(self) -> list[GoldArticle]:
        """Articles that a crawl may store or not: the one whose page is truncated, with the text up to there."""
        return [
            gold_article(story, ("front",), truncate_page(pages.story_page(self._content, story, _BASE), story.text)[1])
            for story in self._stories
            if story.via == "truncated"
        ]

    def non_articles(self) -> dict[str, str]:
        """Path to kind (front, section, tag, page, search, feed, sitemap, robots, image, private, bad:404, ...)."""
        return {path: route.kind for path, route in self._routes.items() if route.kind not in ("article", "truncated")}

    def article_paths(self) -> dict[str, str]:
        """Every path of an article -> the article's canonical path."""
        stories = [story for story in self._stories if story.via not in _NO_ARTICLE]
        return {path: story.path for story in stories for path in paths_of(story)}

    @cached_property
    def publications(self) -> dict[str, Publication]:
        """The publications by template, with amended stories, without removed and not yet published ones."""
        publications = {template: self._edited(publication(template)) for template in TEMPLATES}
        if self.extra:
            publications["load"] = generate_publication(self.extra)
        return publications

    def _edited(self, source: Publication) -> Publication:
        stories = (story for story in source.stories if story.path not in self.removed)
        published = (story for story in stories if self.until is None or story.published <= self.until)
        return replace(source, stories=tuple(self._amended(story) for story in published))

    def _amended(self, story: Story) -> Story:
        added = self.amended.get(story.path)
        if added is None:
            return story
        blocks = (*story.blocks, Block("paragraph", added))
        return replace(story, blocks=blocks, modified=story.changed + timedelta(days=1))

    @cached_property
    def _content(self) -> SiteContent:
        return SiteContent(self.design, self.slow_seconds, self.publications, has_rendered=bool(self.rendered))

    @cached_property
    def _rendered(self) -> Publication:
        return generate_publication(self.rendered, "app")

    @cached_property
    def _cache(self) -> dict[tuple[str, str], Response]:
        return {}

    @cached_property
    def _stories(self) -> tuple[Story, ...]:
        sources = (*self.publications.values(), self._rendered)
        return tuple(story for source in sources for story in source.stories)

    @cached_property
    def _ways(self) -> dict[str, set[str]]:
        return pages.link_ways(self.publications) | {story.path: {"script"} for story in self._rendered.stories}

    @cached_property
    def _routes(self) -> dict[str, Route]:
        routes = pages.routes(self._content)
        if self.rendered:
            routes |= {path: Route(kind, respond) for path, kind, respond in rendered.routes(self._rendered)}
        return routes

    @cached_property
    def _changed(self) -> datetime:
        return max((story.changed for story in self._stories), default=datetime(2026, 1, 1, tzinfo=UTC))

    def _render(self, path: str, base: str) -> Response:
        bare_path, query = _split_query(path)
        if bare_path in self.removed:
            return self._content.page("notice_missing.html", base, status=410)
        route = self._routes.get(f"{bare_path}?{query}" if query else bare_path)
        if route is None and query and bare_path in self._routes and self._routes[bare_path].takes_query:
            route = self._routes[bare_path]
        if route is None:
            return self._content.page("notice_missing.html", base, status=404)
        return validated(route.respond(base, query), path, route.changed or self._changed, self.validators)


def _split_query(url: str) -> tuple[str, str]:
    """Path and query of a URL path, without fragment and tracking parameters."""
    path, _, query = url.partition("#")[0].partition("?")
    kept = [part for part in query.split("&") if part and not unquote_plus(part).startswith(_TRACKING)]
    return path, "&".join(kept)
