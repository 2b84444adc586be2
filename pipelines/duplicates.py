"""Scrapy pipeline: computes the signature of an article's text, by which the store recognises near-duplicates."""

from newsextract.items import Article
from newsextract.near_duplicates import SignedArticle, with_signature


class DuplicatesPipeline:
    """Article in, SignedArticle out, unless a worker has signed it already. The store decides which one it copies."""

    async def process_item(self, item: object) -> object:
        if isinstance(item, Article) and item.is_article and not isinstance(item, SignedArticle):
            return with_signature(item)
        return item
