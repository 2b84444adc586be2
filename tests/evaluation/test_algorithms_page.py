import re
from xml.etree import ElementTree

import pytest

from evaluation import CHECKOUT
from evaluation.algorithms_page import (
    CHART,
    FIGURES,
    LINE,
    OVERVIEW,
    PAGE,
    PLACES,
    draw_chart,
    render_table,
    write_table,
)
from evaluation.results import Result, Run
from newsextract.errors import WrongCall

SCORES = ("f", "fp", "f4", "lcs", "precision", "recall", "empty", "success")
VERDICTS = tuple(f"{word}{mark}" for word in ("correct", "wrong", "missed") for mark in (95, 90))


def measured(set_name, extractor, f, **more):
    scores = dict.fromkeys((*SCORES, *VERDICTS), f)
    return Run(set_name, extractor, 30, scores, {"total": {"median": 10 * f, "p95": 20.0}}, **more)


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    Result(
        {"date": "2026-01-02", "newsextract": "0.1.0"},
        [
            measured("cleaneval-final", "econ", 0.5),
            measured("cleaneval-final", "readability", 0.75, intervals={"f": [0.7, 0.8]}),
            measured("wcxb-dev", "econ", 0.25),
            measured("wcxb-dev", "readability", 0.75),
            measured("zhnews", "econ", 0.625),
        ],
    ).save(folder / "a.json", by_page=False)
    return folder


def test_render_table_equals_the_committed_files():
    for name, text in render_table().items():
        assert (CHECKOUT / PLACES[name] / name).read_text(encoding="utf-8") == text, (
            f"{name}: run `scripts/bench table`"
        )


def test_write_table_has_new_results_with_their_date(results, tmp_path):
    assert [path.name for path in write_table(tmp_path, results=results)] == [OVERVIEW, PAGE, CHART, FIGURES]
    page = (tmp_path / PAGE).read_text()
    assert "Measured 2026-01-02: newsextract 0.1.0." in page
    assert "| econ | .2500 | .5000 | .6250 | .4583 |" in page
    assert "| readability | .7500 | .7500 | – | – |" in page
    assert ".7000 to .8000" in page
    Result({"date": "2026-02-03"}, [measured("zhnews", "econ", 0.875)]).save(results / "b.json", by_page=False)
    assert "| econ | .2500 | .5000 | .8750 | .5417 |" in render_table(results)[PAGE]


def test_render_table_has_conventions_and_intervals(results):
    runs = [
        measured("wcxb-dev", "econ", 0.875, convention="headline"),
        measured("zhnews", "econ", 0.625, intervals={"f": [0.5, 0.75]}),
    ]
    Result({"date": "2026-02-03"}, runs).save(results / "b.json", by_page=False)
    page = render_table(results)[PAGE]
    assert "| econ | .2500 | .5000 | .6250 | .4583 |" in page
    assert "| extractor | wcxb-dev | headline |" in page
    assert "| econ | .2500 | .8750 |" in page
    assert ".5000 to .7500" in page


def test_render_table_rows_have_as_many_cells_as_their_head(results):
    for page in (render_table(results)[PAGE], render_table()[PAGE], render_table()[OVERVIEW]):
        for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
            rows = table.splitlines()
            assert len({row.count("|") for row in rows}) == 1, rows[0]
            assert re.fullmatch(r"[|:-]+", rows[1]), rows[0]


def test_render_table_without_results_is_refused(tmp_path):
    with pytest.raises(WrongCall, match="no result"):
        render_table(tmp_path)


def test_draw_chart_places_every_extractor_without_overlap():
    points = [("slow", 100.0, 0.9, True), ("quick", 1.0, 0.9, True), ("<foreign>", 10.0, 0.5, False)]
    root = ElementTree.fromstring(draw_chart(points))
    space = "{http://www.w3.org/2000/svg}"
    circles = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter(f"{space}circle")]
    assert circles[0][0] > circles[2][0] > circles[1][0]
    assert circles[0][1] == circles[1][1] < circles[2][1]
    labels = {text.text: float(text.get("y")) for text in root.iter(f"{space}text")}
    assert abs(labels["slow"] - labels["quick"]) >= LINE
    assert "<foreign>" in labels
