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


#: Names that are loaded when they are asked for: the library itself needs no Scrapy and no database.
_LAZY = {"Addon": "newsextract.crawl.addon", "read_articles": "newsextract.reading"}


def __getattr__(name: str) -> Any:
    """`newsextract.Addon`, Scrapy's add-on, and `newsextract.read_articles`."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'newsextract' has no attribute {name!r}")
