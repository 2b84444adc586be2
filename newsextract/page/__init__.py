"""A page parsed once, and its views: blocks, text nodes, lines, tag sequence, declarations, JSON-LD, titles.

A view is a function from the tree to plain columns. Views know nothing about extractors, metadata rules or the crawl:
they describe the page, not which part of it is the article.
"""

from newsextract.page.page import Page

__all__ = ["Page"]
