"""Metadata of a page: headline, authors, dates, language, section, images, and whether the page is an article.

Each field is chosen from a table of sources, most trusted first, and records the name of its source. No HTML parsing,
network or storage, and no rules for single sites.
"""
