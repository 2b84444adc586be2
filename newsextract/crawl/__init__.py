"""What plugs into Scrapy: the command, the address guard, the site's boundary, spider base, progress, summary.

No extraction, no SQL and no parsing of pages here; those packages are called, and know nothing of Scrapy.
"""
