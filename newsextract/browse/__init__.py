"""Browsing a crawl in Datasette, read-only and on this machine only: dashboard, articles, histories.

`index` copies the articles into an SQLite file with flat rows and full-text search, `figures` what the dashboard plots;
`dashboard` is the table of plots, `serve` starts Datasette on that file and on the crawl's database, which loads
`plugins`. Nothing here writes to the crawl's database or imports Scrapy.
"""
