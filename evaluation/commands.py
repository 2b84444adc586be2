"""Commands of `scripts/bench` that measure on corpora or train on them: their options, and what they print."""

import json
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.terminal import results
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_EXTRACTOR
from newsextract.text import say

Folders = Annotated[
    list[str] | None,
    typer.Argument(metavar="FOLDER", help="Corpora: folders, or names below NEWSEXTRACT_CORPORA; none: all there."),
]
TrainingFolders = Annotated[list[str], typer.Argument(metavar="FOLDER", help="Corpora to fit on: folders or names.")]
Extractors = Annotated[
    str, typer.Option("--extractor", "-e", metavar="NAME,…", help="Extractors, options as NAME:key=value.")
]
Extractor = Annotated[str, typer.Option("--extractor", "-e", metavar="NAME", help="The extractor.")]
Workers = Annotated[int, typer.Option(min=0, metavar="N", help="Processes; 0: this one.")]
Processes = Annotated[int, typer.Option("--workers", min=1, metavar="N", help="Processes that read pages.")]
Peers = Annotated[str, typer.Option(help="Peers of the pages: none, same-site or crawl.")]
Convention = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What the gold holds: body, headline (each text gets the page's line of it in front, unless it has it), "
        "comments (each gets the page's), headline+comments, or auto: what most pages of the set do.",
    ),
]
FoldsInput = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Weights of `train --folds`: each page is extracted by those fitted without its site."
    ),
]
Sample = Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many pages of a set.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Keep the result as JSON.")]
WeightsOutput = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The weights file to write.")]


def run(
    folders: Folders = None,
    extractor: Extractors = NEWSEXTRACT_EXTRACTOR,
    workers: Workers = 0,
    peers: Peers = "none",
    sample: Sample = None,
    convention: Convention = "body",
    output: Output = None,
    pages: Annotated[bool, typer.Option(help="With the figures of each page, which `compare` needs.")] = True,
) -> None:
    """Prints scores and times of extractors on corpora."""
    from evaluation.runs import run as run_extractors
    from evaluation.tables import result_tables

    result = run_extractors(
        folders or [], extractor, workers=workers, peers=peers, sample=sample, convention=convention
    )
    if output:
        result.save(output, by_page=pages)
    results().print(result_tables(result))


def compare(
    first: Annotated[Path, typer.Argument(metavar="OLD.json")],
    second: Annotated[Path, typer.Argument(metavar="NEW.json")],
) -> None:
    """Prints the differences of two results of `run`, with their intervals."""
    from evaluation.compare import compare as compare_results
    from evaluation.results import Result
    from evaluation.tables import differences_table

    results().print(differences_table(compare_results(Result.load(first), Result.load(second))))


def against(
    folders: Folders = None,
    extractor: Extractor = NEWSEXTRACT_EXTRACTOR,
    others: Annotated[str, typer.Option(metavar="NAME,…")] = "trafilatura,readability,resiliparse",
    workers: Workers = 0,
    peers: Peers = "none",
    sample: Sample = None,
    convention: Convention = "body",
    folds: FoldsInput = None,
    output: Output = None,
) -> None:
    """Prints F, differences and intervals; exit status 1 if the extractor is significantly worse than another."""
    from evaluation.compare import fitted_on, measure, standings, standings_table

    names = others.split(",")
    result = measure(
        folders or [], extractor, names, folds=folds, workers=workers, peers=peers, sample=sample, convention=convention
    )
    if output:
        result.save(output)
    rows = standings(result, extractor, names)
    fitted = fitted_on() if extractor == "fusion" and not folds else ()
    results().print(standings_table(rows, fitted))
    if any(row.verdict == "BELOW" for row in rows):
        raise typer.Exit(1)


def gate(
    folders: Folders = None,
    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="Floors of that sample of a set.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Floors of whole sets.")] = False,
    workers: Workers = 0,
    pin: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Measure these and make what they reach their floors.")
    ] = None,
) -> None:
    """Compares each score with its pinned floor; exit status 1 if one is lower."""
    from evaluation.gate import FLOORS, SAMPLE, checks_table, pin_floors
    from evaluation.gate import gate as check_floors

    if whole and sample:
        raise WrongCall("give --sample or --whole, not both")
    size = None if whole else sample or SAMPLE
    if pin:
        pin_floors(folders or [], pin.split(","), sample=size, workers=workers)
        say(f"floors written to {FLOORS}", err=True)
        return
    checks = check_floors(folders or [], sample=size, workers=workers)
    results().print(checks_table(checks))
    if not all(check.holds for check in checks):
        raise typer.Exit(1)


def table(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where to write all files, instead of their places in the checkout."),
    ] = None,
) -> None:
    """Writes docs/ALGORITHMS.md, docs/measurements/EXTRACTORS.md and the figures of `newsextract algorithms`."""
    from evaluation.algorithms_page import write_table

    for path in write_table(folder):
        say(f"written: {path.resolve()}", err=True)


def metadata(
    folders: Annotated[list[str], typer.Argument(metavar="FOLDER", help="Corpora with metadata: folders or names.")],
    sample: Sample = None,
    workers: Processes = 2,
) -> None:
    """Prints lines of JSON with the scores of each corpus, as it is and without declared metadata, and wrong values."""
    from evaluation.corpora import find_corpora
    from evaluation.metadata import metadata_scores

    for corpus, declared in product(find_corpora(folders), (True, False)):
        scores = metadata_scores(corpus, workers, sample, declared=declared)
        wrong = scores.pop("wrong")
        print(json.dumps(scores, ensure_ascii=False))
        for field, rows in wrong.items():
            for row in rows:
                print(" ", field, json.dumps(row, ensure_ascii=False))


def train(
    folders: TrainingFolders,
    output: WeightsOutput,
    measure: Annotated[str, typer.Option(metavar="NAME,…", help="Corpora to measure on, never fitted on.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed and pages give the same weights.")] = 1,
    workers: Processes = 1,
    folds: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the weights fitted without each fold, for `fit`.")
    ] = None,
    peers: Annotated[
        str, typer.Option(metavar="NAME,…", help="Corpora that the weights of a peer are fitted on; all, if not given.")
    ] = "",
) -> None:
    """Fits the default extractor's weights; figures by cross-validation over sites."""
    from evaluation.training.folds import save_folds, save_weights
    from evaluation.training.train import train_with_progress, training_tables

    training = train_with_progress(folders, _names(measure), seed=seed, workers=workers, peers=_names(peers))
    save_weights(training.weights, output)
    if folds:
        save_folds(enumerate(training.folds), folds)
    for figures in training_tables(training):
        results().print(figures)
    say(f"weights written to {output.resolve()}", err=True)


def train_sites(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Saved sites, as for `sites`.")],
    output: WeightsOutput,
    folds: Annotated[Path, typer.Option(metavar="FOLDER", help="Weights by fold, as for `sites --folds`.")],
    seed: Annotated[int, typer.Option(help="The same seed and pages give the same weights.")] = 1,
    workers: Processes = 1,
) -> None:
    """Fits the weights of site profiles on saved sites; figures by folds of sites, by page alone and with the profile.

    The weights without each fold are written into the folder of `--folds`, for `sites`.
    """
    from evaluation.training.folds import save_folds, save_weights
    from evaluation.training.site_examples import read_sites
    from evaluation.training.site_weights import site_table
    from evaluation.training.site_weights import train_sites as train

    training = train(read_sites(folders, folds, workers), seed, partial(say, err=True))
    save_weights(training.weights, output)
    save_folds(training.folds.items(), folds / "site_profile")
    results().print(site_table(training))
    say(f"weights written to {output.resolve()}", err=True)


def fit(
    name: Annotated[str, typer.Argument(metavar="headline|dates|authors|page_type|boxes", help="Which weights.")],
    folders: TrainingFolders,
    output: WeightsOutput,
    workers: Processes = 1,
    folds: FoldsInput = None,
    write_folds: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write there, in a folder NAME, the weights of each fold.")
    ] = None,
) -> None:
    """Fits the weights that choose a field, the page type or boxes of the text; figures on sites left out."""
    from evaluation.training.folds import save_folds, save_weights
    from evaluation.training.metadata_weights import fit as fit_weights

    weights = fit_weights(name, folders, workers, folds)
    save_weights(weights.values, output)
    if write_folds:
        save_folds(enumerate(weights.folds), write_folds / name)
    for figure, value in weights.figures.items():
        results().print(f"{figure} {value:.4f}")
    say(f"weights written to {output.resolve()}", err=True)


def _names(text: str) -> list[str]:
    """Names or files separated by commas."""
    return [name for name in text.split(",") if name]
