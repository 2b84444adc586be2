"""Pages of saved sites (`evaluation.crawling.site_folder`) as examples for the weights of site profiles.

Each page is extracted by itself and with a peer, as in a crawl, by weights that were fitted without its site.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from evaluation.corpora import Gold, map_in_processes
from evaluation.crawling.site_folder import PLACEHOLDER, SiteFolder, page_key, reachable, read_site
from evaluation.training.folds import fold_of_site, fold_weights
from evaluation.training.labels import labels, token_counts
from newsextract.article.body import body_rows
from newsextract.article.extract import page_of
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.metadata.describe import describe
from newsextract.metadata.linear_model import LinearModel, load_model, read_linear_model
from newsextract.metadata.page_type import classify_page
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.site_profile import PageSummary, summarize
from newsextract.site_profile.peer_index import PeerIndex
from newsextract.site_profile.templates import template_of
from newsextract.text import text_width

#: The address that the pages of a site are read with, and the time at which they were fetched.
ADDRESS = "http://127.0.0.1:8000"
FETCHED = datetime(2026, 11, 1, tzinfo=UTC)
#: Pages of a site among which peers are looked for; pages of a site that are read at most, articles first.
PEER_CANDIDATES = 150
MAX_PAGES = 360
#: What is certainly no article.
OTHER_KINDS = ("list", "page")


@dataclass(frozen=True)
class SitePage:
    """One page. `kind`: "article", as in pages.jsonl, or "" where it is in neither file; `taken`: whether the page by
    itself is taken for an article; (rows,) `labels`, `tokens` of the summary's rows where the gold has a text; of all
    blocks `texts`, whether `chosen`, and the numbers of the `body`; `text`: of the gold."""

    summary: PageSummary
    kind: str
    taken: bool
    labels: NDArray[np.float64] | None
    tokens: NDArray[np.float64] | None
    texts: Sequence[str]
    chosen: NDArray[np.bool_]
    body: Sequence[int]
    text: str | None

    @property
    def is_article(self) -> bool:
        """Whether it is an article, as far as is known."""
        return self.kind == "article" or (self.kind not in OTHER_KINDS and self.taken)


@dataclass(frozen=True)
class LabelledSite:
    """The pages of a site, ordered by address; `fold`: that of the weights by which they were extracted."""

    name: str
    fold: int
    pages: list[SitePage]


def read_sites(folders: Sequence[Path], folds: Path, workers: int = 1) -> list[LabelledSite]:
    """Reads saved sites. `folds`: weights by fold, as for `scripts/bench sites --folds`. Raises WrongCall."""
    return [*map_in_processes(partial(read_labelled_site, folds), folders, workers, chunksize=1)]


def read_labelled_site(folds: Path, folder: Path) -> LabelledSite:
    """Reads the pages of one site."""
    site = read_site(folder)
    fold = fold_of_site(folds, site.name)
    pages = [_fetched(site, file) for file in _files(site)]
    index, parsed = PeerIndex(), {}
    for page in sorted(pages, key=lambda one: zlib.crc32(one.url.encode()))[:PEER_CANDIDATES]:
        candidate = page_of(page)
        if index.add(replace(page, template=template_of(candidate))):
            parsed[page.id] = candidate
    labelled = []
    for page in sorted(pages, key=lambda one: one.url):
        opened = page_of(page)
        peer = index.find_peer(replace(page, template=template_of(opened)))
        labelled.append(_label(site, folds, fold, page, opened, None if peer is None else parsed[peer.id]))
    return LabelledSite(site.name, fold, labelled)


def _files(site: SiteFolder) -> list[Path]:
    """The HTML pages of a site that are read."""
    reached = reachable(site.public)
    files = {page_key(str(file.relative_to(site.public))): file for file in sorted(site.public.rglob("*.htm*"))}
    known = {key: file for key, file in files.items() if key in reached}
    others = sorted((key for key in known if key not in site.gold), key=lambda key: zlib.crc32(key.encode()))
    articles = [key for key in known if key in site.gold]
    half = MAX_PAGES // 2
    chosen = articles[: max(half, MAX_PAGES - len(others))] + others[: max(half, MAX_PAGES - len(articles))]
    return [known[key] for key in chosen]


def _fetched(site: SiteFolder, file: Path) -> FetchedPage:
    path = str(file.relative_to(site.public)).removesuffix("index.html")
    return FetchedPage(f"{ADDRESS}/{quote(path)}", file.read_bytes().replace(PLACEHOLDER, ADDRESS.encode()), FETCHED)


@cache
def _page_type_model(folds: Path, fold: int) -> LinearModel:
    file = fold_weights(folds / "page_type", fold)
    return read_linear_model(file.read_text(encoding="utf-8")) if file.exists() else load_model("page_type")


def _label(site: SiteFolder, folds: Path, fold: int, page: FetchedPage, opened: Page, peer: Page | None) -> SitePage:
    extraction = make_extractor(NEWSEXTRACT_EXTRACTOR, {"weights": str(fold_weights(folds, fold))})(opened, peer)
    metadata = describe(opened, extraction.chosen_blocks, fetched_at=FETCHED)
    rows = body_rows(extraction, metadata.values.get("headline"), metadata.values.get("authors", ()))
    body = "\n".join(extraction.texts[row] for row in rows)
    confidence = extraction.confidence
    page_type = classify_page(opened, body, metadata, confidence, model=_page_type_model(folds, fold))
    summary = summarize(extraction, rows, metadata, page_type, width=text_width(body))
    key = page_key(unquote(urlsplit(page.url).path))
    gold = site.gold.get(key, {})
    kind = "article" if key in site.gold else site.kinds.get(key, "")
    shares = tokens = None
    if gold.get("text") and summary.blocks is not None:
        shares = labels(Gold("page", text=gold["text"]), extraction.texts)[summary.blocks]
        tokens = token_counts(extraction.texts)[summary.blocks]
    return SitePage(
        summary, kind, page_type.is_article, shares, tokens, list(extraction.texts), extraction.chosen, rows,
        gold.get("text"),
    )  # fmt: skip
