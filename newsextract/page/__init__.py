"""A page parsed once, and its views: blocks, text nodes, declarations, JSON-LD, titles, data.

A view is a function or class that reads the page into plain columns (`Page.view`). Views know nothing about extractors,
metadata rules or the crawl: they describe the page, not which part of it is the article.
"""

from newsextract.page.page import Page

__all__ = ["Page"]
