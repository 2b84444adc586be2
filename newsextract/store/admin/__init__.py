"""Administration of a database: copy, integrity check, sizes, duplicates marked anew."""
