"""What runs inside a crawl: scheduler, leases, address guard, politeness, scope, settling, progress, summary.

No extraction, SQL or parsing here; the packages that do these know nothing of Scrapy, and nothing here starts a crawl.
"""
