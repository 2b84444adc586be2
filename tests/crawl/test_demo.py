import socket
import urllib.request

import pytest

from newsextract.crawl.demo import demo_server
from newsextract.errors import NewsextractError


def test_the_demonstration_site_takes_another_port_where_its_own_is_taken() -> None:
    with demo_server() as first, demo_server() as second:
        assert first != second
        for url in (first, second):
            with urllib.request.urlopen(f"{url}/robots.txt", timeout=30) as answer:
                assert b"Disallow" in answer.read()


def test_a_port_that_was_asked_for_and_is_taken_is_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(NewsextractError, match=str(port)), demo_server(port):
            pass
