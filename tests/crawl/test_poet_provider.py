"""scrapy-poet and zyte-spider-templates with newsextract instead of a service, against the demonstration site."""

import re
from pathlib import Path

from newsextract.demo import Site, serve
from newsextract.urls import article_key
from tests.crawling import crawl_options, json_lines
from tests.runs.test_addon import scrapy
from tests.sources import CHECKOUT

TITLED = re.compile(r'^```python title="(.+?)"\n(.*?)^```$', re.M | re.S)
#: The settings and the spider of zyte-spider-templates that the docs show.
TEMPLATES = re.compile(r"^```py\n(.*?)^```$", re.M | re.S)
QUICK = {"RETRY_ENABLED": "0", "CONCURRENT_REQUESTS_PER_DOMAIN": "8", "CLOSESPIDER_PAGECOUNT": "25"}
OPTIONS = ("-O", "a.jsonl", *crawl_options(QUICK))
DOCS = (CHECKOUT / "docs/POET.md").read_text("utf-8")


def project(folder: Path, url: str, **files: str) -> Path:
    """A new Scrapy project with these files added, the demonstration site instead of example.org."""
    scrapy(folder, "startproject", "poetnews")
    for name, text in files.items():
        path = folder / "poetnews" / "poetnews" / f"{name.replace('__', '/')}.py"
        with path.open("a") as file:
            file.write(text.replace("https://example.org", url).replace("example.org", url.partition("//")[2]))
    return folder / "poetnews"


def test_callbacks_get_articles_and_a_sites_page_object_overrides_single_fields(tmp_path):
    files = {name.removeprefix("poetnews/").removesuffix(".py"): text for name, text in TITLED.findall(DOCS)}
    assert files.keys() == {"settings", "spiders/news", "pages"}
    pages = files["pages"].replace('self.response.css("h1::text").get() or', '"Ours: " +')
    site = Site()
    with serve(site) as server:
        spider = files["spiders/news"]
        folder = project(tmp_path, server.url, settings=files["settings"], spiders__news=spider, pages=pages)
        done = scrapy(folder, "crawl", "news", *OPTIONS, workers="1", status=None)  # "Ours: " + None fails
        gold = {article_key(f"{server.url}{page.path}"): page for page in site.gold()}
    articles = {article_key(line["canonicalUrl"] or line["url"]): line for line in json_lines(folder / "a.jsonl")}
    known = articles.keys() & gold.keys()
    assert len(known) >= 8 and len(articles.keys() - known) <= 2, done.stderr
    headlines = {key: articles[key]["headline"] for key in known}
    assert all(headlines[key].startswith("Ours: ") and gold[key].headline in headlines[key] for key in known), headlines
    bell = next(articles[key] for key in known if key.endswith("dredger-finds-bell.html"))
    assert bell["datePublishedRaw"] and bell["mainImage"]["url"] and bell["metadata"]["probability"] > 0.9
    assert "'newsextract/workers/started': 1" in done.stderr


def test_article_spider_of_zyte_spider_templates_runs_without_an_account(tmp_path):
    settings, spider = TEMPLATES.findall(DOCS)
    site = Site()
    with serve(site) as server:
        folder = project(tmp_path, server.url, settings=settings, spiders__template=spider)
        arguments = ("-a", f"url={server.url}/", "-a", "max_requests_per_seed=30")
        done = scrapy(folder, "crawl", "template", *arguments, *OPTIONS, status=None)  # it asks for a list of suffixes
        gold = {article_key(f"{server.url}{page.path}") for page in site.gold()}
    articles = [line for line in json_lines(folder / "a.jsonl") if line["metadata"]["probability"] > 0.5]
    found = {article_key(line["canonicalUrl"] or line["url"]) for line in articles}
    assert len(found & gold) >= 5 and len(found - gold) <= 2, done.stderr
    assert "'finish_reason': 'closespider_pagecount'" in done.stderr or "'finish_reason': 'finished'" in done.stderr
