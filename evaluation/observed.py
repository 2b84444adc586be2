"""Labelled pages for fitting the weights of metadata: each page's candidates for a headline and its signs of a kind."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from evaluation.corpus import Corpus, Gold
from evaluation.examples import fold_of
from evaluation.metadata import same_title, wrong_gold
from newsextract.article import body_rows
from newsextract.extractors import make_extractor
from newsextract.metadata import describe
from newsextract.metadata.evidence import Evidence
from newsextract.metadata.headline import candidates
from newsextract.metadata.interstitials import stand_in
from newsextract.metadata.page_type import features
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.urls import is_home

Signs = dict[str, float]


@dataclass
class Observed:
    """A page. `titles`: its candidates and whether each is right, where the gold is; `signs`: as it is, without its
    address, and without its extractor's confidence; none where the page is known by its face or address before anything
    is weighed. `sound`: whether its gold says what kind of page it is."""

    set: str
    fold: int
    article: bool
    titles: list[tuple[bool, Signs]] = field(default_factory=list)
    signs: list[Signs] = field(default_factory=list)
    sound: bool = True


def observed(corpora: Iterable[Corpus], workers: int = 1) -> list[Observed]:
    """All pages of the corpora, in their order."""
    if workers < 2:
        return [_page(corpus.folder, gold) for corpus in corpora for gold in corpus.gold]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        rows = [pool.map(partial(_page, corpus.folder), corpus.gold, chunksize=8) for corpus in corpora]
        return [page for pages in rows for page in pages]


def _page(folder: Path, gold: Gold) -> Observed:
    page = Page(Corpus(folder).html(gold.id), gold.url)
    extraction = make_extractor(NEWSEXTRACT_EXTRACTOR)(page)
    found = Observed(folder.name, fold_of(gold), gold.kind != "type")
    chosen: Sequence[int] = extraction.chosen_blocks
    if gold.title and found.article and gold.id not in wrong_gold().get((folder.name, "headline"), ()):
        every = candidates(Evidence(page, tuple(chosen)))
        found.titles = [(bool(same_title(gold.title, text)), signs) for text, signs in every]
    described = describe(page, chosen)
    rows = body_rows(extraction, described.values.get("headline"), described.values.get("authors", ()))
    body = "\n".join(extraction.texts[row] for row in rows)
    found.sound = gold.id not in wrong_gold().get((folder.name, "kind"), ())
    if found.sound and stand_in(page, body, described) is None and not (page.url and is_home(page.url)):
        found.signs = [features(page, body, described, sure) for sure in (extraction.confidence, None)]
        if page.url:
            page.url = None
            found.signs.insert(1, features(page, body, described, extraction.confidence))
    return found
