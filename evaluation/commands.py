"""`newsextract bench …`: extractors measured on corpora."""

from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.terminal import messages, results
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_EXTRACTOR

Folders = Annotated[
    list[str] | None,
    typer.Argument(metavar="FOLDER", help="Corpora: folders, or names below NEWSEXTRACT_CORPORA; none: all there."),
]
Extractors = Annotated[
    str, typer.Option("--extractor", "-e", metavar="NAME,…", help="Extractors, options as NAME:key=value.")
]
Workers = Annotated[int, typer.Option(min=0, metavar="N", help="Processes; 0: this one.")]
Peers = Annotated[str, typer.Option(help="Pages' peers: none, same-site or crawl (see docs).")]
Convention = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What the gold holds: body, headline (each text gets the page's line of it in front, unless it has it), "
        "comments (each gets the page's), headline+comments, or auto: what most pages of the set do.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(metavar="FILE,…", help="Files of weights, one a seed: fusion's figures are the means over them."),
]
Sample = Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many pages of a set.")]


def run(
    folders: Folders = None,
    extractor: Extractors = NEWSEXTRACT_EXTRACTOR,
    workers: Workers = 0,
    peers: Peers = "none",
    sample: Sample = None,
    convention: Convention = "body",
    weights: Weights = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Keep all as JSON.")] = None,
    pages: Annotated[bool, typer.Option(help="With each page's figures: what `compare` needs.")] = True,
) -> None:
    """Scores and times of extractors on corpora, as a table."""
    from evaluation.run import run as run_bench
    from evaluation.show import result_tables

    result = run_bench(
        folders or [],
        extractor,
        workers=workers,
        peers=peers,
        sample=sample,
        convention=convention,
        weights=_files(weights),
        console=messages(),
    )
    if output:
        result.save(output, by_page=pages)
    results().print(result_tables(result))


def compare(
    first: Annotated[Path, typer.Argument(metavar="OLD.json")],
    second: Annotated[Path, typer.Argument(metavar="NEW.json")],
) -> None:
    """Two results of `bench run`: what got better or worse, and whether it is certain."""
    from evaluation.compare import compare as compare_results
    from evaluation.results import Result
    from evaluation.show import differences_table

    results().print(differences_table(compare_results(Result.load(first), Result.load(second))))


def against(
    folders: Folders = None,
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    others: Annotated[str, typer.Option(metavar="NAME,…")] = "trafilatura,readability,resiliparse",
    workers: Workers = 0,
    peers: Peers = "none",
    sample: Sample = None,
    convention: Convention = "body",
    weights: Weights = None,
    known: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An earlier result that has the others' page figures already.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Keep all as JSON.")] = None,
) -> None:
    """An extractor against others: F, the difference, its interval; exit status 1 where it is below for certain."""
    from evaluation.against import fitted_on, measure, standings, standings_table
    from evaluation.results import Result

    names = others.split(",")
    result = measure(
        folders or [],
        extractor,
        names,
        known=Result.load(known) if known else None,
        workers=workers,
        peers=peers,
        sample=sample,
        convention=convention,
        weights=_files(weights),
        console=messages(),
    )
    if output:
        result.save(output)
    found = standings(result, extractor, names)
    results().print(standings_table(found, fitted_on(_files(weights)) if extractor == "fusion" else ()))
    if any(row.verdict == "BELOW" for row in found):
        raise typer.Exit(1)


def conventions(folders: Folders = None) -> None:
    """What the golds of corpora hold beside the body, counted: the table that `--convention auto` looks in."""
    from evaluation.conventions import count
    from evaluation.corpus import find_corpora

    for corpus in find_corpora(folders or []):
        print(f"{count(corpus).to_toml(corpus.name)}\n")


def page(
    page: Annotated[str, typer.Argument(metavar="SET/ID", help="One page of a corpus.")],
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    peer: Annotated[str | None, typer.Option(metavar="ID", help="Another page of the set to compare with.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Also print what is right, whole.")] = False,
) -> None:
    """One page's right text beside what the extractor chose: kept, lost, too much."""
    from evaluation.page import look, render

    results().print(render(look(page, extractor, peer=peer), full=full))


def gate(
    folders: Folders = None,
    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="Floors of that sample of a set.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Floors of whole sets.")] = False,
    workers: Workers = 0,
    pin: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Measure these and make what they reach their floors.")
    ] = None,
) -> None:
    """Whether every figure is at or above its pinned floor; exit status 1 where one is not."""
    from evaluation.gate import SAMPLE, checks_table, floors_path, pin_floors
    from evaluation.gate import gate as check_floors

    if whole and sample:
        raise WrongCall("give --sample or --whole, not both")
    size = None if whole else sample or SAMPLE
    if pin:
        pin_floors(folders or [], pin.split(","), sample=size, workers=workers, console=messages())
        messages().print(f"floors written to {floors_path()}")
        return
    checks = check_floors(folders or [], sample=size, workers=workers, console=messages())
    results().print(checks_table(checks))
    if not all(check.holds for check in checks):
        raise typer.Exit(1)


def table(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where ALGORITHMS.md and its chart go.")] = Path(
        "docs"
    ),
) -> None:
    """Write docs/ALGORITHMS.md from the committed results and the papers' figures."""
    from evaluation.table import write_table

    for path in write_table(folder):
        messages().print(f"written: {path.resolve()}")


def warc(
    folders: Annotated[list[str], typer.Argument(metavar="FOLDER", help="Corpora whose pages to write.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The archive: FILE.warc.gz.")],
) -> None:
    """The pages of corpora as one WARC file, for `scrapy crawl archive`."""
    from evaluation.warc import write_warc

    pages = write_warc(folders, output, console=messages())
    messages().print(f"{pages} pages written to {output.resolve()}")


def metadata(folders: Annotated[list[str], typer.Argument(metavar="FOLDER", help="Corpora with metadata.")]) -> None:
    """How often headline, date, authors and language are right: a line of JSON a corpus, then what is wrong."""
    from evaluation.corpus import find_corpora
    from evaluation.metadata import main

    main([str(corpus.folder) for corpus in find_corpora(folders)])


def fit(
    name: Annotated[str, typer.Argument(metavar="headline|kind", help="Which weights of the metadata.")],
    folders: Annotated[list[str], typer.Argument(metavar="FOLDER", help="Corpora to fit on: titles, page types.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The weights file to write.")],
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that read pages.")] = 1,
) -> None:
    """Fit the weights that choose the headline or tell articles from other pages; figures by folds over sites."""
    from evaluation.fitting import fit as fit_weights
    from evaluation.fitting import save

    weights = fit_weights(name, folders, workers)
    save(weights, output)
    for said, figure in weights.figures.items():
        results().print(f"{said} {figure:.4f}")
    messages().print(f"weights written to {output.resolve()}")


def _files(names: str | None) -> list[str]:
    return names.split(",") if names else []
