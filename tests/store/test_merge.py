"""`newsextract db merge`: two databases become one, all or nothing, and merging again changes nothing."""

import pytest
from sqlalchemy import select

from newsextract.errors import DatabaseError, WrongCall
from newsextract.health.run_end import finish_run
from newsextract.reasons import FORGOTTEN, UrlState
from newsextract.store import PageOutcome, Selection, Store
from newsextract.store.admin import check_integrity, copy_store, remove_articles
from newsextract.store.corrections import Correction, correct, corrections_at
from newsextract.store.frontier import find_url
from newsextract.store.histories import find_start, read_cursor
from newsextract.store.lookup import find_versions
from newsextract.store.merge import merge_stores
from newsextract.store.names import take_name_out
from newsextract.store.outcome import PageResponse
from newsextract.store.past import select_past
from newsextract.store.schema import metadata, runs
from tests.conftest import on_both_databases
from tests.store.samples import NOON, bodies, delete, later, outcome, signed, text


@pytest.fixture
def other(tmp_path):
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as opened:
        yield opened


def commit(store, name, body, hours=0, site="a.example", **fields):
    """Stores the article of that name with a text, fetched so many hours after noon."""
    page = outcome(f"https://{site}/{name}", text(body), at=later(hours), **fields)
    store.commit([signed(page, store.frontier("site", {"url": site}).run)])
    return page.url


def everything(store):
    """All rows of all tables."""
    with store.database.reading() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table)).all())) for table in metadata.tables.values()
        }


def finish(*stores):
    """Ends the runs, as a crawl does."""
    for store in stores:
        for number in store.read(lambda connection: connection.scalars(select(runs.c.id)).all()):
            store.write(finish_run, number, "finished", {})


def merge(store, other):
    finish(store, other)
    return merge_stores(store, other)


def present(store, url):
    return store.article(url)


def as_of(store, change):
    with store.snapshot() as snapshot:
        return [row.to_json() for row in snapshot.read(select_past, Selection(as_of=change))]


@on_both_databases
@pytest.mark.parametrize("into_other", [False, True])
def test_two_corpora_that_share_half_become_one(store, other, into_other):
    target, source = (other, store) if into_other else (store, other)
    shared, mine = commit(target, "shared", "one"), commit(target, "mine", "two")
    commit(source, "shared", "one and more", hours=24)
    theirs = commit(source, "theirs", "three", site="b.example")
    copy = commit(source, "copy", "two", site="c.example")
    then, cursor = as_of(target, target.cursor()), target.read(read_cursor)
    result = merge(target, source)
    assert (result.new, result.changed, result.known, result.removed, result.urls) == (2, 1, 0, 0, 2)
    assert bodies(target) == {shared: text("one and more"), mine: text("two"), theirs: text("three"), copy: text("two")}
    assert [one.article_body for one in target.read(find_versions, shared)] == [text("one"), text("one and more")]
    assert present(target, copy).duplicate_of == mine
    assert target.read(find_url, theirs).state == UrlState.stored
    assert target.read(check_integrity) == []
    assert as_of(target, cursor.change) == then and target.read(find_start, cursor, "target").change == cursor.change
    with pytest.raises(WrongCall, match="merged into target, where its changes have other numbers"):
        target.read(find_start, source.read(read_cursor), "target")
    before = everything(target)
    again = merge_stores(target, source)
    assert (again.new, again.changed, again.known, again.urls) == (0, 0, 3, 0)
    assert everything(target) == before


def test_versions_of_both_are_kept_in_order_of_time_and_the_last_one_is_present(store, other):
    url = commit(store, "story", "second", hours=24)
    commit(store, "story", "fourth", hours=72)
    for hours, body in enumerate(("first", "second", "third")):
        commit(other, "story", body, hours=24 * hours)
    assert merge(store, other).known == 1
    versions = store.read(find_versions, url)
    assert [one.article_body for one in versions] == [text(body) for body in ("first", "second", "third", "fourth")]
    assert present(store, url).article_body == text("fourth")


def test_article_with_another_url_there_is_the_same_if_the_urls_lead_to_it(store, other):
    url = commit(store, "story", "one", canonical="https://a.example/2025/story")
    commit(other, "story", "one", hours=1)
    result = merge(store, other)
    assert (result.new, result.known) == (0, 1)
    assert len(bodies(store)) == 1 and present(store, url).canonical_url


@pytest.mark.parametrize("corrected_here", [False, True])
def test_corrections_of_both_sides_hold_after_a_merge_and_a_later_crawl(store, other, corrected_here):
    sides = (store, other) if corrected_here else (other, store)
    for side, hours in zip(sides, (0, 24), strict=True):
        url = commit(side, "story", f"of {hours}", hours=hours)
    correction = Correction(url, {"headline": "Right"}, "the page was wrong", "Ada")
    sides[0].write(correct, [correction])
    merge(store, other)
    article = present(store, url)
    assert (article.headline, article.article_body) == ("Right", text("of 24"))
    ((corrected,),) = store.read(corrections_at, url).values()
    assert corrected.sentence.startswith("corrected by hand by Ada")
    commit(store, "story", "of 48", hours=48)
    assert (present(store, url).headline, present(store, url).article_body) == ("Right", text("of 48"))
    before = everything(store)
    finish(store)
    merge_stores(store, other)
    assert present(store, url).headline == "Right" and everything(store)["corrections"] == before["corrections"]


def test_correction_that_was_undone_there_is_undone_here(store, other):
    url = commit(store, "story", "one")
    commit(other, "story", "one")
    other.write(correct, [Correction(url, {"section": "Harbour"})])
    merge(store, other)
    assert present(store, url).section == "Harbour"
    other.write(correct, [Correction(url, undo=True)])
    merge(store, other)
    assert present(store, url).section is None


def test_what_was_removed_on_one_side_is_gone_and_stays_away(store, other):
    here, there = commit(store, "here", "one"), commit(store, "there", "two")
    for name, body in (("here", "one"), ("there", "two"), ("third", "three")):
        commit(other, name, body)
    store.write(remove_articles, here)
    other.write(remove_articles, there)
    result = merge(store, other)
    assert (result.new, result.left_out, result.removed) == (1, 1, 1)
    assert [*bodies(store)] == ["https://a.example/third"]
    assert {store.read(find_url, url).reason for url in (here, there)} == {FORGOTTEN}
    commit(store, "there", "two", hours=48)
    assert len(bodies(store)) == 1
    before = everything(store)["removals"]
    assert merge(store, other).removed == 0 and everything(store)["removals"] == before


def test_text_that_was_removed_on_one_side_is_gone_under_another_headline(store, other):
    for name, body in (("here", "one"), ("there", "two")):
        page = outcome(f"https://a.example/2026/{name}", text(body), headline=f"On {name}")
        (other if name == "here" else store).commit([signed(page)])
    store.write(remove_articles, commit(store, "here", "one"))
    other.write(remove_articles, commit(other, "there", "two"))
    result = merge(store, other)
    assert (result.left_out, result.removed) == (1, 1) and not bodies(store)
    store.commit([outcome("https://a.example/third", text("two"), headline="Third")])
    assert not bodies(store)


@pytest.mark.parametrize(("seen", "kind"), [(24, "deleted"), (24 * 9, "new")])
def test_article_that_vanished_there_is_deleted_unless_it_was_seen_here_since(store, other, seen, kind):
    url = commit(other, "story", "one")
    finish(other)
    other.database.clock = lambda _: later(24 * 5)
    delete(other, url, at=later(24 * 5))
    commit(store, "story", "one")
    commit(store, "story", "one", hours=seen)
    finish(store)
    merge_stores(store, other)
    assert [row.change_kind for row in store.articles()] == [kind]


def test_article_that_was_retracted_there_is_retracted_here(store, other):
    url = commit(other, "story", "one")
    other.commit([PageOutcome(url, UrlState.not_article, "section", retract=True, at=later(24))])
    commit(store, "story", "one")
    merge(store, other)
    assert [row.change_kind for row in store.articles()] == ["retracted"]
    assert merge(store, other).changed == 0


def test_urls_of_the_other_side_wait_for_the_next_crawl_and_later_answers_count(store, other):
    both, new = "https://a.example/both", "https://a.example/new"
    other.commit([PageOutcome(new, UrlState.failed, "http_503", response=PageResponse(503), at=NOON)])
    for one, hours, reason in ((store, 0, "http_404"), (other, 24, "http_500")):
        one.commit(
            [PageOutcome(both, UrlState.failed, reason, response=PageResponse(int(reason[5:])), at=later(hours))]
        )
    merge(store, other)
    assert [store.read(find_url, url).reason for url in (both, new)] == ["http_500", "http_503"]


@on_both_databases
def test_failed_merge_leaves_everything_as_it_was(store, other):
    commit(store, "mine", "one")
    commit(other, "theirs", "two")
    finish(store, other)
    before = everything(store)

    def fail(done, of):
        raise DatabaseError("the disk is full")

    with pytest.raises(DatabaseError, match="the disk is full"):
        merge_stores(store, other, fail)
    assert everything(store) == before


@pytest.mark.parametrize("which", ["here", "there"])
def test_database_that_is_being_crawled_is_refused(store, other, which):
    commit(store if which == "here" else other, "story", "one")
    with pytest.raises(DatabaseError, match=r"is being crawled \(run 1 of site\): stop the crawl, then merge"):
        merge_stores(store, other)


def test_command_merges_a_copy_that_went_on_and_refuses_the_same_database(command, complaint, store, tmp_path):
    commit(store, "one", "one")
    finish(store)
    copy = f"sqlite:///{tmp_path / 'copy.db'}"
    copy_store(f"sqlite:///{tmp_path / 'newsextract.db'}", copy)
    with Store.open(copy) as other:
        commit(other, "two", "two")
        finish(other)
        cursor = other.read(read_cursor)
    done = command("db", "merge", copy)
    assert "articles: 1 new, 0 changed, 1 known; 1 new URL" in done.stderr
    assert store.read(find_start, cursor, "store").change == 1  # what both had before
    assert "is the same database" in complaint(2, "db", "merge", "newsextract.db")
    assert "there is no such database" in complaint(1, "db", "merge", "missing.db")


def test_names_that_were_taken_out_on_one_side_are_gone_on_both(store, other):
    for one, name in ((store, "mine"), (other, "theirs")):
        commit(one, name, name, authors=["Ada Roth", "Bo Lind", "Cy Marsh"])
    store.write(take_name_out, "Ada Roth")
    other.write(take_name_out, "Bo Lind")
    merge(store, other)
    assert [row.article.authors for row in store.articles()] == [["Cy Marsh"], ["Cy Marsh"]]
    before = everything(store)
    assert merge(store, other).changed == 0 and everything(store) == before
