"""Scrapy commands of the project, over Scrapy's own; COMMANDS_MODULE names this package. It holds commands only."""
