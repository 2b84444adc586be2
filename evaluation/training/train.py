"""Training of the default extractor (fusion): from labelled pages to its weights file, reproducible from a seed.

Figures of a set that is fitted on come from cross-validation, folds by site; sets that are only measured are scored by
the final model, which has never seen them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from evaluation.corpora import Corpus, find_corpora
from evaluation.peers import choose_peers
from evaluation.scores import Judgement, summary
from evaluation.tables import new_table
from evaluation.training.examples import Example, examples, stacked
from evaluation.training.folds import FOLDS, provenance, short, split_by_fold
from evaluation.training.labels import labels
from evaluation.training.logistic import fit_logistic
from evaluation.training.network import Distillation, Fitting, Network, distil
from newsextract.cli.terminal import progress_bars
from newsextract.extractors.fusion.extractor import LONG, SAME, SHORT
from newsextract.extractors.fusion.model import FEATURE_NAMES, FEATURE_SOURCES, contributions, read_model
from newsextract.extractors.fusion.selection import CONFIDENCE_FEATURES, predict_confidence
from newsextract.page import Page

Step = Callable[[str], None]
#: A page is right if its F is at least this; certainty is the probability of that.
RIGHT = 0.9
#: For the weights of the peer: pages of a corpus that are paired at most, and the pseudo-count of each kind of block.
PAIRED_PAGES = 300
PSEUDO_COUNT = 1.0


@dataclass
class Training:
    """The weights and their figures by set.

    `reliability`: by tenths of predicted certainty the mean prediction, the true share of right pages and the number of
    pages; `folds`: the weights fitted without each fold, for whatever is fitted on the extractor's output.
    """

    weights: dict[str, Any]
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    reliability: list[tuple[float, float, int]] = field(default_factory=list)
    folds: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Judged:
    """A page judged by a model that was not fitted on its site."""

    set: str
    fold: int
    judgement: Judgement
    signs: NDArray[np.float64]

    @property
    def right(self) -> bool:
        return (self.judgement.f or 0.0) >= RIGHT


def train_with_progress(
    folders: Sequence[str | Path],
    measured: Sequence[str | Path] = (),
    *,
    seed: int,
    workers: int,
    peers: Sequence[str | Path] = (),
) -> Training:
    """`train` on corpora by name, with progress bars on a terminal."""
    corpora = find_corpora(folders)
    others = find_corpora(measured) if measured else []
    totals = {**{corpus.name: len(corpus.gold) for corpus in (*corpora, *others)}, "folds": FOLDS}
    done = Counter[str]()
    with progress_bars() as progress:

        def step(name: str) -> None:
            done[name] += 1
            progress(name, done[name], totals[name])

        pages = examples(corpora, workers, True, step)
        unseen = examples(others, workers, False, step)
        training = train(pages, unseen, seed, step=step)
    training.weights["peer"] = peer_ratios(find_corpora(peers) if peers else corpora)
    for weights in training.folds:
        weights["peer"] = training.weights["peer"]
    sets = {corpus.name: len(corpus.gold) for corpus in corpora}
    training.weights["provenance"] |= provenance(f"train {{}} --seed {seed}", sets, seed=seed)
    if peers:
        training.weights["provenance"]["peers"] = [str(name) for name in peers]
    return training


def train(
    pages: Sequence[Example],
    unseen: Sequence[Example] = (),
    seed: int = 1,
    how: Fitting | None = None,
    distillation: Distillation | None = None,
    step: Step = lambda name: None,
) -> Training:
    """Fits on `pages` and measures on them (by folds) and on `unseen`.

    Pages that are no articles serve to fit the certainty only. Raises WrongCall if a fold has no page.
    """
    how, distillation = how or Fitting(), distillation or Distillation()
    taught = [page for page in pages if page.gold.is_article]
    judged: list[Judged] = []
    models: list[Network] = []
    for fold, (inside, _) in enumerate(split_by_fold([page.fold for page in taught])):
        model = distil(*stacked([taught[i] for i in inside]), seed, how, distillation)
        held_back = [page for page in pages if page.fold == fold and not page.made]
        judged += [Judged(page.set, fold, *page.judge(model.logits(page.evidence))) for page in held_back]
        models.append(model)
        step("folds")
    final = distil(*stacked(taught), seed, how, distillation)
    classified = [page for page in judged if page.judgement.hit is None]
    weights = _weights_file(final, classified)
    weights["centres"] = _centres(weights, taught)
    hyperparameters = {"fitting": asdict(how), "distillation": asdict(distillation)}
    weights["provenance"] = {**hyperparameters, "variants": sum(page.made for page in pages)}
    training = Training(weights, reliability=_reliability(classified))
    training.folds = [
        _weights_file(model, [page for page in classified if page.fold != fold]) for fold, model in enumerate(models)
    ]
    for name in dict.fromkeys(page.set for page in judged):
        training.figures[name] = summary([page.judgement for page in judged if page.set == name])
    for name in dict.fromkeys(page.set for page in unseen):
        judgements = [page.judge(final.logits(page.evidence))[0] for page in unseen if page.set == name]
        training.figures[name] = summary(judgements)
    return training


def _weights_file(network: Network, judged: Sequence[Judged]) -> dict[str, Any]:
    """Content of a weights file without centres, numbers rounded to four significant digits."""
    first, bias, second, offset = network.layers
    features = zip(FEATURE_NAMES, network.means, network.scales, first, strict=True)
    return {
        "provenance": {},
        "bias": short(bias),
        "second": short(second[:, 0]),
        "offset": short(offset)[0],
        "centres": dict.fromkeys(FEATURE_SOURCES, 0.0),
        "certainty": _certainty(judged) if judged else [0.0] * (1 + len(CONFIDENCE_FEATURES)),
        "peer": [0.0] * 4,
        "features": [[name, *short([mean, scale]), *short(row)] for name, mean, scale, row in features],
    }


def _centres(weights: dict[str, Any], taught: Sequence[Example]) -> dict[str, float]:
    """Mean contribution of each source over a sample of the training blocks."""
    originals = np.concatenate([page.evidence for page in taught if not page.made])
    sample = originals[:: max(1, len(originals) // 4000)]
    parts = contributions(read_model(weights), sample)
    return {name: short([column.mean()])[0] for name, column in parts.items()}


def _certainty(judged: Sequence[Judged]) -> list[float]:
    """Weights of `selection.predict_confidence`, fitted on judged pages."""
    right = np.array([page.right for page in judged], float)
    return short(fit_logistic(np.array([page.signs for page in judged]), right, np.ones(len(judged)), 0.1))


def _reliability(judged: Sequence[Judged]) -> list[tuple[float, float, int]]:
    """Predicted certainty of each page, by weights fitted on the other folds, against the truth (see `Training`)."""
    predicted, right = np.zeros(len(judged)), np.array([page.right for page in judged])
    folds = np.array([page.fold for page in judged])
    for fold in range(FOLDS):
        weights = tuple(_certainty([page for page in judged if page.fold != fold]))
        for row in np.flatnonzero(folds == fold).tolist():
            predicted[row] = predict_confidence(weights, judged[row].signs)
    tenths = np.minimum(9, (10 * predicted).astype(int))
    rows = [(tenths == tenth) for tenth in range(10)]
    return [(float(predicted[row].mean()), float(right[row].mean()), int(row.sum())) for row in rows if row.any()]


def peer_ratios(corpora: Sequence[Corpus]) -> list[float]:
    """Weights of the peer's evidence: log ratios of how often a block that the peer has too, or lacks, is article.

    log p(shared | article) / p(shared | not article), and the same of blocks that the peer lacks; of short blocks, then
    of long ones. Pairs that are one article under two URLs are left out, as the extractor leaves them out.
    """
    counts = np.full((2, 2, 2), PSEUDO_COUNT)  # (short or long, article or not, shared or not)
    for corpus in corpora:
        peers = choose_peers(corpus)
        for gold in [row for row in corpus.gold if row.id in peers and row.text is not None][:PAIRED_PAGES]:
            page, peer = Page(corpus.html(gold.id), gold.url), Page(corpus.html(peers[gold.id].id))
            texts, peer_texts = page.blocks.texts, set(peer.blocks.texts)
            shared = np.array([text in peer_texts for text in texts], int)
            news = (labels(gold, texts) >= 0.5).astype(int)
            if not news.any() or shared[news > 0].mean() <= SAME:
                usable = page.blocks.lengths >= SHORT
                rows = (page.blocks.lengths >= LONG).astype(int)[usable], 1 - news[usable], 1 - shared[usable]
                np.add.at(counts, rows, 1)
    shares = counts / counts.sum(2, keepdims=True)
    return [round(float(ratio), 3) for ratio in np.log(shares[:, 0] / shares[:, 1]).ravel()]


def training_tables(training: Training) -> Iterator[Table]:
    """Tables for a terminal: figures by set, reliability of the certainty."""
    columns = ("f", "precision", "recall", "f4", "empty", "refused")
    scores = new_table("By a model that was not fitted on the page's site", ["set"], columns)
    for name, figures in training.figures.items():
        scores.add_row(name, *(f"{figures[column]:.4f}" if column in figures else "" for column in columns))
    yield scores
    title = "Certainty, and share of pages with F of at least .9"
    reliability = new_table(title, (), ("predicted", "true", "pages"))
    for predicted, true, pages in training.reliability:
        reliability.add_row(f"{predicted:.2f}", f"{true:.2f}", str(pages))
    yield reliability
