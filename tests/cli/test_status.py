"""`newsextract history`, `why`, `status`, `site`, `search` and `db`."""

import json
import sys
from dataclasses import replace

import pytest
from rich.cells import cell_len

from newsextract.health.run_end import finish_run
from newsextract.health.status import read_status
from newsextract.store import JsonLines, PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.frontier import find_url
from newsextract.store.lookup import count_articles, find_versions
from newsextract.store.outcome import PageResponse
from tests.crawling import article, crawl, front, run_command, sql
from tests.store.samples import delete, later, outcome

STORY = "https://example.org/story"
OTHER = "https://example.org/other"


@pytest.fixture
def store(store, tmp_path):
    """Two articles of a site, one of them in two versions."""
    links = [QueuedLink(STORY, "Pier"), QueuedLink(OTHER)]
    store.commit([PageOutcome("https://example.org/", UrlState.not_article, "front", links=links)])
    store.commit([outcome(STORY, "First line.\nSecond line."), outcome(OTHER)])
    store.commit([outcome(STORY, "First line.\nAnother line.", at=later(3))])
    JsonLines(store, tmp_path / "articles.jsonl").write()
    return store


def test_history_shows_differences_between_versions(command, store):
    said = command("history", STORY).stdout
    assert "-Second line." in said and "+Another line." in said
    assert "version 2, 2025-03-01 15:00 UTC" in said
    command("history", "https://example.org/none", status=1)


def test_history_shows_a_deletion_and_status_counts_pages_that_are_unchanged(command, store):
    delete(store, STORY, at=later(99))
    said = command("history", STORY).stdout
    assert said.index("version 2") < said.index("deleted, ")
    for state, reason in ((UrlState.not_article, "section"), (UrlState.unchanged, "section")):
        store.commit([PageOutcome("https://example.org/news", state, reason, at=later(9))])
        assert "1 section" in command("status").stdout
    [site], _ = store.read(read_status)
    assert (site.articles, site.states["not_article"], site.states["unchanged"]) == (site.states["stored"], 2, 1)


def test_why_shows_where_a_url_was_seen_and_its_state(command, complaint, store):
    said = command("why", STORY).stdout
    for part in ("stored", "on https://example.org/", "Pier", "version 2"):
        assert part in said
    assert "not_article: front" in command("why", "https://example.org/").stdout
    assert "is unknown" in complaint(1, "why", "https://example.org/never")


def test_status_says_what_to_set_for_a_site_rendered_by_scripts(command, store):
    assert "rendered by JavaScript" not in command("status").stdout
    home = PageOutcome("https://frames.example/", UrlState.not_article, "needs_javascript")
    home.links = [QueuedLink(f"https://frames.example/{n}") for n in range(3)]
    store.commit([home])
    store.commit([PageOutcome(link.url, UrlState.not_article, "needs_javascript") for link in home.links])
    said = command("status").stdout
    assert 'frames.example: 4 of 4 pages are rendered by JavaScript: set render = "auto"' in " ".join(said.split())


def test_status_writes_every_url_without_an_article_with_its_reason(command, store, tmp_path):
    store.commit([PageOutcome("https://frames.example/a", UrlState.not_article, "listing", response=PageResponse(200))])
    store.commit([PageOutcome("https://frames.example/b", UrlState.failed, "http_500", response=PageResponse(500))])
    for name in ("refused.jsonl", "refused.csv"):
        command("status", "--site", "frames.example", "--refused", name)
    rows = [json.loads(line) for line in (tmp_path / "refused.jsonl").read_text().splitlines()]
    assert [(row["url"][-1], row["state"], row["reason"]) for row in rows] == [
        ("a", "not_article", "listing"),
        ("b", "failed", "http_500"),
    ]
    assert (tmp_path / "refused.csv").read_text().splitlines()[1].startswith("https://frames.example/a,frames.example")


def test_history_why_and_export_say_that_an_article_was_taken_back(command, store):
    store.commit([PageOutcome(OTHER, UrlState.not_article, "listing", settles=True, retract=True)])
    assert "version 2: retracted" not in command("history", STORY).stdout
    assert "retracted, it isn't an article: listing" in command("history", OTHER).stdout
    why = command("why", OTHER).stdout
    assert "not_article: listing" in why and "version 2, retracted: it isn't an article" in why
    (line,) = [line for line in command("status").stdout.splitlines() if "example.org" in line]
    assert " 1 " in line and "1 listing" in line
    lines = [json.loads(line) for line in command("export").stdout.splitlines()]
    told = {line["url"]: (line["change_kind"], line["is_article"]) for line in lines}
    assert told == {STORY: ("changed", True), OTHER: ("retracted", False)}
    assert "example.org/other" not in command("export", "--format", "warc-wet").stdout


def test_status_of_a_site_shows_that_site_and_its_runs_alone(command, complaint, store):
    for name in ("courier", "gazette"):
        frontier = store.frontier(name, {"url": f"https://{name}.example/"})
        store.commit([PageOutcome(f"https://{name}.example/story", UrlState.stored, run=frontier.run)])
        store.write(finish_run, frontier.run, "finished", {})
    for words in (["courier"], ["courier.example"], ["https://courier.example/any/page"]):
        said = command("status", *(part for word in words for part in ("--site", word))).stdout
        assert "courier.example" in said and "gazette" not in said and "example.org" not in said
        assert said.count("finished") == 1
    assert "gazette" in command("status", "--site", "courier", "--site", "gazette.example").stdout
    said = complaint(2, "status", "--site", "nowhere.example")
    assert "nowhere.example is not in the database, which has courier.example" in said


def test_status_fits_100_columns_and_names_a_site_as_in_sites_toml(command, store):
    frontier = store.frontier("courier", {"subdomains": "False", "url": "https://example.org/", "max_pages": "5"})
    urls = [QueuedLink(f"https://example.org/{number}") for number in range(6)]
    store.commit([PageOutcome("https://example.org/", UrlState.not_article, "front", links=urls, run=frontier.run)])
    for link, reason in zip(urls, ("section", "product", "short", "http_404", "consent", "login"), strict=True):
        store.commit([PageOutcome(link.url, UrlState.not_article, reason, run=frontier.run)])
    store.commit([replace(outcome("https://example.org/new", "A new one."), run=frontier.run)])
    store.write(finish_run, frontier.run, "finished", {})
    said = command("status").stdout
    assert max(map(len, said.splitlines())) <= 100
    assert "courier" in said.splitlines()[1] and "(example.org)" in said
    assert "url=https://example.org/ max_pages=5" in " ".join(said.split())
    assert "subdomains" not in said


def test_status_prints_names_as_they_are_and_folds_them_by_columns(command, store):
    name = "kurier-ニュース新聞-[bold]x[/b]-:smile:-" * 3
    frontier = store.frontier(name, {"url": "https://example.org/"})
    store.commit([PageOutcome("https://example.org/", UrlState.not_article, "front", run=frontier.run)])
    store.write(finish_run, frontier.run, "finished", {})
    said = command("status").stdout
    header, *lines = said.rpartition("\n\n")[2].splitlines()
    assert "".join(line[header.index("spider") :].split(" ")[0] for line in lines) == name
    assert len(lines) > 1 and max(map(cell_len, said.splitlines())) <= 100


def test_status_loads_no_module_that_takes_long(store, tmp_path):
    done = run_command([sys.executable, "-X", "importtime", "-P", "-m", "newsextract", "status"], tmp_path)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "newsextract.store.lookup" in loaded
    assert not loaded & {"sqlalchemy.dialects.postgresql", "scrapy", "numpy", "turbohtml", "alembic"}


def test_db_remove_removes_articles_from_database_and_json_lines(command, store, tmp_path):
    command("db", "remove", STORY)
    assert [row.article.url for row in store.articles()] == [OTHER]
    assert store.read(find_versions, STORY) == []
    row = store.read(find_url, STORY)
    assert (row.state, row.reason) == (UrlState.refused, "forgotten")
    JsonLines(store, tmp_path / "articles.jsonl").write()
    assert STORY not in (tmp_path / "articles.jsonl").read_text()
    command("db", "remove", "nowhere.example", status=2)
    command("db", "remove", "https://nowhere.example/story", status=1)


def test_db_remove_takes_an_author_out_of_database_and_index(command, complaint, store, tmp_path):
    store.commit([outcome(STORY, "A newer text.", at=later(99), authors=["Ada Lund"])])
    command("search", "Headline")
    assert "1 article (" in command("db", "remove", "--author", "Ada Lund").stderr
    assert store.article(STORY).authors == []
    store.close()  # with the last connection, the log goes
    assert not [path for path in tmp_path.glob("*.db*") if b"Ada Lund" in path.read_bytes()]
    assert "none will have that name" in command("db", "remove", "--author", "Bo Ek").stderr
    for wrong in (["--author", "Ada Lund", STORY], []):
        assert "give either the URL" in complaint(2, "db", "remove", *wrong)


def test_db_remove_of_a_site_needs_yes_where_nobody_can_be_asked(command, complaint, store):
    for name in ("example.org", "https://www.example.org/"):
        said = complaint(2, "db", "remove", name)
        assert f"2 articles of {name} and all their versions would go for good" in said and "--yes does it" in said
    assert store.read(count_articles) == 2
    page = command("db", "remove", "example.org/story")  # without scheme it isn't a site
    assert "articles removed: 1; URLs: 1" in page.stderr
    assert "articles removed: 1; URLs: 3" in command("db", "remove", "example.org", "--yes").stderr
    assert store.read(count_articles) == 0


def test_db_copy_check_sizes_and_upgrade_work_on_one_database(command, store):
    copied = command("db", "copy", "sqlite:///newsextract.db", "sqlite:///copy.db")
    assert copied.stdout == ""
    assert "copied 2 articles, 3 URLs" in copied.stderr
    assert command("export", "--database", "sqlite:///copy.db").stdout == command("export").stdout != ""
    assert "schema" in command("db", "upgrade").stderr
    assert "is sound: 2 articles" in command("db", "check").stderr
    (line,) = [line for line in command("db", "sizes").stdout.splitlines() if "article_versions" in line]
    assert " 3 " in line


def test_db_check_reports_faults_with_status_1(command, complaint, store, tmp_path):
    sql(tmp_path / "newsextract.db", "DELETE FROM article_versions")
    assert "2 articles without their current version" in command("db", "check", status=1).stdout
    for words in (["db", "check"], ["db", "sizes"], ["db", "upgrade"], ["export"], ["status"]):
        assert "there is no such database" in complaint(1, *words, "--database", "none.db")
    assert not (tmp_path / "none.db").exists()


def test_site_shows_templates_addresses_and_lines_and_forgets_them(command, complaint, tmp_path, site):
    stories = [f"/news/2026/05/the-story-of-town-{n}" for n in range(5)]
    line = "Subscribe [/b] to [bold] our :smile: letter"
    site["/"] = front(*stories)
    for n, path in enumerate(stories):
        site[path] = article(f"Story {n}", f"Town {n}").replace("</body>", f"<footer><p>{line}</p></footer></body>")
    crawl(tmp_path, "site", url=site.url)
    host = site.url.removeprefix("http://")
    shown = command("site", f"{site.url}/any/page")
    assert f"{host}: 6 known pages, 5 of them articles" in shown.stdout
    row = next(line for line in shown.stdout.splitlines() if "/news/YEAR/N/" in line)
    assert "articles" in row and " 5 " in row and "the-story-of-town-0" in row
    assert line in shown.stdout, "lines of pages are printed as they are"
    assert command("site", "forget", site.url).stderr == f"forgot 6 pages of {host}; its articles stay\n"
    assert "nothing was learned about" in complaint(1, "site", site.url)
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert store.read(count_articles) == 5


@pytest.mark.parametrize("words", [["a", "b"], ["forget", "a", "b"], ["http://"]])
def test_site_refuses_a_wrong_call(complaint, store, words):
    assert complaint(2, "site", *words).startswith("newsextract: ")


PIER = "https://example.org/pier"


def test_search_prints_json_csv_and_one_sentence_for_a_wrong_query(command, complaint, tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db") as store:
        store.commit([outcome(PIER, "A pier\x1b[2J and 港口 text", headline='=A "hostile", one\x1b]0;x\x07')])
    [row] = map(json.loads, command("search", "pier").stdout.splitlines())
    assert (row["url"], row["day"]) == (PIER, "2025-03-01")
    assert json.loads(command("search", "港", "--format", "json").stdout)[0]["url"] == PIER
    csv = command("search", "pier", "--format", "csv").stdout.splitlines()
    assert csv[0].startswith("url,headline,site,day")
    assert "\x1b" not in command("search", "pier", "--format", "table").stdout
    for query in ("pier", "-unknown pier"):
        assert json.loads(command("search", query, "--count-by", "site").stdout)["share"] == 1.0
    assert complaint(2, "search", "pier AND (港 OR").splitlines()[1:] == ["  pier AND (港 OR", " " * 17 + "^"]
    complaint(2, "search", "pier", "--count-by", "year")
