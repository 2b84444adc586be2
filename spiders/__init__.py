"""The Scrapy spiders `site`, `feeds` and `archive`. They make requests and pages; newsextract.discovery parses, and
the pipelines extract and store.
"""
