"""The way out to corpora: what a reader of the articles takes from the store, and how far it has read.

Only reads the store; nothing here fetches, extracts or changes an article.
"""

from newsextract.corpus.export import CursorFile, export

__all__ = ["CursorFile", "export"]
