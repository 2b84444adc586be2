"""A Scrapy project with pipelines of its own, before, between and behind those of the add-on; run as a program.

python -m tests.runs.own_pipelines KIND DATABASE: the spider yields dictionaries, items with a response in a field, or
responses.
"""

import asyncio
import copy
import json
import sys
from collections.abc import Mapping

import scrapy
from itemadapter import ItemAdapter
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse

STORY = "".join(
    f"<p>{sentence}</p>"
    for sentence in (
        "The council agreed on Monday evening to dredge the northern canal before the spring floods come.",
        "Skippers had asked for it for years, because barges could no longer pass the second lock when laden.",
        "The work will cost about two million crowns, and a fund for inland waterways pays half of the sum.",
        "Divers measured the bed in autumn and found a bank of silt of eleven metres below the railway bridge.",
    )
)
KIND, DATABASE = sys.argv[1:]
SEEN: list[str] = []


class CanalItem(scrapy.Item):
    url = scrapy.Field()
    title = scrapy.Field()
    crawler_response = scrapy.Field()
    words = scrapy.Field()
    steps = scrapy.Field()
    mark = scrapy.Field()
    waited = scrapy.Field()


def page(number):
    title = f"Canal {number} to be dredged"
    head = f"<html lang=en><head><title>{title}</title></head><body><article><h1>{title}</h1>"
    return f"{head}{STORY}<p>This is lock {number}.</p></article></body></html>".encode()


class CanalSpider(scrapy.Spider):
    name = "canals"

    async def start(self):
        for number in range(3):
            url, title = f"https://canal.example/2026/11/lock-{number}", f"Canal {number}"
            response = HtmlResponse(url, body=page(number), encoding="utf-8", request=scrapy.Request(url))
            yield {
                "dictionaries": {"url": url, "title": title, "html": page(number).decode()},
                "fields": CanalItem(url=url, title=title, crawler_response=response),
                "responses": response,
            }[KIND]


class Step:
    """A pipeline; each notes that it was there, in a field of the item."""

    def process_item(self, item):
        item = self.handle(item) or item
        ItemAdapter(item)["steps"] = [*(ItemAdapter(item).get("steps") or ()), type(self).__name__]
        return item


class SetsFields(Step):
    def handle(self, item):
        item["words"] = len(item["title"].split())
        item.setdefault("steps", [])
        item.update({"words": item["words"] + 1})


class ReadsAll(Step):
    def handle(self, item):
        json.dumps({**item, "crawler_response": None}, default=str if KIND == "responses" else None)
        assert {*item.keys()} == {*dict(item)} and len(item) == len([*item.values()]) == len([*item.items()])
        assert isinstance(item, Mapping) and ItemAdapter(item).asdict()["url"] == item["url"]
        assert isinstance(item, Mapping if KIND == "responses" else dict | CanalItem)
        if type(self).__name__ == "ReadsAllAt192" and KIND != "responses":
            assert item["html"].startswith("<html") if KIND == "dictionaries" else item["crawler_response"].body


class ReturnsCopy(Step):
    def handle(self, item):
        assert copy.copy(item)["url"] == copy.deepcopy(item)["url"]
        return item.copy()


class ReturnsDictionary(Step):
    def handle(self, item):
        return {**item, "mark": "a dictionary"}


class ReturnsOwnClass(Step):
    def handle(self, item):
        return CanalItem(url=item["url"], title=item["title"], words=7)


class Removes(Step):
    def handle(self, item):
        item.pop("html", None)
        if "html" in item:
            del item["html"]
        item.pop("words", None)


class DropsSeen:
    """A filter of duplicates, which sees each page once."""

    def __init__(self):
        self.urls = set()

    def process_item(self, item):
        url = item.url if isinstance(item, HtmlResponse) else item["url"]
        if url in self.urls:
            raise DropItem("seen")
        self.urls.add(url)
        return item


class Drops(Step):
    def handle(self, item):
        if not item.get("title"):
            raise DropItem("no title")


class Waits(Step):
    async def process_item(self, item):
        await asyncio.sleep(0)
        return super().process_item(item)

    def handle(self, item):
        item["waited"] = True
        return item


class Last:
    def process_item(self, item):
        fields = ItemAdapter(item)
        names = ("url", "title", "headline", "steps", "mark", "waited", "article_body", "is_article")
        SEEN.append(json.dumps({name: fields.get(name) for name in names}))
        return item


class SetsTitle:
    """Responses have no fields before they are pages."""

    def process_item(self, item):
        item.setdefault("title", "A response")
        return item


between = (SetsFields, ReadsAll, ReturnsCopy, ReturnsDictionary, Drops, Waits, Removes, ReturnsOwnClass)
places = {DropsSeen: 100, SetsTitle: 191}
for first in (192, 250, 500, 800):
    for number, kind in enumerate(between if first < 800 else between[:-1]):  # behind ours, its items are the last
        places[type(f"{kind.__name__}At{first}", (kind,), {})] = first + number * (1 if first == 192 else 3)
settings = {
    "ADDONS": {"newsextract.Addon": 500},
    "ITEM_PIPELINES": {**places, Last: 990},
    "NEWSEXTRACT_WORKERS": 0,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    **({"NEWSEXTRACT_DATABASE_URL": DATABASE} if DATABASE else {}),
}
process = CrawlerProcess(settings)
crawler = process.create_crawler(CanalSpider)
process.crawl(crawler)
process.start()
print("\n".join(SEEN))
sys.exit(crawler.stats.get_value("log_count/ERROR", 0))
