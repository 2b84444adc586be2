"""`newsextract demo --days`: a database as after days of crawls."""

import sys
from datetime import timedelta
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.demo.month import SITES
from newsextract.store import Store
from newsextract.store.admin import check_integrity
from newsextract.store.lookup import read_status


def simulate(monkeypatch: pytest.MonkeyPatch, folder: Path, days: str) -> int | str | None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["newsextract", "demo", "--days", days])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_demo_days_fill_a_new_database_by_the_store_itself(tmp_path, monkeypatch, capsys) -> None:
    assert simulate(monkeypatch, tmp_path, "2") == 0
    assert "articles of 2 simulated days" in capsys.readouterr().err
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db", must_exist=True) as store:
        assert store.read(check_integrity) == []
        sites, runs = store.read(read_status, last=100)
        now = store.now()
        articles = [row.article for row in store.articles()]
    assert {site.site for site in sites} == {site.host for site in SITES}
    assert (len(runs), {run.reason for run in runs}) == (2 * len(SITES), {"finished"})
    assert max(run.started_at for run in runs) < now < max(run.started_at for run in runs) + timedelta(hours=2)
    assert all(len(article.article_body) > 200 and article.headline for article in articles)
    assert simulate(monkeypatch, tmp_path, "2") == 2
    assert "exists; simulated crawls need a folder without one" in capsys.readouterr().err
