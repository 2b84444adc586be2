"""Priorities: the order in which a crawl fetches what it knows of, and what it learns of a site's URLs."""

from datetime import UTC, datetime, timedelta

from newsextract.discovery.entries import Entry
from newsextract.discovery.found import FoundUrl
from newsextract.discovery.newest_first import sort_sitemaps
from newsextract.discovery.priority import (
    FIXED,
    UrlKind,
    date_of_url,
    earliest_date,
    list_priority,
    next_ranking,
    page_priority,
)
from newsextract.discovery.url_classifier import (
    UrlClassifier,
    features,
    is_narrow_list,
)
from newsextract.items import Listing
from newsextract.limits import MAX_REMEMBERED
from newsextract.urls.shapes import original_of_copy

STORY = "https://example.org/news/the-council-votes-on-the-pier.html"
NOW = datetime.now(UTC)


def rank(
    url: str, anchor_text: str = "", kind: UrlKind = UrlKind.LINK, depth: int = 1, days: float | None = None
) -> int:
    evidence = FoundUrl(url, anchor_text, str(kind))
    date = None if days is None else NOW - timedelta(days=days)
    return page_priority(UrlClassifier().article_probability(evidence), kind, depth, date)


def test_priority_orders_front_page_then_first_lists_then_all_articles_then_other_lists_and_sections():
    order = [
        FIXED[UrlKind.FRONT_PAGE],
        FIXED[UrlKind.ROBOTS_TXT],
        list_priority("https://example.org/feed", 1),
        list_priority("https://example.org/sport/feed", 2),
        rank(STORY, "The council votes on the new pier", days=0.1),
        rank(STORY, "The council votes on the new pier"),
        rank(STORY, "The council votes on the new pier", days=400),
        list_priority("https://example.org/culture/feed", 9),
        rank("https://example.org/sport", "Sport"),
        rank("https://example.org/tag/boats", "Boats"),
        rank("https://example.org/tag/boats", "Boats", depth=5),
    ]
    assert order == sorted(set(order), reverse=True)
    assert page_priority(0.5, useful=1.0) > page_priority(0.5)
    assert page_priority(0.5, depth=900) == page_priority(0.5, depth=20) < page_priority(0.5, depth=19)
    oldest = rank(STORY, "The council votes on the new pier", depth=3, days=5_000)
    lists = ("https://example.org/2026/05/", "https://example.org/category/sport", "https://example.org/?cat=3")
    assert oldest > max(rank(url, "Sport") for url in lists)
    assert oldest > list_priority("https://example.org/wp-sitemap-taxonomies-post_tag-1.xml", 1)


def test_url_and_list_date_a_page_by_the_earlier_date():
    day = datetime(2024, 5, 14, tzinfo=UTC)
    assert date_of_url("https://example.org/2024/05/14/pier") == day + timedelta(days=1)
    assert date_of_url("https://example.org/cali/el-muelle-14-05-2024/") == day + timedelta(days=1)
    assert date_of_url("https://example.org/2024/05/pier") == datetime(2024, 6, 1, tzinfo=UTC)
    assert date_of_url("https://example.org/x-99-99-2024/") is None
    for archive in ("2024/05/", "archives/2024/05/14", "2024/05/page/3/"):
        assert date_of_url(f"https://example.org/{archive}") is None, "an archive of that month grows"
    changed = datetime(2026, 1, 1, tzinfo=UTC)
    assert earliest_date("https://example.org/2024/05/14/pier", changed) == day + timedelta(days=1)
    assert earliest_date("https://example.org/pier", changed) == changed


def test_waiting_urls_are_ranked_again_ever_more_seldom():
    assert (next_ranking(0), next_ranking(6), next_ranking(400)) == (5, 9, 600)


def test_sort_sitemaps_puts_news_first_and_images_last():
    parts = [Entry(f"https://example.org/{name}.xml") for name in ("image", "pages", "post-2025", "news")]
    changed = {"o": datetime(2020, 1, 1, tzinfo=UTC), "n": datetime(2026, 1, 1, tzinfo=UTC)}
    listings = {name: Listing("sitemap", date_modified=when) for name, when in changed.items()}
    dated = [Entry(f"https://example.org/{name}.xml", listing) for name, listing in listings.items()]
    names = [entry.url.rsplit("/")[-1].removesuffix(".xml") for entry in sort_sitemaps([*dated, *parts])]
    assert names == ["news", "post-2025", "n", "o", "pages", "image"]


ARTICLES = [f"https://example.org/news/2026/05/0{n}/council-votes-on-pier-number-{n}.html" for n in range(1, 9)]
OTHERS = [
    "https://example.org/",
    "https://example.org/tag/boats",
    "https://example.org/etiqueta/valle-del-cauca/",
    "https://example.org/news/?page=3",
    "https://example.org/login",
    "https://example.org/2024/05/",
    "https://example.org/archives/2024/5/page/3/",
]


def probability(url: str, classifier: UrlClassifier | None = None, **found: str) -> float:
    return (classifier or UrlClassifier()).article_probability(FoundUrl(url, **found))


def test_classifier_prior_prefers_dated_slugs_to_lists_and_pages_about_the_site():
    assert min(map(probability, ARTICLES)) > 0.8
    assert max(map(probability, OTHERS)) < 0.3
    pages = ("about-us", "contact-us", "privacy-policy", "politica-de-privacidad", "aviso-legal", "qui-sommes-nous")
    assert max(probability(f"https://example.org/{page}/") for page in pages) < 0.1
    assert probability("https://example.org/about-last-night-in-the-old-harbour/") > 0.3


def test_classifier_takes_headlines_for_links_to_articles_and_single_words_for_sections():
    for headline, section in (("Council votes to rebuild the pier", "Sports"), ("市議会が港の再建を決めた", "経済")):
        found = [probability("https://example.org/x1", anchor_text=text) for text in (headline, "", section, "2")]
        assert found == sorted(found, reverse=True)
        assert found[0] > 0.5 > found[2]


def test_classifier_learns_which_sitemap_lists_articles():
    classifier, lists = UrlClassifier(), {name: f"https://example.org/{name}" for name in ("posts", "terms")}
    for n in range(8):
        for name, url in lists.items():
            classifier.update(FoundUrl(f"https://example.org/x{n}", "", "sitemap", url), name == "posts")
    new = {"classifier": classifier, "listed_in": "sitemap"}
    assert probability("https://example.org/y", found_on=lists["posts"], **new) > 0.8
    assert probability("https://example.org/y", found_on=lists["terms"], **new) < 0.3


def test_classifier_learns_unusual_urls_of_site():
    classifier = UrlClassifier()
    odd, lists = "https://example.org/s/{}", "https://example.org/2026/05/all-stories-of-the-month-{}"
    before = probability(odd.format("x1"))
    for n in range(12):
        classifier.update(FoundUrl(odd.format(f"x{n}")), True)
        classifier.update(FoundUrl(lists.format(n)), False)
    assert probability(odd.format("x99"), classifier) > max(0.8, before)
    assert probability(odd.format("x99"), classifier) > probability(lists.format(99), classifier)


def test_what_the_first_articles_have_in_common_with_lists_speaks_for_neither():
    classifier = UrlClassifier()
    for n in range(40):
        classifier.update(FoundUrl(f"https://example.org/posts/{n}-on-boats.html", "Some words on it"), True)
    for path in ("tags/boats/", "categories/sea/"):
        assert probability(f"https://example.org/{path}", classifier, anchor_text="Boats") < 0.2
    assert probability("https://example.org/posts/99-on-piers.html", classifier, anchor_text="Piers") > 0.8


def test_feed_that_names_tags_does_not_make_them_articles():
    feed = {"listed_in": "feed", "found_on": "https://example.org/index.xml"}
    classifier = UrlClassifier()
    for n in range(10):
        classifier.update(FoundUrl(f"https://example.org/posts/{n}-on-boats", **feed), True)
    assert probability("https://example.org/tags/boats", classifier, **feed) < 0.5
    assert probability("https://example.org/posts/99-on-piers", classifier, **feed) > 0.9


def test_copies_lead_to_their_originals():
    for copy in ("a/amp", "a/amp/", "amp/a", "a/print", "a.amp"):
        assert original_of_copy(f"https://example.org/{copy}").rstrip("/") == "https://example.org/a"
    assert original_of_copy("https://example.org/a.amp.html") == "https://example.org/a.html"
    for page in ("a", "amplifier", "print-shops/a", "a/amp/b"):
        assert original_of_copy(f"https://example.org/{page}") is None


def test_narrow_lists_pick_articles_from_other_lists():
    paths = ("tag/a", "author/b", "x?f=1", "2024/05/", "sport", "page/2", "x?page=2", "category/a")
    assert [path for path in paths if is_narrow_list(f"https://example.org/{path}")] == [*paths[:4]]


def test_classifier_is_bounded_on_hostile_urls():
    classifier = UrlClassifier()
    for n in range(300):
        url = "https://example.org/" + "/".join(f"{n}-{part}%ff" for part in range(40))
        classifier.update(FoundUrl(url, "x" * 99_999, "feed", url), bool(n % 2))
    assert len(classifier.articles) <= MAX_REMEMBERED
    assert 0 <= probability("https://example.org/" + "a/" * 900, classifier) <= 1
    assert all(len(feature) < 500 for feature in features(FoundUrl("https://example.org/" + "a" * 1900)))
