"""An article gets the signature of its text, by which the store knows the copies of it."""

from typing import Any

from newsextract.corpus import signed
from newsextract.items import Article


class DuplicatesPipeline:
    """Article in, the same with its signature on; whose copy it is decides the store, where all articles are."""

    async def process_item(self, item: Any) -> Any:
        return signed(item) if isinstance(item, Article) and item.is_article else item
