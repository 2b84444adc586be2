"""Decisions on the text of a page whose own blocks are not enough."""

from datetime import UTC, datetime

import pytest

from newsextract.article import page_of, read_article
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.site_profile import SiteProfile, decide, decide_quickly

BANNER = "This site is kept as an archive and will not be updated any more; write to the editors for the old forum."
CAPTION = "The harbour crane of Merrow Quay on the evening before it was taken down, seen from the ferry."


def page(number: int, *paragraphs: str) -> FetchedPage:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    html = f"<title>Story {number}</title><div><p>{BANNER}</p></div><article><h1>Story {number} of the quay</h1>{body}"
    return FetchedPage(
        f"https://example.org/2026/story-{number}.html", html.encode(), datetime(2026, 11, 23, tzinfo=UTC)
    )


def stories() -> list[FetchedPage]:
    places = ("harbour", "market", "mill", "bridge", "station", "school", "theatre", "hospital", "library", "castle")
    return [
        page(
            number,
            f"The council decided on the {place} after a long debate, number {number} of this kind in a single year.",
            f"Nobody had expected that the {place} would cost {number + 3} million, said the treasurer of the town.",
        )
        for number, place in enumerate(places)
    ]


@pytest.mark.parametrize("decide_page", [decide, decide_quickly])
def test_page_without_text_of_its_own_has_an_empty_text_and_not_the_banner_of_its_site(decide_page) -> None:
    fusion = make_extractor("fusion", {})
    photo = page(77)
    summaries = [read_article(page_of(one), fusion).summary for one in [*stories(), photo]]
    alone = read_article(page_of(photo), fusion)
    assert alone.article.article_body == BANNER
    decision = decide_page(alone.summary, SiteProfile.build(summaries))
    assert not decision.chosen_rows(len(alone.summary.rows)).any()


def test_page_keeps_a_caption_of_its_own() -> None:
    fusion = make_extractor("fusion", {})
    photo = page(77, CAPTION)
    summaries = [read_article(page_of(one), fusion).summary for one in [*stories(), photo]]
    decision = decide(summaries[-1], SiteProfile.build(summaries))
    assert decision.chosen_rows(len(summaries[-1].rows)).any()
