"""Sites that make up addresses without end."""

import pytest

from newsextract.discovery.traps import BARREN, MOST_HOSTS, Traps, endless

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
    assert endless(SITE + path) == reason


def test_a_calendar_behind_which_there_is_nothing_is_left_after_some_pages() -> None:
    traps = Traps()
    for day in range(BARREN):
        assert traps.refuses(f"{SITE}/calendar/{2000 + day}/05") is None
        traps.learn(f"{SITE}/calendar/{2000 + day}/05", led_somewhere=False)
    assert traps.refuses(f"{SITE}/calendar/3000/11/") == "barren"
    for honest in ("/calendar", "/news/2031/05", "/calendar/2031/05?view=list"):
        assert traps.refuses(SITE + honest) is None


def test_an_archive_with_an_article_now_and_then_is_read_to_its_end() -> None:
    traps = Traps()
    for page in range(10 * BARREN):
        url = f"{SITE}/archive?page={page}"
        assert traps.refuses(url) is None
        traps.learn(url, led_somewhere=page % (BARREN - 1) == 0)


def test_hosts_without_end_are_not_gone_to() -> None:
    traps = Traps()
    assert {traps.refuses(f"https://{n}.example.org/") for n in range(MOST_HOSTS)} == {None}
    assert traps.refuses("https://one-more.example.org/") == "hosts"
    assert traps.refuses("https://7.example.org/story") is None
