"""Metadata of a page: headline, authors, dates, language, section, images, and whether the page is an article.

Each field is chosen from tables of sources, most trusted first, and keeps the name of its source. No parsing of HTML,
no network, no storage, and no rule for a single site.
"""
