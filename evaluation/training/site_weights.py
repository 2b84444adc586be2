"""Training of the weights of site profiles: is a page an article, is a block its text, by the other pages of its site.

Fitted on saved sites and on variants of them (`site_variants`), whole and with few pages known; figures of a site are
by the weights fitted without the sites of its fold. A page's model is logistic regression in two steps, a block's a
network that adds to the log odds of the page by itself, and adds nothing where nothing is known.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from evaluation.crawling.site_scores import token_f
from evaluation.tables import new_table
from evaluation.training.folds import provenance, short
from evaluation.training.logistic import fit_standardised_logistic
from evaluation.training.network import Adam
from evaluation.training.site_examples import LabelledSite, SitePage
from evaluation.training.site_variants import VARIANTS, Pages, mistake_pages
from newsextract.errors import WrongCall
from newsextract.site_profile import SiteProfile, decide_all
from newsextract.site_profile import block_evidence as blocks
from newsextract.site_profile import page_evidence as pages
from newsextract.site_profile.batch import Batch
from newsextract.site_profile.decision import is_final
from newsextract.site_profile.model import BOUND, CLIP, SiteModel, read_model, weight_bounds

Floats = NDArray[np.float64]
Step = Callable[[str], None]
#: Weight of a whole site, of a part of it, of a variant with mistakes of single pages; sizes of the parts.
WHOLE = 1.0
PART = 0.15
MISTAKEN = 0.25
PARTS = (8, 8, 16, 16, 30, 30, 60, 60, 120, 120)
MISTAKES = 3
MISTAKEN_PARTS = (20, 60)
#: Of the blocks: weight of a part of a site and of a variant; sizes of the parts, and of the variants.
BLOCK_PART = 0.2
VARIANT = 0.15
BLOCK_PARTS = (8, 15, 30, 60)
VARIANT_SIZES = (25, 60, 110)
#: Most that pages that are no articles weigh, all articles together being 1; pages of a set below which it weighs less;
#: the L2 penalty, and the weight of all articles of a site beside it.
MOST_OTHERS = 3.0
FULL_SIZE = 20
RIDGE = 20.0
SCALE = 100.0
#: Weight of a page's blocks together; largest weight of a block.
PAGE_WEIGHT = 60.0
MAX_WEIGHT = 20.0
#: Weight of text that is lost, beside that of other text that is kept.
LOSS = 3.0
#: Share of the blocks that are fitted on: of those whose log odds are below UNSURE, and of the others.
UNSURE = 6.0
SHARE_UNSURE = 0.5
SHARE_SURE = 0.06
#: Log odds of pages while the blocks are fitted, by what is known about them.
KNOWN_ODDS = 4.0
#: Hyperparameters of the network of a block.
HIDDEN = 16
EPOCHS = 6
RATE = 5e-3
DECAY = 3e-3
DROP = 0.1
BATCH = 1024


@dataclass(frozen=True)
class PageSet:
    """Pages of one site, their features, whether each is an article (-1: not known), and their weights."""

    batch: Batch
    features: Floats
    labels: NDArray[np.int64]
    weights: Floats


@dataclass(frozen=True)
class BlockSet:
    """(rows,) log odds by the page, (rows, features), labels, weights."""

    logits: Floats
    features: NDArray[np.float32]
    labels: Floats
    weights: Floats


@dataclass
class SiteTraining:
    """The weights; by site the figures by page alone and with the profile; the weights without each fold."""

    weights: dict[str, Any]
    figures: dict[str, tuple[dict[str, float], dict[str, float]]] = field(default_factory=dict)
    folds: dict[int, dict[str, Any]] = field(default_factory=dict)


def train_sites(sites: Sequence[LabelledSite], seed: int = 1, step: Step = lambda name: None) -> SiteTraining:
    """Fits on all sites, and for the figures without those of each fold. Raises WrongCall if there is only one fold."""
    folds = sorted({site.fold for site in sites})
    if len(folds) < 2:
        raise WrongCall("too few sites to fit on: they have to be of two folds at least")
    page_sets = {site.name: _page_sets(site, seed) for site in sites}
    block_sets = {site.name: _block_sets(site, seed) for site in sites}

    def fitted(names: Sequence[str]) -> dict[str, Any]:
        alone, grouped = fit_pages([one for name in names for one in page_sets[name]])
        return {
            "page": {"alone": alone, "grouped": grouped},
            "blocks": fit_blocks([one for name in names for one in block_sets[name]], seed),
        }

    training = SiteTraining(fitted([site.name for site in sites]))
    names = {site.name: len(site.pages) for site in sites}
    made = provenance(f"train-sites {{}} --folds FOLDER --seed {seed}", names, "sites", seed=seed)
    training.weights = {"provenance": made, **training.weights}
    step("all")
    for fold in folds:
        training.folds[fold] = fitted([site.name for site in sites if site.fold != fold])
        model = read_model(training.folds[fold])
        for site in sites:
            if site.fold == fold:
                training.figures[site.name] = judge_site(site.pages, None), judge_site(site.pages, model)
        step(f"fold {fold}")
    return training


def fit_pages(sets: Sequence[PageSet]) -> tuple[dict[str, float], dict[str, float]]:
    """The weights of a page by itself and the text it shares, and of these with its groups."""
    labels = np.concatenate([one.labels for one in sets]).astype(float)
    weights = np.concatenate([one.weights for one in sets]) * SCALE
    known = weights > 0

    def fitted(features: Sequence[Floats]) -> Floats:
        return fit_standardised_logistic(np.concatenate(features)[known], labels[known], weights[known], RIDGE)

    first = fitted([one.features for one in sets])
    second = fitted([_with_groups(one, first) for one in sets])
    names = ("bias", *pages.FEATURES)
    return (
        dict(zip(names, short(first), strict=True)),
        dict(zip((*names, "alone", *pages.GROUP_FEATURES), short(second), strict=True)),
    )


def _with_groups(one: PageSet, first: Floats) -> Floats:
    alone = np.clip(first[0] + one.features @ first[1:], -BOUND, BOUND)
    groups = pages.PageGroups.of(one.batch, alone).features(one.batch, np.ones(len(alone), bool), alone)
    return np.column_stack([one.features, alone, groups])


def _page_sets(site: LabelledSite, seed: int) -> list[PageSet]:
    """The site, parts of it, and both with mistakes of single pages."""
    rng = _generator(site.name, seed)
    sets = [_page_set(site.pages, WHOLE)]
    sets += [_page_set(_some(site.pages, size, rng), PART) for size in PARTS if size < len(site.pages)]
    sets += [_page_set([*mistake_pages(site.pages, rng)], MISTAKEN) for _ in range(MISTAKES)]
    for size in MISTAKEN_PARTS:
        sets.append(_page_set([*mistake_pages(_some(site.pages, size, rng), rng)], PART))
    return sets


def _page_set(of: Pages, weight: float) -> PageSet:
    batch = Batch([page.summary for page in of])
    features = pages.page_features(batch, pages.SiteCounts.of(batch), np.arange(batch.count))
    labels = np.array([1 if page.kind == "article" else 0 if page.kind in ("list", "page") else -1 for page in of])
    articles, others = max(1, int((labels == 1).sum())), max(1, int((labels == 0).sum()))
    weights = np.select([labels == 1, labels == 0], [1 / articles, min(1 / articles, MOST_OTHERS / others)], 0.0)
    weights *= [not is_final(page.summary.reason) for page in of]
    return PageSet(batch, features, labels, weights * weight * min(1, len(of) / FULL_SIZE))


def _block_sets(site: LabelledSite, seed: int) -> list[BlockSet]:
    """The site, parts of it, and variants of parts."""
    rng = _generator(f"blocks of {site.name}", seed)
    sets = [_block_set(site.pages, WHOLE, rng)]
    sets += [_block_set(_some(site.pages, size, rng), BLOCK_PART, rng) for size in BLOCK_PARTS]
    for changes in VARIANTS:
        changed = _some(site.pages, int(rng.choice(VARIANT_SIZES)), rng)
        for change in changes:
            changed = [*change(changed, rng)]
        sets.append(_block_set(changed, VARIANT, rng))
    return sets


def _block_set(of: Pages, weight: float, rng: np.random.Generator) -> BlockSet:
    """The labelled rows of these pages; of rows that are sure by themselves a sample, which weighs more."""
    batch = Batch([page.summary for page in of])
    odds = np.array([KNOWN_ODDS if page.is_article else -KNOWN_ODDS for page in of])
    counts, articles = pages.SiteCounts.of(batch), blocks.ArticleCounts.of(batch, odds)
    own = np.arange(batch.count)
    features, *_ = blocks.block_features(batch, counts, articles, own)
    labels, weights = np.full(len(features), np.nan), np.zeros(len(features))
    starts, known = np.searchsorted(batch.pages, np.arange(batch.count)), 0
    for start, page in zip(starts.tolist(), of, strict=True):
        if page.labels is not None and page.tokens is not None:
            rows, sizes = slice(start, start + len(page.labels)), np.sqrt(page.tokens + 1)
            labels[rows], weights[rows] = page.labels, PAGE_WEIGHT * sizes / max(1.0, float(sizes.sum()))
            known += 1
    weights *= weight * min(1, known / FULL_SIZE) / max(1, known)
    share = np.where(np.abs(batch.logit) < UNSURE, SHARE_UNSURE, SHARE_SURE)
    picked = (weights > 0) & ~np.isnan(labels) & (rng.random(len(labels)) < share)
    return BlockSet(batch.logit[picked], features[picked], labels[picked], (weights / share)[picked])


def fit_blocks(sets: Sequence[BlockSet], seed: int) -> dict[str, Any]:
    """The weights of the network: for each row f(features) - f(its own features alone), added to its log odds.

    By Adam with weight decay and dropout of features.
    """
    rng = np.random.default_rng(seed)
    logits, features, labels, weights = (
        np.concatenate([getattr(one, name) for one in sets]) for name in ("logits", "features", "labels", "weights")
    )
    weights = np.minimum(weights / weights.mean(), MAX_WEIGHT)
    weights = np.where((labels >= 0.5) & (logits > 0), LOSS * weights, weights)
    scales = features.std(0) + 1e-3
    least, most = weight_bounds(features)
    inputs = np.clip(features / scales, -CLIP, CLIP).astype(np.float32)
    count = inputs.shape[1]
    layers = [
        rng.normal(0, count**-0.5, (count, HIDDEN)).astype(np.float32),
        np.full(HIDDEN, 0.1, np.float32),
        rng.normal(0, 0.3 * HIDDEN**-0.5, HIDDEN).astype(np.float32),
    ]
    adam = Adam(layers, [DECAY] * len(layers))
    orders = [rng.permutation(len(inputs)) for _ in range(EPOCHS)]
    batches = [order[at : at + BATCH] for order in orders for at in range(0, len(order) - BATCH + 1, BATCH)]
    for number, rows in enumerate(batches, 1):
        known = inputs[rows] * (rng.random((len(rows), count)) > DROP)
        gradients = _gradients(known, logits[rows], (least[rows], most[rows]), labels[rows], weights[rows], layers)
        adam.step(gradients, RATE * 0.5 * (1 + np.cos(np.pi * number / len(batches))))
    rows_of = zip(blocks.FEATURES, scales.tolist(), layers[0], strict=True)
    return {
        "bias": short(layers[1]),
        "second": short(layers[2]),
        "features": [[name, *short([scale]), *short(row)] for name, scale, row in rows_of],
    }


def _gradients(
    known: NDArray[np.float32],
    logits: Floats,
    bounds: tuple[Floats, Floats],
    labels: Floats,
    weights: Floats,
    layers: Sequence[NDArray[np.float32]],
) -> list[NDArray[np.float32]]:
    """Gradients of the weighted cross entropy of a batch; `bounds`: of what can be said of each row."""
    unknown = known.copy()
    unknown[:, blocks.OWN :] = 0
    first, bias, second = layers
    with_site, without = np.maximum(0, known @ first + bias), np.maximum(0, unknown @ first + bias)
    said = (with_site - without) @ second
    counted = np.clip(said, *bounds)
    odds = np.clip(logits + counted, -30, 30)
    slope = (weights * (1 / (1 + np.exp(-odds)) - labels) / len(known)).astype(np.float32)
    slope[slope * (counted - said) > 0] = 0.0
    of_known, of_unknown = slope[:, None] * second * (with_site > 0), -slope[:, None] * second * (without > 0)
    return [
        known.T @ of_known + unknown.T @ of_unknown,
        of_known.sum(0) + of_unknown.sum(0),
        (with_site - without).T @ slope,
    ]


def judge_site(of: Sequence[SitePage], model: SiteModel | None) -> dict[str, float]:
    """Figures of a site: found, pure, statics, F (as `scripts/bench sites`); by page alone without a model."""
    summaries = [page.summary for page in of]
    profile = None if model is None else SiteProfile.build(summaries, model)
    decisions = decide_all(summaries, profile)
    articles = sum(page.kind == "article" for page in of)
    stored = Counter(page.kind for page, decision in zip(of, decisions, strict=True) if decision.is_article)
    texts = []
    for page, decision in zip(of, decisions, strict=True):
        if decision.is_article and page.text is not None and page.summary.blocks is not None:
            chosen = page.chosen.copy()
            chosen[page.summary.blocks] = decision.chosen_rows(len(page.summary.rows))
            texts.append(token_f(_body(page, chosen), page.text))
    return {
        "articles": articles,
        "pages": len(of),
        "found": stored["article"] / max(1, articles),
        "pure": stored["article"] / max(1, stored["article"] + stored["list"]),
        "statics": stored["page"],
        "f": fmean(texts) if texts else 1.0,
    }


def _body(page: SitePage, chosen: NDArray[np.bool_]) -> str:
    """The text of these blocks, without those chosen by the page alone that aren't body (headline, captions)."""
    left_out = {*np.flatnonzero(page.chosen).tolist()}.difference(page.body)
    return "\n".join(page.texts[row] for row in np.flatnonzero(chosen).tolist() if row not in left_out)


def site_table(training: SiteTraining) -> Table:
    """Figures by site, alone and with the profile."""
    names = ("articles", "pages", "found", "pure", "statics", "f")
    table = new_table("By weights fitted without the site: alone > with the profile", ["site"], names)
    sides = zip(*training.figures.values(), strict=True)
    means = [{name: fmean(site[name] for site in side) for name in names} for side in sides]
    for site, (alone, known) in (*training.figures.items(), ("mean", means)):
        cells = [f"{alone[name]:.0f}" for name in ("articles", "pages")]
        cells += [f"{alone[name]:.3f} > {known[name]:.3f}" for name in names[2:]]
        table.add_row(site, *cells)
    return table


def _some(of: Pages, count: int, rng: np.random.Generator) -> Pages:
    """So many of the pages, or all, in their order."""
    return [of[number] for number in np.sort(rng.permutation(len(of))[:count]).tolist()]


def _generator(name: str, seed: int) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(f"{name} {seed}".encode()))
