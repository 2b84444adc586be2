"""Browsing a crawl's database in Datasette, read-only and on this machine only.

`index` copies the articles into an SQLite file with flat rows and full-text search; `serve` starts Datasette on that
file and on the crawl's database. Nothing here writes to the crawl's database or imports Scrapy.
"""
