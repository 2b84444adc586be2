"""Names of authors that are taken out: of articles, versions and the queue, and of what is fetched later."""

import pytest
from sqlalchemy import select

from newsextract.errors import WrongCall
from newsextract.items import Listing
from newsextract.store import PageOutcome, QueuedLink, UrlState
from newsextract.store.articles import read_records
from newsextract.store.frontier import find_url
from newsextract.store.lookup import changes_since, find_article, find_versions
from newsextract.store.names import Name, take_name_out
from newsextract.store.revisions import NewVersion, revise
from newsextract.store.schema import metadata
from tests.conftest import on_both_databases
from tests.store.samples import later, outcome, text

STORY = "https://courier.example/ferry"
OTHER = "https://courier.example/portrait"
LISTED = Listing("feed", "The ferry", authors=("Ada Lund", "Bo Ek")).to_dict()


def by(url, name, body, at=0.0, **fields):
    return outcome(
        url, f"By {name}\n{body}", at=later(at), authors=[name, "Bo Ek"], sources={"authors": "meta"}, **fields
    )


@pytest.fixture
def published(store):
    """A story by an author in two versions, another about her, and links that name her."""
    links = [
        QueuedLink("https://courier.example/author/1", "Ada Lund"),
        QueuedLink("https://courier.example/mill", "The mill", meta={"listing": LISTED}),
    ]
    store.commit([by(STORY, "Ada Lund", text(1)), outcome(OTHER, "Ada Lund was born here.", links=links)])
    store.commit([by(STORY, "ADA LUND", f"{text(1)} More.", 1)])
    return store


def everything(connection):
    rows = [tuple(row) for table in metadata.sorted_tables for row in connection.execute(select(table))]
    return str(rows).casefold()


@on_both_databases
def test_name_goes_from_articles_versions_and_queue(published):
    assert published.write(take_name_out, "ada  lund") == (1, 2, 2)
    [first, second] = published.read(find_versions, STORY)
    assert first.authors == second.authors == ["Bo Ek"] and second.article_body.startswith("By […]\n")
    assert first.content_hash != second.content_hash
    assert published.read(find_article, OTHER).article_body == "Ada Lund was born here."
    assert published.read(find_url, "https://courier.example/author/1").anchor_text == ""
    assert [(row.change, row.change_kind) for row in published.read(changes_since, 3, 9)] == [(4, "changed")]
    assert published.read(everything).count("lund") == 1
    assert published.write(take_name_out, "Ada Lund") == (0, 0, 0)


def test_name_stays_away_from_what_is_fetched_or_extracted_later(published):
    published.write(take_name_out, "Ada Lund")
    link = QueuedLink("https://courier.example/well", "Ada Lund", meta={"listing": LISTED})
    front = PageOutcome("https://courier.example/", UrlState.not_article, "front", links=[link])
    pages = [by(STORY, "ADA LUND", f"{text(1)} More.", 2), by(f"{OTHER}-2", "Ada Lund, Ely", text(3)), front]
    [again, new, _] = published.commit(pages)
    assert (again.kind, new.article.authors) == ("unchanged", ["Bo Ek"])
    [record] = published.read(read_records, (), [1])
    revision = NewVersion.of(record, by(STORY, "Ada Lund", f"{text(1)} More.").article)
    assert published.write(revise, [revision]) == [None]
    assert published.read(everything).count("lund") == 1


@pytest.mark.parametrize(
    ("name", "line", "left"),
    [
        ("Ada Lund", "Von ADA\xa0LUND, Oslo", "Von […], Oslo"),
        ("Ödön Őry", "ödön őry írja", "[…] írja"),
        ("山田太郎", "文・山田太郎記者", "文・[…]記者"),
        ("Ada Lund", "Ada Lundgren writes", "Ada Lundgren writes"),
        ("O'Neil", "by O’Neil", "by […]"),
    ],
)
def test_name_is_found_as_it_is_written(name, line, left):
    assert Name.of(name).pattern.sub("[…]", line) == left


@pytest.mark.parametrize("name", ["", "…", "a b c d e f g"])
def test_what_is_no_name_is_refused(store, name):
    with pytest.raises(WrongCall, match="isn't a name"):
        store.write(take_name_out, name)
