"""Corrections by hand: kept by crawls, re-extraction and retractions; where the page differs; undone; in files."""

from dataclasses import replace

import pytest
import sqlalchemy

import newsextract
from newsextract.corrections import CorrectionFile
from newsextract.errors import NewsextractError, WrongCall
from newsextract.store import PageOutcome, UrlState, corrections, engine
from newsextract.store.articles import read_records
from newsextract.store.corrections import Correction, corrections_of, differing
from newsextract.store.corrections import correct as correct_many
from newsextract.store.lookup import find_versions
from newsextract.store.manual import MANUAL
from newsextract.store.revisions import NewVersion, revise
from tests.store.samples import later, outcome, signed, text

ON_BOTH_DATABASES = True
URL = "https://news.example/pier"


@pytest.fixture
def correct(store, database_url):
    """Corrects the article at URL."""
    store.commit([outcome(URL, authors=["Wrong Name"], sources={"authors": "meta"})])
    return lambda **fields: newsextract.correct(database_url, URL, **fields)


def present(store):
    [row] = [row for row in store.articles() if row.article.url == URL]
    return row


def test_corrected_fields_survive_crawls_and_extractions(store, correct):
    change = correct(headline="Pier reopens", authors=["Ada Berg"], date="2025-02-01", note="misread", by="Ada")
    row = present(store)
    assert (row.change, row.change_kind, row.article.version) == (change, "changed", 2)
    assert (row.article.headline, row.article.authors) == ("Pier reopens", ["Ada Berg"])
    assert {row.article.sources[name] for name in ("headline", "authors", "date_published")} == {MANUAL}
    [same] = store.commit([outcome(URL, at=later(1), authors=["Wrong Name"])])
    assert same.kind == "unchanged"
    [changed] = store.commit([outcome(URL, text("new"), at=later(2), headline="A later headline")])
    article = present(store).article
    assert changed.kind == "changed" and article.article_body == text("new")
    assert (article.headline, article.authors, article.sources["headline"]) == ("Pier reopens", ["Ada Berg"], MANUAL)
    [record] = store.read(read_records, (), [1])
    again = replace(article, headline="Read again", section="Town", sources={})
    revision = NewVersion.of(record, again)
    assert "section" in revision.differing and "headline" not in revision.differing
    assert store.write(revise, [revision]) != [None]
    article = present(store).article
    assert (article.headline, article.section, article.version) == ("Pier reopens", "Town", 4)
    assert {one.field: one.page for _, one in store.read(differing)}["headline"] == "Read again"
    assert correct(headline="Pier reopens") is None, "it is so already"


def test_what_the_page_says_is_shown_and_comes_back_by_undo(store, correct, command, database_url):
    correct(headline="Pier reopens", by="Ada", note="misread")
    assert not store.read(differing)
    store.commit([outcome(URL, at=later(1), headline="Pier to reopen in May")])
    shown = command("status", "--database", database_url).stdout
    assert "the page says otherwise: headline 'Pier to reopen in May', corrected to 'Pier reopens'" in shown
    assert (
        "corrected by hand by Ada: headline is 'Pier reopens' (misread)"
        in command("history", URL, "--database", database_url).stdout
    )
    correct(undo=True)
    article = present(store).article
    assert article.headline == "Pier to reopen in May" and MANUAL not in article.sources.values()
    assert not store.read(differing)
    with pytest.raises(WrongCall, match="no correction that could be undone"):
        correct(undo=True)
    store.commit([outcome(URL, text(9), at=later(2), headline="Of the page")])
    assert present(store).article.headline == "Of the page"


def test_what_isnt_an_article_by_hand_stays_none_and_what_is_one_stays_one(store, correct):
    correct(is_article=False)
    assert (present(store).change_kind, present(store).article.not_article_because) == ("retracted", "by_hand")
    [seen] = store.commit([outcome(URL, text("other"), at=later(1))])
    assert seen.kind == "unchanged" and present(store).change_kind == "retracted"
    correct(is_article=True)
    assert (present(store).change_kind, present(store).article.is_article) == ("changed", True)
    retract = PageOutcome(URL, UrlState.not_article, "section", retract=True, at=later(2))
    store.commit([retract])
    assert present(store).article.is_article
    assert [version.version for version in store.read(find_versions, URL)] == [1, 2, 3]


def test_file_of_corrections_is_all_or_nothing(store, database_url, command, complaint, tmp_path):
    store.commit([outcome(f"https://news.example/{name}") for name in "ab"])
    file = tmp_path / "fixes.csv"
    rows = ["url,headline,authors,date,article", "https://news.example/a,Ferry,Ada Berg; Bo Dahl,2025-01-02,"]
    wrong = [*rows, "https://news.example/zzz,,,,false"]
    file.write_text("\n".join(wrong))
    words = ["correct", "--file", file, "--database", database_url]
    assert "fixes.csv, line 3: there is no article at https://news.example/zzz" in complaint(2, *words)
    file.write_text("url,headline\nhttps://news.example/a,Ferry, again\n")
    assert "line 2: more cells than the header has" in complaint(2, *words)
    assert store.cursor() == 2
    file.write_text("\n".join([*rows, "https://news.example/b,,,,no"]))
    assert len(command(*words).stdout.splitlines()) == 2
    first, second = store.articles()
    assert first.article.authors == ["Ada Berg", "Bo Dahl"] and second.change_kind == "retracted"
    lines = tmp_path / "fixes.jsonl"
    lines.write_text(
        '{"url": "https://news.example/a", "section": "Sea"}\n\n{"url": "https://news.example/b", "undo": true}'
    )
    command("correct", "--file", lines, "--database", database_url)
    assert [row.article.section for row in store.articles()] == ["Sea", None]
    history = command("history", "https://news.example/a", "--database", database_url).stdout
    assert "version 3, 2025-03-01 12:00 UTC: headline and text as before" in history
    for content, part in (("{", "line 1"), ('{"url": "x", "size": 3}', "'size' can't be corrected"), ("[]", "line 1")):
        lines.write_text(content)
        assert part in complaint(2, "correct", "--file", lines, "--database", database_url)


TABLES = (
    "url,section\n{0},Sea\n",
    "url ; section\r\n{0};Sea\r\n\r\n",
    'url\tnote\tsection\n{0}\t"two\nlines"\tSea\n',
    '\n{{"url": "{0}", "section": "Sea"}}\n',
)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("content", TABLES)
def test_files_of_every_kind_are_read_also_from_a_pipe(content, encoding, tmp_path):
    plain = tmp_path / "fixes"
    plain.write_bytes(content.format(URL).encode(encoding))
    with CorrectionFile.open(plain, note="all", by="Kim") as corrections:
        for [one] in ([*corrections], [*corrections]):  # a transaction that is tried again reads it again
            assert (one.url, dict(one.values), one.by) == (URL, {"section": "Sea"}, "Kim")
            assert one.note == ("two\nlines" if "note" in content else "all")


def test_many_corrections_cost_no_more_each_and_refuse_a_crawl_that_would_wait(store, monkeypatch):
    store.commit([outcome(URL)])
    rows = [Correction(URL, {"section": f"Section {number}"}) for number in range(240)]
    statements = []
    sqlalchemy.event.listen(store.database.engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    monkeypatch.setattr(engine, "CHUNK", 120)
    assert store.write(correct_many, rows[:120]) == [*range(2, 122)]
    count = len(statements)
    assert store.write(correct_many, rows) == [*range(122, 362)]
    assert len(statements) <= 2 * count + count, "as many for each group, however many an article has"
    assert (present(store).article.section, len(store.read(corrections_of, [1]))) == ("Section 239", 360)
    store.frontier("site", {"url": URL})
    monkeypatch.setattr(corrections, "MANY", 100)
    with pytest.raises(NewsextractError, match="is being crawled"):
        store.write(correct_many, rows)
    assert store.write(correct_many, rows[:1]) == [362]


def test_article_that_is_one_again_by_hand_is_compared_with_copies(store, database_url):
    first, second = URL, "https://other.example/pier"
    store.commit([signed(outcome(first, text("wire")))])
    store.commit([signed(outcome(second, text("wire")))])

    def copies():
        return {row.article.url: row.article.duplicate_of for row in store.articles()}

    assert copies() == {first: None, second: first}
    newsextract.correct(database_url, first, is_article=False)
    assert copies() == {first: None, second: None}
    newsextract.correct(database_url, first, undo=True)
    assert copies() == {first: second, second: None}


@pytest.mark.parametrize(
    "fields",
    [{}, {"date": "soon"}, {"date": "2999-01-01"}, {"authors": 3}, {"headline": "x", "undo": True}, {"section": 7}],
)
def test_wrong_correction_is_refused_in_a_sentence(correct, fields):
    with pytest.raises(NewsextractError):
        correct(**fields)
