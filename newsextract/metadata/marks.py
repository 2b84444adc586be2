"""What the body marks as date, author or image: one pass over its elements, in document order.

Not a view of `page` because its tables (which class words mean a byline) are knowledge about metadata alone. It says
where things stand relative to the article and whether they lie in another part of the page; it chooses nothing.
"""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from newsextract.page.titles import text_of

#: Class words of an element that holds who wrote or when; a byline often holds both.
DATED = re.compile(r"date|time(?!line)|publish|posted|datum|fecha|pubtime|updated|article-?meta|post-?meta|entry-?meta")
AUTHORED = re.compile(
    r"author|byline|by-line|writer|contributor|autor|auteur|redakt|editor(?!ial)|credit-?name|reporter"
)
#: Class or id words of a part of the page that is about other pages, other people or the site.
ELSEWHERE = re.compile(
    r"comment|related|recommend|sidebar|footer|popular|trending|most-?read|latest|teaser|newsletter|widget|promo|carousel"
    r"|read-?next|more-?(?:from|stories|posts)|disqus|respond|advert|menu|cookie|recent|upsell|up-?next|card-?(?:grid|list)"
    r"|also-?like|similar|suggest"
)
#: The address of a page about one person.
PROFILE = re.compile(
    r"/(?:authors?|profiles?|people|persons?|team|staff|contributors?|writers?|by|autor(?:en|es)?|auteurs?|redaktion|journalists?"
    r"|reporters?|columnists?|experts?|our-team|editors?)/[^/?#]{3,}",
    re.I,
)
ELSEWHERE_TAGS = frozenset({"nav", "footer", "aside", "form", "dialog"})
AUTHOR_PROPS = frozenset({"author", "creator"})
DATE_PROPS = frozenset({"datepublished", "datemodified", "datecreated"})
MAX_MARKS = 200
MAX_CLIMB = 40


class Mark(NamedTuple):
    """A marked element: its number in document order, and `kind`: time, date, author, rel-author or an itemprop's name."""

    element: Any
    order: int
    kind: str

    def strings(self, limit: int) -> list[str]:
        """The element's first pieces of text, in order."""
        return list(islice(self.element.itertext(with_tail=False), limit))

    @property
    def text(self) -> str:
        return text_of(self.element)


class Marks:
    """The marks of a page's body; `start` and `end` are the numbers of the article's first and last block's element."""

    def __init__(self, body: Any, article: Iterable[Any] = (), headline: Iterable[Any] = ()) -> None:
        self.found: list[Mark] = []
        self.start: int | None = None
        self.end: int | None = None
        self.headline: int | None = None
        self._elsewhere: dict[Any, bool] = {}
        if body is not None:
            article, headline = list(article), list(headline)
            for element in (*article[:1], *article[-1:], *headline[:1]):
                self._elsewhere.update(dict.fromkeys([element, *element.iterancestors()], False))
            self._scan(body, set(article), set(headline))

    def of(self, *kinds: str) -> list[Mark]:
        """The marks of these kinds that belong to the article, nearest to its head first."""
        here = [mark for mark in self.found if mark.kind in kinds and not self.elsewhere(mark.element)]
        return sorted(here, key=self.distance)

    def distance(self, mark: Mark) -> int:
        """Elements between the mark and the article's head (headline, else first block); marks before it count double."""
        head = self.headline if self.headline is not None else self.start
        if head is None:
            return mark.order
        return mark.order - head if mark.order >= head else 2 * (head - mark.order)

    def elsewhere(self, element: Any) -> bool:
        """Whether an element lies in a part about other pages, people or the site."""
        chain = []
        answer = False
        for _ in range(MAX_CLIMB):
            if element is None or element.tag in ("body", "html", "main"):
                break
            if element in self._elsewhere:
                answer = self._elsewhere[element]
                break
            chain.append(element)
            if element.tag in ELSEWHERE_TAGS or ELSEWHERE.search(_words(element)):
                answer = True
                break
            element = element.getparent()
        self._elsewhere.update(dict.fromkeys(chain, answer))
        return answer

    def _scan(self, body: Any, article: set[Any], headline: set[Any]) -> None:
        kinds: dict[str, tuple[str, ...]] = {}
        for order, element in enumerate(body.iter("*")):
            if element in article:
                self.start = order if self.start is None else self.start
                self.end = order
            if element in headline and self.headline is None:
                self.headline = order
            if element.tag == "time":
                self._add(element, order, "time")
            if words := element.get("class"):
                if words not in kinds:
                    kinds[words] = _kinds(words.lower())
                for kind in kinds[words]:
                    self._add(element, order, kind)
            if prop := element.get("itemprop"):
                for name in prop.lower().split():
                    self._add(element, order, name)
            if element.tag == "a" and PROFILE.search(element.get("href") or ""):
                self._add(element, order, "profile")
            if (rel := element.get("rel")) and "author" in rel.lower().split():
                self._add(element, order, "rel-author")
            elif not words and (name := element.get("id")):
                for kind in _kinds(name.lower()):
                    self._add(element, order, kind)

    def _add(self, element: Any, order: int, kind: str) -> None:
        if len(self.found) < MAX_MARKS:
            self.found.append(Mark(element, order, kind))


def _kinds(words: str) -> tuple[str, ...]:
    return tuple(kind for kind, pattern in (("date", DATED), ("author", AUTHORED)) if pattern.search(words))


def _words(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}".lower()
