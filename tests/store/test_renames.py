"""Stories stored twice, under their new URLs before the old ones were asked: they become one article."""

import json
import random
from itertools import chain

import pytest
from sqlalchemy import insert

from newsextract.change_feed import read_articles
from newsextract.export.exporter import FIELDS, Exporter
from newsextract.export.parquet import ParquetFolder
from newsextract.reasons import GONE_KINDS, UrlState
from newsextract.store import PageOutcome, QueuedLink, Store
from newsextract.store.admin import check_integrity
from newsextract.store.corrections import Correction, correct
from newsextract.store.endings import believe_gone
from newsextract.store.frontier import find_url, urls_of_run
from newsextract.store.histories import Cursor
from newsextract.store.jsonl import JsonLines
from newsextract.store.lookup import Selection, changes_since, find_article, find_versions
from newsextract.store.outcome import PageResponse
from newsextract.store.schema import runs
from tests.conftest import on_both_databases
from tests.store.samples import later, outcome, signed, text

OLD = "https://courier.example/ferry-sinks-712"
NEW = "https://courier.example/ferry-runs-aground-712"
COPY = "https://abroad.example/ferry"
FALSE = text(1)
TRUE = f"{text(1)} Nobody was hurt."


def story(url, body, at=0.0, run=1, **fields):
    return signed(outcome(url, body, at=later(at), **fields), run)


def redirect(url, target, run=3):
    link = QueuedLink(target, meta={"redirect_urls": [url]})
    return PageOutcome(url, UrlState.redirected, "courier.example", links=[link], run=run, at=later(60))


def copies_by_url(store, until=99):
    """The headlines that a reader has who keeps articles by URL: first those up to a change, then what came since."""
    copies = {}
    rows = store.read(changes_since, 0, until)
    with store.snapshot() as snapshot:
        since = Selection(since=rows[-1].change)
        later_rows = [*snapshot.select(since), *snapshot.removed(since)]
    for row in chain(rows, sorted(later_rows, key=lambda row: row.change)):
        copies.pop(row.article.url, None)
        if row.change_kind not in GONE_KINDS:
            copies[row.article.url] = row.article.headline
    return copies


@pytest.fixture
def twice(store):
    """A story, with a copy at another site, and its correction, which was found under the new URL."""
    store.commit([story(OLD, FALSE, headline="Ferry sinks"), story(COPY, FALSE, headline="Ferry sinks")])
    store.commit([story(NEW, TRUE, 48, 2, headline="Ferry runs aground")])
    return store


def test_old_url_is_asked_in_the_run_that_brings_a_text_like_its_own(twice):
    row = twice.read(find_url, OLD)
    assert (row.state, row.run, row.next_due) == (UrlState.queued, 2, None)
    assert {one.url for one in twice.read(urls_of_run, 2)} == {OLD, NEW}


@on_both_databases
def test_old_url_that_redirects_to_the_new_one_is_an_alias_of_one_article(twice):
    [result] = twice.commit([redirect(OLD, NEW)])
    assert (result.kind, result.change, result.article.url) == ("changed", 5, NEW)
    [copy, row] = [*twice.articles()]
    assert (row.article.url, row.article.version, row.article.headline) == (NEW, 2, "Ferry runs aground")
    assert (row.change, row.change_kind, row.article.duplicate_of) == (5, "changed", None)
    assert (copy.article.url, copy.article.duplicate_of) == (COPY, NEW)
    assert row.article.first_seen_at == later(0)
    for url in (OLD, NEW):
        assert [one.headline for one in twice.read(find_versions, url)] == ["Ferry sinks", "Ferry runs aground"]
    log = [(one.change_kind, one.article.url) for one in twice.read(changes_since, 0, 9)]
    assert log == [("new", OLD), ("new", COPY), ("changed", NEW), ("renamed", OLD), ("changed", NEW)]
    assert copies_by_url(twice, 3) == {COPY: "Ferry sinks", NEW: "Ferry runs aground"}


def test_readers_of_lines_and_tables_have_a_renamed_article_once(twice, tmp_path):
    lines, table = tmp_path / "lines.jsonl", tmp_path / "table"
    start, jsonl = Cursor(), JsonLines(twice, lines)
    for page in (None, redirect(OLD, NEW)):
        if page is not None:
            twice.commit([page])
        _, start = Exporter(twice, Selection(), ParquetFolder(table, FIELDS))(start)
        jsonl.write()
    for source in (lines, table):
        assert {article.url for article in read_articles(source)} == {COPY, NEW}
    told = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    assert [(one["url"], one["duplicate_of"]) for one in told if one["change_kind"] == "renamed"] == [(OLD, NEW)]


def test_old_url_that_leads_to_the_new_one_by_way_of_another_is_its_alias(twice):
    way = "https://courier.example/go/712"
    twice.commit([redirect(OLD, way)])
    twice.commit([redirect(way, NEW)])
    assert [one.headline for one in twice.read(find_versions, OLD)] == ["Ferry sinks", "Ferry runs aground"]


@pytest.mark.parametrize("in_one_group", [False, True])
def test_slugs_edited_twice_lead_to_one_article(twice, in_one_group):
    last = "https://courier.example/ferry-back-in-harbour-712"
    twice.commit([story(last, f"{TRUE} It is back.", 50, 3, headline="Ferry back")])
    pages = [redirect(OLD, NEW), redirect(NEW, last)]
    for group in [pages] if in_one_group else [[page] for page in pages]:
        twice.commit(group)
    assert [one.url for one in twice.read(find_versions, OLD)] == [OLD, NEW, last]
    assert len([*twice.articles()]) == 2


def test_old_url_with_the_text_and_canonical_of_the_new_one_is_its_alias(twice):
    [result] = twice.commit([story(OLD, TRUE, 60, 3, headline="Ferry runs aground", canonical=NEW)])
    assert (result.kind, twice.read(find_article, OLD).url) == ("changed", NEW)
    assert [one.version for one in twice.read(find_versions, NEW)] == [1, 2]


def test_old_url_that_is_gone_makes_one_article_too(twice):
    twice.commit([PageOutcome(OLD, UrlState.failed, "http_404", response=PageResponse(404), run=3, at=later(60))])
    deleted, [article] = twice.write(believe_gone, "courier.example", 3)
    assert (deleted, article.url, article.version) == (0, NEW, 2)
    assert twice.read(find_article, OLD).url == NEW


@pytest.mark.parametrize("began, left", [(-1, {OLD, NEW}), (47, {NEW})])
def test_story_that_is_gone_is_another_than_one_that_the_same_run_found(store, began, left):
    run = {"id": 1, "spider": "site", "arguments": "{}", "identity": "x", "started_at": later(began)}
    store.write(lambda connection: connection.execute(insert(runs).values(run)))
    store.commit([story(OLD, FALSE, headline="Ferry sinks", date_published=later(0))])
    store.commit([story(NEW, TRUE, 48, headline="Ferry runs aground", date_published=later(0))])
    store.commit([PageOutcome(OLD, UrlState.failed, "http_404", response=PageResponse(404), run=3, at=later(60))])
    store.write(believe_gone, "courier.example", 3)
    assert {row.article.url for row in store.articles()} == left


def test_reports_of_one_template_are_neither_asked_again_nor_united_when_one_is_gone(store):
    report = (
        "A man of {} years from {} was sentenced on Friday for theft. The court found that he had taken a bicycle from "
        "a shed in the old town and sold it the same day to a dealer who knew nothing. He has to pay the owner for it, "
        "and the sentence is not final yet because both sides may appeal within two weeks, the court said."
    )
    old, new = "https://courier.example/theft-in-dale-1004", "https://courier.example/theft-in-fana-1004"
    store.commit([story(old, report.format(19, "Dale"), headline="Theft in Dale")])
    store.commit([story(new, report.format(19, "Fana"), 48, 2, headline="Theft in Fana")])
    assert {one.url for one in store.read(urls_of_run, 2)} == {new}, "it isn't asked"
    store.commit([PageOutcome(old, UrlState.failed, "http_404", response=PageResponse(404), run=3, at=later(60))])
    assert store.write(believe_gone, "courier.example", 3)[1] == []
    assert store.read(find_article, new).url == new and store.read(find_article, old).url == old


def test_other_stories_stay_apart_whatever_redirects_or_names_them(twice):
    other = "https://courier.example/market"
    twice.commit([story(other, text(2), 48, 2)])
    twice.commit([redirect(other, NEW)])
    twice.commit([story(other, text(2), 61, 4, canonical=NEW)])
    twice.commit([redirect(COPY, NEW)])
    assert {row.article.url for row in twice.articles()} == {OLD, COPY, NEW, other}


def test_redirect_counts_in_the_run_that_fetches_its_target_after_a_kill(store, database_url):
    store.commit([story(OLD, FALSE, headline="Ferry sinks")])
    store.commit([redirect(OLD, NEW, 2)])
    with Store.open(database_url) as after:
        [result] = after.commit([story(NEW, TRUE, 48, 3, headline="Ferry runs aground")])
        assert (result.kind, result.article.version) == ("changed", 2)
        assert after.read(find_article, OLD).url == NEW


@pytest.mark.parametrize("is_asked_first", [True, False])
@pytest.mark.parametrize(
    ("more", "version"), [("-corrected", 2), ("/part-1", 2), ("?from=home", 1), ("/amp", 1), ("", 1)]
)
def test_story_with_the_same_text_has_the_path_to_which_its_url_redirects(store, more, version, is_asked_first):
    new = OLD.replace("https://", "https://www.") + more
    store.commit([story(OLD, FALSE)])
    pages = [redirect(OLD, new), story(new, FALSE, 60, 3)]
    for page in pages if is_asked_first else reversed(pages):
        store.commit([page])
    store.commit([redirect(OLD, new)])
    assert store.read(find_article, OLD).version == version
    assert store.read(find_article, OLD).url == (new if version == 2 else OLD)


@pytest.mark.parametrize(("names", "order"), [("ba", "ab"), ("bca", "cab"), ("cab", "acb"), ("cab", "bac")])
@pytest.mark.parametrize(("in_one_group", "canonical"), [(False, False), (True, True)])
def test_stories_that_exchange_their_urls_take_their_histories_along(store, names, order, in_one_group, canonical):
    places = {name: f"https://courier.example/2/{name}" for name in order}

    def show(moment, told):
        pages = []
        for place, name in zip(map(places.get, sorted(told)), told, strict=True):
            body = f"{text(name)} Added at the end." if moment and name == "b" else text(name)
            own = place if canonical else None
            pages.append(story(place, body, moment, 1 + moment // 48, headline=f"Story {name}", canonical=own))
        pages = [pages[sorted(told).index(place)] for place in order]
        for group in [pages] if in_one_group else [[page] for page in pages]:
            store.commit(group)

    show(0, sorted(names))
    for moment in (48, 96):
        show(moment, names)
        for place, name in zip(map(places.get, sorted(names)), names, strict=True):
            versions = store.read(find_versions, place)
            assert {one.headline for one in versions} == {f"Story {name}"} and len(versions) == 2
            assert [one.url for one in versions] == [places[name], place]
            assert store.read(find_article, place).article_body.startswith(text(name))
    assert not any(row.article.duplicate_of for row in store.articles())
    assert copies_by_url(store) == {
        place: f"Story {name}" for place, name in zip(sorted(places.values()), names, strict=True)
    }
    assert store.read(check_integrity) == []


def test_url_that_shows_another_story_from_now_on_is_one_more_url_of_that(store):
    one, other = "https://courier.example/alpha", "https://courier.example/beta"
    store.commit([story(one, text(1), headline="Ferry"), story(other, text(2), headline="Mill")])
    for run in (2, 3, 4):
        for url in (one, other):
            store.commit([story(url, text(2), 48 * run, run, headline="Mill")])
    found = {row.article.url: (row.article.headline, row.article.version) for row in store.articles()}
    assert found == {one: ("Ferry", 1), other: ("Mill", 1)}
    assert [version.headline for version in store.read(find_versions, other)] == ["Mill"]


def test_reports_of_one_kind_with_a_wrong_canonical_are_stories_of_their_own(store):
    teams, results = ["Ely", "Bath", "Ryde", "Hove", "Deal", "Looe"], ["won at home", "lost abroad", "drew late"]
    for day in range(3):
        rng = random.Random(day)
        body = " ".join(f"{rng.choice(teams)} {rng.choice(results)}." for _ in range(60))
        store.commit([story(f"https://courier.example/cup/{day}", body, headline=f"Cup, day {day}", canonical=OLD)])
    assert len([*store.articles()]) == 3


def test_correction_by_hand_stays(twice):
    twice.write(correct, [Correction(OLD, {"authors": ["Ada Lund"]})])
    twice.commit([redirect(OLD, NEW)])
    article = twice.read(find_article, NEW)
    assert (article.authors, article.headline, article.version) == (["Ada Lund"], "Ferry runs aground", 4)
