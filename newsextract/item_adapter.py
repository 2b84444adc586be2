"""Articles for itemadapter, through which Scrapy's pipelines and feeds see items: fields may be added to them.

Importing itemadapter imports Scrapy, so the module is passed in by whoever sees that it is imported.
"""

from collections.abc import Iterator, KeysView
from functools import cache
from types import ModuleType
from typing import Any


@cache
def register(itemadapter: ModuleType, articles: type) -> None:
    """Makes ItemAdapter accept any field of these articles."""

    class ArticleAdapter(itemadapter.adapter.DataclassAdapter):  # type: ignore[misc, name-defined]
        """The fields of an article, and those that a spider or a pipeline has added (`Article.extra`)."""

        @classmethod
        def is_item(cls, item: Any) -> bool:
            return isinstance(item, articles)

        @classmethod
        def is_item_class(cls, item_class: type) -> bool:
            return issubclass(item_class, articles)

        def __getitem__(self, name: str) -> Any:
            return self.item.extra[name] if name in self.item.extra else super().__getitem__(name)

        def __setitem__(self, name: str, value: Any) -> None:
            if name in self._fields_dict:
                super().__setitem__(name, value)
            else:
                self.item.extra = {**self.item.extra, name: value}

        def __delitem__(self, name: str) -> None:
            if name in self.item.extra:
                self.item.extra = {other: value for other, value in self.item.extra.items() if other != name}
            else:
                super().__delitem__(name)

        def __iter__(self) -> Iterator[str]:
            yield from super().__iter__()
            yield from self.item.extra

        def get_field_meta(self, name: str) -> Any:
            return self._fields_dict[name].metadata if name in self._fields_dict else {}

        def field_names(self) -> KeysView[str]:
            return KeysView({**self._fields_dict, **self.item.extra})

    itemadapter.ItemAdapter.ADAPTER_CLASSES.appendleft(ArticleAdapter)
