"""Markup hints: elements in the head of the article or behind it whose class, tag or properties mark a date or author.

Each hint has its distance from the headline in elements, and belongs to the article (see `newsextract.parts.owners`).
What stands between the paragraphs of the text is told there, not a byline. Only a limited walk is made: pages have
thousands of elements.
"""

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import NamedTuple

from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.language.date_parser import parse_machine_date
from newsextract.metadata.markup import MARKUP
from newsextract.page.class_names import BITS, masks_of
from newsextract.page.json_ld import without_namespace
from newsextract.page.titles import text_of
from newsextract.parts.owners import Owner, Owners
from newsextract.urls.paths import words_of

#: Classes of an element with a date, and of one with an author; a byline often names both.
DATE = BITS["hints"]["date"]
AUTHOR = BITS["hints"]["author"]
HINT_CLASSES = (("date", DATE), ("author-class", AUTHOR))
#: Tags that are hints by themselves.
HINT_TAGS = frozenset({"time", "address"})
#: Elements of scripts that show a point in time in the reader's words, as `time` does.
TIME_TAGS = frozenset({"relative-time", "time-ago", "local-time", "timeago"})
#: Tags that are hints by themselves or by one of their attributes.
READ_TAGS = HINT_TAGS | TIME_TAGS | {"abbr", "a"}
#: Properties of microdata and RDFa, without their vocabulary, and the kinds of hint that they are.
PROPS: dict[str, str] = MARKUP["properties"]
#: Elements examined before the head, from it on, and after the article's end.
BEFORE = 60
AFTER = 220
#: Added to the distance of hints after the article's end.
END_DISTANCE = 200
#: Hints within this distance also count in an aside, a sidebar or a widget, where bylines may be.
NEAR = 100


class MarkupHint(NamedTuple):
    """An element, its distance in elements from the headline, and the kind of hint ("author").

    `is_above`, `is_behind`: whether it stands above the headline, or behind the text.
    """

    element: ElementView
    distance: int
    kind: str
    is_behind: bool = False
    is_above: bool = False

    @property
    def text(self) -> str:
        return text_of(self.element)

    @property
    def value(self) -> str:
        """The element's machine-readable value (`title` of `abbr`: the microformats hAtom and hNews), or its text."""
        element = self.element
        title = element.get("title") if element.tag in ("abbr", "span") else None
        of_title = title if title and parse_machine_date(title) else None
        return element.get("content") or element.get("datetime") or of_title or self.text

    def belongs_to_article(self, owners: Owners) -> bool:
        owner, is_box = owners.of(self.element.node), self.is_behind and self.kind == "author-class"
        return owner == Owner.ARTICLE or (owner in (Owner.ADDRESS, Owner.BESIDE) and (is_box or self.distance <= NEAR))


def find_hints(start: Element, head: Element | None, until: Element | None, end: Element | None) -> list[MarkupHint]:
    """The hints around the head of a page, then those behind its text, in document order.

    `start`: where the search starts, `head`: the headline or the first element of the text, `until`: where the head of
    the article ends, `end`: the text's last element.
    """
    elements = islice(_following(start), 1, 1 + BEFORE + AFTER)
    hints = _hints_among([*takewhile(lambda element: element is not until, elements)], head, 0)
    return hints if end is None else hints + _hints_among([*islice(_following(end), 1 + BEFORE)], end, END_DISTANCE)


def _following(element: Element) -> Iterator[Element]:
    """The element and everything after it in document order, without a walk from the beginning of the page."""
    yield element
    yield from element.iter_elements()
    for above in (element, *element.ancestors):
        for following in above.next_siblings:
            if isinstance(following, Element):
                yield following
                yield from following.iter_elements()


def _hints_among(elements: list[Element], head: Element | None, extra: int) -> list[MarkupHint]:
    """The hints among elements; distances count from `head`, double for elements before it, plus `extra`."""
    origin = next((order for order, element in enumerate(elements) if element is head), 0)
    hints: list[MarkupHint] = []
    masks = masks_of([element.attr("class") or element.attr("id") for element in elements])
    for order, (element, bits) in enumerate(zip(elements, masks, strict=True)):
        tag, attributes = element.tag, element.attrs
        has_prop = "itemprop" in attributes or "property" in attributes  # few do, and this is faster than `attr`
        prop = element.attr("itemprop") or element.attr("property") if has_prop else None
        if tag == "nav" and order < origin:
            hints = [hint for hint in hints if hint.kind not in ("date", "time")]  # above a menu, they are the site's
        kinds = tuple(kind for kind, bit in HINT_CLASSES if bits & bit) if bits & (DATE | AUTHOR) else ()
        if not kinds and not prop and tag not in READ_TAGS:
            continue
        if tag in HINT_TAGS:
            kinds += (tag,)
        elif tag in TIME_TAGS or (
            (tag == "abbr" or "date" in kinds) and parse_machine_date(element.attr("title") or "")
        ):
            kinds += ("time",)
        if prop:
            names = (without_namespace(name) for name in prop.lower().split())
            kinds += tuple(dict.fromkeys(PROPS[name] for name in names if name in PROPS))
        if tag == "a":
            if "author" in (element.attr("rel") or ""):
                kinds += ("rel-author",)
            elif is_profile(element.attr("href") or ""):
                kinds += ("profile",)
        if kinds:
            distance = max(order - origin, 2 * (origin - order)) + extra
            hints += [
                MarkupHint(ElementView(element), distance, kind, extra > 0, not extra and order < origin)
                for kind in kinds
            ]
    return hints


def is_profile(url: str) -> bool:
    """Whether a URL is of a profile page."""
    *folders, name = url.partition("?")[0].partition("#")[0].rstrip("/").lower().rsplit("/", 3)
    return len(name) > 2 and not words_of("author", "staff").isdisjoint(folders[-2:])
