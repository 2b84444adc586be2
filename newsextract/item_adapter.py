"""Articles and pages for itemadapter, through which Scrapy's pipelines and feeds see items and add fields.

Importing itemadapter imports Scrapy, so the module is passed in by whoever sees that it is imported.
"""

from collections.abc import Iterator, KeysView
from functools import cache
from types import ModuleType
from typing import Any


@cache
def register(itemadapter: ModuleType, items: type) -> None:
    """Makes ItemAdapter accept instances of `items.DictAccess`, with any field."""

    class DictAdapter(itemadapter.adapter.DataclassAdapter):  # type: ignore[misc, name-defined]
        """The fields of an article or a page, and those that a spider or a pipeline has added."""

        @classmethod
        def is_item(cls, item: Any) -> bool:
            return isinstance(item, items)

        @classmethod
        def is_item_class(cls, item_class: type) -> bool:
            return issubclass(item_class, items)

        def __getitem__(self, name: str) -> Any:
            return self.item[name]

        def __setitem__(self, name: str, value: Any) -> None:
            self.item[name] = value

        def __delitem__(self, name: str) -> None:
            del self.item[name]

        def __iter__(self) -> Iterator[str]:
            return iter(self.item)

        def __len__(self) -> int:
            return len(self.item.keys())

        def get_field_meta(self, name: str) -> Any:
            return self._fields_dict[name].metadata if name in self._fields_dict else {}

        def field_names(self) -> KeysView[str]:
            keys: KeysView[str] = self.item.keys()
            return keys

    itemadapter.ItemAdapter.ADAPTER_CLASSES.appendleft(DictAdapter)
