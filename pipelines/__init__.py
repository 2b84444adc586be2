"""Scrapy item pipelines, in the order in which a page passes them: pairing, extraction, storage.

Each handles items of one class (FetchedPage or Article), calls a service of `newsextract.crawl.context.CrawlContext`,
and returns the item or raises `PageDropped` with a reason, which is counted. Other items pass.
"""
