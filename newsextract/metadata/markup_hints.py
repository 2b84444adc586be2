"""Markup hints: elements near the headline or after the article whose class, tag or properties mark a date or
author.

Each hint has its distance from the headline in elements; `region_of` tells whether an element is in a part of the page
about other pages or beside the article. Only a limited walk is made: bylines are near the headline or right after the
text, and pages have thousands of elements.
"""

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.page.titles import text_of

#: Class words of an element with a date, and of one with an author; a byline often matches both. Page builders call any
#: text `text-editor` or `block-editor`; an author's description isn't a name.
DATE_CLASS = re.compile(
    r"date|time(?!line)|publish|posted|datum|fecha|pubtime|updated|article-?meta|post-?meta|entry-?meta"
)
AUTHOR_CLASS = re.compile(
    r"author(?!-?(?:desc|bio))|byline|by-line|writer|contributor|autor|auteur|redakt|(?<!text-)(?<!block-)editor(?!ial|-|s-?choice|s-?pick)|credit-?name|reporter"
)
HINT_CLASSES = (("date", DATE_CLASS), ("author-class", AUTHOR_CLASS))
#: Every match of the two patterns contains one of these: other class attributes need no look at each word.
HINT_PARTS = re.compile(
    r"date|time|publish|posted|datum|fecha|meta|author|byline|by-line|writer|contributor|autor|auteur|redakt|editor"
    r"|credit|reporter"
)
#: Class or id words of page parts about other pages or people, and of parts beside the article.
OTHER_CLASS = re.compile(
    r"comment|related|recommend|popular|trending|most-?read|latest|teaser|carousel|read-?next|more-?(?:from|stories|posts)|disqus"
    r"|respond|advert|menu|cookie|recent|upsell|up-?next|card-?(?:grid|list)|also-?like|similar|suggest|review-?item|testimonial"
    r"|twitter-tweet|fb-post|instagram-media|tiktok-embed|bluesky-embed|telegram-post|reddit-(?:card|embed)"
)
BESIDE_CLASS = re.compile(r"sidebar|footer|newsletter|widget|promo")
#: Every match of these two patterns contains one of these.
REGION_PARTS = tuple(
    "comment related recommend popular trending most latest teaser carousel read more disqus respond advert menu cookie"
    " recent upsell next card like similar suggest review testimonial sidebar footer newsletter widget promo tweet"
    " fb-post instagram tiktok bluesky telegram reddit".split()
)
#: Tags that are hints by themselves.
HINT_TAGS = frozenset({"time", "address"})
#: Tags that are hints by themselves or by one of their attributes.
READ_TAGS = HINT_TAGS | {"abbr", "a"}
#: `title` of an `abbr` with a point in time.
ABBREVIATED_TIME = re.compile(r"(?:19|20)\d\d-\d\d-\d\dT\d\d:\d\d")
OTHER_TAGS = frozenset({"nav", "form", "dialog"})
BESIDE_TAGS = frozenset({"footer", "aside"})
#: URL folders of profile pages.
PROFILE_FOLDERS = frozenset(
    """
    author authors profile profiles people team staff contributor contributors writer writers by autor
    autoren autores auteur auteurs redaktion journalist journalists reporter reporters columnist columnists expert
    experts our-team editor editors
    """.split()
)
DATE_PROPS = frozenset({"datepublished", "datemodified", "datecreated"})
PROPS = DATE_PROPS | {"author", "creator"}
#: Elements examined before the head, from it on, and after the article's end.
BEFORE, AFTER, BEHIND = 60, 220, 60
#: Added to the distance of hints after the article's end.
END_DISTANCE = 200
#: Hints within this distance also count in an aside, a sidebar or a widget, where bylines may be.
NEAR = 100
MAX_ANCESTORS = 40
#: Maximum class attributes whose kinds of hint are cached.
MAX_CLASSES = 20_000
#: Ancestors of an element, and elements within each, in which the linked heading of a teaser is searched.
TEASER_ANCESTORS, TEASER_ELEMENTS = 4, 40
TEASER_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
#: Where an element is: in the article, beside it, or in a part of the page about other pages or people.
IN_ARTICLE, BESIDE_ARTICLE, OTHER_PART = range(3)


class MarkupHint(NamedTuple):
    """An element, its distance in elements from the article's head, and the kind of hint ("date", "rel-author")."""

    element: ElementView
    distance: int
    kind: str

    def strings(self, limit: int) -> list[str]:
        return list(islice(self.element.itertext("*"), limit))

    @property
    def text(self) -> str:
        return text_of(self.element)

    @property
    def value(self) -> str:
        """The element's machine-readable value (`title` of `abbr`: the microformats hAtom and hNews), or its text."""
        element = self.element
        of_abbreviation = element.get("title") if element.tag == "abbr" else None
        return element.get("content") or element.get("datetime") or of_abbreviation or self.text


class MarkupHints:
    """The hints of a page; `start`: where the search starts, `head`, `end`: the article's first and last element."""

    def __init__(self, start: ElementView, head: ElementView | None, end: ElementView | None) -> None:
        self._start, self._head, self._end = start, head, end
        self._regions: dict[object, int] = {}
        for element in (head, end):
            if element is not None:
                self._regions.update(dict.fromkeys([element.node, *element.node.ancestors], IN_ARTICLE))
        #: What contains the headline or the end of the article.
        self._around = frozenset(self._regions)

    @cached_property
    def all(self) -> list[MarkupHint]:
        """The hints around the head, then those after the end, in document order."""
        elements = list(islice(_following(self._start.node), 1, 1 + BEFORE + AFTER))
        hints = _hints_among(elements, self._head, 0)
        if self._end is not None and self._end.node not in elements:
            hints += _hints_among(list(islice(_following(self._end.node), 1 + BEHIND)), self._end, END_DISTANCE)
        return hints

    def of(self, *kinds: str) -> list[MarkupHint]:
        """The hints of these kinds that belong to the article, nearest to its head first."""
        hints = (hint for hint in self.all if hint.kind in kinds and self._belongs(hint))
        return sorted(hints, key=lambda hint: hint.distance)

    def _belongs(self, hint: MarkupHint) -> bool:
        region = self.region_of(hint.element.node)
        return region == IN_ARTICLE or (region == BESIDE_ARTICLE and hint.distance <= NEAR)

    def region_of(self, node: object) -> int:
        """IN_ARTICLE, BESIDE_ARTICLE or OTHER_PART, by the element and its ancestors."""
        path, region = [], IN_ARTICLE
        for _ in range(MAX_ANCESTORS):
            if not isinstance(node, Element) or (tag := node.tag) in ("body", "html", "main"):
                break
            if (known := self._regions.get(node)) is not None:
                region = max(region, known)
                break
            path.append(node)
            own = _attribute_region(node.attr("class") or "", node.attr("id") or "")
            if tag in OTHER_TAGS or own == OTHER_PART:
                region = OTHER_PART
                break
            parent = node.parent
            if (tag in BESIDE_TAGS or own == BESIDE_ARTICLE) and not self._is_article_footer(tag, parent):
                region = BESIDE_ARTICLE
            node = parent
        self._regions.update(dict.fromkeys(path, region))
        return region

    def _is_article_footer(self, tag: str, parent: Any) -> bool:
        """Whether an element is the footer of the headline's `article`, which in HTML names author and date."""
        return tag == "footer" and parent in self._around and parent.tag == "article"

    def teaser_link(self, element: ElementView | None) -> str | None:
        """The URL of a linked heading beside an element, in a small part without headline and text."""
        own = set() if element is None else {element.node, *element.node.ancestors}
        for _ in range(TEASER_ANCESTORS):
            if element is None or element.node in self._around:
                break
            for heading in islice(element.node.iter_elements(), TEASER_ELEMENTS):
                if heading.tag in TEASER_HEADINGS and heading not in own:
                    around = (heading, *islice(heading.iter_elements(), 6), *islice(heading.ancestors, 1))
                    links = [link.attr("href") for link in around if isinstance(link, Element) and link.tag == "a"]
                    if links and links[0]:
                        return str(links[0])
            element = element.getparent()
        return None


def _following(element: Element) -> Iterator[Element]:
    """The element and everything after it in document order, without a walk from the beginning of the page."""
    yield element
    yield from element.iter_elements()
    for above in (element, *element.ancestors):
        for following in above.next_siblings:
            if isinstance(following, Element):
                yield following
                yield from following.iter_elements()


def _hints_among(elements: list[Element], head: ElementView | None, extra: int) -> list[MarkupHint]:
    """The hints among elements; distances count from `head`, double for elements before it, plus `extra`."""
    origin = elements.index(head.node) if head is not None and head.node in elements else 0
    hints = []
    for order, element in enumerate(elements):
        tag, prop = element.tag, element.attr("itemprop")
        kinds = _kinds_of(element.attr("class") or element.attr("id") or "")
        if not kinds and not prop and tag not in READ_TAGS:
            continue
        if tag in HINT_TAGS:
            kinds += (tag,)
        elif tag == "abbr" and ABBREVIATED_TIME.match(element.attr("title") or ""):
            kinds += ("time",)
        if prop:
            kinds += tuple(name for name in prop.lower().split() if name in PROPS)
        if tag == "a":
            if "author" in (element.attr("rel") or ""):
                kinds += ("rel-author",)
            elif _is_profile(element.attr("href") or ""):
                kinds += ("profile",)
        if kinds:
            distance = max(order - origin, 2 * (origin - order)) + extra
            hints += [MarkupHint(ElementView(element), distance, kind) for kind in kinds]
    return hints


def _is_profile(url: str) -> bool:
    folders = url.lower().split("/")
    if PROFILE_FOLDERS.isdisjoint(folders):
        return False
    *folders, name = url.partition("?")[0].partition("#")[0].rstrip("/").lower().split("/")
    return len(name) > 2 and not PROFILE_FOLDERS.isdisjoint(folders[-2:])


@lru_cache(maxsize=MAX_CLASSES)
def _kinds_of(classes: str) -> tuple[str, ...]:
    """The kinds of hint of a class attribute; cached, because the pages of a site repeat them."""
    words = classes.lower()
    if not HINT_PARTS.search(words):
        return ()
    return tuple(kind for kind, pattern in HINT_CLASSES if any(map(pattern.search, words.split())))


@lru_cache(maxsize=4096)
def _attribute_region(classes: str, identity: str) -> int:
    """The region that an element's class and id name."""
    words = f"{classes} {identity}".lower()
    return max(map(_word_region, words.split()), default=0) if any(map(words.__contains__, REGION_PARTS)) else 0


@lru_cache(maxsize=16_384)
def _word_region(word: str) -> int:
    if OTHER_CLASS.search(word):
        return OTHER_PART
    return BESIDE_ARTICLE if BESIDE_CLASS.search(word) else IN_ARTICLE
