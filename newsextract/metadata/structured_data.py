"""The page's JSON-LD ranked: which object is its article, and the values of properties, best object first."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from newsextract.metadata.markup import MARKUP
from newsextract.page import Page
from newsextract.page.json_ld import types
from newsextract.page.titles import title_candidates
from newsextract.text import letters_and_digits
from newsextract.urls import host_and_path

#: Types by rank: articles, by the ends of their names (1), other works (2), pages that may carry an article's dates and
#: names (3).
ARTICLES = ("Article", "BlogPosting", "SocialMediaPosting", "Report")
OTHER_WORK, PAGE = (frozenset(MARKUP["types"][name]) for name in ("other_work", "page"))


class StructuredData:
    """The JSON-LD objects of a page, ranked: articles first, then other works, then the page itself.

    A video counts only if the page is about it: no article is declared, and the video has the page's title.
    """

    def __init__(self, page: Page) -> None:
        objects, url = page.json_ld, page.url
        names = [types(thing) for thing in objects]
        is_of_article = any(_rank(name) == 1 for kinds in names for name in kinds)
        self.types = frozenset(chain.from_iterable(names[:200]))
        self.by_id = {thing["@id"]: thing for thing in objects if isinstance(thing.get("@id"), str) and len(thing) > 2}
        ranked = [
            (rank, self._is_at_other_url(thing, url), i, thing)
            for i, thing in enumerate(objects)
            if (rank := min(filter(None, map(_rank, names[i])), default=0))
            and not ("VideoObject" in names[i] and rank > 1 and (is_of_article or not _is_named_like(page, thing)))
        ]
        own = {rank for rank, is_elsewhere, *_ in ranked if not is_elsewhere}
        ranked = sorted((row for row in ranked if not row[1] or row[0] not in own), key=lambda row: row[:3])
        self.works = [thing for *_, thing in ranked]
        self._ranks = [rank for rank, *_ in ranked]

    def values(self, *names: str, ranks: tuple[int, ...] = (1, 2, 3)) -> Iterator[Any]:
        """The values of a property of the ranked objects, best object first; lists flattened, references resolved."""
        for rank, thing in zip(self._ranks, self.works, strict=True):
            if rank in ranks:
                for name in names:
                    value = thing.get(name)
                    if isinstance(value, dict | list):
                        yield from self.flatten(value)
                    elif value not in (None, ""):
                        yield value

    def flatten(self, value: Any, depth: int = 0) -> Iterator[Any]:
        """The members of a value, with `@id` references replaced by the objects they refer to."""
        if isinstance(value, list):
            for member in value[:100]:
                if depth < 5:
                    yield from self.flatten(member, depth + 1)
        elif isinstance(value, dict) and len(value) <= 2 and isinstance(identity := value.get("@id"), str):
            yield self.by_id.get(identity, value)
        elif value not in (None, "", {}):
            yield value

    def texts(self, *names: str, ranks: tuple[int, ...] = (1, 2, 3)) -> Iterator[str]:
        """These values as strings: an object by its name or URL; other values are skipped."""
        for value in self.values(*names, ranks=ranks):
            if isinstance(value, dict):
                value = value.get("name") or value.get("url") or value.get("@value")
            if isinstance(value, str) and value.strip():
                yield value
            elif isinstance(value, int | float) and not isinstance(value, bool):
                yield str(value)

    @staticmethod
    def _is_at_other_url(thing: dict[str, Any], url: str | None) -> bool:
        """True for an object whose URL isn't the page's: the teaser of another article."""
        if not url:
            return False
        at = thing.get("url") or thing.get("mainEntityOfPage") or thing.get("@id")
        if isinstance(at, dict):
            at = at.get("@id") or at.get("url")
        if not isinstance(at, str) or not at.startswith("http") or at.partition("#")[0] == url:
            return False
        return host_and_path(at)[1].strip("/") != host_and_path(url)[1].strip("/")


def _is_named_like(page: Page, thing: dict[str, Any]) -> bool:
    """Whether a title that the page shows or declares outside of JSON-LD begins with the name of an object."""
    if not isinstance(name := thing.get("name") or thing.get("headline"), str) or not (key := letters_and_digits(name)):
        return False
    titles = (title.text for title in title_candidates(page) if not title.source.startswith("json-ld"))
    return any(letters_and_digits(title).startswith(key) for title in titles)


def _rank(name: str) -> int:
    """The rank of a type, 0 for other types."""
    if name.endswith(ARTICLES):
        return 1
    return 2 if name in OTHER_WORK else 3 if name in PAGE else 0
