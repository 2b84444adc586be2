"""An article gets the signature of its text, by which the store knows the copies of it."""

from typing import Any

from newsextract.items import Article
from newsextract.near_duplicates import SignedArticle, with_signature


class DuplicatesPipeline:
    """Article in, the same with its signature on; whose copy it is decides the store, where all articles are.

    The worker that made the article has signed it already, off the event loop; one from elsewhere is signed here.
    """

    async def process_item(self, item: Any) -> Any:
        unsigned = isinstance(item, Article) and item.is_article and not isinstance(item, SignedArticle)
        return with_signature(item) if unsigned else item
