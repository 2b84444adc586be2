"""From a page to an article: joins extractor, metadata and what is known of the site. `extract` is the public call."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

import numpy as np

from newsextract.body import body_rows, is_outside_declared_text
from newsextract.extractors import Extraction, Extractor, extract_with_data, make_extractor
from newsextract.extractors.fusion.site import with_site
from newsextract.items import Article, FetchedPage
from newsextract.metadata import Metadata, PageType, classify_page, describe
from newsextract.metadata.data_page_type import revise_page_type
from newsextract.metadata.page_type import text_width
from newsextract.page import Page
from newsextract.render import body_html
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.site_profile import Decision, PageSummary, SiteProfile, decide, decide_quickly, summarize
from newsextract.urls import content_hash, site_of

#: The extractor with whose confidence the page type classifier was fitted; confidences of others are not comparable.
FITTED_EXTRACTOR = "fusion"
#: `Article.sources["article_body"]` of a text joined from several pages.
JOINED_SOURCE = "{} pages"
#: Fields that the data of a page may give, and the properties of JSON-LD by which the page itself declares them.
DATA_FIELDS = {
    "headline": ("headline", "name"),
    "authors": ("author", "creator"),
    "date_published": ("datePublished",),
    "date_published_raw": ("datePublished",),
    "date_modified": ("dateModified",),
    "section": ("articleSection",),
    "main_image": ("image", "thumbnailUrl"),
}


def extract(
    html: bytes | str | Page,
    url: str | None = None,
    *,
    extractor: str = NEWSEXTRACT_EXTRACTOR,
    options: Mapping[str, Any] | None = None,
    peer: bytes | str | Page | None = None,
    anchor_text: str | None = None,
    site: SiteProfile | None = None,
) -> Article:
    """Extract the article of one HTML page.

    `html`: bytes as fetched (best), text, or a `Page`; `url`: its address; `extractor`, `options`: a name in
    `newsextract.EXTRACTORS` and its options; `peer`: another page of the same template, for extractors that compare
    two; `anchor_text`: text of the link to the page, the best source of a headline; `site`: what
    other pages of the site say (`newsextract.site_profile`). Raises `NewsextractError` only for
    a wrong call: a page without an article gives an Article whose `is_article` is False, with the reason.
    """
    page = html if isinstance(html, Page) else Page(html, url, anchor_text=anchor_text)
    if site is not None:
        page.site = site
    other = peer if peer is None or isinstance(peer, Page) else Page(peer)
    return article_of(page, make_extractor(extractor, options), other)


def page_of(fetched: FetchedPage) -> Page:
    """The `Page` of a fetched page; parsed on first use."""
    page = Page(fetched.body, fetched.url, anchor_text=fetched.anchor_text, encoding=fetched.encoding)
    page.listing = fetched.listing
    return page


def article_of_fetched(fetched: FetchedPage, page: Page, extractor: Extractor, peer: Page | None = None) -> Article:
    """The article of a fetched page (`page` is its `page_of`), with the time and the origin of the fetch."""
    return read_fetched(fetched, page, extractor, peer)[0]


def read_fetched(
    fetched: FetchedPage, page: Page, extractor: Extractor, peer: Page | None = None, *, quickly: bool = False
) -> tuple[Article, PageSummary, Decision]:
    """As `article_of_fetched`, with the page's summary for the profile of its site and the decision on the page."""
    article, summary, decision = read_article(page, extractor, peer, fetched.fetched_at, quickly=quickly)
    article.fetched_at = fetched.fetched_at
    article.discovered_from = fetched.discovered_from
    return article, summary, decision


def article_of(
    page: Page, extractor: Extractor, peer: Page | None = None, fetched_at: datetime | None = None
) -> Article:
    """The article of a page: text, metadata and page type. `fetched_at` resolves dates such as "yesterday"."""
    return read_article(page, extractor, peer, fetched_at)[0]


def read_article(
    page: Page,
    extractor: Extractor,
    peer: Page | None = None,
    fetched_at: datetime | None = None,
    *,
    quickly: bool = False,
) -> tuple[Article, PageSummary, Decision]:
    """The article of a page, the page's summary, which does not depend on `page.site`, and the decision on it.

    Where `page.site` knows other pages of the site, page type and text are as `site_profile.decide` decides by the
    summary; with `quickly` as `decide_quickly` does.
    """
    extraction = extract_with_data(extractor, page, peer)
    read = extraction.page  # made of the page's data where the text is from there
    metadata, rows, body = _described(extraction, fetched_at)
    method = extraction.by or extractor.name
    page_type = classify_page(read, body, metadata, extraction.confidence if method == FITTED_EXTRACTOR else None)
    if read is not page or extraction.is_withheld:
        page_type = revise_page_type(page_type, page, metadata, is_withheld=extraction.is_withheld)
    summary = summarize(extraction, rows, metadata, page_type, width=text_width(body))
    site = page.site if extractor.name == FITTED_EXTRACTOR else None
    decision = (decide_quickly if quickly else decide)(summary, site)
    if decision.weights is not None:
        revised = with_decision(extraction, summary, decision) if read is page else extraction
        page_type = PageType(decision.reason, _probability(abs(decision.log_odds)), page_type.margin)
        if (revised.chosen != extraction.chosen).any():
            metadata, rows, body = _described(revised, fetched_at)
        extraction = revised
    article = Article(url=page.url or "", site=site_of(page.url or ""), article_body=body, **metadata.values)
    article.article_body_html = _html(extraction, rows)
    article.sources = _sources(page, extraction, metadata.sources)
    article.is_truncated = True if extraction.is_withheld else None
    article.extractor = method
    article.confidence = _confidence(extraction, page_type.confidence)
    article.not_article_because = page_type.reason
    article.is_article = page_type.is_article
    article.peer_url = extraction.peer_url
    article.content_hash = content_hash(article.headline, body)
    return article, summary, decision


def _described(extraction: Extraction, fetched_at: datetime | None) -> tuple[Metadata, list[int], str]:
    """The metadata of an extracted page, the numbers of the blocks of its body, and the body."""
    metadata = describe(extraction.page, extraction.chosen_blocks, fetched_at=fetched_at)
    known = metadata.values
    dek = known.get("subtitle") if is_outside_declared_text(extraction.page, known.get("subtitle")) else None
    rows = body_rows(extraction, known.get("headline"), known.get("authors", ()), dek)
    return metadata, rows, "\n".join(extraction.texts[row] for row in rows)


def with_decision(extraction: Extraction, summary: PageSummary, decision: Decision) -> Extraction:
    """The extraction with the blocks that the decision chooses; blocks that the summary left out stay as they are."""
    weights, chosen = np.zeros(len(extraction.texts)), extraction.chosen.copy()
    if decision.weights is not None and summary.blocks is not None:
        weights[summary.blocks] = decision.weights
        chosen[summary.blocks] = decision.chosen_rows(len(summary.rows))
    return with_site(extraction, weights, chosen)


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _sources(page: Page, extraction: Extraction, sources: Mapping[str, str]) -> dict[str, str]:
    """The source of each field; fields that the page of an article in data has from that data name it."""
    named = {**sources, "article_body": extraction.source}
    if extraction.page is page or extraction.source == "json-ld":
        return named
    declared = {name for thing in page.json_ld for name in thing}
    for field, names in DATA_FIELDS.items():
        source = named.get(field, "")
        if source.startswith("h1") or (source.startswith("json-ld") and declared.isdisjoint(names)):
            named[field] = extraction.source
    return named


def join_parts(article: Article, parts: Sequence[Page], extractor: Extractor, peer: Page | None = None) -> None:
    """Append the text of an article's further pages, without lines that the pages before them have already."""
    lines = article.article_body.split("\n") if article.article_body else []
    html_parts = [article.article_body_html or ""]
    for part in parts:
        extraction = extract_with_data(extractor, part, peer)
        known = set(lines)
        rows = body_rows(extraction, article.headline, article.authors)
        rows = [row for row in rows if extraction.texts[row] not in known]
        lines += [extraction.texts[row] for row in rows]
        html_parts.append(_html(extraction, rows))
    article.article_body, article.article_body_html = "\n".join(lines), "\n".join(filter(None, html_parts))
    article.sources["article_body"] = JOINED_SOURCE.format(len(parts) + 1)
    article.content_hash = content_hash(article.headline, article.article_body)


def is_joined(article: Article) -> bool:
    """Whether the article's text was joined from several pages (`join_parts`)."""
    return article.sources.get("article_body", "").endswith(JOINED_SOURCE.format(""))


def _html(extraction: Extraction, rows: list[int]) -> str:
    """The body as HTML; plain paragraphs where the method chose parts of blocks, so that text and HTML agree."""
    if extraction.texts is extraction.page.blocks.texts:
        return body_html(extraction.page, rows)
    return "\n".join(f"<p>{escape(extraction.texts[row], quote=False)}</p>" for row in rows)


def _confidence(extraction: Extraction, page_type: float) -> float:
    """Confidence of the article: the lower of the extractor's and the page type classifier's."""
    return round(min(page_type, 1.0 if extraction.confidence is None else extraction.confidence), 3)
