"""The index follows the database through whatever happens to it, and searches and counts agree with the articles."""

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import newsextract
from newsextract.errors import DatabaseError, WrongCall
from newsextract.index.query import parse_query
from newsextract.index.search import Filters, match_ids, matches
from newsextract.index.update import LAYOUT, open_index, update_index
from newsextract.items import FetchedPage
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.admin import copy_store, prune, remove_articles
from newsextract.store.revisions import NewVersion, present_versions, revise
from tests.conftest import on_both_databases
from tests.store.samples import NOON, delete, later, outcome, signed

PIER = "https://example.org/pier"
PORT = "https://example.org/port"
COPY = "https://example.com/copy"
TEXT = "The old pier of the harbour is rebuilt by the town, and the ferry will call there again in spring. " * 4


@pytest.fixture
def store(store):
    store.commit([signed(outcome(PIER, TEXT, headline="Pier", language="en-GB", date_published=NOON))])
    about = {"headline": "奥勒松渔港", "language": "zh", "subtitle": "Ferry", "authors": ["Bø"]}
    store.commit([outcome(PORT, "渔港重建工程昨日开工。", **about)])
    store.commit([signed(outcome(COPY, TEXT + "Wire.", headline="Pier", language="en", date_published=NOON))])
    return store


def found(store: Store, index: Path, query: str, **filters: object) -> set[str]:
    update_index(store, "x", index)
    parsed = parse_query(query)
    with open_index(index) as connection:
        ids = match_ids(connection, parsed, Filters(**filters))
        return {match.url for match in matches(connection, parsed, ids)}


def check_agreement(store: Store, index: Path) -> None:
    """The index has the articles that are neither deleted nor retracted, each under the words of its present text."""
    present = [row.article for row in store.articles() if row.change_kind not in ("deleted", "retracted")]
    update_index(store, "x", index)
    with open_index(index) as connection:
        connection.execute("INSERT INTO articles_fts (articles_fts) VALUES ('integrity-check')")
        assert connection.execute("SELECT count(*) FROM articles_fts").fetchone() == (len(present),)
        assert connection.execute("SELECT count(*) FROM figures WHERE present").fetchone() == (len(present),)
    texts = {a.url: (a.headline or "", a.subtitle or "", ", ".join(a.authors), a.article_body) for a in present}
    last_words = {article.url: article.article_body.split()[-1].strip(".") for article in present}
    for word in {*last_words.values()}:
        expected = {url for url, columns in texts.items() if parse_query(word).matches(columns)}
        assert {url for url in texts if last_words[url] == word} <= expected
        assert expected == found(store, index, word, duplicates=True)


def test_search_reads_all_columns_and_folds_copies(store, tmp_path):
    index = tmp_path / "index.db"
    assert found(store, index, "ferry") == {PIER, PORT}
    assert found(store, index, "ferry", duplicates=True) == {PIER, PORT, COPY}
    assert found(store, index, "ferry", sites=["https://example.com/"]) == {COPY}, "its original is of another site"
    assert found(store, index, "bo 重建") == found(store, index, "松渔") == {PORT}
    assert found(store, index, "ferry", languages=["en"]) == {PIER}
    assert found(store, index, "ferry", since=date(2025, 3, 2)) == found(store, index, "ferry nowhere") == set()
    assert found(store, index, "ferry", until=date(2025, 3, 1), since=date(2025, 3, 1)) == {PIER, PORT}


@on_both_databases
def test_index_agrees_with_the_database_after_each_kind_of_change(store, tmp_path):
    index = tmp_path / "index.db"
    check_agreement(store, index)
    store.commit([outcome(PIER, "A lighthouse instead of it", headline="Pier", at=later(5))])
    delete(store, PORT, at=later(9))
    check_agreement(store, index)
    assert found(store, index, "pier", sites=["example.org"]) == {PIER}, "its headline"
    assert found(store, index, "渔港") == set(), "it is gone from its site"
    store.commit([PageOutcome(PIER, UrlState.not_article, "listing", settles=True, retract=True)])
    check_agreement(store, index)
    assert found(store, index, "lighthouse") == set()
    store.write(remove_articles, COPY)
    store.commit([outcome(PORT, "渔港 is back", at=later(50))])
    check_agreement(store, index)
    assert found(store, index, "港") == {PORT}
    [row] = store.articles(since=store.cursor() - 1)
    record = store.read(present_versions, [FetchedPage(PORT, b"", row.article.fetched_at)]).popitem()[1]
    store.write(revise, [NewVersion.of(record, replace(row.article, article_body="Another 渔港"))])
    check_agreement(store, index)
    assert found(store, index, "another") == {PORT}
    prune(store.database, later(60), with_articles=True)
    check_agreement(store, index)
    assert found(store, index, "another") == set()


def test_index_is_rebuilt_where_it_cannot_be_trusted(store, tmp_path):
    index, other = tmp_path / "index.db", tmp_path / "other.db"
    assert update_index(store, "x", index) == 3
    with Store.open(f"sqlite:///{tmp_path}/second.db") as second:
        assert update_index(second, "x", index) == 0
    check_agreement(store, index)
    for harm in (f"PRAGMA user_version = {LAYOUT - 1}", "UPDATE _newsextract SET cursor = 1000"):
        with open_index(index) as connection:
            connection.execute(harm)
            connection.execute("DELETE FROM articles")
        check_agreement(store, index)
    copy_store(f"sqlite:///{store.name}", f"sqlite:///{tmp_path}/backup.db")
    with Store.open(f"sqlite:///{tmp_path}/backup.db") as backup, closing(sqlite3.connect(index)) as connection:
        store.commit([outcome(f"{PIER}-2", "A bridge"), outcome(f"{PIER}-3", "A tower")])
        check_agreement(store, index)
        connection.execute("UPDATE _newsextract SET source = replace(source, 'newsextract.db', 'backup.db')")
        connection.commit()
        backup.commit([outcome(f"{PIER}-4", "A canal"), outcome(f"{PIER}-5", "A mill")])
        check_agreement(backup, index)
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE letters (text)")
    for bad in (other, tmp_path / "no" / "such" / "folder.db"):
        with pytest.raises(DatabaseError, match=re.escape(str(bad))):
            update_index(store, "x", bad)


def test_index_waits_for_a_reader_of_a_file_that_is_not_in_wal_mode_yet(tmp_path):
    path = tmp_path / "index.db"

    def journal_mode() -> str:
        with open_index(path) as index:
            return index.execute("PRAGMA journal_mode").fetchone()[0]

    with closing(sqlite3.connect(path, isolation_level=None)) as reader, ThreadPoolExecutor(1) as pool:
        reader.execute("CREATE TABLE _newsextract (source, cursor INTEGER)")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM _newsextract").fetchall()
        mode = pool.submit(journal_mode)
        assert not wait([mode], timeout=0.3).done
        reader.execute("COMMIT")
        assert mode.result() == "wal"


def test_readers_and_updaters_at_the_same_time_see_whole_states(tmp_path):
    """Each batch of the crawl has a word of its own in every article: a reader finds all of a batch or nothing."""
    url, index = f"sqlite:///{tmp_path}/news.db", tmp_path / "news-index.db"

    def read(_: int) -> list[int]:
        with Store.open(url, read_only=True) as store:
            return [len(found(store, index, f"batch{batch}")) for batch in range(8)]

    with Store.open(url) as store, ThreadPoolExecutor(4) as pool:
        answers = []
        for batch in range(8):
            pages = [outcome(f"https://example.org/{batch}-{n}", f"batch{batch} text {n}") for n in range(20)]
            store.commit(pages)
            answers += [pool.submit(read, batch) for _ in range(3)]
        assert {number for answer in answers for number in answer.result()} <= {0, 20}
        check_agreement(store, index)


def test_counts_are_beside_all_articles_of_the_day(tmp_path):
    database = tmp_path / "news.db"
    with Store.open(f"sqlite:///{database}") as store:
        for day, (ferry, others) in enumerate(((0, 3), (1, 1), (0, 2), (2, 0)), 1):
            at = datetime(2026, 3, day, 12, tzinfo=UTC)
            for n, text in enumerate(["the ferry"] * ferry + ["nothing"] * others):
                store.commit([outcome(f"https://s{n}.org/{day}", f"{text} {day} {n}", date_published=at, at=at)])
        future = outcome("https://s0.org/x", "ferry", date_published=datetime(2031, 1, 1, tzinfo=UTC))
        store.commit([future])
    counts = newsextract.count_by(str(database), "ferry", until=date(2026, 12, 31))
    days = [(count.key, count.number, count.total) for count in counts if count.key > "2026"]
    assert days == [("2026-03-01", 0, 3), ("2026-03-02", 1, 2), ("2026-03-03", 0, 2), ("2026-03-04", 2, 2)]
    assert counts[0].key == "2025-03-01", "a day still to come counts as the day of storage"
    weeks = newsextract.count_by(str(database), "ferry", "week", since=date(2026, 1, 1))
    assert [(c.key, c.number, c.total) for c in weeks] == [("2026-02-23", 0, 3), ("2026-03-02", 3, 6)]
    [first, second] = newsextract.count_by(str(database), "ferry", "site")
    assert (first.key, first.number, second.key, second.share) == ("s0.org", 3, "s1.org", 1 / 4)
    months = newsextract.count_by(str(database), "ferry", "month")
    assert {month.key[7:] for month in months} == {"-01"} and sum(month.number for month in months) >= 2
    for wrong in (lambda: newsextract.count_by(str(database), "ferry", "year"), lambda: newsextract.search("x", "(")):
        with pytest.raises(WrongCall):
            wrong()


def test_library_yields_articles_newest_first_or_by_relevance(tmp_path, monkeypatch):
    database = tmp_path / "news.db"
    with Store.open(f"sqlite:///{database}") as store:
        for n, age, headline, body in ((1, 3, "Ferry", "x"), (2, 1, "Dog", "a ferry"), (3, 2, "Dog", "y ferry")):
            store.commit([outcome(f"https://a.org/{n}", body, headline=headline, date_published=later(-24 * age))])
    assert [article.url[-1] for article in newsextract.search(str(database), "ferry")] == ["2", "3", "1"]
    assert next(newsextract.search(str(database), "ferry", by="relevance", limit=1)).headline == "Ferry"
    monkeypatch.setattr("newsextract.index.search.RANKED", 2)
    newest = [article.url[-1] for article in newsextract.search(str(database), "ferry", by="relevance")]
    assert newest == ["2", "3"], "of many matches only the newest are ranked"
    [article] = newsextract.search(str(database), "dog NOT a")
    assert isinstance(article, newsextract.Article) and article.article_body == "y ferry"


def test_days_may_be_text_and_a_wrong_one_is_named(store, sqlite_url):
    assert [*newsextract.search(sqlite_url, "ferry", since="2020-01-01")] == [*newsextract.search(sqlite_url, "ferry")]
    with pytest.raises(WrongCall, match="`until` is 'today'"):
        newsextract.search(sqlite_url, "ferry", until="today")
