"""Limits of time and memory for the work on one page."""

import threading
from datetime import UTC, datetime

import pytest

import newsextract
from newsextract.errors import WorkerDied, WorkersUnusable, WorkerTimeout, WrongCall
from newsextract.items import FetchedPage
from newsextract.limits import MAX_MEMORY, check_threads, limit_memory, run_within
from newsextract.page import Page
from newsextract.site_profile import peer_index
from newsextract.site_profile.peer_index import MAX_PAGE_BYTES, MAX_SITE_BYTES, PeerIndex

NOW = datetime(2026, 5, 1, tzinfo=UTC)
STORY = "<h1>The pier</h1><p>The harbour council voted to rebuild the old pier, and the work begins in spring.</p>"


def never_ends() -> None:
    while True:
        pass


def fills_memory() -> int:
    return len(bytearray(2 * MAX_MEMORY))


def test_run_within_ends_what_takes_too_long_or_too_much():
    assert run_within(60, len, "four") == 4
    with pytest.raises(WorkerTimeout, match=r"longer than 0\.2 seconds"):
        run_within(0.2, never_ends)
    with pytest.raises(WorkerDied, match="GB of memory"):
        run_within(60, fills_memory)
    with pytest.raises(WrongCall, match="timeout"):
        run_within(0, len, "four")


def test_extract_with_timeout_gives_the_same_article():
    page = f"<html><body><article>{STORY * 3}</article></body></html>".encode()
    url = "https://news.example.org/2026/05/01/pier"
    assert newsextract.extract(page, url, timeout=60).to_dict() == newsextract.extract(page, url).to_dict()


@pytest.mark.parametrize(
    "opening", ["<b id={}>", "<font color={}>", "<i a={}><u a={}>", "<CODE x={}>", "<b id={}></i>"]
)
@pytest.mark.parametrize("paragraph", ["<p>x", "<p>x</p>", "<div>x</div>", "<li>x"])
def test_unclosed_formatting_does_not_multiply(opening, paragraph):
    page = "<body>" + "".join(opening.format(i, i) for i in range(400)) + paragraph * 12_000 + STORY
    assert any("rebuild the old pier" in text for text in Page(page).blocks.texts)
    assert sum(1 for _ in Page(page).tree.iter()) < 100_000


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_unclosed_formatting_of_a_small_page_does_not_multiply(encoding):
    page = "\ufeff<body><p>" + "".join(f"<TT id={i}>" for i in range(400)) + "<p>x" * 1_000 + STORY
    assert sum(1 for _ in Page(page.encode(encoding)).tree.iter()) < 10_000


def test_closed_formatting_stays():
    page = Page("<p>" + "<b id=1><i>a</i></b>" * 5_000 + STORY)
    assert len(page.tree.xpath("//b")) == 5_000


def test_peers_of_a_site_are_limited_by_bytes():
    index = PeerIndex()
    for i in range(60):
        body = b"x" * (MAX_PAGE_BYTES if i else MAX_PAGE_BYTES + 1)
        template = frozenset(range(100 * i, 100 * i + 50))
        index.add(FetchedPage(f"https://news.example.org/part{i}/story-{i}", body, NOW, template=template))
    kept = [page for i in range(60) if (page := index.get(f"https://news.example.org/part{i}/story-{i}"))]
    assert 0 < sum(len(page.body) for page in kept) <= MAX_SITE_BYTES
    assert index.find_peers("https://news.example.org/part59/story-1", 4)


def test_site_whose_peers_made_room_for_those_of_others_is_forgotten(monkeypatch):
    monkeypatch.setattr(peer_index, "MAX_BYTES", 50)
    index = PeerIndex()
    for n in range(9):
        index.add(FetchedPage(f"https://site-{n}.example/story-1", b"x" * 10, NOW, template=frozenset(range(9))))
    assert index.forgotten == {f"site-{n}.example" for n in range(4)}
    assert index.get("https://site-8.example/story-1") and not index.get("https://site-0.example/story-1")


def start_threads_with_large_stacks():
    limit_memory()
    threading.stack_size(2**28)  # some start, but all of them don't fit
    check_threads()


def test_too_few_threads_for_a_crawl_are_one_sentence():
    with pytest.raises(WorkersUnusable, match="a crawl needs 24 threads, and this system allows fewer"):
        run_within(60, start_threads_with_large_stacks)
