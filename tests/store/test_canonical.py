"""Under which key an article is stored, and when a page's canonical URL is not believed."""

import pytest

from newsextract.items import Article
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.articles import body_overlap, is_other_body
from tests.store.samples import bodies, later, outcome, text

STORY = "https://www.example.org/news/story"
COPY = "https://www.example.org/sport/story?from=front"


def test_one_article_under_two_urls_is_stored_once_by_its_canonical_url(store):
    [first] = store.commit([outcome(COPY, text(1), canonical=STORY)])
    [second] = store.commit([outcome(STORY, text(1), canonical=STORY, at=later(1))])
    assert (first.kind, first.key, second.kind) == ("new", "example.org/news/story", "unchanged")
    assert store.article(COPY) == store.article(STORY) == store.article("example.org/news/story") is not None


def test_both_urls_of_one_article_within_one_group_are_one_article(store):
    saved = store.commit([outcome(COPY, text(1), canonical=STORY), outcome(STORY, text(1), canonical=STORY)])
    assert [one.kind for one in saved] == ["new", "unchanged"]


@pytest.mark.parametrize(
    "declared",
    [
        "https://www.example.org/",
        "https://www.example.org",
        "https://example.org/?utm_source=x",
        "https://www.example.org/index.html",
        "https://elsewhere.example/news/story",
        "https://amp.example.org/news/story",
        "/news/relative",
        "javascript:alert(1)",
        "http://[broken",
        "https://www.example.org/" + "x" * 5000,
    ],
)
def test_a_canonical_url_that_names_no_article_of_the_site_is_refused(store, declared):
    [saved] = store.commit([outcome(STORY, canonical=declared)])
    assert (saved.key, saved.canonical_refused) == ("example.org/news/story", True)
    [row] = store.articles()
    assert row.article.canonical_url is None and row.article.sources["canonical_url"] == "refused"


def test_a_canonical_url_that_a_crawl_knows_as_an_index_page_is_refused(store):
    index = "https://www.example.org/news/"
    store.commit([PageOutcome(index, UrlState.not_article, reason="section")])
    [saved] = store.commit([outcome(STORY, canonical=index)])
    assert saved.canonical_refused and saved.key == "example.org/news/story"


def test_pages_that_all_name_one_wrong_canonical_url_are_all_kept(store):
    urls = [f"https://example.org/a/{number}" for number in range(4)]
    saved = store.commit([outcome(url, canonical="https://example.org/a/all") for url in urls[:2]])
    saved += store.commit([outcome(url, canonical="https://example.org/a/all") for url in urls[2:]])
    assert [one.canonical_refused for one in saved] == [False, True, True, True]
    assert bodies(store) == {url: text(url) for url in urls}


def test_a_story_that_grew_is_the_same_story_under_its_canonical_url(store):
    store.commit([outcome(COPY, text(1, 60), canonical=STORY)])
    [saved] = store.commit([outcome(STORY, text(1, 60) + " " + text(2, 120), canonical=STORY)])
    assert (saved.kind, saved.canonical_refused) == ("changed", False)


def test_a_url_whose_text_is_replaced_stays_the_same_article(store):
    store.commit([outcome(COPY, text(1), canonical=STORY)])
    [saved] = store.commit([outcome(COPY, text(2), canonical=STORY)])
    assert (saved.kind, saved.version, saved.canonical_refused) == ("changed", 2, False)


def test_a_url_whose_text_is_replaced_stays_the_same_article_also_after_its_twin_was_fetched(store):
    store.commit([outcome(COPY, text(1), canonical=STORY)])
    store.commit([outcome(STORY, text(1) + " more", canonical=STORY)])
    [saved] = store.commit([outcome(COPY, text(2), canonical=STORY)])
    assert (saved.kind, saved.version, saved.canonical_refused) == ("changed", 3, False)


def test_a_page_that_was_refused_once_stays_its_own_article(store):
    shared = "https://example.org/a/all"
    for again in (False, True):
        for url in ("https://example.org/a/1", "https://example.org/a/2"):
            [saved] = store.commit([outcome(url, canonical=shared)])
            assert saved.kind == ("unchanged" if again else "new")
    assert store.count_articles() == 2


def test_an_article_that_declares_its_canonical_url_only_later_is_not_stored_twice(store):
    store.commit([outcome(COPY, text(1))])
    [saved] = store.commit([outcome(COPY, text(1) + " more", canonical=STORY)])
    assert (saved.kind, saved.key) == ("changed", "example.org/news/story")
    [again] = store.commit([outcome(STORY, text(1) + " more", canonical=STORY)])
    assert again.kind == "unchanged" and store.count_articles() == 1
    assert store.article(COPY) == store.article(STORY)


def test_an_article_that_declares_its_canonical_url_no_more_is_not_stored_twice(store):
    store.commit([outcome(COPY, text(1), canonical=STORY)])
    [saved] = store.commit([outcome(COPY, text(1))])
    assert (saved.kind, saved.key, store.count_articles()) == ("unchanged", "example.org/news/story", 1)


def test_a_page_that_always_shows_the_latest_story_does_not_merge_the_stories(store):
    latest = "https://example.org/latest"
    for number in range(3):
        [saved] = store.commit([outcome(latest, text(number), canonical=f"https://example.org/story/{number}")])
        assert (saved.kind, saved.key) == ("new", f"example.org/story/{number}")


def test_a_missing_text_is_no_proof_of_another_article(store: Store):
    store.commit([PageOutcome(COPY, UrlState.stored, article=Article(COPY, canonical_url=STORY, headline="A"))])
    [saved] = store.commit([outcome(STORY, text(1), canonical=STORY)])
    assert (saved.kind, saved.canonical_refused) == ("changed", False)


CHINESE = "中国国家统计局周一发布的数据显示，上月全国居民消费价格同比上涨，食品价格涨幅收窄，专家认为总体平稳。"
OTHER_CHINESE = "据新华社报道，昨日下午在首都体育馆举行的决赛中，主队以两分优势取胜，观众席上的球迷久久不愿离去。"


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (CHINESE, CHINESE + OTHER_CHINESE, False),
        (CHINESE, OTHER_CHINESE, True),
        (text(1), text(2), True),
        (text(1).upper(), text(1), False),
        ("one", "one", False),
        ("one", "two", True),
        ("", text(1), False),
        ("...", "!!!", False),
    ],
)
def test_two_texts_are_told_apart_by_their_pairs_of_tokens(one, other, differ):
    assert is_other_body(one, other) == is_other_body(other, one) == differ


def test_overlap_is_a_share():
    assert body_overlap("a b c d", "a b c x") == pytest.approx(2 / 3)
