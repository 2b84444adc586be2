"""WARC files and folders of saved pages: read, and written so that pages come back as they were fetched."""
