"""Floors of scores and the ceiling of the cost of an article."""

import json

import pytest
import typer

from evaluation import CHECKOUT, cost
from evaluation.gate import gate, pin_floors, read_floors
from newsextract.errors import WrongCall

TEXT = "The council met on Monday, and it decided nothing at all. " * 5


@pytest.fixture
def village(write_corpus, monkeypatch):
    page = f"<html><body><div><p>{TEXT}</p></div></body></html>"
    folder = write_corpus(*[{"id": str(i), "text": TEXT, "html": page} for i in range(6)])
    monkeypatch.setenv("NEWSEXTRACT_CORPORA", str(folder.parent))
    return folder


def test_gate_holds_until_a_score_drops_and_pinning_keeps_other_sets(village, tmp_path):
    floors = tmp_path / "floors.json"
    floors.write_text('{"4": {"town": {"econ": {"f": 0.5}}}, "all": {}}')
    pinned = pin_floors([village], ["econ"], sample=4, floors=floors)
    assert pinned == read_floors(floors) and pinned["4"].keys() == {"town", "village"}
    assert pinned["4"]["village"]["econ"]["f"] == 1.0
    with pytest.raises(WrongCall, match="town"):
        gate([], sample=4, floors=floors)
    [check] = gate([village], sample=4, floors=floors)
    assert check.holds
    rows = [json.loads(line) for line in (village / "gold.jsonl").read_text().splitlines()]
    gold = "".join(json.dumps({**row, "text": TEXT + " More than the page has."}) + "\n" for row in rows)
    (village / "gold.jsonl").write_text(gold)
    [check] = gate([village], sample=4, floors=floors)
    assert not check.holds and check.measured < check.floor


def test_gate_measures_only_the_extractors_that_a_set_has_floors_of(village, write_corpus, tmp_path):
    town = write_corpus({"id": "a", "text": TEXT, "html": f"<p>{TEXT}</p>"}, name="town")
    floors = tmp_path / "floors.json"
    floors.write_text('{"4": {"town": {"econ": {"f": 0.5}}, "village": {"bte": {"f": 0.5}, "econ": {"f": 0.5}}}}')
    checks = gate([village, town], sample=4, floors=floors)
    assert sorted(f"{one.set} {one.extractor}" for one in checks) == ["town econ", "village bte", "village econ"]
    assert all(check.holds for check in checks)


@pytest.mark.parametrize("content", ["", "[]", '{"4": 3}', '{"4": {"a": {"b": {"f": "x"}}}}'])
def test_gate_refuses_damaged_floors(village, tmp_path, content):
    floors = tmp_path / "floors.json"
    floors.write_text(content)
    with pytest.raises(WrongCall, match="floors"):
        gate([village], sample=4, floors=floors)


def test_cost_above_the_ceiling_fails(monkeypatch, capsys):
    sample, name, extractor = cost.PLACE
    ceilings = read_floors()[sample][name][extractor]
    for factor, status, word in ((1.0, 0, "holds"), (1.01, 1, "OVER")):
        measured = {name: value * factor + 0.001 for name, value in ceilings.items()}
        monkeypatch.setattr(cost, "measure", lambda rounds, peers, measured=measured: measured)
        with pytest.raises(typer.Exit) as ended:
            cost.main(rounds=1, pin=False, peers=False)
        assert ended.value.exit_code == status and word in capsys.readouterr().out


def test_docs_quote_the_measured_cost():
    record = json.loads(cost.FIGURES.read_text())
    page = (CHECKOUT / "docs/OPERATIONS.md").read_text()
    for name, ratio in record["times the parse"].items():
        assert f"| {name} | {ratio} |" in page
    assert record["date"] in page
