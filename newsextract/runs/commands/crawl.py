"""`scrapy crawl` with all checks before it starts, and an exit status: 0, 1 (the crawl failed), 2 (a wrong call)."""

import argparse

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError

from newsextract import settings as our_settings
from newsextract.crawl.log import silence_routine_log_lines
from newsextract.errors import NewsextractError
from newsextract.project import project_settings
from newsextract.runs.one_crawl import run_crawl
from newsextract.text import say


class Command(ScrapyCrawl):
    """Scrapy's own command, with all its options."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        silence_routine_log_lines(self.settings)
        try:
            project = project_settings()
        except NewsextractError as error:
            raise UsageError(str(error), print_help=False) from error
        own = {name: value for name, value in project.items() if self.settings[name] == getattr(our_settings, name)}
        self.settings.setdict(own, priority="project")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError("scrapy crawl takes one spider by its name; `scrapy list` shows them")
        assert self.crawler_process is not None
        try:
            self.exitcode = run_crawl(self.crawler_process, args[0], opts.spargs)
        except NewsextractError as error:
            say(f"newsextract: {error}", err=True)
            self.exitcode = error.exit_status
