"""Pages that wait until more is known of their site: which wait, and when they go on."""

from datetime import UTC, datetime

import pytest

from newsextract.article import page_of, read_fetched
from newsextract.crawl.site_evidence import uncertain_pages
from newsextract.crawl.site_evidence.memory import next_size
from newsextract.crawl.site_evidence.uncertain_pages import CERTAIN, ENOUGH_PAGES, UncertainPages, is_uncertain
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.site_profile import Decision, PageSummary, SiteProfile
from tests.crawling import article


def fetched(name: str) -> FetchedPage:
    html = article(f"Story {name}", f"Town {name}").encode()
    return FetchedPage(f"https://gazette.example/news/the-story-of-{name}", html, datetime.now(UTC))


def summary(page: FetchedPage) -> PageSummary:
    return read_fetched(page, page_of(page), make_extractor("fusion", {}))[1]


def test_page_is_uncertain_only_near_the_threshold_and_while_little_is_known() -> None:
    near, far = Decision(True, CERTAIN / 2, b""), Decision(False, -2 * CERTAIN, b"")
    assert is_uncertain(near, 0) and is_uncertain(near, ENOUGH_PAGES - 1)
    assert not is_uncertain(near, ENOUGH_PAGES) and not is_uncertain(far, 0)


def test_waiting_pages_go_on_whole_when_enough_is_known_and_all_at_the_end() -> None:
    released: list[FetchedPage] = []
    waiting = UncertainPages(released.append)
    first, second = fetched("one"), fetched("two")
    assert waiting.put(first, summary(first).to_bytes()) and waiting.put(second, summary(second).to_bytes())
    assert len(waiting) == 2
    waiting.release_certain("elsewhere.example", SiteProfile.build([]))
    assert len(waiting) == 2 and not released
    known = SiteProfile.build([summary(fetched(str(number))) for number in range(ENOUGH_PAGES)])
    waiting.release_certain("gazette.example", known)
    assert [(page.url, page.body, page.settled) for page in released] == [
        (page.url, page.body, True) for page in (first, second)
    ]
    assert waiting.put(first, summary(first).to_bytes())
    waiting.release_all()
    assert len(released) == 3 and len(waiting) == 0


def test_pages_beyond_the_memory_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncertain_pages, "MAX_BYTES", 10)
    waiting = UncertainPages(lambda page: None)
    page = fetched("one")
    blob = summary(page).to_bytes()
    assert waiting.put(page, blob) and not waiting.put(fetched("two"), blob)


def test_profiles_are_built_when_the_memory_has_grown_by_half() -> None:
    sizes, size = [], 0
    while size < 100:
        size = next_size(size)
        sizes.append(size)
    assert sizes == [16, 24, 36, 54, 81, 121]
