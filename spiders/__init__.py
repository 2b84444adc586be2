"""The Scrapy spiders `site`, `feeds` and `archive`: they make requests and pages."""
