"""`scrapy check`: the contracts of spiders, without the database of crawls."""

import argparse

from scrapy.commands.check import Command as ScrapyCheck
from scrapy.exceptions import UsageError

from newsextract.crawl.run import store_nothing
from newsextract.errors import NewsextractError


class Command(ScrapyCheck):
    """Scrapy's own command, with all its options."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        try:
            store_nothing(self.settings)
        except NewsextractError as error:
            raise UsageError(str(error), print_help=False) from error
