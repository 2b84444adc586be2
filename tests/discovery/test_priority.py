"""Priorities: the order in which a crawl fetches what it knows of."""

from newsextract.discovery.entries import Entry
from newsextract.discovery.priority import UrlKind, fixed_priority, page_priority, sort_sitemaps
from newsextract.discovery.url_classifier import UrlClassifier
from newsextract.items import Listing
from newsextract.metadata.date_parser import parse_w3c_datetime

STORY = "https://example.org/news/2026/05/01/council-votes-on-the-pier.html"


def test_page_priority_is_the_documented_formula() -> None:
    assert page_priority(0.5) == 48
    assert page_priority(0.5, UrlKind.FEED_ENTRY) == 88
    assert page_priority(0.5, UrlKind.SITEMAP_ENTRY, depth=3) == 54
    assert page_priority(0.9, UrlKind.FEED_ENTRY) == 98, "a probability is 1 at most"
    assert page_priority(0.5, depth=900) == page_priority(0.5, depth=20) == 10


def test_priority_orders_front_page_then_lists_then_articles_then_sections() -> None:
    probability = UrlClassifier().article_probability
    order = [
        fixed_priority(UrlKind.FRONT_PAGE),
        fixed_priority(UrlKind.ROBOTS_TXT),
        fixed_priority(UrlKind.LIST, 1),
        fixed_priority(UrlKind.LIST, 250),
        page_priority(probability(STORY)),
        page_priority(probability("https://example.org/odd"), UrlKind.FEED_ENTRY),
        page_priority(probability("https://example.org/odd"), UrlKind.SITEMAP_ENTRY),
        page_priority(probability("https://example.org/odd")),
        page_priority(probability("https://example.org/tag/boats")),
        page_priority(probability("https://example.org/tag/boats"), depth=5),
    ]
    assert order == sorted(set(order), reverse=True)


def test_sort_sitemaps_puts_news_first_and_images_last() -> None:
    parts = [Entry(f"https://example.org/{name}.xml") for name in ("image", "pages", "post-2025", "news")]
    dated = [
        Entry("https://example.org/o.xml", Listing("sitemap", date_modified=parse_w3c_datetime("2020"))),
        Entry("https://example.org/n.xml", Listing("sitemap", date_modified=parse_w3c_datetime("2026"))),
    ]
    names = [entry.url.rsplit("/")[-1].removesuffix(".xml") for entry in sort_sitemaps([*dated, *parts])]
    assert names == ["news", "post-2025", "n", "o", "pages", "image"]
