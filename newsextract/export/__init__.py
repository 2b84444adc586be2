"""Export of stored articles for corpora: JSON lines, CSV, WET, Parquet and bags of words.

`exporter` reads the changes after a cursor and writes them into a format of `formats`, which imports `parquet` and
`bag_of_words` only when they are asked for; `tokens` adds sentences and words. Only reads the store; nothing here
fetches, extracts or changes an article.
"""
