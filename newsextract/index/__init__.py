"""The read model: a copy of the articles in SQLite with full-text search, for `search`, `topics` and `browse`.

`update` brings the copy up to date, `query` reads queries, `search` lists and counts what matches, and `topics` reads
named queries from a file and tests whether one is suddenly written about.
"""

from pathlib import Path

__all__ = ["TOPICS_FILE"]

#: Where topics are read from if no file is named.
TOPICS_FILE = Path("topics.toml")
