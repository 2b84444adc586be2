"""What Scrapy's commands for single pages (`scrapy parse`, `shell`, `check`) share here: they store nothing."""

import argparse
import warnings

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import ScrapyDeprecationWarning, UsageError
from scrapy.settings import SETTINGS_PRIORITIES

from newsextract.article.extract import article_of, page_of
from newsextract.crawl.checks import check_settings, extractor_of
from newsextract.crawl.log import silence_routine_log_lines
from newsextract.errors import NewsextractError
from newsextract.extractors import make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.runs.fetch_one import STORE_NOTHING

#: The priority of their settings: above spiders', below the command line's.
PRIORITY = (SETTINGS_PRIORITIES["spider"] + SETTINGS_PRIORITIES["cmdline"]) // 2


class PageCommand(ScrapyCommand):
    """Base class placed before Scrapy's own command: sets STORE_NOTHING; an invalid setting is a UsageError."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        self.settings.setdict(STORE_NOTHING, priority=PRIORITY)
        silence_routine_log_lines(self.settings)
        # Scrapy itself uses Deferreds for callbacks that are coroutines
        warnings.filterwarnings("ignore", r".* returned a Deferred\.", ScrapyDeprecationWarning)
        try:
            check_settings(self.settings)
        except NewsextractError as error:
            raise UsageError(str(error), print_help=False) from error

    def article_of_page(self, page: FetchedPage) -> Article:
        """The article of a page, with the extractor of the settings."""
        assert self.settings is not None
        parsed = page_of(page)
        parsed.drop(page.drop)
        return article_of(parsed, make_extractor(*extractor_of(self.settings)))
