"""The Scrapy spiders `site`, `feeds` and `archive`. They make requests and pages; parsing is in newsextract.discovery,
extraction and storage are in the pipelines.
"""
