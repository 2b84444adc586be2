"""`scrapy shell URL` with `article()`, which gives the article of the present `response`."""

from functools import partial
from typing import Any

from scrapy.commands.shell import Command as ScrapyShell
from scrapy.exceptions import UsageError
from scrapy.http import Response

import newsextract
from newsextract.crawl.page_items import fetched_page
from newsextract.items import Article
from newsextract.runs.page_command import PageCommand


class Command(PageCommand, ScrapyShell):
    """Scrapy's own command, with all its options."""

    def update_vars(self, vars: dict[str, Any]) -> None:
        """Adds `newsextract` and `article` to the names of the shell; called after each response."""
        vars["newsextract"] = newsextract
        vars["article"] = partial(self.article_of, vars.get("response"))

    def article_of(self, present: Response | None, response: Response | None = None) -> Article:
        """The article of a response, by default of the present one."""
        given = response or present
        if given is None:
            raise UsageError("there is no response yet: call fetch('https://…') first", print_help=False)
        return self.article_of_page(fetched_page(given))
