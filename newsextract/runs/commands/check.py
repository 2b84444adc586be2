"""`scrapy check`: the contracts of spiders, without the database of crawls."""

from scrapy.commands.check import Command as ScrapyCheck

from newsextract.runs.page_command import PageCommand


class Command(PageCommand, ScrapyCheck):
    """Scrapy's own command, with all its options."""
