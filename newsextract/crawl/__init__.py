"""What plugs into Scrapy: scheduler, leases, address guard, politeness, scope, settling, progress, summary.

No extraction, SQL or parsing here; the packages that do these know nothing of Scrapy.
"""
