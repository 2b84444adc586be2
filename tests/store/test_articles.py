"""Which stored article a page is: keys and canonical URLs; which fetches make a new version."""

from datetime import UTC, datetime, timedelta

import pytest

from newsextract.store import PageOutcome, UrlState
from newsextract.store.lookup import count_articles, find_versions
from newsextract.store.outcome import PageResponse
from newsextract.text import letters_and_digits
from tests.conftest import on_both_databases
from tests.examples import examples
from tests.store.samples import later, outcome, signed, text

STORY = "https://www.example.org/news/story"
COPY = "https://www.example.org/sport/story?from=front"
LINES = ["The pier is open again.", "Boats berth at the north quay.", "The levy stays as it is."]
BOX = "Read our letter every morning."
ALL = "https://www.example.org/all"
LATEST = "https://www.example.org/latest"
URLS = {"STORY": STORY, "COPY": COPY, "ALL": ALL, "LATEST": LATEST, "MORE": "https://www.example.org/more"}
CHINESE = (
    "中国国家统计局周一发布的数据显示，上月全国居民消费价格同比上涨，食品价格涨幅收窄，专家认为总体平稳。",
    "据新华社报道，昨日下午在首都体育馆举行的决赛中，主队以两分优势取胜，观众席上的球迷久久不愿离去。",
)
TEXTS = {
    "zeroth": text(0),
    "first": text(1),
    "second": text(2),
    "third": text(3),
    "grown": f"{text(1)} {text(2, 120)}",
    "first more": f"{text(1)} more",
    "Chinese": CHINESE[0],
    "other Chinese": CHINESE[1],
    "grown Chinese": "".join(CHINESE),
}


@pytest.mark.parametrize("in_one_group", [False, True], ids=["one by one", "in one group"])
@pytest.mark.parametrize(("fetches", "kinds", "count"), examples(__file__, "fetches"))
def test_canonical_url(store, fetches, kinds, count, in_one_group):
    pages = [
        outcome(URLS[url], TEXTS.get(body, body), canonical=URLS.get(canonical, canonical) or None)
        for url, body, canonical in fetches
    ]
    saved = store.commit(pages) if in_one_group else [store.commit([page])[0] for page in pages]
    assert (" ".join(one.kind for one in saved), store.read(count_articles)) == (kinds, count)
    assert len({store.article(page.url).url for page in pages}) == (1 if pages[0].url == LATEST else count)


@pytest.mark.parametrize("declared", [*examples(__file__, "refused"), f"https://www.example.org/{'x' * 5000}"])
def test_canonical_url_that_is_no_article_of_the_site_is_refused(store, declared):
    [saved] = store.commit([outcome(STORY, canonical=declared)])
    [row] = store.articles()
    assert saved.canonical_refused and store.article("example.org/news/story") == row.article
    assert row.article.canonical_url is None and row.article.sources["canonical_url"] == "refused"


@on_both_databases
def test_canonical_url_of_a_known_index_page_is_refused(store):
    index = "https://www.example.org/news/"
    store.commit([PageOutcome(index, UrlState.not_article, reason="section")])
    [saved] = store.commit([outcome(STORY, canonical=index)])
    assert saved.canonical_refused and store.article("example.org/news/story") is not None


@on_both_databases
def test_page_hash_unchanged_makes_no_version(store):
    first, again = outcome(STORY, "\n".join(LINES)), outcome(STORY, "\n".join(LINES[:2]), headline="Another headline")
    first.response = again.response = PageResponse(page_hash="a" * 64)
    store.commit([first])
    [saved] = store.commit([again])
    assert (saved.kind, saved.article.version) == ("unchanged", 1)
    other = outcome(STORY, "\n".join(LINES[:2]))
    other.response = PageResponse(page_hash="b" * 64)
    assert store.commit([other])[0].kind == "changed"


def test_template_lines_kept_by_one_fetch_are_no_change(store):
    store.commit([outcome(STORY, "\n".join([*LINES, BOX]))])
    without, less, more = (outcome(STORY, "\n".join(lines)) for lines in (LINES, LINES[:2], [*LINES, "One more."]))
    for one in (without, less, more):
        one.shared = frozenset({letters_and_digits(BOX), letters_and_digits("Imprint")})
    assert store.commit([without])[0].kind == "unchanged"
    assert store.commit([less])[0].kind == "changed"
    assert store.commit([more])[0].kind == "changed"
    less.article.article_body, less.shared = LINES[0], frozenset(map(letters_and_digits, LINES))
    assert store.commit([less])[0].kind == "changed", "lines count where pages share all their text"


@on_both_databases
def test_commit_files_text_of_an_earlier_fetch_as_an_older_version(store):
    """A backfill: what a crawl stored stays current, its change log is not touched, and nothing is stored twice."""
    store.commit([outcome(STORY, text(1), at=later(5))])
    cursor = store.cursor()
    for _ in range(2):
        [saved] = store.commit([outcome(STORY, text(1) + " An earlier end.", at=later(1))])
        assert saved.kind == "unchanged"
    [saved] = store.commit([outcome(STORY, text(1), at=later(2))])
    assert (saved.kind, store.cursor()) == ("unchanged", cursor)
    assert store.article(STORY).article_body == text(1)
    assert [version.fetched_at for version in store.read(find_versions, STORY)] == [later(1), later(5)]
    [saved] = store.commit([outcome(STORY, text(1) + " A later end.", at=later(9))])
    assert (saved.kind, saved.article.version, store.article(STORY).version) == ("changed", 3, 3)
    assert [version.version for version in store.read(find_versions, STORY)] == [2, 1, 3]


@on_both_databases
def test_time_of_a_clock_that_was_ahead_does_not_make_later_changes_older(store):
    now = datetime.now(UTC)
    for name, days, kind in (
        ("ahead", -30, "new"),
        ("right again", 0.001, "changed"),
        ("of an archive", 9, "unchanged"),
        ("later", 0, "changed"),
    ):
        [saved] = store.commit([outcome(STORY, text(name), at=now - timedelta(days=days))])
        assert (name, saved.kind) == (name, kind)
    store.commit([outcome(COPY, text("other"), at=now + timedelta(days=30))])
    assert store.commit([outcome(COPY, text("of an archive"), at=now - timedelta(days=9))])[0].kind == "unchanged"
    assert store.article(COPY).article_body == text("other")


@pytest.mark.parametrize("entry", ["?entry=", "/", "/17", "?post=4"])
def test_live_blog_is_one_article_though_entries_are_fetched_before_it(store, entry):
    blog, posts = "https://www.example.org/live/the-night-of-the-vote", [text(n) for n in range(4)]
    for day, name in enumerate(("alpha", "bravo", "charlie")):
        body = "\n".join(reversed(posts[: day + 2]))
        store.commit([signed(outcome(f"{blog}{entry}{name}", body, at=later(day), headline="The vote"))])
    store.commit([signed(outcome(blog, "\n".join(reversed(posts)), at=later(9), headline="The vote"))])
    assert store.read(count_articles) == 1
    assert store.article(blog).version == 3 and store.article(blog) == store.article(f"{blog}{entry}alpha")
    other = outcome("https://www.example.org/live/the-night-of-the-ferry", posts[0], headline="The ferry")
    assert store.commit([signed(other)])[0].kind == "new"


def test_entries_of_a_live_blog_in_a_folder_of_one_word_are_one_article(store):
    posts = [text(n) for n in range(4)]
    for number, name in enumerate(("alpha", "bravo", "charlie")):
        body = "\n".join((f"The entry {name}.", *posts))
        entry = outcome(
            f"https://www.example.org/live/morning-ticker/{name}", body, at=later(number), headline="The vote"
        )
        store.commit([signed(entry)])
    assert store.read(count_articles) == 1


def test_equal_texts_of_a_site_are_one_article_whatever_their_urls_declare(store):
    print_copy, phone = "https://www.example.org/print/story", "https://www.example.org/amp/story"
    [first] = store.commit([signed(outcome(STORY, text(1)))])
    others = store.commit([signed(outcome(print_copy, text(1))), signed(outcome(phone, text(1), canonical=phone))])
    assert (first.kind, [other.kind for other in others]) == ("new", ["unchanged"] * 2)
    assert store.article(print_copy) == store.article(phone) == store.article(STORY)
    elsewhere = signed(outcome("https://other.example/story", text(1)))
    another = signed(outcome("https://www.example.org/later", text(1), headline="Another day, the same words"))
    assert [saved.kind for saved in store.commit([elsewhere, another])] == ["new", "new"]
    notices = [signed(outcome(f"https://www.example.org/{n}", "See the pictures.")) for n in range(2)]
    assert [saved.kind for saved in store.commit(notices)] == ["new", "new"], "too short to tell articles apart"
