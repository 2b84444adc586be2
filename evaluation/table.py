"""docs/ALGORITHMS.md: what each method's paper reported, what this code reaches, how long it takes; and the chart.

Everything comes from files beside this one: `results/*.json` (runs, with versions and date), `papers.json` (the papers'
figures), `notes.toml` (why they differ). The page is never edited by hand; a test holds it to these files.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import fsum
from pathlib import Path
from typing import Any

import jinja2

from evaluation.chart import draw_chart
from evaluation.results import Result, Run, merged, write_whole
from newsextract.errors import WrongCall
from newsextract.extractors import EXTRACTORS

PAGE = "ALGORITHMS.md"
CHART = "algorithms.svg"
#: Sets in the order of the page's columns; what a result holds beyond these comes after.
SETS = (
    *("wcxb-dev", "fundus", "fundus-eval", "traf", "l3s-gn1", "dragnet", "cleaneval-dev", "cleaneval-final"),
    *("cleanportaleval", "chinese69", "zhnews"),
)
#: The papers' common set; ECON's kind of page; sets that can be paired; pages that are no article; the clock's set.
COMMON, ECONS, PAIRED = "cleaneval-final", ("zhnews", "chinese69"), ("fundus-eval", "cleanportaleval")
OTHERS, CLOCK = "wcxb-other", "wcxb-dev"
#: Our extractor -> under which names papers report its method.
COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "cedst": ("CEDST",),
    "cedst-nc": ("CEDST-NC",),
    "cedst-tf": ("CEDST-TF",),
    "cedp-nltd": ("CEDP-NLTD",),
    "cedp-td": ("CEDP-TD",),
    "cedp-ctd": ("CEDP-CTD",),
    "cedp-dsum": ("CEDP-DSum",),
    "cepf": ("CEPF",),
    "cepr": ("CEPR", "CEPR-AT"),
    "cetd": ("CETD", "CETD-Jsoup", "CETD-QT"),
    "cetr": ("CETR",),
    "mcstd": ("MCSTD",),
    "twcem": ("TWCEM",),
    "econ": ("ECON",),
    "coreex": ("CoreEx",),
    "tsrec": ("TSReC",),
    "boilerpipe": ("boilerpipe",),
    "readability": ("readability",),
}


@dataclass(frozen=True, slots=True)
class Published:
    """A paper's figures in percent."""

    paper: str
    set: str
    method: str
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class Beside:
    """A method on the papers' common set: ours (in percent) beside what papers print."""

    label: str
    ours: Run
    published: tuple[Published, ...]
    note: str


def write_table(folder: str | Path, *, results: Path | None = None) -> list[Path]:
    """Writes ALGORITHMS.md and the chart into `folder` (the checkout's docs); gives their paths."""
    if not Path(folder).is_dir():
        raise WrongCall(f"{folder}: no folder to write {PAGE} to")
    written = []
    for name, text in render_table(results).items():
        write_whole(Path(folder) / name, text)
        written.append(Path(folder) / name)
    return written


def render_table(results: Path | None = None) -> dict[str, str]:
    """File name -> text; WrongCall where there is no committed result."""
    folder = results or Path(str(_beside("results")))
    found = [Result.load(path) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise WrongCall(f"{folder}: no result; `newsextract bench run --output FILE` makes one")
    result, papers = merged(found), json.loads(_beside("papers.json").read_text(encoding="utf-8"))
    notes = tomllib.loads(_beside("notes.toml").read_text(encoding="utf-8"))
    published = [Published(*row) for row in papers["figures"]]
    chart = draw_chart(list(_points(result)))
    values = {
        "result": result,
        "made": [one.made for one in found],
        "sets": [name for name in SETS if name in result.sets] + sorted(set(result.sets) - {*SETS, OTHERS}),
        "rows": sorted(result.labels, key=lambda label: -mean_f(result, label)),
        "average": mean_f,
        "kinds": _kinds(result.labels),
        "beside": list(_beside_papers(result, published, notes["figures"])),
        "published": published,
        "papers": papers,
        "absent": notes["absent"],
        "constants": {"COMMON": COMMON, "ECONS": ECONS, "PAIRED": PAIRED, "OTHERS": OTHERS, "CLOCK": CLOCK},
        "chart": CHART,
    }
    page = _environment().get_template(f"{PAGE}.jinja").render(values)
    return {PAGE: _tidy(page), CHART: chart}


def mean_f(result: Result, label: str) -> float:
    """Mean F over the sets that have one, each set alike; 0 where a label was not run on all of them."""
    found = [run for name in SETS if (run := result.run(name, label)) and "f" in run.scores]
    complete = len(found) == sum(name in result.sets for name in SETS)
    return fsum(run.scores["f"] for run in found) / len(found) if found and complete else 0.0


def measured() -> dict[str, tuple[float, int]]:
    """Extractor -> its committed mean F and over how many sets; with a peer where it was only run so."""
    paths = sorted(Path(str(_beside("results"))).glob("*.json"))
    result = merged([Result.load(path) for path in paths])
    found: dict[str, tuple[float, int]] = {}
    for name in EXTRACTORS:
        for label in (name, f"{name}+peer"):
            runs = [run for one in SETS if (run := result.run(one, label)) and "f" in run.scores]
            if runs and name not in found:
                found[name] = fsum(run.scores["f"] for run in runs) / len(runs), len(runs)
    return found


def _points(result: Result) -> Iterator[tuple[str, float, float, bool]]:
    """Label, ms a page, mean F, ours or not: for those run on every set."""
    for label in result.labels:
        clock = result.run(CLOCK, label)
        average = mean_f(result, label)
        if clock and average and clock.times:
            yield label, clock.times["total"]["median"], average, clock.extractor.partition(":")[0] in set(EXTRACTORS)


def _beside_papers(result: Result, published: Sequence[Published], notes: dict[str, str]) -> Iterator[Beside]:
    for label, methods in COUNTERPARTS.items():
        run = result.run(COMMON, label)
        theirs = tuple(row for row in published if row.method in methods and row.set.startswith("CleanEval-En"))
        if run and theirs:
            yield Beside(label, run, theirs, notes.get(label, ""))


def _tidy(page: str) -> str:
    """Without blanks at the ends of lines, and with one empty line where the template leaves several."""
    lines = "\n".join(line.rstrip() for line in page.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).rstrip() + "\n"


def _kinds(labels: Sequence[str]) -> dict[str, str]:
    """Label -> the paper in a line, as the extractor's class has it; foreign packages have none."""
    kinds = {}
    for label in labels:
        name = label.removesuffix("+peer").partition(":")[0]
        kinds[label] = EXTRACTORS[name].paper if name in set(EXTRACTORS) else "foreign package, as its users call it"
    return kinds


def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(str(_beside("templates")))
    environment = jinja2.Environment(
        loader=loader,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["figure"] = lambda value: f"{value:.4f}".removeprefix("0")
    environment.filters["percent"] = lambda value: f"{100 * value:.1f}"
    environment.filters["two"] = lambda value: f"{value:.2f}"
    environment.filters["ms"] = lambda value: f"{value:.1f}"
    return environment


def _beside(name: str) -> Any:
    return files("evaluation") / name
