"""`scrapy parse`, `shell` and `check` with our spiders: what they show; nothing is stored."""

import subprocess
from pathlib import Path

import pytest

from tests import preloaded
from tests.crawling import article, environment, front, web

#: A spider of ours with a contract, as a project of a reader's own may have one.
CONTRACT = '''
from newsextract.spiders.base import NewsSpider

class PageSpider(NewsSpider):
    name = "pages"

    def parse_page(self, response):
        """A page that is not fetched in crawls.

        @url {url}
        @returns items {items} {items}
        @scrapes url body
        """
        yield from super().parse_page(response)
'''


def scrapy(folder: Path, *words: str, private: str = "1", **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*preloaded.command("scrapy"), *words, "-s", f"NEWSEXTRACT_ALLOW_PRIVATE={private}"]
    env = environment(**variables)
    return subprocess.run(
        command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )


def test_parse_shows_the_article_and_the_links_of_a_page_and_stores_nothing(tmp_path: Path) -> None:
    with web() as site:
        site["/story"] = article("A bridge opens", "Bergen", links="<a href=/other>Another story of the day</a>")
        done = scrapy(tmp_path, "parse", "--spider=site", "--nocolour", f"{site.url}/story")
        saved = scrapy(tmp_path, "parse", "--noitems", "--nolinks", "-o", "story.csv", f"{site.url}/story")
    assert done.returncode == 0, done.stderr
    assert "'headline': 'A bridge opens'" in done.stdout
    assert f"<GET {site.url}/other>" in done.stdout
    assert "Traceback" not in done.stderr and "Deprecation" not in done.stderr
    assert "A bridge opens" in (tmp_path / "story.csv").read_text(), saved.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["story.csv"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["http://127.0.0.1:9/", "-a", "depth=1"], "takes no argument 'depth'"),
        (["http://127.0.0.1:9/", "-s", "NEWSEXTRACT_EXTRACTOR=fuson"], "did you mean fusion?"),
    ],
)
def test_parse_names_what_is_wrong_in_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    done = scrapy(tmp_path, "parse", *words)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_shell_has_the_article_of_the_response(tmp_path: Path) -> None:
    with web() as site:
        site["/story"] = article("A bridge opens", "Bergen")
        done = scrapy(tmp_path, "shell", f"{site.url}/story", "-c", "article().headline")
        refused = scrapy(tmp_path, "shell", f"{site.url}/story", "-c", "article().headline", private="0")
    assert done.stdout.strip() == "A bridge opens", done.stderr
    assert refused.returncode == 2 and "there is no response" in refused.stderr
    assert site.asked.count("/story") == 1
    assert list(tmp_path.iterdir()) == []


def test_check_runs_the_contracts_of_spiders_and_stores_nothing(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").touch()
    with web() as site:
        site["/"] = front("/story")
        for items, status in ((1, 0), (2, 1)):
            (tmp_path / "own" / "pages.py").write_text(CONTRACT.format(url=site.url, items=items))
            done = scrapy(tmp_path, "check", "-s", "SPIDER_MODULES=own", PYTHONDONTWRITEBYTECODE="1")
            assert done.returncode == status, done.stderr
    assert "Ran 2 contracts" in done.stderr and "failures=1" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["own"]
