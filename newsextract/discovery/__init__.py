"""Where URLs and pages come from: links, feeds, sitemaps, archives.

Pure functions on bytes and files. Nothing here fetches, keeps a queue or imports Scrapy.
"""
