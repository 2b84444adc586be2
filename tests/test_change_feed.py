"""`newsextract.read_articles`: databases and JSON lines as articles and as a DataFrame."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import newsextract
from newsextract.errors import NewsextractError
from newsextract.items import Article
from newsextract.store import PageOutcome, UrlState
from tests.store.samples import NOON, delete, later, outcome, text

STORIES = [Article(f"https://example.org/{n}", headline=f"Story {n}", article_body="Text.") for n in range(3)]


def lines(*pairs: tuple[Article, str]) -> str:
    values = ({**article.to_dict(), "change": 1, "change_kind": kind} for article, kind in pairs)
    return "".join(json.dumps(value) + "\n" for value in values)


def test_read_articles_of_a_database_by_url_or_file(store, sqlite_url, tmp_path):
    store.commit([PageOutcome(story.url, UrlState.stored, article=story, at=NOON) for story in STORIES])
    for source in (sqlite_url, tmp_path / "newsextract.db"):
        articles = newsextract.read_articles(source)
        assert [article.headline for article in articles] == ["Story 0", "Story 1", "Story 2"]
        assert len(list(articles)) == 3, "each iteration reads anew"
    frame = newsextract.read_articles(sqlite_url).to_dataframe(["headline", "first_seen_at"])
    assert list(frame.columns) == ["headline", "first_seen_at"] and len(frame) == 3
    assert str(frame["first_seen_at"].dtype) == "datetime64[ns, UTC]" and frame["first_seen_at"].dt.year.min() > 2000


@pytest.mark.parametrize("name", ["articles.jsonl", "articles.jsonl.gz"])
def test_read_articles_of_json_lines_takes_the_last_line_of_each(tmp_path, name):
    changed = Article(STORIES[1].url, headline="Story 1, corrected", article_body="Text.")
    text = lines(*((story, "new") for story in STORIES), (changed, "changed"), (STORIES[2], "deleted"))
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    articles = newsextract.read_articles(path)
    assert [article.headline for article in articles] == ["Story 0", "Story 1, corrected"]
    assert articles.to_dataframe()["article_body"].tolist() == ["Text.", "Text."]


@pytest.mark.parametrize("line", ["{", "[]", '{"headline": 1}', '{"url": "https://e.org/", "images": 3}'])
def test_read_articles_names_the_line_that_is_no_article(tmp_path, line):
    path = tmp_path / "articles.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(NewsextractError, match=r"articles\.jsonl, line 1"):
        list(newsextract.read_articles(path))


@pytest.mark.parametrize("form", ["folder", "news.parquet"])
def test_read_articles_of_parquet_takes_the_last_row_of_each(command, store, tmp_path, form):
    words = ("export", "--format", "parquet", "--cursor-file", "read", "-o", form)
    store.commit(
        [outcome(f"https://example.org/{n}", headline=f"Story {n}", sources={"headline": "h1"}) for n in "abc"]
    )
    command(*words)
    delete(store, "https://example.org/a", at=later(24))
    changed = outcome("https://example.org/b", text("more"), headline="Story b, corrected", at=later(48))
    store.commit([changed, outcome("https://example.org/d", headline="Story d", at=later(48))])
    command(*words)
    read = {article.headline: article for article in newsextract.read_articles(tmp_path / form)}
    assert sorted(read) == ["Story b, corrected", "Story c", "Story d"]
    assert {one.headline: one.to_dict() for one in newsextract.read_articles(tmp_path / "newsextract.db")} == {
        headline: article.to_dict() for headline, article in read.items()
    }


def test_read_articles_refuses_parquet_without_articles(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(NewsextractError, match=r"has no \.parquet files"):
        newsextract.read_articles(tmp_path / "empty")
    (tmp_path / "x.parquet").write_bytes(b"PAR1nonsense")
    with pytest.raises(NewsextractError, match="isn't a Parquet file"):
        [*newsextract.read_articles(tmp_path / "x.parquet")]
    pq.write_table(pa.table({"headline": ["x"]}), tmp_path / "y.parquet")
    with pytest.raises(NewsextractError, match="lacks the column url"):
        [*newsextract.read_articles(tmp_path / "y.parquet")]


def test_read_articles_refuses_what_is_not_there(tmp_path):
    with pytest.raises(NewsextractError, match="isn't a file"):
        newsextract.read_articles(tmp_path / "absent.db")
    with pytest.raises(NewsextractError, match="'body' isn't a field"):
        (tmp_path / "a.jsonl").write_text("")
        newsextract.read_articles(tmp_path / "a.jsonl").to_dataframe(["body"])
