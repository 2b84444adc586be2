"""Export of stored articles for corpora: JSON lines, CSV, WET, Parquet and bags of words.

`exporter` reads the changes after a cursor and writes them in a format of `formats`, which imports `parquet` and
`bag_of_words` only when needed; `tokens` adds sentences and words. Nothing here fetches, extracts or changes an
article.
"""
