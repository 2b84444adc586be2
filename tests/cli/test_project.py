"""[project] in sites.toml: every command finds database, pages and time zone without an option."""

import os
from pathlib import Path

import pytest

from newsextract.errors import WrongSetting
from newsextract.project import project_settings
from tests.crawling import QUICK, add_stories, crawl, json_lines, newsextract
from tests.examples import examples

FILE = Path(__file__).with_name("project.toml").read_text("utf-8")


def test_one_file_tells_all_commands_where_the_project_is(tmp_path, site):
    (tmp_path / "data").mkdir()
    paths = add_stories(site, 3)
    (tmp_path / "sites.toml").write_text(FILE.replace("URL", site.url))
    newsextract(tmp_path, "crawl", "sites.toml", settings=QUICK)
    crawl(tmp_path, "gazette")  # scrapy's own command
    assert {file.name for file in tmp_path.iterdir()} == {"data", "sites.toml"}
    assert len(json_lines(tmp_path / "data/articles.jsonl")) == len(paths)
    assert (tmp_path / "data/news.prom").exists() and [*(tmp_path / "data/pages").rglob("*.warc.gz")]
    assert newsextract(tmp_path, "status").stdout.count("finished") == 2
    assert "0 articles changed" in newsextract(tmp_path, "reextract", "--workers", "0").stderr
    for words in (["export", "-o", "all.jsonl"], ["search", "council"], ["why", site.url + paths[0]], ["db", "check"]):
        newsextract(tmp_path, *words)
    newsextract(tmp_path, "browse", "--update-only")
    newsextract(tmp_path, "watch", status=None)
    assert (tmp_path / "data/news-index.db").exists()
    days = newsextract(tmp_path, "search", "council", "--count-by", "day", "--duplicates").stdout
    assert "2026-04-30" in days, "midnight of UTC is the day before there"
    assert "no such database" in newsextract(tmp_path, "status", "--database", "x.db", status=1).stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "gazette" in newsextract(elsewhere, "crawl", "../sites.toml", "--check").stdout
    assert not [*elsewhere.iterdir()]


@pytest.mark.parametrize(("text", "said"), examples(__file__, "wrong"))
def test_wrong_project_is_one_sentence(text, said, tmp_path):
    (tmp_path / "sites.toml").write_text(text)
    with pytest.raises(WrongSetting, match=r"sites\.toml: ") as caught:
        project_settings(tmp_path / "sites.toml")
    assert said in str(caught.value)
    for words in (["status"], ["crawl", "sites.toml"]):
        assert said in newsextract(tmp_path, *words, status=2).stderr
    assert "newsextract" in newsextract(tmp_path, "schema").stdout.lower(), "commands without a database don't mind"


def test_project_of_postgresql_and_a_port_stays_as_written_and_the_environment_wins(tmp_path, monkeypatch):
    monkeypatch.setenv("NEWSEXTRACT_TIMEZONE", "Asia/Tokyo")
    file = tmp_path / "sites.toml"
    file.write_text('[project]\ndatabase = "postgresql:///news"\nmetrics = "9464"\ntimezone = "Europe/Oslo"')
    assert project_settings(file) == {"NEWSEXTRACT_DATABASE_URL": "postgresql:///news", "NEWSEXTRACT_METRICS": "9464"}
    assert os.environ["NEWSEXTRACT_TIMEZONE"] == "Asia/Tokyo"
    for scheme in ("", "sqlite:///"):
        file.write_text(f'[project]\ndatabase = "{scheme}data/news.db"')
        assert project_settings(file) == {"NEWSEXTRACT_DATABASE_URL": f"{scheme}{tmp_path}/data/news.db"}
