"""The cost of an article: a ceiling can be exceeded, and the docs quote what was measured."""

import json

import pytest
import typer

from evaluation import CHECKOUT, cost
from evaluation.gate import read_floors


def test_cost_above_the_ceiling_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    sample, name, extractor = cost.PLACE
    ceilings = read_floors()[sample][name][extractor]
    for factor, status, word in ((1.0, 0, "holds"), (1.01, 1, "OVER")):
        monkeypatch.setattr(
            cost, "measure", lambda rounds, peers, by=factor: {k: v * by + 0.001 for k, v in ceilings.items()}
        )
        with pytest.raises(typer.Exit) as ended:
            cost.main(rounds=1, pin=False, peers=False)
        assert ended.value.exit_code == status and word in capsys.readouterr().out


def test_docs_quote_the_measured_cost() -> None:
    record = json.loads(cost.results_path().read_text())
    page = (CHECKOUT / "docs/OPERATIONS.md").read_text()
    for name, ratio in record["times the parse"].items():
        assert f"| {name} | {ratio} |" in page
    assert record["date"] in page
