from datetime import timedelta

from newsextract.store import Store
from newsextract.store.articles import LIVE_VERSIONS
from newsextract.text import letters_and_digits
from tests.store.samples import NOON, bodies, outcome

STORY = "https://example.org/story"
LINES = ["The pier is open again.", "Boats berth at the north quay.", "The levy stays as it is."]
BOX = "Read our letter every morning."


def test_a_live_blog_keeps_its_first_versions_then_one_an_hour_and_always_the_newest(store: Store) -> None:
    for n in range(60):
        [saved] = store.commit([outcome(STORY, f"Minute {n}", at=NOON + timedelta(minutes=10 * n))])
        assert saved.kind == ("changed" if n else "new")
    kept = store.versions(STORY)
    texts = [version.article.article_body for version in kept]
    assert texts[: LIVE_VERSIONS - 1] == [f"Minute {n}" for n in range(LIVE_VERSIONS - 1)]
    assert LIVE_VERSIONS + 8 <= len(kept) <= LIVE_VERSIONS + 11, "60 changes in ten hours"
    assert [version.version for version in kept] == list(range(1, len(kept) + 1))
    assert texts[-1] == "Minute 59"
    assert bodies(store) == {STORY: "Minute 59"}
    assert store.changes(59, 9)[-1].article.article_body == "Minute 59"


def test_an_article_that_changes_now_and_then_keeps_every_version(store: Store) -> None:
    for n in range(3 * LIVE_VERSIONS):
        store.commit([outcome(STORY, f"Day {n}", at=NOON + timedelta(hours=5 * n))])
    assert len(store.versions(STORY)) == 3 * LIVE_VERSIONS


def test_changes_of_one_group_are_written_over_each_other_too(store: Store) -> None:
    for n in range(LIVE_VERSIONS):
        store.commit([outcome(STORY, f"Minute {n}", at=NOON + timedelta(minutes=n))])
    store.commit(
        [outcome(STORY, f"Minute {n}", at=NOON + timedelta(minutes=n)) for n in range(LIVE_VERSIONS, LIVE_VERSIONS + 4)]
    )
    assert len(store.versions(STORY)) == LIVE_VERSIONS
    assert bodies(store) == {STORY: f"Minute {LIVE_VERSIONS + 3}"}
    assert store.cursor() == LIVE_VERSIONS + 4, "each was a change"


def test_an_older_page_that_comes_late_is_not_written_over_the_newest(store: Store) -> None:
    for n in range(LIVE_VERSIONS):
        store.commit([outcome(STORY, f"Minute {n}", at=NOON + timedelta(minutes=n))])
    store.commit([outcome(STORY, "From an archive", at=NOON - timedelta(days=1))])
    assert f"Minute {LIVE_VERSIONS - 1}" in [version.article.article_body for version in store.versions(STORY)]


def test_the_same_page_never_makes_a_version_whatever_was_read_out_of_it(store: Store) -> None:
    first, again = outcome(STORY, "\n".join(LINES)), outcome(STORY, "\n".join(LINES[:2]), headline="Another headline")
    first.page_hash = again.page_hash = "a" * 64
    store.commit([first])
    [saved] = store.commit([again])
    assert (saved.kind, saved.version) == ("unchanged", 1)
    other = outcome(STORY, "\n".join(LINES[:2]))
    other.page_hash = "b" * 64
    assert store.commit([other])[0].kind == "changed"


def test_lines_of_the_template_that_one_fetch_kept_are_no_change(store: Store) -> None:
    store.commit([outcome(STORY, "\n".join([*LINES, BOX]))])
    without, less, more = (outcome(STORY, "\n".join(lines)) for lines in (LINES, LINES[:2], [*LINES, "One more."]))
    for one in (without, less, more):
        one.shared = frozenset({letters_and_digits(BOX), letters_and_digits("Imprint")})
    assert store.commit([without])[0].kind == "unchanged"
    assert store.commit([less])[0].kind == "changed"
    assert store.commit([more])[0].kind == "changed"


def test_two_pages_that_share_all_their_text_are_compared_as_they_are(store: Store) -> None:
    store.commit([outcome(STORY, "\n".join(LINES))])
    less = outcome(STORY, LINES[0])
    less.shared = frozenset(map(letters_and_digits, LINES))
    assert store.commit([less])[0].kind == "changed"
