"""The site spider in a Scrapy that renamed one of its private methods: SPIDER_MODULES names this file."""

from newsextract.spiders import site
from scrapy.core.downloader import Downloader

Downloader._resume_slot = Downloader.__dict__["_latercall"]
del Downloader._latercall


class SiteSpider(site.SiteSpider):
    name = "site"
