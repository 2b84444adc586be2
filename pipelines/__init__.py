"""Doorways from Scrapy's item pipelines to newsextract: one item in, one item on or a reason why not. No logic here."""
