"""Worker processes that parse and extract pages: the pool, one process as the crawl sees it, and its own code."""
