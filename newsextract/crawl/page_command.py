"""What Scrapy's commands that look at pages (`scrapy parse`, `shell`, `check`) share here: they store nothing."""

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES

from newsextract.crawl.checks import check_settings
from newsextract.crawl.log import silence_routine_log_lines
from newsextract.errors import NewsextractError

#: Their settings, above those of spiders and below those of the command line: no database, no pages kept.
STORE_NOTHING: dict[str, object] = {
    "ITEM_PIPELINES": {},
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {},
    "NEWSEXTRACT_WORKERS": 0,
    "LOGSTATS_INTERVAL": 0,
}
PRIORITY = (SETTINGS_PRIORITIES["spider"] + SETTINGS_PRIORITIES["cmdline"]) // 2


class PageCommand(ScrapyCommand):
    """Stands before Scrapy's own command among the bases: sets STORE_NOTHING; a wrong setting is a UsageError."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        self.settings.setdict(STORE_NOTHING, priority=PRIORITY)
        silence_routine_log_lines(self.settings)
        try:
            check_settings(self.settings)
            self.prepare()
        except NewsextractError as error:
            raise UsageError(str(error), print_help=False) from error

    def prepare(self) -> None:
        """Makes what the command needs of its settings. Raises NewsextractError."""
