"""The read model: a copy of the articles in SQLite with full-text search, for `search`, `topics` and `browse`.

`update` brings the copy up to date, `query` reads queries, `search` lists and counts what matches, `topics` reads named
queries from a file, and `bursts` tests whether one is suddenly written about.
"""
