"""The way out to corpora: what a reader of the articles takes from the store, and how far it has read.

Only reads the store; nothing here fetches, extracts or changes an article.
"""

from newsextract.corpus.export import CursorFile, export
from newsextract.corpus.signature import SignedArticle, signature_of, signed

__all__ = ["CursorFile", "SignedArticle", "export", "signature_of", "signed"]
