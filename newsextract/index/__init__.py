"""The read model: a copy of the articles in SQLite with full-text search, for `search`, `topics` and `browse`.

`update` brings the copy up to date, `query` parses queries, `search` lists and counts matches, and `topics` reads named
queries from a file and detects bursts.
"""

from pathlib import Path

__all__ = ["TOPICS_FILE"]

#: The file of topics if none is named.
TOPICS_FILE = Path("topics.toml")
