"""Stories in the database: ids that last, whatever happens in between, on both databases."""

import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

import newsextract
from newsextract.corrections import correction_of
from newsextract.errors import NewsextractError, WrongCall
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.admin import check_integrity, remove_articles
from newsextract.store.corrections import correct
from newsextract.store.merge import merge_stores
from newsextract.stories import by_hand, rebuild, tracker, update
from newsextract.stories.cache import Cache, open_cache
from newsextract.stories.merge import TakenOver, kept_stories, take_over
from newsextract.stories.read import articles_of, list_stories, read_story, story_changes
from newsextract.stories.rebuild import rebuild_stories
from newsextract.stories.update import load_statistics, update_stories
from tests.store.samples import later, outcome, signed
from tests.stories.articles import EVENTS, SITES, report

ON_BOTH_DATABASES = True


def stored(event: str, site: int, hours: float = 0.0, **values: object) -> PageOutcome:
    """The outcome of a page with a report, fetched an hour after it was published; without signature, no copy."""
    article = report(event, site, hours, **values)
    at = article.first_seen_at
    return PageOutcome(article.url, UrlState.stored, article=article, at=at)


def members(store: Store) -> dict[int, set[str]]:
    """The URLs of each story's articles."""
    found = store.read(list_stories)
    return {story.id: {each.url for each in store.read(articles_of, story.id)} for story in found}


@pytest.fixture
def index(tmp_path) -> Path:
    return tmp_path / "index.db"


@pytest.fixture
def crawled(store, index):
    """Two reports of each event, in stories."""
    store.commit([stored(event, site, 2 * site) for event in EVENTS for site in range(2)])
    update_stories(store, "x", index)
    return store


def test_reports_are_put_into_stories(crawled):
    assert sorted(map(len, members(crawled).values())) == [2, 2, 2]
    for story in crawled.read(list_stories):
        assert (story.articles, story.copies, story.sites, story.change_kind) == (2, 0, 2, "new")
        assert story.id in {each.id for each in crawled.read(articles_of, story.id)}


def test_late_first_report_changes_the_first_report_but_not_the_id(crawled, index):
    before = members(crawled)
    first = stored("ferry", 2, -3)
    crawled.commit([first])
    update_stories(crawled, "x", index)
    [grown] = [each for each in crawled.read(list_stories) if each.articles == 3]
    assert grown.id in before
    assert grown.url == first.url
    assert grown.change_kind == "grown"


def test_changes_are_read_with_a_cursor(crawled, index):
    cursor = max(story.change for story in crawled.read(lambda c: [*story_changes(c)]))
    crawled.commit([stored("comet", 2, 3)])
    update_stories(crawled, "x", index)
    changed = crawled.read(lambda c: [*story_changes(c, cursor)])
    assert [(story.change_kind, story.articles) for story in changed] == [("grown", 3)]


@pytest.mark.parametrize("lost", [False, True])
def test_stories_do_not_depend_on_when_updates_run(store, index, lost, monkeypatch):
    """One article after the other, also if the index is lost in between, gives the stories of the same cursor."""
    for event in EVENTS:
        store.commit([stored(event, 0)])
    update_stories(store, "x", index)
    for site in (1, 2):
        for event in EVENTS:
            store.commit([stored(event, site, site)])
            if lost:
                index.unlink()
            update_stories(store, "x", index)
    assert sorted(map(len, members(store).values())) == [3, 3, 3]


def test_stories_do_not_depend_on_how_many_articles_stay_in_memory(store, index, monkeypatch):
    monkeypatch.setattr(update, "GROUP", 1)
    monkeypatch.setattr(tracker, "MAX_KEPT", 0)
    store.commit([stored(event, site, site) for site in range(3) for event in EVENTS])
    update_stories(store, "x", index)
    assert sorted(map(len, members(store).values())) == [3, 3, 3]


def test_copy_joins_its_original(crawled, index):
    text = report("ferry", 0).article_body * 4
    crawled.commit([signed(outcome(f"https://{site}/wire", text, headline="Wire", at=later(1))) for site in SITES[:2]])
    update_stories(crawled, "x", index)
    [story] = [each for each in crawled.read(list_stories) if each.copies]
    copies = {each.url: each.copy_of for each in crawled.read(articles_of, story.id) if each.copy_of}
    assert copies == {f"https://{SITES[1]}/wire": f"https://{SITES[0]}/wire"}


def test_removed_article_leaves_its_story(crawled, index):
    gone = report("ferry", 1, 2).url
    crawled.write(remove_articles, gone)
    crawled.commit([stored("ferry", 2, 3)])
    update_stories(crawled, "x", index)
    assert {gone} not in members(crawled).values()
    [story] = [urls for urls in members(crawled).values() if report("ferry", 0).url in urls]
    assert story == {report("ferry", 0).url, report("ferry", 2, 3).url}
    assert not crawled.read(check_integrity)


def test_story_without_articles_for_weeks_is_closed(crawled, index):
    crawled.database.clock = lambda _: report("ferry", 0).first_seen_at + timedelta(days=update.WINDOW_DAYS + 2)
    result = update_stories(crawled, "x", index)
    assert result.stories["closed"] == 3 or all(story.closed for story in crawled.read(list_stories))


def test_merge_by_hand_outlasts_updates_and_rebuilds(crawled, index):
    ids = sorted(members(crawled))
    assert crawled.write(by_hand.merge, ids[:2]) == ids[0]
    crawled.commit([stored(event, 2, 5) for event in EVENTS])
    update_stories(crawled, "x", index)
    rebuild_stories(crawled, "x", index)
    found = members(crawled)
    assert len(found[ids[0]]) >= 4
    assert ids[1] not in found
    assert crawled.read(by_hand.find_story, f"{ids[1]}") == ids[0]
    assert crawled.read(read_story, ids[1]).merged_into == ids[0]


def test_split_by_hand_outlasts_updates_and_rebuilds(crawled, index):
    [story] = [number for number, urls in members(crawled).items() if report("ferry", 0).url in urls]
    second = next(each for each in crawled.read(articles_of, story) if each.id != story)
    new = crawled.write(by_hand.split, [second.url])
    crawled.commit([stored("ferry", 2, 5)])
    update_stories(crawled, "x", index)
    rebuild_stories(crawled, "x", index)
    assert second.url in members(crawled)[new]
    assert len(members(crawled)) == 4


def test_decisions_that_cannot_be_made_are_refused(crawled):
    ids = sorted(members(crawled))
    with pytest.raises(WrongCall, match="one story already"):
        crawled.write(by_hand.merge, ids[:1])
    with pytest.raises(WrongCall, match="articles of one story"):
        crawled.write(by_hand.split, [report("ferry", 0).url, report("comet", 0).url])
    with pytest.raises(NewsextractError, match="no story 4711"):
        crawled.read(by_hand.find_story, "4711")


def test_rebuild_keeps_ids(crawled, index):
    before = members(crawled)
    rebuild_stories(crawled, "x", index)
    assert members(crawled) == before
    crawled.commit([stored(event, 2, 5) for event in EVENTS])
    update_stories(crawled, "x", index)
    assert set(members(crawled)) == set(before)


KILLED = """
import os, signal, sys
from pathlib import Path
from newsextract.store import Store
from newsextract.stories import update
update.GROUP = 2
groups = int(sys.argv[3])
after, save = [0], update.{at}
def dying(*given, **named):
    after[0] += 1
    result = save(*given, **named)
    if after[0] == groups:
        os.kill(os.getpid(), signal.SIGKILL)
    return result
update.{at} = dying
with Store.open(sys.argv[1]) as store:
    update.update_stories(store, "x", Path(sys.argv[2]))
"""


@pytest.mark.parametrize("at", ["write_changes", "Cache.save"])
def test_killed_update_is_done_again(store, database_url, index, at, monkeypatch, tmp_path):
    """Killed before the stories of the second group are committed, once with its statistics stored."""
    monkeypatch.setattr(update, "GROUP", 2)
    store.commit([stored(event, site, 2 * site + at) for at, event in enumerate(EVENTS) for site in range(3)])
    script = KILLED.format(at=at)
    killed = subprocess.run([sys.executable, "-c", script, database_url, str(index), "2"], check=False)
    assert killed.returncode == -signal.SIGKILL
    update_stories(store, "x", index)
    after_kill = members(store)
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as other:
        other.commit([stored(event, site, 2 * site + at) for at, event in enumerate(EVENTS) for site in range(3)])
        update_stories(other, "x", tmp_path / "other-index.db")
        assert members(other) == after_kill


def test_rebuild_that_ends_early_changes_nothing(crawled, index, monkeypatch):
    """Some vectors were stored: the next update has those of before."""
    before, added = members(crawled), Cache.add_rebuilt

    def dying(cache, vectors):
        added(cache, vectors)
        if cache.index.execute("SELECT count(*) FROM rebuilt_vectors").fetchone()[0] > 2:
            raise KeyboardInterrupt

    with open_cache(index, crawled.name) as cache:
        vectors = [*cache.vectors(range(100))]
    monkeypatch.setattr(Cache, "add_rebuilt", dying)
    monkeypatch.setattr(rebuild, "GROUP", 2)
    with pytest.raises(KeyboardInterrupt):
        rebuild_stories(crawled, "x", index)
    with open_cache(index, crawled.name) as cache:
        assert [*cache.vectors(range(100))] == vectors
    assert members(crawled) == before


def test_several_workers_update_at_once(store, database_url, index, monkeypatch):
    """Each with an index of its own, as on several machines: the articles are in stories once."""
    monkeypatch.setattr(update, "GROUP", 2)
    store.commit([stored(event, site, 2 * site + at) for at, event in enumerate(EVENTS) for site in range(3)])
    with Store.open(database_url) as other, ThreadPoolExecutor(2) as workers:
        indexes = index.with_name("other-index.db"), index
        updates = [
            workers.submit(update_stories, at, "x", own) for at, own in zip((other, store), indexes, strict=True)
        ]
        results = [each.result() for each in updates]
    assert sum(result.articles for result in results) == 9
    assert sorted(len(urls) for urls in members(store).values()) == [3, 3, 3]
    assert len({story.change for story in store.read(list_stories)}) == 3


def test_library(tmp_path):
    database = tmp_path / "news.db"
    with Store.open(f"sqlite:///{database}") as store:
        store.commit([stored(event, site, 2 * site) for event in EVENTS for site in range(3)])
    found = newsextract.stories(str(database), min_sites=3, by="date")
    assert [(story.sites, story.articles) for story in found] == [(3, 3)] * 3
    day = found[0].first_at.date()
    assert newsextract.stories(str(database), since=day, until=day, sites=[SITES[0]], languages=["en"]) != []
    assert newsextract.stories(str(database), until=day - timedelta(days=1)) == []
    with pytest.raises(WrongCall, match="`by` is 'size'"):
        newsextract.stories(str(database), by="size")


def test_story_whose_only_article_becomes_a_copy_is_merged(store, index):
    """The text of the second page arrives, and with it that it is a copy of the first one."""
    text = report("ferry", 0).article_body * 4
    first, second = (f"https://{site}/wire" for site in SITES[:2])
    store.commit([signed(outcome(first, text, headline="Wire", at=later(1)))])
    store.commit([signed(outcome(second, "Soon more on the council of Varn. " * 9, headline="Soon", at=later(2)))])
    update_stories(store, "x", index)
    alone = store.read(by_hand.find_story, second)
    store.commit([signed(outcome(second, text, headline="Wire", at=later(3)))])
    update_stories(store, "x", index)
    story = store.read(by_hand.find_story, second)
    assert story == store.read(by_hand.find_story, first)
    assert (store.read(read_story, alone).merged_into, store.read(read_story, alone).articles) == (story, 0)
    assert (store.read(read_story, story).articles, store.read(read_story, story).copies) == (1, 1)


def test_removed_articles_do_not_count(crawled, index):
    crawled.write(remove_articles, report("ferry", 0).url)
    update_stories(crawled, "x", index)
    counts = {story.articles for story in crawled.read(list_stories)}
    assert counts == {1, 2}
    crawled.write(remove_articles, report("ferry", 1, 2).url)
    update_stories(crawled, "x", index)
    assert len(crawled.read(list_stories)) == 2
    assert crawled.read(lambda c: [*story_changes(c)])[-1].change_kind in ("grown", "closed")


def test_corrected_date_moves_an_article_in_its_story(crawled, index):
    url = report("ferry", 1, 2).url
    date = report("ferry", 0, -3).date_published
    crawled.write(correct, [correction_of({"url": url, "date": date.isoformat()})])
    update_stories(crawled, "x", index)
    story = crawled.read(read_story, crawled.read(by_hand.find_story, url))
    assert (story.url, story.articles, story.first_at) == (url, 2, date)
    crawled.write(correct, [correction_of({"url": url, "article": "no"})])
    update_stories(crawled, "x", index)
    assert crawled.read(read_story, story.id).articles == 1


@pytest.mark.parametrize("keeps_index", [True, False])
def test_restored_backup_goes_on_as_if_undisturbed(tmp_path, keeps_index):
    """A backup is restored after other articles took the same change numbers; its stories are those without that."""
    database, backup, index = (tmp_path / name for name in ("news.db", "backup.db", "news-index.db"))
    begun = [stored(event, 0) for event in EVENTS]
    rest = [stored(event, site, 2 * site) for site in (1, 2) for event in EVENTS]

    def crawl(*batches: list[PageOutcome]) -> dict[int, set[str]]:
        with Store.open(f"sqlite:///{database}") as store:
            for batch in batches:
                store.commit(batch)
                update_stories(store, f"sqlite:///{database}", index)
            return members(store)

    crawl(begun)
    shutil.copy(database, backup)
    undisturbed = crawl(rest[:3], rest[3:])
    shutil.copy(backup, database)
    if not keeps_index:
        index.unlink()
    assert crawl(rest[:2], rest[2:]) == undisturbed


@pytest.fixture
def other(tmp_path, index):
    """Another database with the same reports, and one more of each event, in stories."""
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as opened:
        opened.commit([stored(event, site, 2 * site) for site in (2, 1, 0) for event in EVENTS])
        update_stories(opened, "y", tmp_path / "other-index.db")
        yield opened


def merged(store, other, index) -> TakenOver:
    result = merge_stores(store, other)
    update_stories(store, "x", index)
    return store.write(take_over, other.read(kept_stories), result.here)


def test_words_are_counted_again_where_the_index_is_new(crawled, index):
    known = load_statistics(crawled, "x", index)
    counted = load_statistics(crawled, "x", index.with_name("new-index.db"))
    assert counted.articles == known.articles
    assert (counted.terms == known.terms).all()


def urls_of(*events: str) -> set[str]:
    return {report(event, site, 2 * site).url for event in events for site in range(3)}


def story_of(store: Store, event: str) -> int:
    return store.read(by_hand.find_story, report(event, 0).url)


def test_decisions_of_a_merged_database_are_taken_over_and_outlast_a_rebuild(crawled, other, index):
    first, second, third = EVENTS
    before = members(crawled).keys()
    other.write(by_hand.merge, [story_of(other, first), story_of(other, second)])
    other.write(by_hand.split, [report(third, 1, 2).url])
    taken = merged(crawled, other, index)
    assert (taken.held, taken.otherwise) == (3, 0)
    alone = {report(third, 1, 2).url}
    expected = [alone, urls_of(third) - alone, urls_of(first, second)]
    assert sorted(members(crawled).values(), key=len) == expected
    assert len(members(crawled).keys() & before) == 2, "ids of here stay"
    rebuild_stories(crawled, "x", index)
    assert sorted(members(crawled).values(), key=len) == expected
    changed = crawled.read(lambda connection: [*story_changes(connection)])
    assert merged(crawled, other, index).held == 3
    assert crawled.read(lambda connection: [*story_changes(connection)]) == changed, "merging again changes nothing"


def test_decisions_that_were_made_here_stay(crawled, other, index):
    event = next(iter(EVENTS))
    split = crawled.write(by_hand.split, [report(event, 1, 2).url])
    other.write(by_hand.keep, story_of(other, event))
    taken = merged(crawled, other, index)
    assert (taken.held, taken.otherwise) == (0, 1)
    found, number = members(crawled), story_of(crawled, event)
    assert number != split and found[split] | found[number] == urls_of(event)
