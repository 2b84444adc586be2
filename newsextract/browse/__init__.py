"""Looking at what was crawled: the database in Datasette, read-only, on this machine alone.

`index` keeps a file for readers beside the crawl's database: one flat row an article, with full-text search; `serve`
starts Datasette on both. What may not be here: anything that writes the crawl's database, Scrapy, extraction.
"""
