"""The site spider in a Scrapy that renamed one of its private methods: SPIDER_MODULES names this file."""

from scrapy.core.downloader import Downloader

from newsextract.spiders import site

Downloader._resume_slot = Downloader.__dict__["_latercall"]
del Downloader._latercall


class SiteSpider(site.SiteSpider):
    name = "site"
