"""Ablation study of the default extractor: the same training with one thing changed (seed, model, features, sites).

Figures on sets that are fitted on are of the first folds only, by site, those by script are of the pages of these folds
whose gold names a site; those on other sets are over the models of these folds. Differences below .003 are noise;
the table of seeds shows its size.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evaluation.scores import Judgement, summary
from evaluation.training.examples import Example, stacked
from evaluation.training.network import Fitting, fit
from newsextract.extractors.fusion.features import Floats
from newsextract.extractors.fusion.model import FEATURE_SOURCES

FOLDS_USED = 2
#: Rows of the learning curve: sites fitted on; passes over the pages are at most so many times the usual number.
CURVE, MOST_PASSES = (10, 25, 50, 100), 4
#: Share of a text's letters that must be Chinese, Japanese or Korean, or not Latin, for its script.
OTHER_SCRIPT = 0.3
CJK_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LATIN_LETTER = re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)
Figures = dict[str, dict[str, float]]


@dataclass
class AblationTable:
    """Title, and a row of F by set for each ablation."""

    title: str
    rows: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ablation:
    """One row of a table. `share`: of the sites to fit on; `without`: a source of features that is left out; `named`:
    fit only on pages whose gold names its site (True), or on none of them (False); `sites`: on so many sites of those.
    """

    table: str
    name: str
    how: Fitting = field(default_factory=Fitting)
    seed: int = 0
    share: float = 1.0
    without: str = ""
    named: bool | None = None
    sites: int = 0


@dataclass
class Held:
    """A page that was not fitted on, with what is needed to judge a choice of its blocks."""

    page: Example
    texts: Sequence[str]
    words: Floats
    markup: Sequence[int]

    def judge(self, logits: Floats) -> Judgement:
        return self.page.judge_texts(self.texts, self.words, self.markup, logits)


def all_ablations() -> Iterator[Ablation]:
    """Every row of the report, in order."""
    default = Fitting()
    curve = "Learning curve: fitted on sites of the sets that name their sites, and on nothing else"
    for sites in CURVE:
        yield Ablation(curve, f"{sites} sites", named=True, sites=sites)
    yield Ablation(curve, "all sites", named=True)
    yield Ablation("Fitted on the other sets only", "the other sets", named=False)
    for seed in range(3):
        yield Ablation("The default, by seed", f"seed {seed + 1}", seed=seed)
    yield Ablation("Other models", "logistic regression", replace(default, hidden=0))
    for hidden in (8, 16, 32, 96):
        yield Ablation("Other models", f"{hidden} hidden units", replace(default, hidden=hidden, networks=1))
    for source in dict.fromkeys(FEATURE_SOURCES):
        yield Ablation("Without a source of evidence", f"without {source}", without=source)
    for share in (0.1, 0.25, 0.5):
        yield Ablation("Share of the sites fitted on", f"{share:.0%}", share=share)


def run_ablations(
    pages: Sequence[Example], unseen: Sequence[Example], seed: int, step: Callable[[str], None]
) -> list[AblationTable]:
    """All tables. `pages` are fitted on, `unseen` only measured; `step` is called after each row.

    Rows that need pages of sites named in the gold are left out where there are none, or none but those.
    """
    tables: dict[str, AblationTable] = {}
    judged = [page for page in pages if page.gold.is_article and page.fold < FOLDS_USED and not page.made]
    held, elsewhere = [Held(page, *page.read()) for page in judged], [Held(page, *page.read()) for page in unseen]
    for row in all_ablations():
        values = figures(row, pages, held, elsewhere, seed)
        if values:
            tables.setdefault(row.table, AblationTable(row.table)).rows[row.name] = values
        step(row.name)
    return list(tables.values())


def figures(
    ablation: Ablation, pages: Sequence[Example], held: Sequence[Held], unseen: Sequence[Held], seed: int
) -> dict[str, float]:
    """F by set with this ablation; empty if it has no page to fit on."""
    columns: dict[str, list[Judgement]] = {}
    elsewhere: dict[str, list[Judgement]] = {}
    kept = np.array([source != ablation.without for source in FEATURE_SOURCES], np.float32)
    for fold in range(FOLDS_USED):
        possible = [page for page in pages if page.gold.is_article and page.fold != fold and _is_meant(page, ablation)]
        chosen = _of_sites(possible, ablation.sites) if ablation.sites else possible
        if not chosen:
            return {}
        passes = min(MOST_PASSES, len(possible) / len(chosen))
        how = replace(ablation.how, epochs=round(ablation.how.epochs * passes))
        features, labels, weights = stacked(chosen)
        model = fit(features * kept, labels, weights, seed + ablation.seed, how)
        for row in held:
            if row.page.fold == fold:
                judgement = row.judge(model.logits(row.page.evidence * kept))
                for column in _columns(row.page):
                    columns.setdefault(column, []).append(judgement)
        for row in unseen:
            judgement = row.judge(model.logits(row.page.evidence * kept))
            elsewhere.setdefault(row.page.set, []).append(judgement)
    return {name: summary(judgements)["f"] for name, judgements in (columns | elsewhere).items()}


def script(text: str) -> str:
    """The script of most of a text: Latin, CJK (Chinese, Japanese, Korean) or other."""
    letters = max(1, sum(map(str.isalpha, text)))
    if len(CJK_LETTER.findall(text)) / letters > OTHER_SCRIPT:
        return "CJK"
    return "Latin" if 1 - len(LATIN_LETTER.findall(text)) / letters < OTHER_SCRIPT else "other scripts"


def _columns(page: Example) -> list[str]:
    """The columns that a page counts in: its set and, where its gold names its site, its script."""
    return [page.set, script(page.gold.text)] if page.gold.given_site and page.gold.text else [page.set]


def _is_meant(page: Example, ablation: Ablation) -> bool:
    if ablation.named is not None and bool(page.gold.given_site) != ablation.named:
        return False
    return _share(page.site) < ablation.share


def _of_sites(pages: Sequence[Example], count: int) -> list[Example]:
    """The pages of so many sites, chosen by a hash; none if there are fewer sites."""
    sites = sorted({page.site for page in pages}, key=_share)
    chosen = set(sites[:count])
    return [page for page in pages if page.site in chosen] if len(sites) >= count else []


def _share(site: str) -> float:
    """A pseudo-random number in [0, 1), the same for all pages of a site."""
    return zlib.crc32(f"share {site}".encode()) / 2**32
