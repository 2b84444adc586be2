"""The way out to corpora: what readers take from the store, in which form, how far they have read; and text signatures.

`Export` writes a selection of articles into a sink: `formats` (lines, tables, WET), `folders` (Parquet by day) or `bow`
(a document-term matrix), each loaded when it is asked for. Only reads the store; nothing here fetches, extracts or
changes an article. Of this room's names only those of signatures stand here: a crawl's workers sign what they extract,
and must not load a database's library for it.
"""

from newsextract.export.signature import SignedArticle, signature_of, signed

__all__ = ["SignedArticle", "signature_of", "signed"]
