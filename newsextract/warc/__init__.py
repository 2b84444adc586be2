"""WARC files and folders of saved pages: reading, and writing so that pages come back as they were fetched."""
