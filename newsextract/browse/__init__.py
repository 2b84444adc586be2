"""Browsing a crawl in Datasette, read-only and on this machine only: dashboard, articles, histories.

`figures` adds what the dashboard plots to the file of `newsextract.index`; `dashboard` is the table of plots; `serve`
starts Datasette with `plugins` on that file and on the crawl's database, read-only.
"""
