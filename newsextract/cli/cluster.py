"""`newsextract cluster`: extraction of web archives, its engine, progress bars and summary."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.options import extractor_options
from newsextract.cli.terminal import messages
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_EXTRACTOR

if TYPE_CHECKING:
    from newsextract.cluster.extract import RunStats
    from newsextract.cluster.run import Engine, Progress

MIB = 1024 * 1024


def cluster(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="WARC files, folders of them, or lists of paths (warc.paths.gz)."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the articles go.")],
    scheduler: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="A Dask scheduler whose workers see the same folders.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=0, max=256, metavar="N", help="Worker processes here; 0: this process, no Dask.")
    ] = None,
    prefix: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="What the paths in a list are relative to; else its folder.")
    ] = None,
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the extractor.")
    ] = None,
    slice_mib: Annotated[
        int, typer.Option("--slice", min=1, metavar="MIB", help="Size of a task, in packed MiB.")
    ] = 32,
) -> None:
    """The articles of web archives as Parquet files by day and site, on this machine or on a cluster.

    Killed and started again with the same arguments, it goes on where it was.
    """
    _check_installed(*(["pyarrow", "distributed"] if workers != 0 else ["pyarrow"]))
    from newsextract.cluster.run import run

    if scheduler is not None and workers is not None:
        raise WrongCall("give --scheduler or --workers, not both")
    with _open_engine(scheduler, workers) as engine, _progress_bars() as progress:
        stats, failed = run(
            files,
            output,
            engine,
            extractor=extractor,
            options=extractor_options(option),
            prefix=prefix,
            watch=workers != 0,
            slice_bytes=slice_mib * MIB,
            progress=progress,
        )
    _print_summary(stats, output)
    if failed:
        name, error = next(iter(failed.items()))
        raise NewsextractError(
            f"{len(failed)} tasks failed, among them {name}: {error}. Start it again to try them again"
        )


def _check_installed(*modules: str) -> None:
    for module in modules:
        if find_spec(module) is None:
            raise NewsextractError(f"archives need {module}: pip install 'newsextract[cluster]'")


def _print_summary(stats: "RunStats", output: Path) -> None:
    print(f"{stats.pages} pages, {stats.articles} articles in {output / 'articles'}")
    for title, counts in (("no articles", stats.not_articles), ("skipped records", stats.skipped)):
        for reason, number in counts.most_common():
            print(f"{number:>8}  {title}: {reason}")


@contextmanager
def _open_engine(scheduler: str | None, workers: int | None) -> "Iterator[Engine]":
    if workers == 0:
        from newsextract.cluster.run import run_locally

        yield run_locally
        return
    from newsextract.cluster.dask_engine import DaskEngine, local_cluster

    if scheduler is not None:
        yield DaskEngine(scheduler)
        return
    with local_cluster(workers or os.cpu_count() or 1) as (address, dashboard):
        messages().print(f"Dask's dashboard: {dashboard}")
        yield DaskEngine(address)


@contextmanager
def _progress_bars() -> "Iterator[Progress]":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:>8}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), disable=not messages().is_terminal) as progress:
        bars: dict[str, TaskID] = {}

        def update(step: str, done: int, total: int) -> None:
            if step not in bars:
                bars[step] = progress.add_task(step)
            progress.update(bars[step], completed=done, total=total)

        yield update
