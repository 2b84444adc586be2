"""From a page to an article: combines extractor, metadata and the site's profile. `extract` is the public call."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from newsextract.article.body import body_rows
from newsextract.article.html import body_html, body_text
from newsextract.discovery.content_type import read_html
from newsextract.discovery.saved_pages import unpack_saved_page
from newsextract.errors import WrongCall
from newsextract.extractors import Extraction, Extractor, extract_with_data, make_extractor
from newsextract.extractors.fusion.extractor import with_site
from newsextract.extractors.registry import FITTED_EXTRACTOR
from newsextract.items import SELECTED, SELECTOR, Article, FetchedPage, Kind
from newsextract.limits import run_within
from newsextract.metadata.describe import Metadata, describe
from newsextract.metadata.page_type import PageType, classify_page, revise_page_type
from newsextract.page import Page
from newsextract.settings import DOWNLOAD_MAXSIZE, NEWSEXTRACT_EXTRACTOR
from newsextract.site_profile import Decision, PageSummary, SiteProfile, decide, locate_blocks, summarize
from newsextract.site_profile.decision import set_page_type
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.text import text_width
from newsextract.urls import content_hash, site_of

#: `Article.sources["article_body"]` of a text joined from several pages.
JOINED_SOURCE = "{} pages"
#: Fields that the data of a page may provide, and the JSON-LD properties by which the page itself declares them.
DATA_FIELDS = {
    "headline": ("headline", "name"),
    "authors": ("author", "creator"),
    "date_published": ("datePublished",),
    "date_published_raw": ("datePublished",),
    "date_modified": ("dateModified",),
    "section": ("articleSection",),
    "main_image": ("image", "thumbnailUrl"),
}

#: Text that is the URL of a page or the name of a file, not a page.
ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<>]{1,2000}|[^\s<>]{1,250}\.(?:x?html?|mhtml?|webarchive|gz|pdf|warc)",
    re.IGNORECASE,
)


def extract(
    html: bytes | str | Page,
    url: str | None = None,
    *,
    extractor: str = NEWSEXTRACT_EXTRACTOR,
    options: Mapping[str, object] | None = None,
    peer: bytes | str | Page | None = None,
    anchor_text: str | None = None,
    site: SiteProfile | None = None,
    timeout: float | None = None,
) -> Article:
    """Extract the article of one HTML page.

    `html`: bytes as fetched (best; gzip, MHTML and webarchives are unpacked), text, or a `Page`; `url`: its URL;
    `extractor`, `options`: a name in `newsextract.EXTRACTORS` and its options; `peer`: another page of the same
    template, for extractors that compare two; `anchor_text`: text of the link to the page, the best source of a
    headline; `site`: what other pages of the site say (`newsextract.site_profile`). Raises `NewsextractError` only for
    a wrong call, as with a URL in place of a page: a page that isn't an article gives an Article whose `is_article` is
    False, with the reason, and so do bytes that aren't an HTML page ("not_html") and pages larger than a crawl accepts
    ("too_large"). `timeout`: seconds; the page is then read in a process of its own, whose memory is limited
    (WorkerTimeout, WorkerDied).
    """
    if timeout is not None:
        keywords = {"extractor": extractor, "options": options, "peer": peer, "anchor_text": anchor_text, "site": site}
        return run_within(timeout, extract, html, url, **keywords)  # type: ignore[arg-type]
    chosen, reason, encoding = make_extractor(extractor, options), None, None
    if isinstance(html, PurePath) or (isinstance(html, str) and ADDRESS.fullmatch(html.strip())):
        raise WrongCall(
            f"{str(html).strip()!r:.200} is an address, not a page: give its HTML as text or bytes, such as "
            f"Path(FILE).read_bytes(); `newsextract extract` reads files and fetches URLs"
        )
    if isinstance(html, bytes | bytearray | memoryview):
        html = bytes(html)
        if (saved := unpack_saved_page(html)) is not None:
            html, url, encoding = saved.html, url or saved.url, saved.charset
        html, reason = read_html(html)
    elif isinstance(html, str) and len(html) > DOWNLOAD_MAXSIZE:
        reason = "too_large"
    if reason in ("not_html", "too_large"):
        refused = article_of(Page(b"", url, anchor_text=anchor_text), chosen)
        refused.not_article_because = reason
        return refused
    page = html if isinstance(html, Page) else Page(html, url, anchor_text=anchor_text, encoding=encoding)
    if isinstance(peer, bytes | bytearray | memoryview):
        peer = read_html(bytes(peer))[0]
    other = peer if peer is None or isinstance(peer, Page) else Page(peer)
    return article_of(page, chosen, other, site)


def page_of(fetched: FetchedPage) -> Page:
    """The `Page` of a fetched page; parsed on first use."""
    page = Page(fetched.body, fetched.url, anchor_text=fetched.anchor_text, encoding=fetched.encoding)
    page.listing, page.fetched_at, page.discovered_from = fetched.listing, fetched.fetched_at, fetched.discovered_from
    page.selectors, page.is_cut_off = fetched.selectors, fetched.is_cut_off
    return page


@dataclass(frozen=True, slots=True)
class _TypedText:
    """Text, metadata and type of a page; `rows`: the numbers of the blocks of its body."""

    extraction: Extraction
    metadata: Metadata
    rows: list[int]
    body: str
    page_type: PageType


def article_of(page: Page, extractor: Extractor, peer: Page | None = None, site: SiteProfile | None = None) -> Article:
    """The article of a page: text, metadata and page type. `site`: what is known of its site.

    `page.fetched_at` resolves dates such as "yesterday".
    """
    if site is not None and extractor.name == FITTED_EXTRACTOR:
        return read_article(page, extractor, peer, site).as_kind(Article)
    return _article(Article, page, extractor, _read_alone(page, extractor, extract_with_data(extractor, page, peer)))


def read_article(
    page: Page,
    extractor: Extractor,
    peer: Page | None = None,
    site: SiteProfile | None = None,
    *,
    decided: tuple[PageSummary, Decision] | None = None,
) -> ExtractedArticle:
    """The article of a page, with its summary (independent of `site`), and the decision on it.

    If `site` knows other pages, `site_profile.decide` decides on page type and text by the summary. `decided`: summary
    and decision of a page that is read again, which saves computing them.
    """
    read = read_undecided(page, extractor, peer, site, decided=decided)
    return read.settled(read.decision or decide(read.summary, read.site))


@dataclass(frozen=True, slots=True)
class UndecidedArticle:
    """A page that is read but for the decision on it: of `read_undecided`, for `settled`.

    `alone`: its article by itself, None if it has been decided on before; `site`: what decides, if anything is known.
    """

    page: Page
    extractor: Extractor
    site: SiteProfile | None
    extraction: Extraction
    summary: PageSummary
    alone: _TypedText | None
    decision: Decision | None = None

    def settled(self, decision: Decision) -> ExtractedArticle:
        """The page's article by a decision on its summary."""
        text = _with_decision(self.page, self.extraction, self.summary, decision, self.alone)
        article = _article(ExtractedArticle, self.page, self.extractor, text)
        article.summary, article.decision = self.summary, decision
        article.text_confidence, article.body_rows = text.extraction.confidence, text.rows
        return article


def read_undecided(
    page: Page,
    extractor: Extractor,
    peer: Page | None = None,
    site: SiteProfile | None = None,
    *,
    decided: tuple[PageSummary, Decision] | None = None,
) -> UndecidedArticle:
    """Reads a page up to the decision on it: those on several pages of a site cost little more than one."""
    extraction, site = extract_with_data(extractor, page, peer), site if extractor.name == FITTED_EXTRACTOR else None
    if decided is not None and (known := locate_blocks(decided[0], extraction)) is not None:
        return UndecidedArticle(page, extractor, site, extraction, known, None, decided[1])
    alone = _read_alone(page, extractor, extraction)
    summary = summarize(extraction, alone.rows, alone.metadata, alone.page_type, width=text_width(alone.body))
    return UndecidedArticle(page, extractor, site, extraction, summary, alone)


def _read_alone(page: Page, extractor: Extractor, extraction: Extraction) -> _TypedText:
    """The article by page and peer alone, without the site."""
    read = extraction.page  # the page made from the data, if the text is from there
    metadata = describe(read, extraction.chosen_blocks, fetched_at=page.fetched_at)
    rows, body = _body(extraction, metadata)
    is_fitted = (extraction.by or extractor.name) == FITTED_EXTRACTOR
    page_type = classify_page(read, body, metadata, extraction.confidence if is_fitted else None)
    if read is not page or extraction.is_withheld:
        page_type = revise_page_type(page_type, page, metadata, is_withheld=extraction.is_withheld)
    return _TypedText(extraction, metadata, rows, body, page_type)


def _with_decision(
    page: Page, extraction: Extraction, summary: PageSummary, decision: Decision, alone: _TypedText | None
) -> _TypedText:
    """Applies the decision on the page; `alone`: the page's article by itself, if known."""
    if decision.weights is None and alone is not None:
        return alone
    page_type = PageType(decision.reason, decision.confidence, summary.margin)
    is_of_page = extraction.source == "page"
    if alone is not None and not (is_of_page and (_chosen(extraction, summary, decision) != extraction.chosen).any()):
        return _TypedText(extraction, alone.metadata, alone.rows, alone.body, page_type)
    revised = with_decision(extraction, summary, decision) if is_of_page else extraction
    # The metadata of the text before it was revised: of 151 such pages, none had another one by the revised text
    metadata = alone.metadata if alone else describe(revised.page, revised.chosen_blocks, fetched_at=page.fetched_at)
    return _TypedText(revised, metadata, *_body(revised, metadata), page_type)


def _article(kind: type[Kind], page: Page, extractor: Extractor, text: _TypedText) -> Kind:
    extraction = text.extraction
    url, metadata = page.url or "", text.metadata
    article = kind(url=url, site=site_of(url), article_body=text.body, **metadata.values)
    article.article_body_html = _html(extraction, text.rows)
    article.sources = _sources(page, extraction, metadata.sources)
    article.is_truncated = True if extraction.is_withheld or page.is_cut_off else None
    article.extractor = extraction.by or extractor.name
    set_page_type(article, text.page_type, extraction.confidence)
    article.peer_url = extraction.peer_url
    article.fetched_at, article.discovered_from = page.fetched_at, page.discovered_from
    article.content_hash = content_hash(article.headline, text.body)
    return article


def _body(extraction: Extraction, metadata: Metadata) -> tuple[list[int], str]:
    """The numbers of the blocks of a page's body, and the body."""
    known = metadata.values
    dek = known.get("subtitle") if metadata.sources.get("subtitle") in ("json-ld", "class") else None
    rows = body_rows(
        extraction,
        known.get("headline"),
        known.get("authors", ()),
        dek,
        language=known.get("language"),
        published=(known.get("date_published"), known.get("date_modified")),
    )
    return rows, _text(extraction, rows)


def with_decision(extraction: Extraction, summary: PageSummary, decision: Decision) -> Extraction:
    """The extraction with the blocks that the decision chooses; blocks not in the summary stay as they are."""
    weights = np.zeros(len(extraction.texts))
    if summary.blocks is not None:
        weights[summary.blocks] = 0.0 if decision.weights is None else decision.weights
    return with_site(extraction, weights, _chosen(extraction, summary, decision))


def _chosen(extraction: Extraction, summary: PageSummary, decision: Decision) -> NDArray[np.bool_]:
    """(blocks,) whether each is text by a decision."""
    chosen = extraction.chosen.copy()
    if summary.blocks is not None:
        chosen[summary.blocks] = decision.chosen_rows(len(summary.rows))
    return chosen


def _sources(page: Page, extraction: Extraction, sources: Mapping[str, str]) -> dict[str, str]:
    """The source of each field; fields found in the page's data name it."""
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
    """Appends the text of an article's further pages, without lines that earlier pages have."""
    lines = article.article_body.split("\n") if article.article_body else []
    html_parts = [article.article_body_html or ""]
    for part in parts:
        extraction = extract_with_data(extractor, part, peer)
        known = set(lines)
        dates = (article.date_published, article.date_modified)
        rows = body_rows(extraction, article.headline, article.authors, language=article.language, published=dates)
        rows = [row for row in rows if extraction.texts[row] not in known]
        lines += filter(None, _text(extraction, rows).split("\n"))
        html_parts.append(_html(extraction, rows))
    article.article_body, article.article_body_html = "\n".join(lines), "\n".join(filter(None, html_parts))
    article.sources["article_body"] = JOINED_SOURCE.format(len(parts) + 1)
    article.content_hash = content_hash(article.headline, article.article_body)


def missed_selectors(article: Article, selectors: Iterable[str]) -> list[str]:
    """The keys of those selectors of a site that gave nothing on an article's page."""
    return [key for key in selectors if article.sources.get(SELECTED.get(key, "")) != SELECTOR]


def is_joined(article: Article) -> bool:
    """Whether the article's text was joined from several pages (`join_parts`)."""
    return article.sources.get("article_body", "").endswith(JOINED_SOURCE.format(""))


def _text(extraction: Extraction, rows: list[int]) -> str:
    """The body's lines."""
    if extraction.texts is extraction.page.blocks.texts:
        return body_text(extraction.page, rows)
    return "\n".join(extraction.texts[row] for row in rows)


def _html(extraction: Extraction, rows: list[int]) -> str:
    """The body as HTML; plain paragraphs if the method chose parts of blocks, so that text and HTML agree."""
    if extraction.texts is extraction.page.blocks.texts:
        return body_html(extraction.page, rows)
    return "\n".join(f"<p>{escape(extraction.texts[row], quote=False)}</p>" for row in rows)
