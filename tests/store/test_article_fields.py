"""A field of `Article` is declared once: every place that holds articles gets it from there."""

import sys

from tests.crawling import CHECKOUT, run_command

#: What a developer does to add a field: declare it (and, for existing databases, add its column in a migration).
ADD_A_FIELD = """
import sqlite3, sys
from dataclasses import dataclass, replace
from pathlib import Path
from newsextract import items

@dataclass(slots=True)
class Article(items.Article):
    word_count: int | None = items.use("Words of the text.", column=True, browse=True)

items.Article, items.ARTICLE_FIELDS = Article, items.article_fields(Article)

import pyarrow.parquet as pq
from newsextract.index.update import update_index
from newsextract.export.exporter import Exporter, FIELDS
from newsextract.export.formats import Csv
from newsextract.export.parquet import ParquetFolder
from newsextract.store import PageOutcome, Selection, Store, UrlState
from newsextract.store.histories import Cursor
from newsextract.store.revisions import NewVersion, present_versions, revise
from tests.store.samples import NOON

folder = Path(sys.argv[1])
page = items.FetchedPage("https://example.org/story", b"", NOON)
article = Article(page.url, headline="Pier", article_body="Some text.", word_count=2)
with Store.open(f"sqlite:///{folder}/news.db") as store:
    store.commit([PageOutcome(page.url, UrlState.stored, article=article, at=NOON)])
    revision = NewVersion.of(store.read(present_versions, [page])[page.id], replace(article, word_count=3))
    assert revision.differing == ("word_count",)
    store.write(revise, [revision])
    with (folder / "articles.csv").open("wb") as file:
        Exporter(store, Selection(), Csv(file, FIELDS))(Cursor())
    Exporter(store, Selection(), ParquetFolder(folder / "parquet", FIELDS))(Cursor())
    update_index(store, "sqlite:///news.db", folder / "index.db")
    assert [row.article.word_count for row in store.articles()] == [3]
assert "word_count" in (folder / "articles.csv").read_text().splitlines()[0]
[table] = (pq.read_table(path) for path in (folder / "parquet").glob("*/*.parquet"))
assert (str(table.schema.field("word_count").type), table["word_count"].to_pylist()) == ("int32", [3])
for name in ("news", "index"):
    assert sqlite3.connect(folder / f"{name}.db").execute("SELECT word_count FROM articles").fetchone() == (3,)
"""


def test_a_new_article_field_reaches_database_revision_exports_and_browse_from_its_declaration(tmp_path):
    run_command([sys.executable, "-c", ADD_A_FIELD, tmp_path], CHECKOUT)
