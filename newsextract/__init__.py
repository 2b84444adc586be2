"""newsextract: from news pages to clean, dated, deduplicated articles, with a reason for each paragraph.

`extract(html)` gives the article of one page, `EXTRACTORS` the published methods behind it, `Page` a page parsed once.
The crawl stands beside the library and is never imported by it.
"""

from importlib import import_module
from typing import Any

from newsextract.article import extract
from newsextract.errors import NewsextractError
from newsextract.extractors import EXTRACTORS, Block, Extraction, Extractor
from newsextract.items import Article, Image
from newsextract.page import Page
from newsextract.version import VERSION as __version__

__all__ = [
    "EXTRACTORS",
    "Article",
    "Block",
    "Extraction",
    "Extractor",
    "Image",
    "NewsextractError",
    "Page",
    "__version__",
    "extract",
]


def __getattr__(name: str) -> Any:
    """`newsextract.Addon`, Scrapy's add-on, loaded when it is asked for: the library itself needs no Scrapy."""
    if name == "Addon":
        return import_module("newsextract.crawl.addon").Addon
    raise AttributeError(f"module 'newsextract' has no attribute {name!r}")
