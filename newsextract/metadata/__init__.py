"""Metadata: which of a page's candidates is the article's headline, author, date, language, section, image.

Choices only: candidates are views of `newsextract.page`, and the choice is a table of sources tried in order, with the
source kept. No parsing of HTML, no network, no storage, and no rule for a single site may be in this room.
"""

from newsextract.metadata.describe import Described, describe
from newsextract.metadata.kind import Kind, judge, not_article

__all__ = ["Described", "Kind", "describe", "judge", "not_article"]
