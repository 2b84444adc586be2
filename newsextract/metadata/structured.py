"""Which JSON-LD object is the page's article, and what its properties say in plain values."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from newsextract.page.json_ld import types

#: Types of an article, best first, then those of the page that may carry its dates and names.
ARTICLE = re.compile(r"(?:Article|BlogPosting|Report|ReportageNewsArticle|SocialMediaPosting|LiveBlogPosting)$")
OTHER_WORK = frozenset(
    {"Recipe", "Review", "HowTo", "CriticReview", "MedicalWebPage", "CreativeWork", "Guide", "TechArticle"}
)
PAGE = frozenset({"WebPage", "ItemPage", "AboutPage", "FAQPage", "VideoObject", "QAPage"})


class Structured:
    """The page's JSON-LD, its objects ranked: the article first, then other works, then the page."""

    def __init__(self, objects: list[dict[str, Any]], url: str | None) -> None:
        self.objects = objects
        self.kinds = frozenset(name for thing in objects[:200] for name in types(thing))
        self.by_id = {thing["@id"]: thing for thing in objects if isinstance(thing.get("@id"), str) and len(thing) > 2}
        ranked = [
            (rank, self._strangeness(thing, url), i, thing) for i, thing in enumerate(objects) if (rank := _rank(thing))
        ]
        ranked.sort(key=lambda one: one[:3])
        self.works = [thing for *_, thing in ranked]
        self._ranks = [rank for rank, *_ in ranked]

    @property
    def article(self) -> dict[str, Any] | None:
        """The object that is an article of some type; None where the page declares none."""
        return self.works[0] if self._ranks[:1] == [1] else None

    def values(self, *names: str, ranks: tuple[int, ...] = (1, 2, 3)) -> Iterator[Any]:
        """The values of a property of the ranked objects, lists opened, references followed, best object first."""
        for rank, thing in zip(self._ranks, self.works, strict=True):
            if rank in ranks:
                for name in names:
                    if name in thing:
                        yield from self.opened(thing[name])

    def opened(self, value: Any, depth: int = 0) -> Iterator[Any]:
        """A value's members with `@id` references replaced by what they refer to."""
        if isinstance(value, list):
            for member in value[:100]:
                if depth < 5:
                    yield from self.opened(member, depth + 1)
        elif isinstance(value, dict) and len(value) <= 2 and isinstance(identity := value.get("@id"), str):
            yield self.by_id.get(identity, value)
        elif value not in (None, "", {}):
            yield value

    def texts(self, *names: str, ranks: tuple[int, ...] = (1, 2, 3)) -> Iterator[str]:
        """Those values as strings: a thing by its name or URL, anything else left out."""
        for value in self.values(*names, ranks=ranks):
            if isinstance(value, dict):
                value = value.get("name") or value.get("url") or value.get("@value")
            if isinstance(value, str) and value.strip():
                yield value
            elif isinstance(value, int | float) and not isinstance(value, bool):
                yield str(value)

    @staticmethod
    def _strangeness(thing: dict[str, Any], url: str | None) -> int:
        """1 for an object that says it is at another address than the page's: a teaser of another article."""
        if not url:
            return 0
        at = thing.get("url") or thing.get("mainEntityOfPage") or thing.get("@id")
        if isinstance(at, dict):
            at = at.get("@id") or at.get("url")
        if not isinstance(at, str) or not at.startswith("http"):
            return 0
        try:
            return int(urlsplit(at).path.strip("/") != urlsplit(url).path.strip("/"))
        except ValueError:
            return 1


def _rank(thing: dict[str, Any]) -> int:
    names = types(thing)
    if any(ARTICLE.search(name) for name in names):
        return 1
    if any(name in OTHER_WORK for name in names):
        return 2
    return 3 if any(name in PAGE for name in names) else 0
