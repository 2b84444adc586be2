"""docs/ALGORITHMS.md with its chart, docs/measurements/EXTRACTORS.md, and the figures of `newsextract algorithms`.

All of it is generated from `results/*.json` (runs, with versions and date), `papers.json` (the papers' figures) and
`notes.toml` (why they differ); a test compares the committed files with what is generated.
"""

import json
import re
from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

import jinja2

from evaluation import CHECKOUT
from evaluation.results import Result, merged, write_atomically
from evaluation.scores import mean
from newsextract.errors import WrongCall
from newsextract.extractors import EXTRACTORS
from newsextract.files import package_data

OVERVIEW = "ALGORITHMS.md"
PAGE = "EXTRACTORS.md"
CHART = "algorithms.svg"
FIGURES = "figures.json"
#: Where the files are in the checkout.
PLACES = {OVERVIEW: "docs", PAGE: "docs/measurements", CHART: "docs", FIGURES: "newsextract/extractors"}
#: Sets in the order of the page's columns; other sets of a result come after them.
SETS = (
    *("wcxb-dev", "fundus", "fundus-eval", "traf", "l3s-gn1", "dragnet", "cleaneval-dev", "cleaneval-final"),
    *("cleanportaleval", "chinese69", "zhnews"),
)
#: The papers' common set; sets like that of ECON's paper; sets with pairs of pages; pages that aren't articles; the set
#: used for times.
COMMON = "cleaneval-final"
ECONS = ("zhnews", "chinese69")
PAIRED = ("fundus-eval", "cleanportaleval")
OTHERS = "wcxb-other"
CLOCK = "wcxb-dev"
#: Sets on which no weights were fitted.
UNSEEN = tuple(name for name in SETS if name not in {"wcxb-dev", "fundus", "traf"})
#: Extractors whose methods are in papers, under the same or another name.
COUNTERPARTS = """cedst cedst-nc cedst-tf cedp-nltd cedp-td cedp-ctd cedp-dsum cepf cepr cetd cetr mcstd twcem econ
    coreex tsrec boilerpipe readability""".split()
OTHER_NAMES = {"cepr-at": "cepr", "cetd-jsoup": "cetd", "cetd-qt": "cetd"}
#: The chart, in pixels.
WIDTH = 860
HEIGHT = 480
LEFT = 60
RIGHT = 130
TOP = 30
BOTTOM = 50
#: Ticks of the time axis within a power of ten.
TICKS = (1, 2, 5)
#: Minimum distance of two labels.
LINE = 13

#: A paper's figures in per cent, a row of `papers.json`.
PUBLISHED = ("paper", "set", "method", "precision", "recall", "f")
#: Of the chart: label, milliseconds a page, F, whether it is an extractor of this project.
Point = tuple[str, float, float, bool]


def write_table(folder: str | Path | None = None, *, results: Path | None = None) -> list[Path]:
    """Writes all generated files to their places in the checkout, or to `folder`; returns their paths."""
    if folder and not Path(folder).is_dir():
        raise WrongCall(f"{folder}: no folder to write {PAGE} to")
    paths = []
    for name, text in render_table(results).items():
        path = (Path(folder) if folder else CHECKOUT / PLACES[name]) / name
        write_atomically(path, text)
        paths.append(path)
    return paths


def render_table(results: Path | None = None) -> dict[str, str]:
    """File name -> text. Raises WrongCall if there is no committed result."""
    folder = results or CHECKOUT / "evaluation" / "results"
    committed = [Result.load(path) for path in sorted(folder.glob("*.json"))]
    if not committed:
        raise WrongCall(f"{folder}: no result; `scripts/bench run --output FILE` makes one")
    result = merged(committed)
    papers, notes = (package_data("evaluation", name) for name in ("papers.json", "notes.toml"))
    published = [dict(zip(PUBLISHED, row, strict=True)) for row in papers["figures"]]
    points = [(label, ms, f, _extractor_of(label) in set(EXTRACTORS)) for f, label, ms in _timed(result, SETS)]
    values = {
        "result": result,
        "made": [one.made for one in committed],
        "dates": " to ".join(dict.fromkeys(limit(one.made["date"] for one in committed) for limit in (min, max))),
        "sets": [name for name in SETS if name in result.sets] + sorted(set(result.sets) - {*SETS, OTHERS}),
        "rows": sorted(result.labels, key=lambda label: -mean_f(result, label)),
        "average": mean_f,
        "overview": sorted(_timed(result, UNSEEN), reverse=True),
        "kinds": _paper_of(result.labels),
        "beside": list(_beside_papers(result, published, notes["figures"])),
        "published": published,
        "papers": papers,
        "absent": notes["absent"],
        "constants": {
            "COMMON": COMMON,
            "ECONS": ECONS,
            "PAIRED": PAIRED,
            "OTHERS": OTHERS,
            "CLOCK": CLOCK,
            "UNSEEN": UNSEEN,
        },
        "chart": CHART,
    }
    pages = {name: _tidy(_environment().get_template(f"{name}.jinja").render(values)) for name in (OVERVIEW, PAGE)}
    figures = {name: [round(mean, 4), sets] for name, (mean, sets) in sorted(extractor_figures(result).items())}
    return {**pages, CHART: draw_chart(points), FIGURES: json.dumps(figures, indent=1) + "\n"}


def mean_f(result: Result, label: str, sets: Sequence[str] = SETS) -> float:
    """Mean F over those of these sets that there are, with equal weights; 0 if a label was not run on all of them."""
    scores = _scores(result, label, sets)
    return mean(scores) if len(scores) == sum(name in result.sets for name in sets) else 0.0


def _scores(result: Result, label: str, sets: Sequence[str]) -> list[float]:
    return [run.scores["f"] for name in sets if (run := result.run(name, label)) and "f" in run.scores]


def _timed(result: Result, sets: Sequence[str]) -> Iterator[tuple[float, str, float]]:
    """Mean F over these sets, label, and milliseconds a page, of what was run on all of them and for times."""
    for label in result.labels:
        clock, average = result.run(CLOCK, label), mean_f(result, label, sets)
        if clock and clock.times and average:
            yield average, label, clock.times["total"]["median"]


def extractor_figures(result: Result) -> dict[str, tuple[float, int]]:
    """Extractor -> mean F and number of sets; with a peer if it was only run with one."""
    figures: dict[str, tuple[float, int]] = {}
    for name in EXTRACTORS:
        for label in (name, f"{name}+peer"):
            scores = _scores(result, label, SETS)
            if scores and name not in figures:
                figures[name] = mean(scores), len(scores)
    return figures


def _beside_papers(
    result: Result, published: Sequence[dict[str, Any]], notes: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Methods on the papers' common set: our run next to the published figures."""
    for label in COUNTERPARTS:
        run = result.run(COMMON, label)
        named = ((OTHER_NAMES.get(row["method"].lower(), row["method"].lower()), row) for row in published)
        theirs = [row for name, row in named if name == label and row["set"].startswith("CleanEval-En")]
        if run and theirs:
            yield {"label": label, "ours": run, "published": theirs, "note": notes.get(label, "")}


def _tidy(page: str) -> str:
    """The page without trailing blanks and with single empty lines."""
    lines = "\n".join(line.rstrip() for line in page.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).rstrip() + "\n"


def _paper_of(labels: Sequence[str]) -> dict[str, str]:
    """Label -> the paper of the extractor in one line."""
    own, foreign = set(EXTRACTORS), "another package, called as its users call it"
    names = {label: _extractor_of(label) for label in labels}
    return {label: EXTRACTORS[name].paper if name in own else foreign for label, name in names.items()}


def _extractor_of(label: str) -> str:
    return label.removesuffix("+peer").partition(":")[0]


def _environment(autoescape: bool = False) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(CHECKOUT / "evaluation" / "templates"),
        autoescape=autoescape,
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


def draw_chart(points: Sequence[Point]) -> str:
    """Draws the chart of F against time a page as an SVG document; an empty frame without points."""
    times = [point[1] for point in points] or [1.0]
    scores = [point[2] for point in points] or [0.5]
    low, high = floor(min(scores) * 20) / 20, ceil(max(scores) * 20) / 20
    first, last = log10(min(times)) - 0.1, log10(max(times)) + 0.1

    def x(ms: float) -> float:
        return round(LEFT + (log10(ms) - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)

    def y(score: float) -> float:
        return round(HEIGHT - BOTTOM - (score - low) / max(high - low, 0.05) * (HEIGHT - TOP - BOTTOM), 1)

    marks = [(label, x(ms), y(score), ms, score, ours) for label, ms, score, ours in points]
    decades = range(floor(first), ceil(last) + 1)
    values = {
        "width": WIDTH,
        "height": HEIGHT,
        "box": (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM),
        "marks": list(zip(marks, _label_heights([mark[2] for mark in marks]), strict=True)),
        "times": [
            (x(tick), f"{tick:g}") for d in decades for t in TICKS if first <= log10(tick := t * 10.0**d) <= last
        ],
        "scores": [(y(step / 20), f"{step / 20:.2f}") for step in range(round(low * 20), round(high * 20) + 1)],
    }
    return _environment(autoescape=True).get_template(f"{CHART}.jinja").render(values).rstrip("\n") + "\n"


def _label_heights(heights: Sequence[float]) -> list[float]:
    """Heights of the labels: as near to their points as possible, each at least LINE below the one above."""
    placed = [0.0] * len(heights)
    free = float(TOP)
    for i in sorted(range(len(heights)), key=lambda i: heights[i]):
        placed[i] = max(heights[i] + 4, free)
        free = placed[i] + LINE
    return placed
