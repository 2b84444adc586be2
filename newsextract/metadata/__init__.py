"""Metadata of a page: headline, authors, dates, language, section, images, and whether the page is an article.

Each field is chosen from tables of sources, most trusted first, and keeps the name of its source. No parsing of HTML,
no network, no storage, and no rule for a single site.
"""

from newsextract.metadata.describe import Metadata, MetadataValues, describe
from newsextract.metadata.page_type import PageType, article_probability, classify_page

__all__ = ["Metadata", "MetadataValues", "PageType", "article_probability", "classify_page", "describe"]
