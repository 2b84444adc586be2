"""Benchmarks of whole crawls: speed beside bare Scrapy, many workers on one database, recovery from kills."""
