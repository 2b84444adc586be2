"""Hosts that accept connections and never answer cost a crawl little, and lose nothing that is queued."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from newsextract.store import Store, UrlState
from tests.crawling import Answer, add_stories, crawl, front, web
from tests.store.samples import urls_in

TIMEOUT = {"DOWNLOAD_TIMEOUT": "1", "RETRY_TIMES": "2"}


@contextmanager
def silent_host(port: int = 0) -> Iterator[socket.socket]:
    """A port on which the kernel accepts connections that nobody ever reads."""
    with socket.create_server(("127.0.0.1", port), backlog=64) as listener:
        listener.setblocking(False)
        yield listener


def connections(listener: socket.socket) -> int:
    """How many connections were made to a silent host."""
    count = 0
    try:
        while True:
            listener.accept()[0].close()
            count += 1
    except BlockingIOError:
        return count


def test_crawl_of_host_that_never_answers_ends_soon_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with silent_host() as listener:
        port = listener.getsockname()[1]
        url = f"http://127.0.0.1:{port}/"
        done = crawl(tmp_path, "site", url=url, settings=TIMEOUT)
        assert connections(listener) == 3
    assert done.status == 1
    assert f"The crawl stopped early: 127.0.0.1:{port} does not answer: 3 requests" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stats["finish_reason"] == "no_answer"
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert [*store.read(urls_in, UrlState.queued)] == [url]
    with web(port=port) as site:
        add_stories(site)
        done = crawl(tmp_path, "site", url=url)
    assert (done.status, len(done.articles)) == (0, 3)


def test_site_that_answers_late_is_crawled_to_its_end(tmp_path: Path) -> None:
    ended, late = threading.Event(), {"/robots.txt", "/"}

    def answer_late(path: str, page: str) -> Answer:
        """No answer to the first request of a path."""
        if path in late:
            late.remove(path)
            ended.wait(300)
        return Answer(page)

    with web() as site:
        stories = add_stories(site)
        site["/robots.txt"] = partial(answer_late, "/robots.txt", "")
        site["/"] = partial(answer_late, "/", front(*stories))
        done = crawl(tmp_path, "site", url=site.url, settings={**TIMEOUT, "DOWNLOAD_TIMEOUT": "3"})
        ended.set()
    assert (done.status, len(done.articles)) == (0, 3)
