"""Changes that lists announce: which articles are due because of them, and what becomes of false ones."""

from datetime import timedelta

import pytest

from newsextract.health.run_end import finish_run
from newsextract.store import PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.outcome import PageResponse, RequestedUrl
from tests.examples import examples
from tests.store.samples import NOON, outcome
from tests.store.test_frontier import HOME, run_of, set_clock, urls_of

ON_BOTH_DATABASES = True

DAY = timedelta(days=1)


def read_list(store: Store, day: float, modified: timedelta | None, count: int = 1, **told: str) -> list[str]:
    """What a run on that day leases after its list says this of the stories."""
    set_clock(store, day * 86_400)
    frontier = run_of(store)
    dates = {} if modified is None else {"date_modified": (NOON + modified).isoformat()}
    listing = {"source": "feed", "date_published": NOON.isoformat(), **dates, **told}
    links = [QueuedLink(f"{HOME}{number}", told.get("title", ""), meta={"listing": listing}) for number in range(count)]
    frontier.add(links)
    return sorted(urls_of(frontier.lease(999)))


def end_run(store: Store, leased: list[str], day: float, text: str = "") -> None:
    frontier = run_of(store)
    at, edits = NOON + day * DAY, {"body": text} if text else {}
    stories = [outcome(f"{HOME}{name}", f"{name} {edits.get('body', 'Story.')}", at=at) for name in leased]
    for story in stories:
        story.run, story.requested = frontier.run, RequestedUrl(revisit=True)
        story.article.date_published = NOON - 99 * DAY
        story.response = PageResponse(page_hash=text or "as before")
    store.commit(stories)
    frontier.close()
    store.write(finish_run, frontier.run, "finished", {})


@pytest.mark.parametrize(("is_due", "told", "hours"), examples(__file__, "lists"))
def test_article_is_due_if_its_list_says_something_new(store, is_due, told, hours):
    end_run(store, read_list(store, 0, timedelta(hours=-2), title="Pier (3)"), 0)
    modified = None if hours is None else timedelta(hours=hours)
    assert read_list(store, 2, modified, **{"title": "Pier (3)", **told}) == (["0"] if is_due else [])


@pytest.mark.parametrize(
    ("place", "text", "is_due"),
    [
        (HOME, "Pier: the cost was wrong", True),
        (HOME, "Pier (12)", False),
        (f"{HOME}old", "Pier: the cost was wrong", False),  # a link on a page that isn't read in each run
    ],
)
def test_article_is_due_if_the_front_page_links_to_it_with_another_text(store, place, text, is_due):
    for day, link_text in enumerate(("Pier (3)", text)):
        set_clock(store, day * 86_400)
        frontier = run_of(store)
        links = [QueuedLink(f"{HOME}0", link_text, referrer=place)]
        is_front = place == HOME
        front = PageOutcome(
            place,
            UrlState.not_article,
            "front",
            links=links,
            run=frontier.run,
            requested=RequestedUrl(is_main_list=is_front),
        )
        store.commit([front])
        leased = [name for name in urls_of(frontier.lease(9)) if name == "0"]
        assert leased == (["0"] if is_due or not day else [])
        end_run(store, leased, day)


def test_site_that_stamps_everything_daily_loses_its_credit_and_an_honest_one_does_not(store):
    counts = {"": list[int](), "edited on day {}": list[int]()}
    for text, start in (("", 0), ("edited on day {}", 100)):
        for day in range(start, start + 10):
            leased = read_list(store, day, (day - 0.1) * DAY, 40)
            end_run(store, leased, day, text.format(day))
            counts[text].append(len(leased))
    false, true = counts.values()
    assert false[:2] == [40, 10] and max(false[3:]) <= 2 and min(false) >= 1
    assert max(true) > 10, "it gains credit with each one that is true"
