"""`newsextract demo --days`: a database as after days of crawls."""

from datetime import timedelta

from newsextract.demo.month import SITES
from newsextract.store import Store
from newsextract.store.admin import check_integrity
from newsextract.store.engine import database_now
from newsextract.store.lookup import read_status


def test_demo_days_fill_a_new_database_by_the_store_itself(command, tmp_path) -> None:
    filled = command("demo", "--days", "2")
    assert filled.returncode == 0 and "articles of 2 simulated days" in filled.stderr
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db", must_exist=True) as store:
        assert store.read(check_integrity) == []
        sites, runs = store.read(read_status, last=100)
        now = store.read(database_now)
        articles = [row.article for row in store.articles()]
    assert {site.site for site in sites} == {site.host for site in SITES}
    assert (len(runs), {run.reason for run in runs}) == (2 * len(SITES), {"finished"})
    assert max(run.started_at for run in runs) < now < max(run.started_at for run in runs) + timedelta(hours=2)
    assert all(len(article.article_body) > 200 and article.headline for article in articles)
    again = command("demo", "--days", "2")
    assert again.returncode == 2 and "exists; simulated crawls need a folder without one" in again.stderr
