"""Scrapy item pipelines, in the order in which a page passes them: pairing, extraction, duplicates, storage.

Each takes items of one class (a FetchedPage or an Article), lets a service of `newsextract.crawl.context.CrawlContext`
do the work, and returns the item or raises `PageDropped` with a reason, which is counted. Items of other classes pass.
"""
