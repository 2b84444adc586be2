"""URLs: `normalize` says which are the same article or site, `shapes` which look alike, `paths` what words mean."""

from newsextract.urls.normalize import (
    DEFAULT_PORTS,
    INDEX_FILE,
    PLAIN,
    REMEMBERED,
    absolute_url,
    article_key,
    canonicalize,
    content_hash,
    host_and_path,
    is_home,
    is_of_site,
    named_site,
    site_of,
    split_url,
    strip_tracking,
)

__all__ = [
    "DEFAULT_PORTS",
    "INDEX_FILE",
    "PLAIN",
    "REMEMBERED",
    "absolute_url",
    "article_key",
    "canonicalize",
    "content_hash",
    "host_and_path",
    "is_home",
    "is_of_site",
    "named_site",
    "site_of",
    "split_url",
    "strip_tracking",
]
