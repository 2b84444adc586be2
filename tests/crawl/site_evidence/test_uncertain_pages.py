"""Pages that wait until more is known of their site: which wait, and when they go on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from newsextract.article import PageReading, page_of, read_fetched
from newsextract.crawl.site_evidence import uncertain_pages
from newsextract.crawl.site_evidence.memory import next_size
from newsextract.crawl.site_evidence.uncertain_pages import CERTAIN, ENOUGH_PAGES, UncertainPages, is_uncertain
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.site_profile import Decision, SiteProfile, decide
from newsextract.workers.worker import LearnedPage
from tests.crawling import article


def fetched(name: str) -> FetchedPage:
    html = article(f"Story {name}", f"Town {name}").encode()
    return FetchedPage(f"https://gazette.example/news/the-story-of-{name}", html, datetime.now(UTC))


def read(page: FetchedPage) -> PageReading:
    return read_fetched(page, page_of(page), make_extractor("fusion", {}))


def put(waiting: UncertainPages, page: FetchedPage) -> bool:
    """Puts a page aside as it is read by itself."""
    reading = read(page)
    learned = LearnedPage(reading.summary.to_bytes(), reading.decision, reading.text_confidence)
    return waiting.put(page, reading.article, learned, reading.summary)


def test_page_is_uncertain_only_near_the_threshold_and_while_little_is_known() -> None:
    near, far = Decision(True, CERTAIN / 2, b""), Decision(False, -2 * CERTAIN, b"")
    assert is_uncertain(near, 0) and is_uncertain(near, ENOUGH_PAGES - 1)
    assert not is_uncertain(near, ENOUGH_PAGES) and not is_uncertain(far, 0)


def test_waiting_pages_go_on_whole_when_enough_is_known_and_all_at_the_end() -> None:
    released: list[FetchedPage] = []
    waiting = UncertainPages(released.append)
    first, second = fetched("one"), fetched("two")
    assert put(waiting, first) and put(waiting, second)
    assert len(waiting) == 2
    waiting.release_certain("elsewhere.example", SiteProfile.build([]))
    assert len(waiting) == 2 and not released
    known = SiteProfile.build([read(fetched(str(number))).summary for number in range(ENOUGH_PAGES)])
    waiting.release_certain("gazette.example", known)
    assert [(page.url, page.body, page.settled) for page in released] == [
        (page.url, page.body, True) for page in (first, second)
    ]
    assert put(waiting, first)
    waiting.release_all()
    assert len(released) == 3 and len(waiting) == 0


def test_page_that_waited_is_not_read_again_but_for_another_text() -> None:
    released: list[FetchedPage] = []
    waiting, page = UncertainPages(released.append), fetched("one")
    known = SiteProfile.build([read(fetched(str(number))).summary for number in range(ENOUGH_PAGES)])
    assert put(waiting, page)
    waiting.release_certain("gazette.example", known)
    result = waiting.take_result(released[0])
    assert result is not None and result.learned is not None and waiting.take_result(released[0]) is None
    now = decide(read(page).summary, known)
    assert (result.learned.decision.log_odds, result.article.is_article) == (now.log_odds, now.is_article)
    whole = page_of(page)
    whole.site = known
    again = read_fetched(page, whole, make_extractor("fusion", {})).article
    assert result.article.to_dict() == again.to_dict()

    reading = read(page)
    other = replace(reading.decision, chosen=bytes(len(reading.decision.chosen)))
    assert waiting.put(page, reading.article, LearnedPage(reading.summary.to_bytes(), other), reading.summary)
    waiting.release_certain("gazette.example", known)
    assert waiting.take_result(released[1]) is None


def test_pages_beyond_the_memory_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncertain_pages, "MAX_BYTES", 10)
    waiting = UncertainPages(lambda page: None)
    page = fetched("one")
    assert put(waiting, page) and not put(waiting, fetched("two"))


def test_profiles_are_built_when_the_memory_has_grown_by_half() -> None:
    sizes, size = [], 0
    while size < 100:
        size = next_size(size)
        sizes.append(size)
    assert sizes == [16, 24, 36, 54, 81, 121]
