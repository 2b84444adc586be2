"""`newsextract cluster`: extracts web archives, with progress bars and a summary."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.options import Alone, Extractor, Languages, Options, day_option, extractor_options, flag, option
from newsextract.cli.terminal import progress_bars
from newsextract.errors import NewsextractError, WrongCall
from newsextract.files import file_exists, write_records
from newsextract.settings import NEWSEXTRACT_COMMON_CRAWL, NEWSEXTRACT_EXTRACTOR
from newsextract.text import counted, say

if TYPE_CHECKING:
    from newsextract.archive.run import Engine

MIB = 1024 * 1024
#: For estimates: compressed bytes of a page, CPU seconds to extract or to skip it, and bytes of an article as Parquet
#: (measured in docs/measurements/COST.md).
PAGE_BYTES = 37_000
SECONDS_A_PAGE = 0.026
SECONDS_A_SKIPPED_PAGE = 0.0002
ARTICLE_BYTES = 10_000


def cluster(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="WARC files, folders of them, lists of paths (warc.paths.gz), their http(s):// or s3:// addresses, "
            "or a month of Common Crawl's news (cc-news:2026-10).",
        ),
    ],
    output: Annotated[Path, option("FOLDER", "Where the articles go.", "--output", "-o")],
    scheduler: Annotated[
        str | None, option("tcp://HOST:PORT", "A Dask scheduler whose workers see the same folders.")
    ] = None,
    workers: Annotated[int | None, option("N", "Worker processes; 0: this process, no Dask.", min=0, max=256)] = None,
    prefix: Annotated[
        str | None, option("FOLDER|URL", "What the paths in a list are relative to. [default: its folder]")
    ] = None,
    extractor: Extractor = NEWSEXTRACT_EXTRACTOR,
    option: Options = None,
    slice_mib: Annotated[int, option("MIB", "Compressed size of a task.", "--slice", min=1)] = 32,
    site: Annotated[
        list[str] | None, option("HOST,…|FILE", "Only these sites and their subdomains; a file lists one a line.")
    ] = None,
    language: Languages = None,
    fetched_from: Annotated[datetime | None, day_option("Fetched on this day or later.", "--since")] = None,
    fetched_to: Annotated[datetime | None, day_option("Fetched on this day or earlier.", "--until")] = None,
    match: Annotated[str, option("REGEX", "Only URLs that match this.")] = "",
    refused: Annotated[
        Path | None, option("FILE", "Also write every page without an article and its reason: JSON lines, or .csv.")
    ] = None,
    into: Annotated[str | None, option("DATABASE", "Also store the articles in this database: sqlite:///FILE.")] = None,
    plan: Annotated[bool, flag("--plan", "Only print sizes and an estimate of time and disk space.")] = False,
    common_crawl: Annotated[str, option("URL", "The base address of cc-news:YEAR-MONTH.")] = NEWSEXTRACT_COMMON_CRAWL,
    allow_private: Annotated[
        bool, flag("--allow-private", "Also read archives of this machine and its private network.")
    ] = False,
    alone: Alone = False,
) -> None:
    """Extract the articles of web archives into Parquet files, on this machine or on a cluster.

    After a crash, the same command continues where it stopped.

    newsextract cluster cc-news:2026-10 -o news --site example.org,example.net --plan
    """
    for module in ("pyarrow", *(["distributed"] if workers != 0 else [])):
        if find_spec(module) is None:
            raise NewsextractError(f"archives need {module}: pip install 'newsextract[cluster]'")
    from newsextract.archive.page_filter import PageFilter
    from newsextract.archive.run import run

    if scheduler is not None and workers is not None:
        raise WrongCall("give --scheduler or --workers, not both")
    page_filter = PageFilter.of(
        [*_read_sites(site or ())],
        language or (),
        match,
        fetched_from=fetched_from,
        fetched_before=fetched_to and fetched_to + timedelta(days=1),
    )
    if plan:
        _print_plan(files, prefix, common_crawl, allow_private, workers)
        return
    with _open_engine(scheduler, workers) as engine, progress_bars() as progress:
        stats, failed = run(
            files,
            output,
            engine,
            extractor=extractor,
            options=extractor_options(option),
            prefix=prefix,
            watch=workers != 0,
            slice_bytes=slice_mib * MIB,
            page_filter=page_filter,
            common_crawl=common_crawl,
            allow_private=allow_private,
            into=into,
            uses_sites=not alone,
            progress=progress,
        )
    if refused is not None:
        parts = sorted((output / "refused").glob("*.jsonl"))
        write_records(refused, (json.loads(line) for part in parts for line in part.open(encoding="utf-8")))
    say(f"{counted(stats.pages, 'page')}, {counted(stats.articles, 'article')} in {output / 'articles'}")
    if stats.left_out:
        say(f"{stats.left_out:>8}  left out by the filters")
    for title, counts in (
        ("into the database", stats.stored),
        ("not articles", stats.not_articles),
        ("skipped records", stats.skipped),
    ):
        for reason, number in counts.most_common():
            say(f"{number:>8}  {title}: {reason}")
    if failed:
        name, error = next(iter(failed.items()))
        raise NewsextractError(
            f"{counted(len(failed), 'task')} failed, such as {name}: {error}. Run the same command again to retry them"
        )


def _read_sites(values: Sequence[str]) -> Iterator[str]:
    """The hosts of --site: separated by commas, or one per line in a file."""
    for value in values:
        path = Path(value)
        if file_exists(path):
            try:
                lines = path.read_text("utf-8").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                raise WrongCall(f"{path} isn't a list of sites: {error}") from error
            yield from (line.strip() for line in lines if line.strip() and not line.startswith("#"))
        else:
            yield from (name.strip() for name in value.split(",") if name.strip())


def _print_plan(
    files: list[str], prefix: str | None, common_crawl: str, allow_private: bool, workers: int | None
) -> None:
    """Prints the number and size of the files, and an estimate of hours and disk space."""
    from rich.filesize import decimal

    from newsextract.archive.sources import resolve_files, sizes_of

    paths = resolve_files(files, prefix, common_crawl=common_crawl, allow_private=allow_private)
    sizes = []
    with progress_bars() as progress:
        for _, size in sizes_of(paths, allow_private=allow_private):
            sizes.append(size)
            progress("files", len(sizes), len(paths), "")
    total, processes = sum(sizes), workers or os.cpu_count() or 1
    pages = total / PAGE_BYTES
    hours = pages * SECONDS_A_PAGE / 3600
    say(f"{counted(len(paths), 'file')}, {decimal(total)} compressed: about {pages:,.0f} pages")
    say(f"extraction of all: about {hours:,.1f} hours of one core, {hours / processes:,.1f} on {processes}")
    say(f"skipping all but a few sites: about {pages * SECONDS_A_SKIPPED_PAGE / 3600 / processes:,.1f} hours")
    say(f"articles as Parquet: about {decimal(int(pages * ARTICLE_BYTES))}")


@contextmanager
def _open_engine(scheduler: str | None, workers: int | None) -> "Iterator[Engine]":
    if workers == 0:
        from newsextract.archive.run import run_locally

        yield run_locally
        return
    from newsextract.archive.dask_engine import DaskEngine, local_cluster

    if scheduler is not None:
        yield DaskEngine(scheduler)
        return
    with local_cluster(workers or os.cpu_count() or 1) as (address, dashboard):
        say(f"Dask's dashboard: {dashboard}", err=True)
        yield DaskEngine(address)
