"""Scrapy's ITEM_PROCESSOR: the item pipelines, each of which sees an item once."""

from functools import cached_property
from typing import Any

from scrapy.pipelines import ItemPipelineManager

from newsextract.crawl.context import CrawlContext
from newsextract.items import Article
from newsextract.pipelines.extraction import ExtractionPipeline


class ItemProcessor(ItemPipelineManager):
    """Hands an article whose page had to wait on behind the extraction, where its item left the pipelines.

    So a pipeline before it that drops what it has seen, such as a filter of duplicates, doesn't drop the article.
    """

    @cached_property
    def behind(self) -> ItemPipelineManager:
        """The extraction and the pipelines behind it; opened and closed with all."""
        places = [place for place, one in enumerate(self.middlewares) if isinstance(one, ExtractionPipeline)]
        return ItemPipelineManager(*self.middlewares[places[0] if places else 0 :], crawler=self.crawler)

    async def process_item_async(self, item: Any) -> Any:
        """Called by Scrapy for what spiders yield, and for articles once they are decided."""
        if isinstance(item, Article) and self.crawler is not None:
            late = CrawlContext.of(self.crawler).items.going_on(item)
            if late is not None:
                return await self.behind.process_item_async(late)
        return await super().process_item_async(item)
