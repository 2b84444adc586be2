"""Worker processes that read and extract pages: the pool, one process, and the code that runs in it."""
