"""newsextract: from news pages to clean, dated, deduplicated articles, with a reason for each paragraph.

`extract(html)` gives the article of one page, `EXTRACTORS` has the published methods, `Page` is a page parsed once. The
library never imports the crawl.
"""

import typing
from importlib import import_module

from newsextract.errors import NewsextractError
from newsextract.items import Article, Image
from newsextract.version import VERSION as __version__

if typing.TYPE_CHECKING:
    from newsextract.article.extract import extract
    from newsextract.change_feed import read_articles
    from newsextract.corrections import correct
    from newsextract.extractors import EXTRACTORS, Block, Extraction, Extractor
    from newsextract.index.search import count_by, search
    from newsextract.page import Page
    from newsextract.runs.addon import Addon
    from newsextract.stories import stories

__all__ = [
    "EXTRACTORS",
    "Addon",
    "Article",
    "Block",
    "Extraction",
    "Extractor",
    "Image",
    "NewsextractError",
    "Page",
    "__version__",
    "correct",
    "count_by",
    "extract",
    "read_articles",
    "search",
    "stories",
]
#: Imported on first use: commands that read no page start twice as fast, and need neither Scrapy nor a database.
_LAZY = {
    "EXTRACTORS": "newsextract.extractors",
    "Block": "newsextract.extractors",
    "Extraction": "newsextract.extractors",
    "Extractor": "newsextract.extractors",
    "Page": "newsextract.page",
    "extract": "newsextract.article.extract",
    "Addon": "newsextract.runs.addon",
    "correct": "newsextract.corrections",
    "count_by": "newsextract.index.search",
    "read_articles": "newsextract.change_feed",
    "search": "newsextract.index.search",
    "stories": "newsextract.stories",
}


def __getattr__(name: str) -> typing.Any:
    """The names of `_LAZY`; only `Addon`, Scrapy's add-on, imports Scrapy."""
    if name not in _LAZY:
        raise AttributeError(f"module 'newsextract' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value
