"""Training of the weights by which boxes whose class says nothing are kept or dropped (`fusion.box_model`).

Boxes are those of labelled pages, and of parts put into them and into small pages made of their paragraphs. One network
tells what share of a box is the article's. Figures are by sites, and by kinds of parts, that were left out.

A box's features hold what the model of blocks says of it, and that is surer of pages it was fitted on. So each page is
read twice, also by the weights that were fitted without its site (D. Wolpert. Stacked generalization. Neural Networks
5, 1992); thresholds and figures are those of boxes that were read so.
"""

import random
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.corpora import Corpus, Gold, map_in_processes
from evaluation.fragments import hashed_classes
from evaluation.training.examples import paragraphs_of
from evaluation.training.folds import fold_of, fold_weights, short
from evaluation.training.labels import labels
from evaluation.training.network import Fitting, Network, fit, mean_of
from evaluation.training.parts import LABEL, add_parts, is_place, labels_of_parts, small_page, wrap_paragraphs
from evaluation.training.softmax import Weights
from newsextract.extractors.fusion.box_model import FEATURES, GROUPS, MAX_LOGIT, box_features, groups_of, silent_boxes
from newsextract.extractors.fusion.extractor import block_logits
from newsextract.extractors.fusion.features import Floats, build_features
from newsextract.extractors.fusion.model import trained
from newsextract.page import Page
from newsextract.page.blocks import Blocks

FITTING = Fitting(hidden=32, epochs=20, batch=64, drop_evidence=0.1, drop_hidden=0.1)
#: Seeds of the networks whose mean is fitted: thresholds chosen with one alone differ by .5 from seed to seed.
SEEDS = (1, 5, 6)
#: Pages of a corpus, at most, and those of them that get parts; a few sites with many would teach little more.
MAX_PAGES = 400
MAX_WITH_PARTS = 100
#: Variants of a page; share of them whose class names are all as build tools make them.
VARIANTS = 3
HASHED = 0.35
#: Small pages with parts that are made beside each page.
SMALL_PAGES = 2
#: Share of these small pages in which a box is put around some paragraphs.
WRAPPED = 0.3
#: Least blocks of an article that gets parts; characters of a paragraph behind which one may stand.
MIN_BLOCKS = 3
MIN_LENGTH = 40
#: Share of a box that is the article's from which on all of it is; down to the rest, none.
WHOLE = 0.9
#: Log odds from which on a box is kept or dropped; groups of kinds that are left out in turn, for figures.
CLEAR = 1.0
KIND_GROUPS = 3
#: How many wrong characters a lost one counts as: a crawl leaves out what a site repeats, but brings nothing back.
LOST = 2.0
#: Least probability that a box that is kept isn't the article's, or one that is dropped is.
SURE = 1e-3
#: Kinds of parts that aren't made from a list.
UNLISTED = (" drawn", " wrapped", " by hand")


@dataclass(frozen=True)
class Boxes:
    """The boxes of a page: (boxes, features); (boxes,) share that is the article's, and that the model of blocks alone
    decides wrongly; kinds of parts, "" elsewhere.

    `natural`: whether the page has no parts, so its boxes are as they were found; `unseen`: whether the blocks were
    judged by weights fitted without the page's site.
    """

    fold: int
    features: Floats
    shares: NDArray[np.float64]
    wrong: NDArray[np.float64]
    kinds: list[str]
    natural: bool = True
    unseen: bool = False


def boxes_of(corpora: Iterable[Corpus], workers: int, folds: Path | None = None) -> list[Boxes]:
    """The boxes of all articles whose text is known, and of their variants with parts.

    `folds`: a folder of weights; each page is read by the package's and by those fitted without its site.
    """
    rows: list[tuple[Path, Gold, bool, str]] = []
    for corpus in corpora:
        known = articles_of(corpus)
        step = max(1, len(known) // MAX_WITH_PARTS)
        rows += [(corpus.folder, gold, number % step == 0, "") for number, gold in enumerate(known)]
    if folds is not None:
        rows += [(*row[:-1], str(fold_weights(folds, fold_of(row[1])))) for row in rows]
    return [boxes for made in map_in_processes(_boxes_of_page, rows, workers) for boxes in made]


def articles_of(corpus: Corpus) -> list[Gold]:
    """Up to MAX_PAGES of the articles whose text is known, from all of the corpus."""
    known = [gold for gold in corpus.gold if gold.scored_by == "text" and gold.is_article]
    return known[:: max(1, len(known) // MAX_PAGES)][:MAX_PAGES]


def _boxes_of_page(row: tuple[Path, Gold, bool, str]) -> list[Boxes]:
    folder, gold, gets_parts, weights = row
    html = Corpus(folder).html(gold.id)
    page = Page(html, gold.url)
    if not page.blocks.texts:
        return []
    if not gets_parts:
        return [read_boxes(page, gold, weights)]
    lines = paragraphs_of(folder)
    pages = [(html, gold)] * VARIANTS
    for number in range(SMALL_PAGES):
        small, text = small_page(lines, _chance(gold, f"small {number}"))
        pages.append((small.encode(), replace(gold, text=text)))
    found = [read_boxes(page, gold, weights)]
    for number, (content, known) in enumerate(pages):
        if changed := _with_parts(content, known, lines, _chance(gold, f"parts {number}")):
            found.append(read_boxes(Page(changed, gold.url), known, weights))
    return found


def _chance(gold: Gold, what: str) -> random.Random:
    return random.Random(zlib.crc32(f"{gold.id} {gold.url} {what}".encode()))


def _with_parts(html: bytes, gold: Gold, lines: Sequence[str], chance: random.Random) -> str | None:
    """The page with parts among its paragraphs, or None."""
    page = Page(html, gold.url)
    blocks = page.blocks
    rows = np.flatnonzero((labels(gold, blocks.texts) >= WHOLE) & (blocks.lengths >= MIN_LENGTH)).tolist()
    numbers = dict.fromkeys(blocks.elements[rows].tolist())
    places = [element for element in map(blocks.element, numbers) if is_place(element)]
    if len(places) < MIN_BLOCKS:
        return None
    parts = add_parts(places, lines, chance)
    if chance.random() < WRAPPED:
        wrap_paragraphs(places, chance)
    changed = str(page.tree.node.html)
    for place, part in parts.items():
        changed = changed.replace(place, part)
    return hashed_classes(changed) if chance.random() < HASHED else changed


def read_boxes(page: Page, gold: Gold, weights: str = "") -> Boxes:
    """The boxes of a page whose class says nothing; of one with parts, those that hold some of a part, but none within
    a part that isn't the article's: what is in a poll may be a sentence like any other.

    `weights`: a file by which blocks are judged; "": the package's.
    """
    table = build_features(page)
    blocks = page.blocks
    logits, _ = block_logits(table, trained(weights))
    tags = silent_boxes(table, logits)
    known, of_parts = labels(gold, blocks.texts), labels_of_parts(blocks)
    is_part = ~np.isnan(of_parts)
    if is_part.any():
        known[is_part] = of_parts[is_part]
        tags = {box: tag for box, tag in tags.items() if _is_whole(blocks, box, is_part)}
    boxes = np.array([*tags], np.int64)
    columns = (table.size, table.size * known, table.size * np.abs(known - (logits > 0)))
    sizes = np.concatenate((np.zeros((len(columns), 1)), np.cumsum(columns, 1)), 1)
    whole, own, wrong = sizes[:, table.last[boxes]] - sizes[:, table.first[boxes]]
    kinds = [blocks.nodes[box].attr(LABEL) or "" for box in tags]
    features = box_features(table, logits, tags) if tags else np.zeros((0, len(FEATURES)), np.float32)
    shares, errors = (of / np.maximum(1, whole) for of in (own, wrong))
    return Boxes(fold_of(gold), features, shares, errors, kinds, not is_part.any(), bool(weights))


def _is_whole(blocks: Blocks, box: int, is_part: NDArray[np.bool_]) -> bool:
    """Whether a box holds some of a part, and isn't within one that is dropped."""
    if not is_part[slice(*blocks.spans[box].tolist())].any():
        return False
    above = int(blocks.parents[box])
    while above >= 0:
        if (blocks.nodes[above].attr(LABEL) or "").startswith("drop"):
            return False
        above = int(blocks.parents[above])
    return True


def fit_boxes(pages: Sequence[Boxes], how: Fitting = FITTING) -> Weights:
    """Fits on all boxes; thresholds on sites that were left out, figures also on kinds of parts that were."""
    pages = [page for page in pages if len(page.shares)]
    features = np.concatenate([page.features for page in pages]).astype(np.float32)
    shares = np.concatenate([page.shares for page in pages]).astype(np.float32)
    wrong = np.concatenate([page.wrong for page in pages])
    kinds = np.array([kind for page in pages for kind in page.kinds])
    counts = [len(page.shares) for page in pages]
    folds, natural, unseen = (
        np.repeat([getattr(page, of) for page in pages], counts) for of in ("fold", "natural", "unseen")
    )
    unseen |= not unseen.any()
    weights = np.ones(len(shares), np.float32)
    figures: dict[str, float] = {}

    def network(rows: NDArray[np.bool_]) -> Network:
        examples = features[rows], shares[rows], weights[rows]
        return mean_of([fit(*examples, seed, how) for seed in SEEDS])

    def measure(name: str, rows: NDArray[np.bool_], logits: Floats) -> None:
        for what, of in (("kept", shares >= WHOLE), ("dropped", shares <= 1 - WHOLE)):
            sign = 1 if what == "kept" else -1
            if (of := of & rows & unseen).any():
                figures[f"{name}: {what}"] = float((sign * logits[of] > CLEAR).mean())
                figures[f"{name}: wrongly not {what}"] = float((sign * logits[of] < -CLEAR).mean())

    logits = np.zeros(len(shares), np.float32)
    for fold in np.unique(folds):
        outside = folds == fold
        logits[outside] = network(~outside if not outside.all() else outside).logits(features[outside])
    measure("boxes of other sites", natural, logits)
    measure("parts on other sites", kinds != "", logits)
    names = sorted({kind for kind in kinds.tolist() if kind and not kind.endswith(UNLISTED)})
    for group in (names[number::KIND_GROUPS] for number in range(KIND_GROUPS)):
        outside = np.isin(kinds, group)
        if outside.any():
            measure(", ".join(group), outside, network(~outside).logits(features))
    decisions = _decisions(*(of[unseen] for of in (features, logits, shares, wrong)))
    fitted = network(np.ones(len(shares), bool))
    return Weights({"decisions": decisions, **_weights_file(fitted)}, figures, [])


def _decisions(
    features: Floats, logits: Floats, shares: NDArray[np.floating[Any]], wrong: NDArray[np.float64]
) -> dict[str, Any]:
    """The thresholds of `fusion.box_model.BoxModel`, and the log odds of what is kept and dropped by them.

    Thresholds are those with the fewest errors: of a kept box the text that isn't the article's, of a dropped one the
    text that is, of another one what the model of blocks decides wrongly. Around the minimum errors hardly change, so
    it is the most cautious threshold within a standard error of it (L. Breiman et al. Classification and Regression
    Trees. 1984, 3.4.3): boxes in doubt are left to the model of blocks. Text that is lost counts more, but where
    lists of links are kept: they are the article's or related stories, and have to be surer. `logits`: of sites that
    were left out.
    """
    roots = np.maximum(1, np.sqrt(np.expm1(features[:, FEATURES.index("log size")])))
    groups = np.array([*map(GROUPS.index, groups_of(features))])
    linked = groups == GROUPS.index("linked")

    def threshold(rows: NDArray[np.bool_], sign: int) -> float:
        lost = LOST - (sign > 0) * linked
        errors = 1 - shares if sign > 0 else lost * shares
        order = np.flatnonzero(rows)[np.argsort(-sign * logits[rows], kind="stable")]
        gains = (roots * (wrong * np.where(shares >= 0.5, lost, 1) - errors))[order]
        gained, squares = np.cumsum(gains), np.cumsum(np.square(gains))
        if not len(order) or gained.max() <= 0:
            return sign * MAX_LOGIT
        best = int(gained.argmax())
        is_as_good = gained[best] - gained[: best + 1] <= np.sqrt(squares[best] - squares[: best + 1])
        return float(logits[order[int(is_as_good.argmax())]])

    found: dict[str, Any] = {}
    for name, sign in (("kept", 1), ("dropped", -1)):
        least = [threshold(groups == number, sign) for number in range(len(GROUPS))]
        found[name] = dict(zip(GROUPS, short(least), strict=True))
        is_decided = sign * logits >= sign * np.array(least)[groups]
        share = np.average(shares[is_decided], weights=roots[is_decided]) if is_decided.any() else 0.5
        share = float(np.clip(share, SURE, 1 - SURE))
        found[f"odds_{name}"] = short([log(share / (1 - share))])[0]
    return found


def _weights_file(network: Network) -> dict[str, Any]:
    """Content of a weights file, numbers rounded to four significant digits."""
    first, bias, second, offset = network.layers
    rows = zip(FEATURES, network.means, network.scales, first, strict=True)
    return {
        "bias": short(bias),
        "second": short(second[:, 0]),
        "offset": short(offset)[0],
        "features": [[name, *short([mean, scale]), *short(row)] for name, mean, scale, row in rows],
    }
