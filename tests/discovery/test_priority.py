"""Priorities: the order in which a crawl fetches what it knows of."""

from datetime import UTC, datetime, timedelta

from newsextract.discovery.entries import Entry
from newsextract.discovery.priority import (
    FIXED,
    UrlKind,
    date_of_url,
    earliest_date,
    list_priority,
    next_ranking,
    page_priority,
    sort_sitemaps,
)
from newsextract.discovery.url_classifier import UrlClassifier, UrlEvidence
from newsextract.items import Listing
from newsextract.metadata.date_parser import parse_w3c_datetime

STORY = "https://example.org/news/the-council-votes-on-the-pier.html"
NOW = datetime.now(UTC)


def rank(
    url: str, anchor_text: str = "", kind: UrlKind = UrlKind.LINK, depth: int = 1, days: float | None = None
) -> int:
    evidence = UrlEvidence(url, anchor_text, str(kind))
    date = None if days is None else NOW - timedelta(days=days)
    return page_priority(UrlClassifier().article_probability(evidence), kind, depth, date)


def test_page_priority_is_the_documented_formula() -> None:
    today, old = datetime.now(UTC), datetime.now(UTC) - timedelta(days=20_000)
    assert page_priority(0.5, date=today) == 500 + 400 - 10
    assert page_priority(0.5, date=old, depth=3) == 500 - 30
    assert page_priority(0.5, date=old, useful=1.0) == 500 + 250 - 10
    assert page_priority(0.5, date=old, depth=900) == page_priority(0.5, date=old, depth=20) == 300


def test_priority_orders_front_page_then_first_lists_then_articles_then_sections() -> None:
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


def test_every_article_comes_before_every_list() -> None:
    oldest = rank(STORY, "The council votes on the new pier", depth=3, days=5_000)
    lists = ("https://example.org/2026/05/", "https://example.org/category/sport", "https://example.org/?cat=3")
    assert oldest > max(rank(url, "Sport") for url in lists)
    assert oldest > list_priority("https://example.org/wp-sitemap-taxonomies-post_tag-1.xml", 1)


def test_url_and_list_date_a_page_by_the_earlier_date() -> None:
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


def test_waiting_urls_are_ranked_again_ever_more_seldom() -> None:
    assert (next_ranking(0), next_ranking(5), next_ranking(450)) == (5, 10, 475)
    assert next_ranking(10**9) == float("inf")


def test_sort_sitemaps_puts_news_first_and_images_last() -> None:
    parts = [Entry(f"https://example.org/{name}.xml") for name in ("image", "pages", "post-2025", "news")]
    dated = [
        Entry("https://example.org/o.xml", Listing("sitemap", date_modified=parse_w3c_datetime("2020"))),
        Entry("https://example.org/n.xml", Listing("sitemap", date_modified=parse_w3c_datetime("2026"))),
    ]
    names = [entry.url.rsplit("/")[-1].removesuffix(".xml") for entry in sort_sitemaps([*dated, *parts])]
    assert names == ["news", "post-2025", "n", "o", "pages", "image"]
