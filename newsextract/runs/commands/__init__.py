"""The project's Scrapy commands, on top of Scrapy's own; COMMANDS_MODULE names this package."""
