"""Extraction from stored pages: web archives of any size, and the pages that crawls kept.

`run` extracts WARC files into Parquet, in this process or on a Dask cluster (`dask_engine`), with one task per slice of
a file. `reextract` makes new versions of stored articles from `kept_pages`. Both go through the one `loop`. Nothing
here fetches pages or imports Scrapy.
"""

import os

#: Arrow's own allocator keeps 50 MiB in a worker that glibc's returns. Must be set before pyarrow is imported.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
