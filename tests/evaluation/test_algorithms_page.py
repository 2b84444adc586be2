import re
from xml.etree import ElementTree

import pytest

from evaluation import CHECKOUT
from evaluation.algorithms_page import LINE, PAGE, PLACES, draw_chart, render_table, write_table
from evaluation.results import Result, Run
from newsextract.errors import WrongCall

SCORES = ("f", "fp", "f4", "lcs", "precision", "recall", "empty", "success")
VERDICTS = tuple(f"{word}{mark}" for word in ("correct", "wrong", "missed") for mark in (95, 90))


def measured(set_name, extractor, f, **more):
    scores = dict.fromkeys((*SCORES, *VERDICTS), f)
    return Run(set_name, extractor, 30, scores, {"total": {"median": 10 * f, "p95": 20.0}}, **more)


def test_pages_equal_the_committed_files_and_their_tables_are_whole():
    for name, text in render_table().items():
        committed = (CHECKOUT / PLACES[name] / name).read_text(encoding="utf-8")
        assert committed == text, f"{name}: run `scripts/bench table`"
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            rows = table.splitlines()
            assert len({row.count("|") for row in rows}) == 1 and re.fullmatch(r"[|:-]+", rows[1]), rows[0]


def test_page_has_the_latest_results_with_date_conventions_and_intervals(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    with pytest.raises(WrongCall, match="no result"):
        render_table(folder)
    runs = [
        measured("cleaneval-final", "econ", 0.5),
        measured("cleaneval-final", "readability", 0.75, intervals={"f": [0.7, 0.8]}),
        measured("wcxb-dev", "econ", 0.25),
        measured("wcxb-dev", "econ", 0.875, convention="headline"),
        measured("wcxb-dev", "readability", 0.75),
        measured("zhnews", "econ", 0.625),
    ]
    Result({"date": "2026-01-02", "newsextract": "0.1.0"}, runs).save(folder / "a.json", by_page=False)
    write_table(tmp_path, results=folder)
    page = (tmp_path / PAGE).read_text()
    for line in (
        "Measured 2026-01-02: newsextract 0.1.0.",
        "| econ | .2500 | .5000 | .6250 | .4583 |",
        "| readability | .7500 | .7500 | – | – |",
        ".7000 to .8000",
        "| extractor | wcxb-dev | headline |",
        "| econ | .2500 | .8750 |",
    ):
        assert line in page
    Result({"date": "2026-02-03"}, [measured("zhnews", "econ", 0.875)]).save(folder / "b.json", by_page=False)
    assert "| econ | .2500 | .5000 | .8750 | .5417 |" in render_table(folder)[PAGE]


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
