"""Extraction from pages that are stored already: web archives of any size, and the pages that crawls kept.

`run` extracts WARC files into Parquet, in this process or on a Dask cluster (`dask_engine`), a slice of a file a task.
`reextract` makes new versions of stored articles from `kept_pages`. Nothing here fetches pages or imports Scrapy.
"""

import os

#: Arrow's own allocator keeps 50 MiB in a worker that glibc's gives back. Before anything imports pyarrow.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
