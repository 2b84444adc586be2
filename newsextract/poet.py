"""Page objects of web-poet for zyte-common-items' articles, article lists and navigation, without any service.

`ArticlePage`, `ArticleListPage` and `ArticleNavigationPage` take an HttpResponse; a subclass can override single
fields, and `@handle_urls` makes it a site's own. `article_item`, `list_item` and `navigation_item` create the items,
also for scrapy-poet's callbacks (`newsextract.crawl.poet_provider`).
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from newsextract.article.extract import read_article
from newsextract.discovery.content_type import declared_charset
from newsextract.discovery.found import FoundUrl
from newsextract.discovery.links import PageLinks, extract_links
from newsextract.discovery.multipart import next_part, split_part_number
from newsextract.discovery.url_classifier import UrlClassifier
from newsextract.errors import NewsextractError
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import Link, zyte_time
from newsextract.metadata.fields import item_name
from newsextract.metadata.page_type import article_probability
from newsextract.page import Page
from newsextract.page.titles import title_candidates
from newsextract.settings import DOWNLOAD_MAXSIZE, NEWSEXTRACT_EXTRACTOR
from newsextract.urls import article_key, site_of

try:
    import attrs
    import zyte_common_items as zyte
    from parsel import Selector
    from web_poet import HttpResponse, cached_method
    from zyte_common_items.fields import auto_field
    from zyte_parsers import extract_breadcrumbs
except ImportError as error:
    raise NewsextractError("page objects need web-poet: pip install 'newsextract[poet]'") from error

#: Elements with a breadcrumb trail, if the page's JSON-LD has none.
BREADCRUMBS = (
    "//*[contains(@itemtype, 'BreadcrumbList') or contains(translate(@aria-label, 'B', 'b'), 'breadcrumb')"
    " or contains(concat(' ', translate(@class, 'B', 'b')), ' breadcrumb')]"
)
#: Maximum crumbs of a trail, and characters of a byline.
MAX_CRUMBS = 12
MAX_BYLINE = 200
#: Minimum characters of a link's text that may be a headline.
MIN_HEADLINE = 12
#: Minimum probability of a link to an article.
MIN_PROBABILITY = 0.55


# ---- items -----------------------------------------------------------------------------------------------------------


def article_item(page: Page, extractor: Extractor, fetched_at: datetime | None = None) -> zyte.Article:
    """The article of a page. A page that isn't an article gives whatever was found, with a low probability."""
    page.fetched_at = fetched_at or datetime.now(UTC)
    article = read_article(page, extractor)
    assert article.summary is not None
    item = article.to_zyte(round(article_probability(article.summary.margin, article.summary.reason), 3))
    for author in item.authors or ():
        author.nameRaw = _byline(page, author.name or "")
    item.breadcrumbs = breadcrumbs(page) or None
    return item


def list_item(page: Page) -> zyte.ArticleList:
    """The articles that a list page (front page, section, search) links to, in the page's order."""
    articles = [
        zyte.ArticleFromList(url=link.url, headline=link.anchor_text, metadata=_probability(probability))
        for link, probability in rate_links(page, extract_links(page.tree, page.url or ""))
        if probability >= MIN_PROBABILITY and len(link.anchor_text) >= MIN_HEADLINE
    ]
    return zyte.ArticleList(
        url=page.url or "",
        canonicalUrl=next(iter(page.meta.links.get("canonical", [])), None),
        articles=articles or None,
        breadcrumbs=breadcrumbs(page) or None,
        metadata=zyte.ArticleListMetadata(dateDownloaded=zyte_time(datetime.now(UTC))),
    )


def navigation_item(page: Page) -> zyte.ArticleNavigation:
    """Where the articles of the page's site are: links to articles, to sections, and to the next page of the list."""
    links = extract_links(page.tree, page.url or "")
    rated = list(rate_links(page, links))
    base, number = split_part_number(page.url or "")
    following = next_part(links, base, number + 1) or links.next
    heading = next((title.text for title in title_candidates(page) if title.text), None)
    return zyte.ArticleNavigation(
        url=page.url or "",
        categoryName=heading,
        items=[_request(*pair) for pair in rated if pair[1] >= MIN_PROBABILITY] or None,
        subCategories=[_request(link, 1 - p) for link, p in rated if p < MIN_PROBABILITY] or None,
        nextPage=zyte.Request(url=following) if following else None,
        pageNumber=number,
        metadata=zyte.ArticleNavigationMetadata(dateDownloaded=zyte_time(datetime.now(UTC))),
    )


def rate_links(page: Page, links: PageLinks) -> Iterator[tuple[Link, float]]:
    """The links to other pages of the same site, each with the probability that it leads to an article."""
    classifier, own = UrlClassifier(), article_key(page.url or "")
    for link in links.links:
        if site_of(link.url) == site_of(page.url or "") and article_key(link.url) != own:
            yield link, round(classifier.article_probability(FoundUrl(link.url, link.anchor_text)), 3)


def breadcrumbs(page: Page) -> list[zyte.Breadcrumb]:
    """The trail of the page's JSON-LD, or that of an element that is marked as one."""
    for thing in page.json_ld:
        items = thing.get("itemListElement") if thing.get("@type") == "BreadcrumbList" else None
        crumbs = [crumb for crumb in map(_crumb, items[:MAX_CRUMBS]) if crumb] if isinstance(items, list) else []
        if crumbs:
            return crumbs
    trails = Selector(text=page.source).xpath(BREADCRUMBS) if page.source else []
    for trail in trails:
        found = extract_breadcrumbs(trail, base_url=page.url) or ()
        crumbs = [zyte.Breadcrumb(name=crumb.name, url=crumb.url) for crumb in found if crumb.name]
        if len(crumbs) > 1:
            return crumbs[:MAX_CRUMBS]
    return []


def _crumb(item: Any) -> zyte.Breadcrumb | None:
    """A ListItem of schema.org, with name and URL in itself or in its `item`."""
    if not isinstance(item, dict):
        return None
    inner, name = item.get("item"), item_name(item)
    url = inner if isinstance(inner, str) else inner.get("@id") or inner.get("url") if isinstance(inner, dict) else None
    if not name or not name.strip():
        return None
    return zyte.Breadcrumb(name=name.strip(), url=url if isinstance(url, str) and url else None)


def _byline(page: Page, name: str) -> str:
    """The first line of the page that contains the author's name; the name itself if there is none."""
    return next((text for text in page.blocks.texts if name in text and len(text) <= MAX_BYLINE), name)


def _probability(value: float) -> zyte.ProbabilityMetadata:
    return zyte.ProbabilityMetadata(probability=value)


def _request(link: Link, probability: float) -> zyte.ProbabilityRequest:
    return zyte.ProbabilityRequest(url=link.url, name=link.anchor_text or None, metadata=_probability(probability))


# ---- page objects ----------------------------------------------------------------------------------------------------


def parse_response(response: HttpResponse) -> Page:
    """web-poet's response as a page; an empty one if it is larger than a crawl accepts."""
    if len(response.body) > DOWNLOAD_MAXSIZE:
        return Page(b"", str(response.url))
    content_type = response.headers.get("Content-Type")
    return Page(bytes(response.body), str(response.url), encoding=declared_charset(content_type))


def _fields_of(item: type) -> dict[str, Any]:
    """Fields of a page object with the values of the item that its `found()` returns, for subclasses to override."""

    def field(name: str) -> Any:
        def value(self: Any) -> Any:
            return getattr(self.found(), name)

        value.__name__ = name
        return auto_field(value)

    return {name: field(name) for name in attrs.fields_dict(item) if name != "url"}


@attrs.define
class ArticlePage(zyte.ArticlePage):
    """zyte-common-items' Article of a response; a subclass can override each field."""

    #: A name of `newsextract.EXTRACTORS`, and its options.
    extractor: ClassVar[str] = NEWSEXTRACT_EXTRACTOR
    options: ClassVar[Mapping[str, object]] = {}

    @cached_method
    def found(self) -> zyte.Article:
        return article_item(parse_response(self.response), make_extractor(self.extractor, self.options))

    vars().update(_fields_of(zyte.Article))


@attrs.define
class ArticleListPage(zyte.ArticleListPage):
    """zyte-common-items' ArticleList of a response: the articles that a front page, a section or a search names."""

    @cached_method
    def found(self) -> zyte.ArticleList:
        return list_item(parse_response(self.response))

    vars().update(_fields_of(zyte.ArticleList))


@attrs.define
class ArticleNavigationPage(zyte.ArticleNavigationPage):
    """zyte-common-items' ArticleNavigation of a response: links to articles, to sections and to the next page."""

    @cached_method
    def found(self) -> zyte.ArticleNavigation:
        return navigation_item(parse_response(self.response))

    vars().update(_fields_of(zyte.ArticleNavigation))
