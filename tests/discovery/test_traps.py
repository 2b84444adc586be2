"""Sites that make up addresses without end."""

import pytest

from newsextract.discovery.traps import MAX_BARREN_PAGES, MAX_HOSTS, TrapDetector, generated_url_reason

SITE = "https://example.org"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/news/2026/05/the-pier-is-open.html", None),
        ("/a/b/a/b/a/b/story", None),
        ("/a/b/a/b/a/b/a/b/story", "path"),
        ("/" + "/".join(map(str, range(21))), "path"),
        ("/search?q=pier&page=2&sort=date", None),
        ("/shop?" + "&".join(f"filter{n}=1" for n in range(13)), "query"),
        ("//[broken", None),
    ],
)
def test_addresses_that_grow_by_themselves_are_told_from_real_ones(path: str, reason: str | None) -> None:
    assert generated_url_reason(SITE + path) == reason


def test_a_calendar_behind_which_there_is_nothing_is_left_after_some_pages() -> None:
    traps = TrapDetector()
    for day in range(MAX_BARREN_PAGES):
        assert traps.trap_reason(f"{SITE}/calendar/{2000 + day}/05") is None
        traps.record_page(f"{SITE}/calendar/{2000 + day}/05", is_useful=False)
    assert traps.trap_reason(f"{SITE}/calendar/3000/11/") == "barren"
    for honest in ("/calendar", "/news/2031/05", "/calendar/2031/05?view=list"):
        assert traps.trap_reason(SITE + honest) is None


def test_an_archive_with_an_article_now_and_then_is_read_to_its_end() -> None:
    traps = TrapDetector()
    for page in range(10 * MAX_BARREN_PAGES):
        url = f"{SITE}/archive?page={page}"
        assert traps.trap_reason(url) is None
        traps.record_page(url, is_useful=page % (MAX_BARREN_PAGES - 1) == 0)


def test_hosts_without_end_are_not_gone_to() -> None:
    traps = TrapDetector()
    assert {traps.trap_reason(f"https://{n}.example.org/") for n in range(MAX_HOSTS)} == {None}
    assert traps.trap_reason("https://one-more.example.org/") == "hosts"
    assert traps.trap_reason("https://7.example.org/story") is None
