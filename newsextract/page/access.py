"""Whether a page declares its article free to read: schema.org's `isAccessibleForFree`, Facebook's content tier."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from newsextract.limits import MAX_KEPT
from newsextract.page.data.article import find_data_article
from newsextract.page.page import Page

#: Values of `isAccessibleForFree` and `article:content_tier` -> whether the article is free.
ACCESS_WORDS = {"true": True, "false": False, "yes": True, "no": False, "free": True, "locked": False, "metered": False}
FREE_NAME = "isAccessibleForFree"
PARTS_NAME = "hasPart"


def read_access(value: Any) -> bool | None:
    """Whether a declared value means free; None if it means neither."""
    return ACCESS_WORDS.get(str(value).strip().lower().rsplit("/", 1)[-1])


def is_free(page: Page) -> bool | None:
    """Whether a page declares its article free, by its data and `article:content_tier`; False if a part isn't, None if
    it doesn't say. A view."""
    objects, in_json_ld = [*page.json_ld], sum(text.count(FREE_NAME) for text in page.meta.scripts)
    if page.source.count(FREE_NAME) > in_json_ld:  # finding the data is expensive
        data = page.view(find_data_article)
        objects += data.around if data else ()
    said = {read_access(value) for value in (*page.meta.all("article:content_tier"), *_declared(objects))} - {None}
    return None if not said else False not in said


def _declared(objects: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    for thing in objects:
        parts = thing.get(PARTS_NAME)
        members = parts[:MAX_KEPT] if isinstance(parts, list) else [parts]
        for one in (thing, *(part for part in members if isinstance(part, dict))):
            value = one.get(FREE_NAME)
            yield from value if isinstance(value, list) else [value]
