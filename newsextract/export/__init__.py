"""Export of stored articles to corpora: selection and cursor, file formats, tokens.

`Export` writes a selection of articles into a sink: `formats` (lines, tables, WET), `parquet_folder` (Parquet by
day) or `bag_of_words` (a document-term matrix), each imported when it is asked for. Only reads the store; nothing here
fetches, extracts or changes an article.
"""
