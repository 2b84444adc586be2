"""`prune`: what is old goes, what is needed stays, on both databases."""

from datetime import timedelta

import pytest

from newsextract.errors import DatabaseError
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.admin import check_integrity, database_size, prune, shrink_file
from newsextract.store.alerts import finish_run
from newsextract.store.frontier import find_url
from newsextract.store.lookup import find_versions
from tests.store.conftest import on_both_databases
from tests.store.samples import NOON, outcome

HOME = "https://example.org/"
DAY = timedelta(days=1)


@pytest.fixture
def old_and_new(store: Store) -> Store:
    """An article of three versions, one of a hundred days ago, pages of that day, and the same of another site."""
    for day in (0, 60, 99):
        now = NOON + day * DAY
        store.database.clock = lambda connection, now=now: now
        run = store.frontier("courier", {"url": HOME}).run
        ends = [outcome(f"{HOME}story", f"A text of day {day}, and some more words.", at=now)]
        ends += [PageOutcome(f"{HOME}section-{day}", UrlState.not_article, "section", at=now, run=run)]
        if day == 0:
            ends += [outcome(f"{HOME}old", at=now), outcome("https://other.example/old", at=now)]
            ends += [PageOutcome("https://other.example/page", UrlState.not_article, "short", at=now)]
            ends += [PageOutcome(f"{HOME}waits", UrlState.retried, "retried", at=now)]
        for end in ends:
            end.run = run
        store.commit(ends)
        store.write(finish_run, run, "finished", {})
    return store


@on_both_databases
def test_prune_deletes_old_versions_rows_and_runs_and_keeps_every_article(old_and_new: Store) -> None:
    before = NOON + 70 * DAY
    counts = prune(old_and_new.database, before)
    assert counts == {"article_versions": 2, "changes": 2, "urls": 5, "runs": 2}
    assert [version.version for version in old_and_new.read(find_versions, f"{HOME}story")] == [3]
    assert {row.article.url for row in old_and_new.articles()} == {
        f"{HOME}story",
        f"{HOME}old",
        "https://other.example/old",
    }
    assert old_and_new.read(find_url, f"{HOME}section-0") is None
    assert old_and_new.read(find_url, f"{HOME}section-99") is not None
    assert prune(old_and_new.database, before) == {}, "nothing is left to delete"
    assert old_and_new.read(check_integrity) == []


@on_both_databases
def test_prune_with_articles_deletes_those_not_seen_since_for_good(old_and_new: Store) -> None:
    counts = prune(old_and_new.database, NOON + 70 * DAY, with_articles=True)
    assert counts["articles"] == 2
    assert [row.article.url for row in old_and_new.articles()] == [f"{HOME}story"]
    row = old_and_new.read(find_url, f"{HOME}old")
    assert row is not None
    assert (row.state, row.reason) == (UrlState.refused, "forgotten"), "it is not fetched again"
    assert old_and_new.read(check_integrity) == []


def test_shrink_gives_space_back_unless_another_program_writes(
    store: Store, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        store.commit([outcome(f"{HOME}{n}-{k}", at=NOON) for k in range(20)])
    size = store.read(database_size)
    assert prune(store.database, NOON + DAY, with_articles=True)["articles"] == 400
    monkeypatch.setattr("newsextract.store.engine.LOCK_TIMEOUT", 0.1)
    in_use = pytest.raises(DatabaseError, match="another program holds its write lock")
    with Store.open(sqlite_url) as other, store.database.writing(), in_use:
        other.read(shrink_file)
    store.read(shrink_file)
    assert store.read(database_size) < size
