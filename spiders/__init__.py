"""The Scrapy spiders `site`, `feeds`, `pages` and `archive`: they make requests and pages."""
