"""The bench: extractors measured on pages whose right text is known, and held to what they once reached.

For whoever changes an extractor or cites one: corpora and their gold, scores as the literature defines them, runs over
many pages, comparison of two runs, a look at one page, pinned floors, the table of docs/ALGORITHMS.md, archives made
of corpora. What may not be here: anything a crawl or `newsextract.extract` needs, a page of a corpus or a part of one,
and the command line, which only calls these functions.
"""
