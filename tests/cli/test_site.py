"""`newsextract site`: what is known of a site, and how it is forgotten."""

from pathlib import Path
from typing import Any

import pytest

from newsextract.store import Store
from newsextract.store.lookup import count_articles
from tests.crawling import article, crawl, front, web


def test_site_shows_templates_addresses_and_lines_and_forgets_them(command: Any, tmp_path: Path) -> None:
    stories = [f"/news/2026/05/the-story-of-town-{n}" for n in range(5)]
    line = "Subscribe [/b] to [bold] our :smile: letter"
    with web() as site:
        site["/"] = front(*stories)
        for n, path in enumerate(stories):
            site[path] = article(f"Story {n}", f"Town {n}").replace("</body>", f"<footer><p>{line}</p></footer></body>")
        crawl(tmp_path, "site", url=site.url)
    host = site.url.removeprefix("http://")
    shown = command("site", f"{site.url}/any/page")
    assert shown.returncode == 0
    assert f"{host}: 6 known pages, 5 of them articles" in shown.stdout
    row = next(line for line in shown.stdout.splitlines() if "/news/YEAR/N/" in line)
    assert "articles" in row and " 5 " in row and "the-story-of-town-0" in row
    assert line in shown.stdout, "lines of pages are printed as they are"
    gone = command("site", "forget", site.url)
    assert (gone.returncode, gone.stderr) == (0, f"forgot 6 pages of {host}; its articles stay\n")
    unknown = command("site", site.url)
    assert unknown.returncode == 1 and "nothing is known about" in unknown.stderr
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert store.read(count_articles) == 5


@pytest.mark.parametrize("words", [["a", "b"], ["forget", "a", "b"], ["http://"]])
def test_site_refuses_a_wrong_call(command: Any, words: list[str]) -> None:
    refused = command("site", *words)
    assert refused.returncode == 2 and refused.stderr.startswith("newsextract: ")
