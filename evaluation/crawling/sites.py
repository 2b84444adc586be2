"""`scripts/bench sites FOLDER…`: whole saved sites served on loopback, crawled with the defaults, and scored.

Each site is crawled by `scrapy crawl site` in a separate process, with an empty database, without pauses unless
requested. The articles in the database at the end are scored. Formats of the folders and definitions of the figures:
`site_folder`, `site_scores`.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.table import Table
from sqlalchemy import Connection, select

from evaluation import CHECKOUT
from evaluation.crawling import WITHOUT_PAUSES, children_cpu_seconds, crawl_command, crawl_environment
from evaluation.crawling.site_folder import SiteFolder, open_sites, page_key, serve_site
from evaluation.crawling.site_scores import SiteScores, score_site
from evaluation.gate import Check, checks_table
from evaluation.results import circumstances, reading, write_atomically
from evaluation.tables import new_table
from evaluation.training.folds import fold_of_site, fold_weights
from newsextract.cli.terminal import progress_bars, results
from newsextract.errors import NewsextractError, WrongCall
from newsextract.store import Store
from newsextract.store.schema import articles, changes

FORMAT = 3
#: Settings of crawls without pauses.
UNPAUSED: dict[str, object] = {**WITHOUT_PAUSES, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
#: Number of pages with which a crawl learns; the share of articles among later pages is a separate figure.
FIRST_PAGES = 30
LATER = f"articles after {FIRST_PAGES}"
#: Figure: articles that were stored, retracted, and aren't stored at the end.
WRONGLY = "wrongly retracted"
#: Seconds that a crawl may take.
TIMEOUT = 3600.0
#: Weights files of the package, and the folders below that of `--folds` with those fitted without each fold.
WEIGHTS = {
    "extractors/fusion/weights.json": "",
    "metadata/page_type.json": "page_type",
    "metadata/headline.json": "headline",
    "site_profile/weights.json": "site_profile",
}
#: Kinds of change after which an article is no longer stored.
TAKEN_BACK = frozenset({"deleted", "retracted"})
#: Figures of SiteScores, and their decimal places; then those of the crawl.
COLUMNS = {"articles": 0, "stored": 0, "found": 3, "pure": 3, "statics": 0, "F": 3, "headline": 3, "date": 3}
COLUMNS |= {"retracted": 0, WRONGLY: 0, LATER: 3, "pages an article": 2, "CPU ms a page": 1, "seconds": 0}
#: Lines of each sort that `--list` prints per site.
LISTED = 40
#: Figures with floors, and what each may lose: which pages come first (so which are found with `--max-pages`) depends
#: on the load of the machine.
MARGINS = {"found": 0.4, "pure": 0.02, "f": 0.02, "headline": 0.02, "date": 0.05}
#: Name of a site -> figure -> floor.
Floors = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class SiteResult:
    """One crawl: its scores, the number of HTML pages sent to it, its seconds, the CPU seconds of its main process
    (nothing waits for its workers), and the share of articles among the pages after FIRST_PAGES, None without more.

    `retracted`: paths of the pages that were stored and then retracted; `wrongly_retracted`: those of articles that
    aren't stored at the end.
    """

    scores: SiteScores
    pages: int
    seconds: float
    cpu: float
    later_articles: float | None
    retracted: list[str]
    wrongly_retracted: list[str]


def sites(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Saved sites: folders or .tar.xz archives.")],
    max_pages: Annotated[int | None, typer.Option(min=1, help="At most so many pages of a site.")] = None,
    workers: Annotated[int | None, typer.Option(min=0, help="Worker processes; not given: the default.")] = None,
    folds: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Weights by fold: each site is crawled with those without it.")
    ] = None,
    pauses: Annotated[bool, typer.Option("--pauses", help="Fetch with the default pauses, not without any.")] = False,
    alone: Annotated[
        bool, typer.Option("--no-site-profile", help="Judge each page by itself, without what its site says.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--json", "-o", metavar="FILE", help="Keep the result as JSON.")
    ] = None,
    against: Annotated[Path | None, typer.Option(metavar="FILE", help="An earlier result to compare with.")] = None,
    floors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check the figures: exit status 1 if one is below its floor.")
    ] = None,
    pin: Annotated[Path | None, typer.Option(metavar="FILE", help="Write these figures as floors.")] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Print the pages that were missed, or stored wrongly.")
    ] = False,
) -> None:
    """Crawl saved sites and print what was found."""
    earlier = load(against) if against else {}
    pinned = read_floors(floors, max_pages) if floors else {}
    settings: dict[str, object] = {} if workers is None else {"NEWSEXTRACT_WORKERS": workers}
    settings |= {"NEWSEXTRACT_SITE_EVIDENCE": 0} if alone else {}
    settings |= {} if pauses else UNPAUSED
    measured = crawl_sites(folders, max_pages, settings, folds)
    if output:
        save(measured, output, {"max_pages": max_pages, "folds": bool(folds), **settings})
    results().print(scores_table(measured, earlier))
    if listed:
        for name, result in measured.items():
            for line in wrong_pages(result):
                results().print(f"{name}: {line}", markup=False, soft_wrap=True)
    if pin:
        pin_floors(measured, pin, max_pages)
    checks = check_floors(measured, pinned) if floors else []
    if checks:
        results().print(checks_table(checks))
    if not all(check.holds for check in checks):
        raise typer.Exit(1)


def crawl_sites(
    folders: Sequence[Path], max_pages: int | None, settings: Mapping[str, object], folds: Path | None
) -> dict[str, SiteResult]:
    """Crawls each site and scores it; name -> result. `settings`: besides the defaults. Raises NewsextractError."""
    measured: dict[str, SiteResult] = {}
    with ExitStack() as stack:
        opened = stack.enter_context(open_sites(folders))
        packages = packages_by_fold(opened, folds, stack) if folds else {}
        progress = stack.enter_context(progress_bars())
        for site in opened:
            progress("sites", len(measured), len(opened), site.name)
            measured[site.name] = crawl_site(site, max_pages, settings, packages.get(site.name, CHECKOUT))
    return measured


def crawl_site(site: SiteFolder, max_pages: int | None, settings: Mapping[str, object], package: Path) -> SiteResult:
    """Crawls one site. `package`: the folder with the copy of newsextract to use instead of the installed one."""
    with TemporaryDirectory() as name, serve_site(site.public) as server:
        folder = Path(name)
        database = f"sqlite:///{folder}/news.db"
        settings = {"LOG_LEVEL": "ERROR", **settings, "NEWSEXTRACT_DATABASE_URL": database}
        arguments = {"url": server.url} | ({} if max_pages is None else {"max_pages": str(max_pages)})
        command, environment = crawl_command(settings, arguments), crawl_environment(package)
        begun, used = time.monotonic(), children_cpu_seconds()
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise NewsextractError(f"the crawl of {site.name} took longer than {TIMEOUT:g} seconds") from error
        if done.returncode:
            raise NewsextractError(f"the crawl of {site.name} failed:\n{done.stderr[-2000:]}")
        seconds, used = time.monotonic() - begun, children_cpu_seconds() - used
        with Store.open(database) as store:
            stored = [row.article.to_dict() for row in store.articles() if row.change_kind not in TAKEN_BACK]
            retracted = store.read(retracted_paths)
        scores, pages = score_site(site, stored), server.requests.total()
        later = share_of_later_articles(site, server.requests)
        wrongly = sorted({*retracted} & {*scores.missing})
        return SiteResult(scores, pages, round(seconds, 1), round(used, 2), later, retracted, wrongly)


def retracted_paths(connection: Connection) -> list[str]:
    """The pages that were retracted at any time, as `page_key`."""
    retracted = select(articles.c.url).join(changes, changes.c.article == articles.c.id)
    urls = connection.execute(retracted.where(changes.c.kind == "retracted")).scalars()
    return sorted({page_key(urlsplit(url).path) for url in urls})


def share_of_later_articles(site: SiteFolder, requests: Mapping[str, int]) -> float | None:
    """Share of articles among the pages after FIRST_PAGES, in the order of `SiteServer.requests`."""
    later = [path for path, sent in requests.items() if sent][FIRST_PAGES:]
    return round(fmean(page_key(path) in site.gold for path in later), 3) if later else None


def packages_by_fold(opened: Sequence[SiteFolder], folds: Path, stack: ExitStack) -> dict[str, Path]:
    """Site -> a folder with a copy of the package whose weights were fitted without the site's fold."""
    fold_of = {site.name: fold_of_site(folds, site.name) for site in opened}
    copies: dict[int, Path] = {}
    for fold in sorted(set(fold_of.values())):
        files = {place: fold_weights(folds / folder, fold) for place, folder in WEIGHTS.items()}
        copies[fold] = Path(stack.enter_context(TemporaryDirectory()))
        copy_package(copies[fold], files)
    return {name: copies[fold] for name, fold in fold_of.items()}


def copy_package(folder: Path, files: Mapping[str, Path]) -> None:
    """Copies newsextract, with spiders and pipelines as in the wheel, and replaces some files in it."""
    package = folder / "newsextract"
    shutil.copytree(CHECKOUT / "newsextract", package)
    for name in ("spiders", "pipelines"):
        shutil.copytree(CHECKOUT / name, package / name)
    for place, file in files.items():
        try:
            shutil.copyfile(file, package / place)
        except OSError as error:
            raise WrongCall(f"{file}: no weights of that fold ({error.strerror})") from error


def scores_table(measured: Mapping[str, SiteResult], earlier: Mapping[str, Any]) -> Table:
    """The scores of each site and their means, each with its difference from the earlier result."""
    table = new_table("By the database at the end", ["site"], [*COLUMNS])
    rows = {name: _figures(asdict(result)) for name, result in measured.items()}
    before = {name: _figures(earlier[name]) for name in rows if name in earlier}
    for name, figures in rows.items():
        table.add_row(name, *_cells(figures, before.get(name, {})), end_section=name == list(rows)[-1])
    if len(rows) > 1:
        compared = _means([rows[name] for name in before]), _means(list(before.values()))
        means = _means(list(rows.values()))
        differences = {name: means[name] - compared[0][name] + compared[1].get(name, 0.0) for name in compared[0]}
        table.add_row("mean", *_cells(means, differences if before else {}))
    return table


def _figures(result: Mapping[str, Any]) -> dict[str, float]:
    """The figures of a table's row; missing ones are left out."""
    scores = result["scores"]
    figures = {
        **{name: scores.get(name.lower()) for name in COLUMNS},
        "retracted": len(result["retracted"]),
        WRONGLY: len(result["wrongly_retracted"]),
        LATER: result["later_articles"],
        "pages an article": result["pages"] / max(1, round(scores["found"] * scores["articles"])),
        "CPU ms a page": 1000 * result["cpu"] / max(1, result["pages"]),
        "seconds": result["seconds"],
    }
    return {name: value for name, value in figures.items() if value is not None}


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: fmean(row[name] for row in rows if name in row) for name in names}


def _cells(figures: Mapping[str, float], before: Mapping[str, float]) -> Iterator[str]:
    for name, digits in COLUMNS.items():
        if name not in figures:
            yield ""
            continue
        cell = f"{figures[name]:.{digits}f}"
        change = round(figures[name] - before.get(name, figures[name]), digits)
        yield f"{cell} ({change:+.{digits}f})" if change else cell


def wrong_pages(result: SiteResult) -> Iterator[str]:
    """A line for each of the first pages that were missed, wrongly stored or retracted, or stored with errors."""
    scores = result.scores
    worst = sorted(scores.f_of, key=lambda path: scores.f_of[path])[:6]
    for what, paths in (
        ("missing", scores.missing),
        ("retracted", result.retracted),
        ("a list", scores.lists),
        ("a static page", scores.static_pages),
        ("headline", [f"{path}: {value!r}" for path, value in scores.wrong_headlines.items()]),
        ("date", [f"{path}: {value}" for path, value in scores.wrong_dates.items()]),
        ("F", [f"{path}: {scores.f_of[path]:.3f}" for path in worst]),
    ):
        yield from (f"{what} {path}" for path in paths[:LISTED])


def check_floors(measured: Mapping[str, SiteResult], floors: Floors) -> list[Check]:
    """A check for each figure of a site that has floors. Raises WrongCall if a site has none."""
    unknown = sorted(measured.keys() - floors.keys())
    if unknown:
        raise WrongCall(f"no floors for {', '.join(unknown)}")
    return [
        Check(name, "crawl", figure, floor, getattr(result.scores, figure))
        for name, result in measured.items()
        for figure, floor in floors[name].items()
    ]


def pin_floors(measured: Mapping[str, SiteResult], path: Path, max_pages: int | None) -> None:
    """Writes floors: the figures by the database, less MARGINS."""
    sites = {
        name: {
            figure: round(value - margin, 3)
            for figure, margin in MARGINS.items()
            if (value := getattr(result.scores, figure)) is not None
        }
        for name, result in measured.items()
    }
    write_atomically(path, json.dumps({"max_pages": max_pages, "sites": sites}, indent=1) + "\n")


def read_floors(path: Path, max_pages: int | None) -> Floors:
    """The floors in a file. Raises WrongCall for any other file, or one made with another `max_pages`."""
    with reading(path, "no floors of `scripts/bench sites --pin`") as values:
        made_with = values["max_pages"]
        floors = {name: {key: float(figures[key]) for key in figures} for name, figures in values["sites"].items()}
    if made_with != max_pages:
        raise WrongCall(f"{path}: floors of crawls with --max-pages {made_with}, not {max_pages}")
    return floors


def save(measured: Mapping[str, SiteResult], path: Path, settings: Mapping[str, object]) -> None:
    """Writes the result as JSON."""
    rows = {name: asdict(result) for name, result in measured.items()}
    values = {"format": FORMAT, "made": circumstances({}, settings), "sites": rows}
    write_atomically(path, json.dumps(values, ensure_ascii=False, indent=1) + "\n")


def load(path: Path) -> dict[str, Any]:
    """The sites of an earlier result: name -> as `SiteResult`. Raises WrongCall for any other file."""
    with reading(path, "no result of `scripts/bench sites`", FORMAT) as values:
        for row in values["sites"].values():
            _figures(row)
        return dict(values["sites"])
