"""The data of a page: JSON-LD, states of frameworks, JSON in scripts; and the article in them.

Read but never executed, within limits of size, depth and time (docs/JAVASCRIPT.md).
"""

from newsextract.page.data.article import DataArticle, article_page_html, find_data_article, work_of

__all__ = ["DataArticle", "article_page_html", "find_data_article", "work_of"]
