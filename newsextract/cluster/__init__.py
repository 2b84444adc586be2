"""Archives and kept pages: the extraction of a crawl run over pages that need not be fetched any more.

`reextract` makes new versions of stored articles out of their kept pages; `run` takes archives of any size through
Dask, a slice of a WARC file a task. What may not be here: Scrapy, fetching, an extractor's own work, and the processes
that a crawl extracts in, which the command hands in.
"""
