"""Sites that make up addresses without end."""

import pytest

from newsextract.discovery.traps import MAX_BARREN_PAGES, MAX_HOSTS, TrapDetector

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
def test_trap_detector_recognizes_growing_paths_and_queries(path: str, reason: str | None) -> None:
    assert TrapDetector().trap_reason(SITE + path) == reason


def test_trap_detector_keeps_archive_with_some_articles() -> None:
    traps = TrapDetector()
    for page in range(10 * MAX_BARREN_PAGES):
        url = f"{SITE}/archive?page={page}"
        assert traps.trap_reason(url) is None
        traps.record_page(url, is_useful=page % (MAX_BARREN_PAGES - 1) == 0)


def test_trap_detector_bounds_hosts() -> None:
    traps = TrapDetector()
    assert {traps.trap_reason(f"https://{n}.example.org/") for n in range(MAX_HOSTS)} == {None}
    assert traps.trap_reason("https://one-more.example.org/") == "hosts"
    assert traps.trap_reason("https://7.example.org/story") is None
