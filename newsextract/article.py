"""From a page to an article: the one place that joins an extractor and the metadata."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from newsextract.body import body_html, body_rows
from newsextract.extractors import Extraction, Extractor, make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.metadata import describe, judge
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.urls import content_hash, site_of

#: The extractor whose confidence the judgement of a page's kind was fitted with: the same figure of another means less.
KNOWN = "fusion"
#: The source of a text that several pages have together.
PAGES = "{} pages"


def extract(
    html: bytes | str | Page,
    url: str | None = None,
    *,
    extractor: str = NEWSEXTRACT_EXTRACTOR,
    options: Mapping[str, Any] | None = None,
    peer: bytes | str | Page | None = None,
    anchor_text: str | None = None,
) -> Article:
    """The article of one HTML page.

    `html`: bytes as fetched (best), text, or a `Page`; `url`: where it is from; `extractor`, `options`: see
    `newsextract.EXTRACTORS`; `peer`: another page of the same template, for the extractors that compare two;
    `anchor_text`: what the link to it said, the best source of a headline. Raises `NewsextractError` only for a wrong
    call: a page without an article gives an Article whose `is_article` is False, with the reason.
    """
    page = html if isinstance(html, Page) else Page(html, url, anchor_text=anchor_text)
    other = peer if peer is None or isinstance(peer, Page) else Page(peer)
    return article_of(page, make_extractor(extractor, options), other)


def extract_page(fetched: FetchedPage, extractor: Extractor, peer: FetchedPage | None = None) -> Article:
    """The article of a fetched page; `peer`: another fetched page of the same template."""
    other = page_of(peer) if peer else None
    return article_of_fetched(fetched, page_of(fetched), extractor, other)


def page_of(fetched: FetchedPage) -> Page:
    """A fetched page to be parsed."""
    return Page(fetched.body, fetched.url, anchor_text=fetched.anchor_text, encoding=fetched.encoding)


def article_of_fetched(fetched: FetchedPage, page: Page, extractor: Extractor, peer: Page | None = None) -> Article:
    """The article of a fetched page that is parsed already, with what is known of its fetching."""
    article = article_of(page, extractor, peer, fetched.fetched_at)
    article.fetched_at = fetched.fetched_at
    article.discovered_from = fetched.discovered_from
    return article


def article_of(
    page: Page, extractor: Extractor, peer: Page | None = None, fetched_at: datetime | None = None
) -> Article:
    """The article of a parsed page; `fetched_at` resolves dates such as "yesterday"."""
    extraction = extractor(page, peer)
    described = describe(page, extraction.chosen_blocks, fetched_at=fetched_at)
    rows = body_rows(extraction, described.values.get("headline"), described.values.get("authors", ()))
    body = "\n".join(extraction.texts[row] for row in rows)
    by = extraction.by or extractor.name
    kind = judge(page, body, described, extraction.confidence if by == KNOWN else None)
    article = Article(url=page.url or "", site=site_of(page.url or ""), article_body=body, **described.values)
    article.article_body_html = _html(extraction, rows)
    article.sources = dict(described.sources)
    article.extractor = by
    article.confidence = _confidence(extraction, kind.confidence)
    article.not_article_because = kind.reason
    article.is_article = kind.is_article
    article.peer_url = extraction.peer_url
    article.content_hash = content_hash(article.headline, body)
    return article


def join_parts(article: Article, parts: Sequence[Page], extractor: Extractor, peer: Page | None = None) -> None:
    """Adds the text of an article's further pages, less what the pages before them have already."""
    lines = article.article_body.split("\n") if article.article_body else []
    forms = [article.article_body_html or ""]
    for part in parts:
        extraction = extractor(part, peer)
        known = set(lines)
        rows = body_rows(extraction, article.headline, article.authors)
        rows = [row for row in rows if extraction.texts[row] not in known]
        lines += [extraction.texts[row] for row in rows]
        forms.append(_html(extraction, rows))
    article.article_body, article.article_body_html = "\n".join(lines), "\n".join(filter(None, forms))
    article.sources["article_body"] = PAGES.format(len(parts) + 1)
    article.content_hash = content_hash(article.headline, article.article_body)


def is_joined(article: Article) -> bool:
    """Whether the article's text is of several pages."""
    return article.sources.get("article_body", "").endswith(PAGES.format(""))


def _html(extraction: Extraction, rows: list[int]) -> str:
    """The body in its form; where the method chose parts of blocks, plain paragraphs, so that the texts agree."""
    if extraction.texts is extraction.page.blocks.texts:
        return body_html(extraction.page, rows)
    return "\n".join(f"<p>{escape(extraction.texts[row], quote=False)}</p>" for row in rows)


def _confidence(extraction: Extraction, kind: float) -> float:
    """How sure the whole is: no surer than the extractor of its text or the judgement of the page's kind."""
    return round(min(kind, 1.0 if extraction.confidence is None else extraction.confidence), 3)
