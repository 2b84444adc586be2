"""Scrapy pipeline: signs an article's text, by which the store recognises near-duplicates."""

from newsextract.items import Article
from newsextract.near_duplicates import SignedArticle, with_signature


class DuplicatesPipeline:
    """Article in, SignedArticle out. Which article it duplicates is decided in the store, which has all of them.

    Articles come signed from the worker that extracted them; this signs what another spider or pipeline yields.
    """

    async def process_item(self, item: object) -> object:
        if isinstance(item, Article) and item.is_article and not isinstance(item, SignedArticle):
            return with_signature(item)
        return item
