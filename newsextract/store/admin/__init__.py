"""Administration of a database: copy, integrity check, table sizes, marking duplicates again."""
