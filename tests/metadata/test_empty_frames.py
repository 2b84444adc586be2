"""Which pages are empty frames."""

import pytest

from newsextract import Page, extract
from newsextract.metadata.empty_frames import is_empty_frame

TEXT = "<p>The harbour council voted to rebuild the old pier, whose last metres a storm took in the winter.</p>"
NAVIGATION = "<nav>" + "<a href=/a>Harbour</a> <a href=/b>Weather and tides</a> " * 8 + "</nav>"


@pytest.mark.parametrize(
    "body",
    [
        "<script src=/app.js></script>",
        "<div id=root></div><script>draw()</script>",
        "<div>Loading…</div><script src=/app.js></script><noscript>Enable JavaScript to read this page.</noscript>",
        f"{NAVIGATION}<div id=__next><div class=spinner></div></div><script src=/app.js></script>",
        f"{NAVIGATION}<app-root></app-root><script type=module src=/app.js></script>",
    ],
)
def test_frames(body: str) -> None:
    assert is_empty_frame(Page(f"<!doctype html><title>News</title><body>{body}"))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<div id=root></div>",
        '<script type="application/ld+json">{"@type": "WebPage"}</script>',
        f"{NAVIGATION}<div id=root>{TEXT}</div><script src=/app.js></script>",
        f"{NAVIGATION}<script src=/app.js></script>",
        f"<div id=root></div>{TEXT * 12}<script src=/app.js></script>",
    ],
)
def test_pages_that_are_none(body: str) -> None:
    assert not is_empty_frame(Page(f"<!doctype html><title>News</title><body>{body}"))


def test_frame_is_no_article_and_says_why() -> None:
    for url in ("https://example.org/", "https://example.org/2026/05/pier"):
        article = extract("<title>News</title><div id=root></div><script src=/app.js></script>", url)
        assert (article.is_article, article.not_article_because) == (False, "needs_javascript")
