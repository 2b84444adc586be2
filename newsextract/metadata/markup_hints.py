"""What the body marks as date or author around the article's head and behind its end, in document order.

Not a view of `page` because its tables (which class words mean a byline) are knowledge about metadata alone. It says
where things stand relative to the article and whether they lie in another part of the page; it chooses nothing. Only a
bounded walk is made: bylines stand near the headline or right behind the text, and pages have thousands of elements.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.page.titles import text_of

#: Class words of an element that holds who wrote or when; a byline often holds both.
DATED = re.compile(r"date|time(?!line)|publish|posted|datum|fecha|pubtime|updated|article-?meta|post-?meta|entry-?meta")
AUTHORED = re.compile(
    r"author|byline|by-line|writer|contributor|autor|auteur|redakt|editor(?!ial)|credit-?name|reporter"
)
#: One of these is in every class that the two know: a class without any need not be read word by word.
MARKING = tuple(
    "date time publish posted datum fecha meta author byline by-line writer contributor autor auteur redakt editor"
    " credit reporter".split()
)
#: Class or id words of a part of the page that is about other pages or other people, and of one beside the article.
OTHERS = re.compile(
    r"comment|related|recommend|popular|trending|most-?read|latest|teaser|carousel|read-?next|more-?(?:from|stories|posts)|disqus"
    r"|respond|advert|menu|cookie|recent|upsell|up-?next|card-?(?:grid|list)|also-?like|similar|suggest|review-?item|testimonial"
)
BESIDE = re.compile(r"sidebar|footer|newsletter|widget|promo")
#: The same for those two.
PLACING = tuple(
    "comment related recommend popular trending most latest teaser carousel read more disqus respond advert menu cookie"
    " recent upsell next card like similar suggest review testimonial sidebar footer newsletter widget promo".split()
)
#: Tags that are marks by themselves.
BARE = frozenset({"time", "address"})
OTHERS_TAGS = frozenset({"nav", "form", "dialog"})
BESIDE_TAGS = frozenset({"footer", "aside"})
#: Folders of addresses that hold pages about one person each.
PROFILES = frozenset(
    """
    author authors profile profiles people team staff contributor contributors writer writers by autor
    autoren autores auteur auteurs redaktion journalist journalists reporter reporters columnist columnists expert
    experts our-team editor editors
    """.split()
)
DATE_PROPS = frozenset({"datepublished", "datemodified", "datecreated"})
PROPS = DATE_PROPS | {"author", "creator"}
#: Elements that are looked at before the head, from it on, and behind the article's end.
BEFORE, AFTER, BEHIND = 60, 220, 60
#: What is added to the distance of marks behind the article's end.
AWAY = 200
#: Marks within this many elements of the head count also in an aside, a sidebar or a widget: bylines stand there.
NEAR = 100
MAX_CLIMB = 40


class Mark(NamedTuple):
    """A marked element, its distance in elements from the article's head, and what it is marked as."""

    element: Any
    distance: int
    kind: str

    def strings(self, limit: int) -> list[str]:
        """The element's first pieces of text, in order."""
        return list(islice(self.element.itertext("*"), limit))

    @property
    def text(self) -> str:
        return text_of(self.element)


class Marks:
    """The marks of a page; `head`: the headline's element or the article's first, `end`: its last."""

    def __init__(self, body: Any, before: Any, head: Any, end: Any) -> None:
        self._body, self._before, self._head, self._end = body, before, head, end
        self._elsewhere: dict[Any, int] = {}
        for element in (head, end):
            if element is not None:
                self._elsewhere.update(dict.fromkeys([element, *element.iterancestors()], 0))

    @cached_property
    def found(self) -> list[Mark]:
        """The marks around the head and behind the end, in document order, by one pass."""
        if self._body is None:
            return []
        start = self._body if self._before is None else self._before
        here = list(islice(_from(start.node), 1, 1 + BEFORE + AFTER))
        found = _marked(here, self._head, 0)
        if self._end is not None and self._end.node not in here:
            found += _marked(list(islice(_from(self._end.node), 1 + BEHIND)), self._end, AWAY)
        return found

    def of(self, *kinds: str) -> list[Mark]:
        """The marks of these kinds that belong to the article, nearest to its head first."""
        return sorted(
            (mark for mark in self.found if mark.kind in kinds and self._belongs(mark)), key=lambda mark: mark.distance
        )

    def _belongs(self, mark: Mark) -> bool:
        place = self.elsewhere(mark.element)
        return place == 0 or (place == 1 and mark.distance <= NEAR)

    def elsewhere(self, element: Any) -> int:
        """2: in a part about other pages or people; 1: beside the article; 0: neither."""
        chain = []
        answer = 0
        for _ in range(MAX_CLIMB):
            if element is None or element.tag in ("body", "html", "main"):
                break
            if element in self._elsewhere:
                answer = max(answer, self._elsewhere[element])
                break
            chain.append(element)
            place = _place(element.get("class") or "", element.get("id") or "")
            if element.tag in OTHERS_TAGS or place == 2:
                answer = 2
                break
            if element.tag in BESIDE_TAGS or place == 1:
                answer = 1
            element = element.getparent()
        self._elsewhere.update(dict.fromkeys(chain, answer))
        return answer


def _from(element: Element) -> Iterator[Element]:
    """The element and all that come after it, in document order, found without a walk from the page's beginning."""
    yield element
    yield from element.iter_elements()
    for above in (element, *element.ancestors):
        for following in above.next_siblings:
            if isinstance(following, Element):
                yield following
                yield from following.iter_elements()


def _marked(elements: list[Element], head: Any, away: int) -> list[Mark]:
    """The marks among these elements; distances count from `head`, twice for what is before it, and `away` more."""
    origin = elements.index(head.node) if head is not None and head.node in elements else 0
    rows: list[tuple[int, Element, tuple[str, ...], str]] = []
    for order, element in enumerate(elements):
        tag = element.tag
        words = element.attr("class") or element.attr("id") or ""
        kinds: tuple[str, ...] = (tag,) if tag in BARE else ()
        if prop := element.attr("itemprop"):
            kinds += tuple(one for one in prop.lower().split() if one in PROPS)
        if tag == "a":
            if "author" in (element.attr("rel") or ""):
                kinds += ("rel-author",)
            elif _is_profile(element.attr("href") or ""):
                kinds += ("profile",)
        if words or kinds:
            rows.append((order, element, kinds, words))
    of_class = _class_kinds({words for *_, words in rows})
    return [
        Mark(ElementView(element), max(order - origin, 2 * (origin - order)) + away, kind)
        for order, element, kinds, words in rows
        if kinds or words in of_class
        for kind in (*of_class.get(words, ()), *kinds)
    ]


def _is_profile(address: str) -> bool:
    """Whether an address is of a page about one person."""
    folders = address.lower().split("/")
    if PROFILES.isdisjoint(folders):
        return False
    *folders, name = address.partition("?")[0].partition("#")[0].rstrip("/").lower().split("/")
    return len(name) > 2 and not PROFILES.isdisjoint(folders)


def _class_kinds(classes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What those of these classes say that say anything: few do, so that is asked of all together first."""
    lowered = {words: words.lower() for words in classes}
    every = "\n".join(lowered.values())
    marking = [part for part in MARKING if part in every]
    return {
        words: tuple(sorted({kind for word in low.split() for kind in _word_kinds(word)}, reverse=True))
        for words, low in lowered.items()
        if any(map(low.__contains__, marking))
    }


@lru_cache(maxsize=16_384)
def _word_kinds(word: str) -> tuple[str, ...]:
    """What one class word says; kept over pages, since sites share words (of frameworks) and not their combinations."""
    return tuple(kind for kind, pattern in (("date", DATED), ("author-class", AUTHORED)) if pattern.search(word))


@lru_cache(maxsize=4096)
def _place(classes: str, identity: str) -> int:
    """What class and id say of where an element is: 2 another part of the page, 1 beside the article, else 0."""
    words = f"{classes} {identity}".lower()
    return max(map(_word_place, words.split()), default=0) if any(map(words.__contains__, PLACING)) else 0


@lru_cache(maxsize=16_384)
def _word_place(word: str) -> int:
    return 2 if OTHERS.search(word) else int(BESIDE.search(word) is not None)
