"""One parse, many views: how a page is read, never which of it is the article.

A view is a function from the tree (or the text) to plain columns; it knows no extractor, no metadata rule, no crawl.
"""

from newsextract.page.page import Page

__all__ = ["Page"]
