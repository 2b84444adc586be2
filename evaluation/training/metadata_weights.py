"""Training of the linear models of the metadata: which title is the headline, and whether a page is an article.

Both are fitted by a quasi-Newton method (L-BFGS) on a convex loss with an L2 penalty, so the same pages give the same
weights. Figures come from cross-validation, folds by site. The rankers of the other fields: `field_weights`; the model
of boxes: `boxes`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.corpora import Corpus, Gold, find_corpora, map_in_processes
from evaluation.metadata import same_title, wrong_gold
from evaluation.training.boxes import articles_of, boxes_of, fit_boxes
from evaluation.training.field_weights import FIELDS, fit_field
from evaluation.training.folds import fold_of, fold_weights, provenance, split_by_fold
from evaluation.training.logistic import fit_logistic
from evaluation.training.softmax import Features, Floats, Weights, fit_softmax, listed, matrix
from newsextract.article.body import body_rows
from newsextract.errors import WrongCall
from newsextract.extractors import make_extractor
from newsextract.metadata.describe import describe
from newsextract.metadata.evidence import PageEvidence
from newsextract.metadata.headline import UNFITTED, headline_candidates
from newsextract.metadata.interstitials import interstitial_reason
from newsextract.metadata.page_type import page_type_features
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.urls import is_home

#: The model of the boxes whose class says nothing.
BOXES = "boxes"
#: The L2 penalty of each model.
RIDGE = {"headline": 10.0, "page_type": 6.0}
#: Share of the articles that the threshold keeps, by folds.
KEPT = 0.988
#: Weight of a page as an example: with all its features; without those of its URL or of the extractor's confidence; the
#: factors for pages that aren't articles, which are fewer, and for shops and services, the fewest.
WHOLE = 1.0
LESS = 0.5
OTHER = {"listing": 2.0, "page": 3.0}
OTHER_OF_SHOPS = 4.0


@dataclass
class LabelledPage:
    """Features of one page.

    `titles`: the candidates for the headline, each with whether it equals the gold title. `signs`: features of the page
    type with all evidence, without that of the URL, and without the extractor's confidence; empty for interstitials and
    home pages, which are recognised without weights. `sound`: whether the gold of the page type is right.
    """

    set: str
    fold: int
    article: bool
    titles: list[tuple[bool, Features]] = field(default_factory=list)
    signs: list[Features] = field(default_factory=list)
    sound: bool = True
    page_type: str = ""

    @property
    def group(self) -> str:
        """Set and page type, for figures."""
        return f"{self.set}: {self.page_type or ('articles' if self.article else 'others')}"


def labelled_pages(corpora: Iterable[Corpus], workers: int = 1, folds: Path | None = None) -> list[LabelledPage]:
    """All pages of the corpora, in their order.

    `folds`: the folder of `scripts/bench train --folds`; each page is extracted by the weights fitted without its site,
    so that confidences are those of sites unseen. None: the weights of the package.
    """
    rows = [(corpus.folder, gold) for corpus in corpora for gold in corpus.gold]
    return [*map_in_processes(partial(_page, folds), rows, workers)]


def _page(folds: Path | None, row: tuple[Path, Gold]) -> LabelledPage:
    folder, gold = row
    page = Page(Corpus(folder).html(gold.id), gold.url)
    weights = {} if folds is None else {"weights": str(fold_weights(folds, fold_of(gold)))}
    extraction = make_extractor(NEWSEXTRACT_EXTRACTOR, weights)(page)
    labelled = LabelledPage(folder.name, fold_of(gold), gold.is_article)
    labelled.page_type = "" if gold.is_article else gold.page_type or ""
    chosen: Sequence[int] = extraction.chosen_blocks
    if gold.title and labelled.article and gold.id not in wrong_gold().get((folder.name, "headline"), ()):
        titles = headline_candidates(PageEvidence(page, tuple(chosen)))
        labelled.titles = [(bool(same_title(gold.title, text)), signs) for text, signs in titles]
    described = describe(page, chosen)
    rows = body_rows(extraction, described.values.get("headline"), described.values.get("authors", ()))
    body = "\n".join(extraction.texts[row] for row in rows)
    labelled.sound = gold.id not in wrong_gold().get((folder.name, "page_type"), ())
    if labelled.sound and interstitial_reason(page, body, described) is None and not (page.url and is_home(page.url)):
        labelled.signs = [page_type_features(page, body, described, sure) for sure in (extraction.confidence, None)]
        if page.url:
            page.url = None
            labelled.signs.insert(1, page_type_features(page, body, described, extraction.confidence))
    return labelled


def fit(name: str, folders: Sequence[str], workers: int = 1, folds: Path | None = None) -> Weights:
    """The weights of one of MODELS, FIELDS or BOXES; `folds`: see `labelled_pages` and `boxes_of`.

    Raises WrongCall for another name.
    """
    if name not in (known := (*MODELS, *FIELDS, BOXES)):
        raise WrongCall(f"{name!r} has no fitted weights; {', '.join(known)} have")
    corpora = find_corpora(folders)
    pages: Callable[[Corpus], Sequence[Gold]] = attrgetter("gold")
    if name == BOXES:
        weights, pages = fit_boxes(boxes_of(corpora, workers, folds)), articles_of
    elif name in FIELDS:
        weights, pages = fit_field(name, corpora, workers, folds), attrgetter("with_metadata")
    else:
        weights = MODELS[name](labelled_pages(corpora, workers, folds))
    sets = {corpus.name: len(pages(corpus)) for corpus in corpora}
    by_folds = " --folds FOLDER" if folds else ""
    head = {"provenance": provenance(f"fit {name} {{}}{by_folds}", sets)}
    weights.values = {**head, **weights.values}
    weights.folds = [{**head, **values} for values in weights.folds]
    return weights


def fit_headline(pages: Sequence[LabelledPage]) -> Weights:
    """Softmax over the candidates of each page; the loss is the negative log of the probability of the right ones.

    Pages of smaller sets have larger weights, by the root of the ratio of the sizes, so that few pages of news are not
    outvoted by many of blogs.
    """
    known = [page for page in pages if any(right for right, _ in page.titles)]
    every = {name for page in known for _, signs in page.titles for name in signs}
    names = sorted(name for name in every if not name.startswith(UNFITTED))
    rows = [matrix([signs for _, signs in page.titles], names) for page in known]
    right = [np.array([right for right, _ in page.titles]) for page in known]

    def fitted(of: Sequence[int]) -> Floats:
        return fit_softmax([rows[i] for i in of], [right[i] for i in of], worth[of], RIDGE["headline"])

    sizes = Counter(page.set for page in known)
    worth = np.array([(max(sizes.values()) / sizes[page.set]) ** 0.5 for page in known])
    hits: dict[str, list[bool]] = {}
    folds: list[dict[str, Any]] = []
    for inside, outside in split_by_fold([page.fold for page in known]):
        weights = fitted(inside)
        folds.append({"weights": listed(names, weights)})
        for i in outside:
            hits.setdefault(known[i].set, []).append(bool(right[i][int((rows[i] @ weights).argmax())]))
    for page in pages:
        if page.titles and not any(right for right, _ in page.titles):
            hits.setdefault(page.set, []).append(False)
    figures = {f"{name}: headline right": float(np.mean(found)) for name, found in hits.items()}
    return Weights({"weights": listed(names, fitted(range(len(known))))}, figures, folds)


def fit_page_type(pages: Sequence[LabelledPage]) -> Weights:
    """Logistic regression; the threshold keeps the share KEPT of the articles, by folds."""
    known = [page for page in pages if page.signs]
    names = sorted({name for page in known for signs in page.signs for name in signs})
    rows = [matrix(page.signs, names) for page in known]

    def fitted(of: Sequence[int]) -> Floats:
        worth = np.concatenate([_worth(known[i]) for i in of])
        articles = np.concatenate([np.full(len(rows[i]), float(known[i].article)) for i in of])
        return fit_logistic(np.concatenate([rows[i] for i in of]), articles, worth, RIDGE["page_type"])

    scores, by_fold = np.zeros(len(known)), []
    for inside, outside in split_by_fold([page.fold for page in known]):
        by_fold.append((inside, fitted(inside)))
        for i in outside:
            scores[i] = by_fold[-1][1][0] + rows[i][0] @ by_fold[-1][1][1:]
    articles = np.array([page.article for page in known])

    def values(weights: Floats, of: Sequence[int]) -> dict[str, Any]:
        kept = scores[of][articles[of]]
        threshold = float(np.quantile(kept, 1 - KEPT)) if len(kept) else 0.0
        numbers = {"bias": round(float(weights[0]), 3), "threshold": round(threshold, 3)}
        return {**numbers, "weights": listed(names, weights[1:])}

    whole = values(fitted(range(len(known))), range(len(known)))
    taken = Counter(page.group for page, score in zip(known, scores, strict=True) if score >= whole["threshold"])
    pages_of = Counter(page.group for page in pages if page.sound)
    figures = {f"{group} taken for articles": taken[group] / number for group, number in pages_of.items()}
    margins = (scores - whole["threshold"])[:, None]  # newsextract.metadata.page_type.CALIBRATION
    offset, slope = fit_logistic(margins, articles.astype(float), np.ones(len(margins)), 0.0)
    figures |= {"calibration: slope": float(slope), "calibration: offset": float(offset)}
    return Weights(whole, figures, [values(weights, inside) for inside, weights in by_fold])


MODELS: dict[str, Callable[[Sequence[LabelledPage]], Weights]] = {"headline": fit_headline, "page_type": fit_page_type}


def _worth(page: LabelledPage) -> Floats:
    factor = 1.0 if page.article else OTHER.get(page.page_type, OTHER_OF_SHOPS)
    return factor * np.array([WHOLE, *[LESS] * (len(page.signs) - 1)])
