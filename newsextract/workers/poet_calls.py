"""The call of a worker that answers with zyte-common-items' items of a page. Needs the extra `poet`, but no Scrapy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from newsextract import poet
from newsextract.workers.worker import Call, Worker


@dataclass(frozen=True, slots=True)
class MakeItems(Call[list[Any]]):
    """The items of these names, of the page."""

    names: tuple[str, ...] = ()

    def run(self, worker: Worker) -> list[Any]:
        page = worker.parse(self.page)
        make: dict[str, Callable[[], Any]] = {
            "Article": lambda: poet.article_item(page, worker.extractor, self.page.fetched_at),
            "ArticleList": lambda: poet.list_item(page),
            "ArticleNavigation": lambda: poet.navigation_item(page),
        }
        return [make[name]() for name in self.names]
