"""URLs: which are the same article and of which site (`normalize`), their shapes (`shapes`), what their words say
(`paths`)."""

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
