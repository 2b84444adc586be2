"""Discovery: reads URLs out of pages, feeds and sitemaps, ranks them, and reads pages out of archives.

Functions on bytes and files: nothing here fetches, keeps a queue or imports Scrapy.
"""
