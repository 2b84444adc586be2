"""Near-duplicates: which articles are marked as copies of which, also when texts change or originals are deleted."""

import random
from dataclasses import replace

import pytest

from newsextract.health.status import site_statuses
from newsextract.items import FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, UrlState
from newsextract.store.admin import check_integrity, remove_articles
from newsextract.store.duplicates import MAX_PER_KEY
from newsextract.store.revisions import NewVersion, present_versions, revise
from tests.conftest import on_both_databases
from tests.store.samples import delete, later, outcome, signed, text

A, B, C, D = (f"https://{name}.example/story" for name in "abcd")
PRINTED = "https://b.example/print"
STORY = text("the story", 200)
LONGER = f"{STORY} {text('its tail', 40)}"


def put(store, url, body, hours=0.0, **fields):
    """Stores an article as a crawl does; whose copy it is."""
    (saved,) = store.commit([signed(outcome(url, body, at=later(hours), **fields))])
    return saved.article.duplicate_of


def marks(store):
    """Address of each article -> address of the one that it is a copy of."""
    return {row.article.url: row.article.duplicate_of for row in store.articles()}


@on_both_databases
def test_duplicate_on_another_site_is_marked_in_the_same_group_or_a_later_one(store):
    saved = store.commit([signed(outcome(A, STORY)), signed(outcome(B, LONGER)), signed(outcome(C))])
    assert [one.article.duplicate_of for one in saved] == [None, A, None]
    assert put(store, D, STORY, 50) == A
    assert marks(store) == {A: None, B: A, C: None, D: A}
    assert [row.article.duplicate_of for row in store.changes(0, 9)] == [None, A, None, A]
    assert store.article(D).duplicate_of == A


def test_duplicate_of_itself_or_its_copies_is_no_article_fetched_again(store):
    assert put(store, A, STORY) is None
    assert put(store, B, STORY) == A
    assert put(store, A, STORY, 1) is None
    assert put(store, A, LONGER, 2) is None
    assert put(store, B, LONGER, 3) == A
    assert marks(store) == {A: None, B: A}


def test_duplicate_with_a_new_text_is_a_copy_no_longer(store):
    put(store, A, STORY)
    put(store, B, STORY)
    assert put(store, B, text("news of its own", 200), 1) is None
    assert put(store, C, text("news of its own", 200), 2) == B
    assert put(store, D, STORY, 3) == A
    assert put(store, D, "Withdrawn.", 4) is None
    assert put(store, A, text("first", 200), 5) is None
    assert put(store, D, STORY, 6) is None, "its original has another text by now"
    assert marks(store) == {A: None, B: None, C: B, D: None}


@on_both_databases
def test_forget_makes_the_first_copy_the_original_and_logs_the_change(store):
    for url in (A, B, C, D):
        put(store, url, STORY)
    cursor = store.cursor()
    assert store.write(remove_articles, A)[0] == 1
    assert marks(store) == {B: None, C: B, D: B}
    told = [(row.article.url, row.change_kind, row.article.duplicate_of) for row in store.articles(since=cursor)]
    assert told == [(B, "changed", None), (C, "changed", B), (D, "changed", B)]
    assert [row.article.url for row in store.changes(cursor, 9)] == [B, C, D]
    assert put(store, "https://e.example/story", STORY) == B
    put(store, "https://b.example/again", f"{STORY} More follows.")
    assert store.write(remove_articles, "b.example")[0] == 2
    assert put(store, "https://f.example/story", STORY) == C


def end(store, how):
    """Ends the article at A as an original: by another text, a status, a retraction, or a new extraction."""
    if how == "changed":
        put(store, A, text("news of its own", 200), 1)
    elif how == "revised":
        page = FetchedPage(A, b"", fetched_at=later(0))
        (present,) = store.read(present_versions, [page]).values()
        new = replace(present.article, article_body=text("read otherwise", 200))
        store.write(revise, [NewVersion.of(present, new, signature_of(new.article_body))])
    elif how == "retracted":
        store.commit([PageOutcome(A, UrlState.not_article, "section", at=later(1), retract=True)])
    else:
        delete(store, A, at=later(1), status=how)


@on_both_databases
@pytest.mark.parametrize("how", ["changed", "revised", "retracted", 404, 410])
def test_original_that_ends_releases_its_copies_and_the_next_takes_its_place(store, how):
    for url, body in ((A, STORY), (B, STORY), (C, STORY), (PRINTED, f"{STORY} Printed.")):
        put(store, url, body)
    cursor = store.cursor()
    end(store, how)
    assert marks(store) == {A: None, B: None, C: B, PRINTED: B}
    assert [site.copies for site in store.read(site_statuses)] == [0, 1, 1]
    assert {row.article.url for row in store.changes(cursor, 9)} == marks(store).keys(), "readers are told"
    assert put(store, D, STORY, 2) == B, "new copies are of the next"
    assert store.read(check_integrity) == []
    assert put(store, A, STORY, 3) == B, "and so is the first when it returns"
    delete(store, A, B, at=later(4))
    assert marks(store) == {A: None, B: None, C: None, PRINTED: C, D: C}


@on_both_databases
def test_original_keeps_the_copies_that_its_new_text_still_has(store):
    """Three sites have the story, two of them with an addition that the first drops later, one with another."""
    first, second, rest = text("first", 150), text("second", 150), text("rest", 20)
    put(store, A, f"{first} {second}")
    assert [put(store, url, body) for url, body in ((B, first), (C, f"{second} {rest}"), (D, second))] == [A, A, A]
    assert put(store, A, f"{first} {text('instead', 100)}", 1) is None
    assert marks(store) == {A: None, B: A, C: None, D: C}
    store.commit([signed(outcome(url, body, at=later(2))) for url, body in ((A, text("third", 150)), (B, second))])
    assert marks(store) == {A: None, B: C, C: None, D: C}, "original and copy change together"


def test_copy_that_is_gone_does_not_inherit(store):
    for url in (A, B, C):
        put(store, url, STORY)
    delete(store, B, at=later(1))
    assert marks(store) == {A: None, B: A, C: A}
    delete(store, A, at=later(2))
    assert marks(store) == {A: None, B: None, C: None}, "the one that is left is the original"
    assert put(store, B, STORY, 3) == C


def test_text_that_pages_of_one_site_share_makes_no_copies(store):
    tail = text("the other articles below", 300)
    for n in range(6):
        assert put(store, f"https://a.example/{n}", f"{text(n, 120)} {tail}") is None, "two thirds are the tail"
    assert put(store, B, f"{text(0, 120)} {tail}") == "https://a.example/0", "another site has copied it all"
    assert put(store, "https://a.example/again", f"{text(0, 120)} {tail} Updated.") == "https://a.example/0"


def test_duplicate_index_keeps_a_bounded_number_of_articles_per_key(store):
    """A hundred reposts: those after the 64th are kept under none of the keys, and still are known."""
    pages = [signed(outcome(f"https://s{number}.example/", STORY)) for number in range(MAX_PER_KEY + 20)]
    saved = store.commit(pages)
    assert {one.article.duplicate_of for one in saved[1:]} == {pages[0].url}
    assert put(store, A, STORY) == pages[0].url
    with store.database.reading() as connection:
        (kept,) = connection.exec_driver_sql("SELECT count(*) FROM bands").one()
    assert kept == MAX_PER_KEY * 16


def test_duplicate_of_a_copy_is_a_copy_of_the_original_where_it_shares_enough_with_it(store):
    """Each loses a sixth of the first text and brings as much of its own: the last has little more than half of it."""
    part = [text(("part", number), 40) for number in range(10)]
    assert put(store, A, " ".join(part[0:6])) is None
    assert put(store, B, " ".join(part[1:7])) == A
    assert put(store, C, " ".join(part[2:8])) == A
    assert put(store, B, " ".join(part[:6] + part[8:]), 1) == A
    assert put(store, D, " ".join(part[8:])) is None, "a second story in a copy"


@pytest.mark.parametrize("seed", range(2))
def test_duplicate_marks_never_point_to_a_copy_or_to_nothing(store, seed):
    chance = random.Random(seed)
    part = [text(("part", number), 40) for number in range(9)]
    for hour in range(20):
        start = chance.randrange(4)
        group = {f"https://s{chance.randrange(12)}.example/": part[start : start + 4] for _ in range(3)}
        store.commit([signed(outcome(url, " ".join(body), at=later(hour))) for url, body in group.items()])
        if hour % 5 == 4:
            store.write(remove_articles, chance.choice(sorted(marks(store))).split("/")[2])
        if hour % 4 == 3:
            assert store.read(check_integrity) == []
    assert any(marks(store).values())


@pytest.mark.parametrize("harm", [lambda kept: b"", lambda kept: kept[:-1], lambda kept: b"\x07" + kept[1:]])
def test_signature_that_is_damaged_or_of_another_version_is_skipped(store, harm):
    put(store, A, STORY)
    with store.database.writing() as connection:
        kept = connection.exec_driver_sql("SELECT signature FROM signatures").scalar_one()
        connection.exec_driver_sql("UPDATE signatures SET signature = ?", (harm(kept),))
    assert put(store, B, STORY) is None
