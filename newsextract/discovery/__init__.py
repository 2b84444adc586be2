"""Discovery: finds URLs in pages, feeds and sitemaps, and ranks them.

Functions on bytes and files: nothing here fetches, keeps a queue or imports Scrapy.
"""
