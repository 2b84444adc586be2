"""`newsextract crawl` before anything is fetched: URLs or a file, wrong calls, and nothing due."""

import pytest

from newsextract.health.run_end import finish_run
from tests.examples import examples

TWO = "[sites.a]\nurl = 'https://a.example/'\n[sites.b]\nurl = 'https://b.example/'\ninterval = '2h'\n"


def test_crawl_check_shows_when_each_site_is_due_or_all_that_is_wrong(command, tmp_path):
    (tmp_path / "sites.toml").write_text(TWO)
    done = command("crawl", "sites.toml", "--check")
    rows = [line.split() for line in done.stdout.splitlines() if "never" in line]
    assert [row[1] for row in rows] == ["a", "b"]
    assert all("now" in row for row in rows)
    assert not (tmp_path / "newsextract.db").exists()
    (tmp_path / "sites.toml").write_text(f"{TWO}\nmax_pages = 0\nworkers = 2")
    done = command("crawl", "sites.toml", "--check", status=2)
    assert done.stderr.count("sites.b.") == 2
    assert " a " in done.stdout


@pytest.mark.parametrize(("words", "message", "text"), examples(__file__, "wrong_calls"))
def test_crawl_with_wrong_sources_or_options_ends_with_2(complaint, tmp_path, words, message, text):
    (tmp_path / "my-sites").write_text(TWO)
    if text is not None:
        (tmp_path / "sites.toml").write_text(text.replace("TWO", TWO))
    assert message in complaint(2, "crawl", *words)


def test_crawl_fetches_nothing_while_no_site_is_due(command, store, tmp_path):
    (tmp_path / "sites.toml").write_text(TWO)
    runs = [store.frontier(name, {"subdomains": "False", "url": f"https://{name}.example/"}).run for name in "ab"]
    store.write(finish_run, runs[0], "finished", {})
    done = command("crawl", "sites.toml")
    assert "Nothing is due; b: already running; next: a at " in done.stderr


def test_crawl_without_arguments_and_sites_says_what_to_give_it_and_ends_with_2(complaint, tmp_path):
    said = complaint(2, "crawl")
    assert said.startswith("newsextract: there is no sites.toml: name a file of sites")
    assert len(said.splitlines()) == 1 and [*tmp_path.iterdir()] == []


def test_crawl_passes_urls_and_options_on_to_the_site_spider(command, monkeypatch):
    calls = []
    crawl_urls = "newsextract.runs.one_crawl.crawl_urls"
    monkeypatch.setattr(crawl_urls, lambda urls, **options: calls.append((urls, options)) or 1)
    words = ["HTTP://a.example/", "b.example/toml", "-a", "max_pages=5", "-s", "DOWNLOAD_DELAY=2", "-L", "DEBUG"]
    command("crawl", *words, "-O", "a.csv", "-o", "b.jsonl", "--database", "sqlite:///b.db", status=1)
    overrides = {"DOWNLOAD_DELAY": "2", "LOG_LEVEL": "DEBUG", "NEWSEXTRACT_DATABASE_URL": "sqlite:///b.db"}
    options = {"spider": "site", "arguments": {"max_pages": "5"}, "overrides": overrides}
    files = {"append_to": ["b.jsonl"], "overwrite": ["a.csv"]}
    assert calls == [(["HTTP://a.example/", "https://b.example/toml"], {**options, **files})]


def test_settings_of_the_command_are_the_projects_with_json_lines_unless_they_are_unset(monkeypatch, tmp_path):
    from newsextract.runs.one_crawl import command_settings

    monkeypatch.chdir(tmp_path)
    assert command_settings({})["NEWSEXTRACT_JSONL"] == "articles.jsonl"
    assert command_settings({"NEWSEXTRACT_JSONL": ""})["NEWSEXTRACT_JSONL"] == ""
    assert command_settings({})["SPIDER_MODULES"] == ["newsextract.spiders"]
