"""A project's items with the fields of an article: dictionaries, and objects of subclasses of the project's classes."""

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from itemadapter import ItemAdapter
from itemadapter.adapter import AttrsAdapter, DataclassAdapter, PydanticAdapter, ScrapyItemAdapter
from scrapy import Field, Item

from newsextract.items import ARTICLE_FIELDS, Article, DictAccess

#: Marks the classes of items that have the fields of an article.
OF_ARTICLE = "newsextract_article"
NAMES = tuple(spec.name for spec in ARTICLE_FIELDS)


def has_fields(item: Any) -> bool:
    """Whether an item is a dictionary, or of a class to which the fields of an article can be added."""
    kind: Any = type(item)
    return isinstance(item, dict) or _maker(kind) is not None


def with_article(given: Any, article: Article) -> Any:
    """A project's item, or a copy of it in a subclass of its class, with the fields of the article, as JSON values."""
    item = given if isinstance(given, dict) or hasattr(given, OF_ARTICLE) else _copied(given)
    fields = {**article.to_dict(), **article.extra}
    del fields["url"]
    if isinstance(item, dict | Item):
        item.update(fields)
    else:
        known = ItemAdapter.get_field_names_from_class(type(item)) or ()
        _set(item, {name: fields[name] for name in known if name in fields})
    return item


def new_item(kind: Any, article: Article) -> Any:
    """A dictionary, or an item of a project's class, with the URL of an article that comes again without its item."""
    if issubclass(kind, dict):
        return {"url": article.url}
    if issubclass(kind, Item):
        return _filled(kind, {"url": article.url})
    made = _with_fields(kind)
    item = made.__new__(made)
    names = ItemAdapter.get_field_names_from_class(made) or ()
    _set(item, {name: article.extra.get(name, getattr(made, name, None)) for name in names} | {"url": article.url})
    return item


def _copied(given: Any) -> Any:
    """A copy of an item whose class can have the fields of an article; nothing is validated again."""
    kind: Any = type(given)
    if isinstance(given, Item):
        return _filled(kind, dict(given))
    made = _with_fields(kind)
    item = made.__new__(made)
    _set(item, {**dict.fromkeys(name for name in NAMES if not hasattr(given, name)), **_attributes(given)})
    return item


def _filled(kind: Any, values: dict[str, Any]) -> Item:
    item: Item = _with_fields(kind)()
    item.update(values)
    return item


def _attributes(item: object) -> dict[str, Any]:
    """All attributes of an object, in its dictionary and in slots."""
    slots = (slot for kind in type(item).__mro__ for slot in _slots(kind))
    values = {name: getattr(item, name) for name in slots if hasattr(item, name)}
    return values | getattr(item, "__dict__", {})


def _slots(kind: type) -> Iterator[str]:
    given = vars(kind).get("__slots__", ())
    for name in (given,) if isinstance(given, str) else given:
        if name not in ("__dict__", "__weakref__"):
            yield f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name


def _set(item: object, values: dict[str, Any]) -> None:
    for name, value in values.items():
        object.__setattr__(item, name, value)  # also of a frozen one


@cache
def _with_fields(kind: type) -> Any:
    """A subclass of a project's class of items, with the fields of an article that it lacks; none is an argument."""
    make = _maker(kind)
    if hasattr(kind, OF_ARTICLE) or make is None:
        return kind
    made = make(kind, [name for name in NAMES if name not in (ItemAdapter.get_field_names_from_class(kind) or ())])
    setattr(made, OF_ARTICLE, True)
    made.__module__, made.__qualname__ = kind.__module__, kind.__qualname__
    return made


@cache
def _maker(kind: type) -> Callable[[Any, list[str]], Any] | None:
    """What makes a class with further fields of a class of items; None if nothing can."""
    if issubclass(kind, DictAccess):
        return None
    return next((make for adapter, make in MAKERS.items() if adapter.is_item_class(kind)), None)


def _scrapy_item(kind: Any, names: list[str]) -> Any:
    """Others can be set, too, and all be read as attributes."""

    def read(item: Any, name: str) -> Any:
        if name.startswith("_") or name not in item._values:
            raise AttributeError(name)
        return item._values[name]

    methods = {
        "__setitem__": lambda item, name, value: item._values.update({name: value}),
        "__getattr__": read,
        "__reduce__": lambda item: (_filled, (kind, dict(item))),
    }
    return type(kind)(kind.__name__, (kind,), {**{name: Field() for name in names}, **methods})


def _dataclass(kind: Any, names: list[str]) -> Any:
    added = [(name, Any, dataclasses.field(default=None, init=False)) for name in names]
    frozen = kind.__dataclass_params__.frozen
    return dataclasses.make_dataclass(
        kind.__name__, added, bases=(kind,), init=False, repr=False, eq=False, frozen=frozen
    )


def _attrs(kind: Any, names: list[str]) -> Any:
    import attrs  # only where a project has such items

    added = {name: attrs.field(default=None, init=False) for name in names}
    made: Any = attrs.make_class(kind.__name__, added, bases=(kind,), init=False, repr=False, eq=False, slots=False)
    for name in names:
        setattr(made, name, None)  # of copies that are made by `evolve`
    return made


def _pydantic(kind: Any, names: list[str]) -> Any:
    from pydantic import create_model  # only where a project has such items

    added: dict[str, Any] = dict.fromkeys(names, (Any, None))
    return create_model(kind.__name__, __base__=kind, **added)


MAKERS: dict[Any, Callable[[Any, list[str]], Any]] = {
    ScrapyItemAdapter: _scrapy_item,
    DataclassAdapter: _dataclass,
    AttrsAdapter: _attrs,
    PydanticAdapter: _pydantic,
}
