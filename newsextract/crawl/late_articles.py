"""Articles that are stored when no page brings them: they go through the item pipelines once, to feeds."""

from scrapy.crawler import Crawler

from newsextract.items import Article, StoredArticle
from newsextract.store import CommitResult


def as_stored(saved: CommitResult, item: Article) -> StoredArticle:
    """The article as feeds get it: as the database has it, with its change."""
    article = (saved.article or item).as_kind(StoredArticle, change=saved.change, change_kind=saved.kind)
    article.extra = item.extra
    return article


async def send_stored(crawler: Crawler, article: StoredArticle) -> None:
    """Sends a stored article through the item pipelines, to feeds and the user's pipelines."""
    await crawler.engine.scraper.start_itemproc_async(article, response=None)
