"""The add-on in other Scrapy projects: what their spiders yield comes out as articles."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from newsextract.demo import Site, serve
from newsextract.store import Store
from newsextract.urls import article_key
from tests import preloaded
from tests.crawling import Answer, Finished, Web, article, front, json_lines, run_command

#: Spiders and pipelines of other projects; URL stands for the address of a site.
MODULES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def scrapy(folder: Path, *words: str, workers: str = "0", status: int | None = 0) -> Finished:
    settings = ("-s", f"NEWSEXTRACT_WORKERS={workers}", "-s", "DOWNLOAD_DELAY=0") if words[0] == "crawl" else ()
    return run_command([*preloaded.command("scrapy"), *words, *settings], folder, status, SCRAPY_SETTINGS_MODULE="")


@pytest.fixture(scope="module")
def started(tmp_path_factory) -> Path:
    """The folder of a new Scrapy project, with the line that adds newsextract."""
    folder = tmp_path_factory.mktemp("started")
    scrapy(folder, "startproject", "other")
    add_settings(folder / "other", 'ADDONS = {"newsextract.Addon": 500}', "CONCURRENT_REQUESTS_PER_DOMAIN = 8")
    return folder / "other"


@pytest.fixture
def project(tmp_path, started) -> Path:
    return shutil.copytree(started, tmp_path / "other")


def add_settings(project: Path, *lines: str) -> None:
    with (project / "other" / "settings.py").open("a") as settings:
        settings.write("\n".join(("", *lines, "")))


def add_spider(project: Path, name: str, site: str, **values: str) -> None:
    """Adds a spider to the project. `values`: texts that stand for others in it."""
    text = MODULES[name].replace("URL", site)
    for word, value in values.items():
        text = text.replace(word, repr(value))
    (project / "other" / "spiders" / "theirs.py").write_text(text)


def add_pipeline(project: Path, name: str) -> None:
    (project / "other" / "pipelines.py").write_text(MODULES[name])


def stat(done: Finished, name: str) -> int:
    found = re.search(rf"'newsextract/{name}': (\d+)", done.stderr)
    return int(found[1]) if found else 0


def test_addon_turns_a_plain_crawl_spiders_pages_into_articles_of_the_demonstration_site(project):
    site = Site()
    with serve(site) as server:
        add_spider(project, "crawl", server.url)
        done = scrapy(project, "crawl", "news", "-O", "a.jsonl", "-s", "CLOSESPIDER_PAGECOUNT=60", workers="1")
        gold = {article_key(f"{server.url}{page.path}"): page for page in site.gold()}
    articles = json_lines(project / "a.jsonl")
    keys = [article_key(line["canonical_url"] or line["url"]) for line in articles]
    assert len(set(keys) & gold.keys()) >= 15
    kinds = {article_key(f"{server.url}{path}"): kind for path, kind in site.non_articles().items()}
    assert {kinds[key] for key in set(keys) - gold.keys()} <= {"truncated", "bad:deep"}, "stories without a gold text"
    pairs = [(line["headline"], gold[key].headline) for line, key in zip(articles, keys, strict=True) if key in gold]
    assert [pair for pair in pairs if pair[0] != pair[1]] == []
    assert stat(done, "articles/new") == len(articles) and stat(done, "workers/started") == 1
    assert stat(done, "dropped/section") > 0, "pages that aren't articles are dropped under their reason"
    assert not (project / "newsextract.db").exists(), "nothing is stored where no setting says where"


def items_site(site: Web) -> None:
    for kind in ("dict", "dataclass", "item", "page", "response"):
        site[f"/{kind}"] = article(f"Story of {kind}", f"Place {kind}")
    site["/image"] = Answer(b"\x89PNG", content_type="image/png")


def test_addon_takes_items_of_every_class_and_leaves_others_and_the_projects_own_settings_alone(project, site):
    add_pipeline(project, "own")
    pipelines = "ITEM_PIPELINES = {'other.pipelines.OwnPipeline': 800}"
    add_settings(project, pipelines, "SCRAPER_SLOT_MAX_ACTIVE_SIZE = 1234567")
    items_site(site)
    add_spider(project, "items", site.url)
    done = scrapy(project, "crawl", "items", "-O", "a.jsonl")
    lines = json_lines(project / "a.jsonl")
    [other] = [line for line in lines if "price" in line]
    assert other == {"url": f"{site.url}/dict", "price": 3}
    kinds = ("dataclass", "dict", "item", "page", "response")
    assert sorted(line["headline"] for line in lines if line is not other) == [f"Story of {kind}" for kind in kinds]
    assert "signature" not in lines[0] and "signature" not in lines[1]
    assert sorted(re.findall(r"OWN (\w+)", done.stdout)) == ["Article"] * 2 + ["Fields", "Saved"] + ["dict"] * 2
    assert [stat(done, f"dropped/{reason}") for reason in ("wrong_item", "empty", "not_html")] == [1, 1, 1]
    assert "'SCRAPER_SLOT_MAX_ACTIVE_SIZE': 1234567" in done.stderr


def test_addon_stores_articles_with_their_changes_where_a_setting_says_where(project, site):
    add_settings(project, "NEWSEXTRACT_DATABASE_URL = 'sqlite:///news.db'", "NEWSEXTRACT_JSONL = 'changes.jsonl'")
    items_site(site)
    add_spider(project, "items", site.url)
    scrapy(project, "crawl", "items", "-O", "first.jsonl")
    site["/page"] = article("Story of page, corrected", "Place page")
    done = scrapy(project, "crawl", "items", "-O", "second.jsonl")
    assert len(json_lines(project / "first.jsonl")) == 6
    second = sorted(line.get("headline", "") for line in json_lines(project / "second.jsonl"))
    assert second == ["", "Story of page, corrected"]
    assert [line["change_kind"] for line in json_lines(project / "changes.jsonl")] == ["new"] * 5 + ["changed"]
    assert stat(done, "articles/unchanged") == 4
    with Store.open(f"sqlite:///{project / 'news.db'}") as store:
        assert sum(row.article.duplicate_of is not None for row in store.articles()) == 4, "they differ in a name"


@pytest.mark.parametrize("database", ["None", "'sqlite:///news.db'"])
def test_articles_keep_the_fields_of_the_spiders_items_and_those_that_pipelines_add(project, database, site):
    add_pipeline(project, "field")
    add_settings(project, "ITEM_PIPELINES = {'other.pipelines.FieldPipeline': 800}")
    add_settings(project, f"NEWSEXTRACT_DATABASE_URL = {database}")
    items_site(site)
    add_spider(project, "fields", site.url)
    done = scrapy(project, "crawl", "fields", "-O", "a.jsonl", workers="1")
    lines = json_lines(project / "a.jsonl")
    assert [(line["client"], line["rank"], line["desk"]) for line in lines] == [("acme", [1, 2], "harbour")] * 2
    assert {line["headline"] for line in lines} == {"Story of dict", "Story of page"}
    assert " ERROR" not in done.stderr


def test_addon_lets_a_crawl_end_when_its_last_items_have_that_no_response_brought(project):
    pages = {"SLOW": article("A slow story", "Vik"), "QUICK": article("A quick story", "Oslo")}
    add_spider(project, "saved", "https://paper.example", **pages)
    done = scrapy(project, "crawl", "saved", "-O", "a.jsonl")
    headlines = {line["headline"] for line in json_lines(project / "a.jsonl")}
    assert headlines == {"A slow story", "A quick story"}, done.stderr
    assert "'finish_reason': 'closespider_timeout'" in done.stderr


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("NEWSEXTRACT_JSONL=a.jsonl", "NEWSEXTRACT_JSONL needs NEWSEXTRACT_DATABASE_URL"),
        (
            'ITEM_PIPELINES={"newsextract.pipelines.duplicates.DuplicatesPipeline": 400}',
            "DuplicatesPipeline, which doesn't exist any more: take it out",
        ),
        ("TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor", "newsextract needs twisted.internet.asyncio"),
    ],
)
def test_addon_refuses_wrong_settings_in_one_sentence_before_the_first_request(project, setting, sentence, site):
    items_site(site)
    add_spider(project, "items", site.url)
    done = scrapy(project, "crawl", "items", "-s", setting)
    assert site.asked == []
    [line] = [line for line in done.stderr.splitlines() if "The crawl does not start" in line]
    assert sentence in line


def test_spider_of_newsextract_refuses_to_start_beside_the_add_on(project, site):
    site["/"] = article("A story", "Vik")
    add_settings(project, "SPIDER_MODULES = ['newsextract.spiders']")
    done = scrapy(project, "crawl", "site", "-a", f"url={site.url}", "-a", "max_pages=1")
    assert "The crawl does not start: the spider 'site' needs" in done.stderr
    assert "from newsextract.settings import *" in done.stderr
    assert site.asked == []
    add_settings(project, "from newsextract.settings import *", "ADDONS = {}", "NEWSEXTRACT_ALLOW_PRIVATE = True")
    done = scrapy(project, "crawl", "site", "-a", f"url={site.url}", "-a", "max_pages=1")
    assert "/" in site.asked and (project / "newsextract.db").exists()


def test_own_tables_of_pipelines_after_our_settings_are_completed_or_refused(project, site):
    add_pipeline(project, "own")
    add_settings(project, "from newsextract.settings import *", "ADDONS = {}", "NEWSEXTRACT_ALLOW_PRIVATE = True")
    add_settings(project, "SPIDER_MODULES = ['newsextract.spiders']", "SPIDER_MIDDLEWARES = {}")
    add_settings(project, "ITEM_PIPELINES = {'other.pipelines.OwnPipeline': 800}")
    storage = "newsextract.pipelines.storage.StoragePipeline"
    site["/"] = front("/2026/05/05/a-story-of-vik.html")
    site["/2026/05/05/a-story-of-vik.html"] = article("A story", "Vik")
    site["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private", content_type="text/plain")
    words = ("crawl", "site", "-a", f"url={site.url}/")
    done = scrapy(project, *words, "-a", "max_pages=3")
    assert site.asked.count("/robots.txt") == 1 and "OWN StoredArticle" in done.stdout
    add_settings(project, f"ITEM_PIPELINES[{storage!r}] = None")
    done = scrapy(project, *words, status=1)
    assert f"ITEM_PIPELINES switches off {storage}, which a crawl needs" in done.stderr
