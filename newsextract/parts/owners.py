"""What each part of a page belongs to: the page's article, another article, a comment, a quotation, a figure, ...

Worked out from tags, class and id words, and the order of headings, before anybody knows which blocks are text. What is
in a part of somebody else is theirs; what holds the headline or most of the text is no such part.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import chain, islice, pairwise, takewhile
from operator import itemgetter
from typing import Any

import numpy as np
from turbohtml import Element

from newsextract.language.publication_lines import begins_with_author
from newsextract.page import Page
from newsextract.page.blocks import Blocks, Column
from newsextract.page.class_names import BITS, class_names, mask_of
from newsextract.page.data.prose import MIN_PROSE
from newsextract.page.meta import MAX_HEADINGS, Meta
from newsextract.page.walk import beginning_of
from newsextract.text import DIGITS, EAST_ASIAN, words_of
from newsextract.urls import host_and_path


class Owner(IntEnum):
    """Whom a part of the page belongs to; what is about other pages or people comes last."""

    ARTICLE, FIGURE, QUOTATION, ADDRESS, BESIDE, NAVIGATION, COMMENT, OTHER_PAGES, OTHER_ARTICLE = range(9)


#: Tags of parts, whatever their class is.
TAGS = {
    "address": Owner.ADDRESS, "aside": Owner.BESIDE, "footer": Owner.BESIDE, "nav": Owner.NAVIGATION,
    "form": Owner.NAVIGATION, "dialog": Owner.NAVIGATION,
}  # fmt: skip
#: Tags of parts whose class may name another owner, and owners whose names count less than these tags.
NAMED_TAGS = {"blockquote": Owner.QUOTATION, "figure": Owner.FIGURE, "figcaption": Owner.FIGURE}
LESSER = frozenset({Owner.NAVIGATION, Owner.BESIDE})
#: The bits of names by owner; the first that a name has counts.
NAMED = [(bit, Owner[name.upper()]) for name, bit in BITS["owners"].items()]
OWNED = sum(bit for bit, _ in NAMED)
#: Tags of parts that belong to nobody else even if the text begins or ends with them.
WITHIN = frozenset({"figure", "figcaption", "blockquote"})
#: A part with this share of the page's text is the article's, whatever it is called.
MOST = 0.5
#: Minimum share of a headline's words in the declared titles; those for search engines are worded differently.
MIN_DECLARED = 0.3
MAX_HEADLINE = 300
#: Minimum characters of own text before another article, and of the other's text.
MIN_TEXT = 400
MIN_PART = 80
#: Another article has at most this share of the page's text, and so many times the text above it.
MAX_PART = 0.75
MAX_TIMES = 3
HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
#: Those that begin another article only if they link to it.
LESSER_HEADINGS = frozenset({"h3", "h4"})
#: Ancestors of an element, elements and characters within each, in which the linked heading of a teaser is searched.
TEASER_ANCESTORS = 4
TEASER_ELEMENTS = 40
MAX_TEASER = 500
TEASER_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
#: Tags of records in a row, and what all have.
RECORD_TAGS = frozenset({"li", "article", "div", "section", "tr", "a", "dd"})
MAX_DATED = 2_000
DATED = re.compile(r"\d(?:\d{3}|[:.]\d\d|\W+\w+)")
#: Headings examined whether they begin another article.
MAX_HEADED = 100
#: Blocks of another article before its headline, at most.
MAX_KICKERS = 2
#: So many elements with doubtful signs of another article are entries of one.
MANY = 3
#: Paragraphs of a further story.
MIN_PARAGRAPHS = 2
#: Attributes with the URL of an element's article.
URL_ATTRIBUTES = frozenset({"data-url", "data-href", "data-permalink", "data-link", "data-article-url", "itemid"})
#: Ends of the types of items of microdata that are articles.
STORY_TYPES = ("Article", "BlogPosting")
#: Classes of bylines and dates, among so many elements at the beginning; most characters of a line with a byline.
SIGNATURE = BITS["hints"]["signature"]
MAX_HEAD = 12
MAX_SIGNATURE = 60


class Owners:
    """The owners of one page's elements; numbers are those of `Blocks.nodes`."""

    def __init__(self, blocks: Blocks, meta: Meta, url: str) -> None:
        self._own: Iterable[int] = ()
        self._counts: dict[int, int] = {}  # by heading
        self._blocks, self._meta, self._url = blocks, meta, url
        tags = blocks.element_tags
        self._titles: Sequence[int] = array("q", blocks.has_tag(HEADINGS).nonzero()[0].tobytes())
        self._headings = [number for number in self._titles if tags[number] not in LESSER_HEADINGS][:MAX_HEADINGS]

    @cached_property
    def headline(self) -> int | None:
        """The article's headline element: the `h1` with most words of the declared titles, else such an `h2`."""
        tags = self._blocks.element_tags
        for level in ("h1", "h2"):
            headings = [number for number in self._headings if tags[number] == level]
            words = [(self._declared_words(number), number) for number in headings]
            if words and (best := max(words, key=itemgetter(0)))[0]:
                return best[1]
        return next((number for number in self._headings if tags[number] == "h1"), None)

    @cached_property
    def _declared(self) -> list[set[str]]:
        """The words of the page's title and `og:title`, each."""
        return [{*words_of(title)} for title in (self._meta.title, *self._meta.all("og:title")[:3])]

    def _declared_words(self, heading: int) -> int:
        """How many of a heading's words are in the declared titles, if MIN_DECLARED of them are."""
        if heading in self._counts:
            return self._counts[heading]
        words = self._words(heading)
        count = len(words.intersection(chain.from_iterable(self._declared)))
        self._counts[heading] = count if count >= MIN_DECLARED * len(words) else 0
        return self._counts[heading]

    def _words(self, heading: int) -> set[str]:
        return {*words_of(self._text(heading)[:MAX_HEADLINE])}

    @cached_property
    def _sums(self) -> tuple[Sequence[int], Sequence[int]]:
        """(blocks + 1,) characters of paragraphs and of all text before each block."""
        lengths = self._widths
        prose = lengths * ((lengths >= MIN_PROSE) & (2 * self._blocks.linked < self._blocks.lengths))
        zero = np.zeros(1, np.int64)
        before = (np.concatenate((zero, np.cumsum(column, dtype=np.int64))) for column in (prose, lengths))
        return array("q", next(before).tobytes()), array("q", next(before).tobytes())

    @cached_property
    def _widths(self) -> Column:
        """(blocks,) characters; on a page in an East Asian script as many Latin ones as say the same."""
        lengths = self._blocks.lengths
        longest = self._blocks.texts[lengths.argmax()] if len(lengths) else ""
        return lengths * 5 // 2 if EAST_ASIAN.search(longest[:MAX_HEADLINE]) else lengths

    def _size(self, number: int) -> int:
        """The characters of an element."""
        written, spans = self._sums[1], self._blocks.spans
        return written[spans.item(number, 1)] - written[spans.item(number, 0)]

    @cached_property
    def _frame(self) -> set[Any]:
        """What holds the headline, or most of the page's text, so also the block in the middle of it."""
        blocks, (_, written) = self._blocks, self._sums
        middle = blocks.owner_list[bisect_right(written, written[-1] // 2) - 1] if len(blocks) else None
        large = (number for number in self._path(middle) if self._size(number) > MOST * written[-1])
        return {
            blocks.nodes[number]
            for number in chain(self._path(self.headline), large)
            if blocks.element_tags[number] not in WITHIN
        }

    @cached_property
    def _holders(self) -> set[Any]:
        """What holds anything that is known to be of the article."""
        blocks, own = self._blocks, chain.from_iterable(map(self._path, self._own))
        return self._frame | {blocks.nodes[number] for number in own if blocks.element_tags[number] not in WITHIN}

    @cached_property
    def other_articles(self) -> list[int]:
        """The elements that declare themselves another article below the page's own, in document order.

        Each begins with a headline, has a text of its own, and stands below text of the page's article. Its headline is
        an `h1` or a link, or it has a URL, a byline or a date, or is an `article` in or beside that of the page's
        headline. MANY elements in the same markup are entries of live blogs or lists of products, unless that is the
        markup of the page's own article, or its headline's, or they are whole stories apart from its text. Below linked
        `h3` only such stories count, however many they are.
        """
        blocks, (prose, _) = self._blocks, self._sums
        if prose[-1] < MIN_TEXT + MIN_PART or (own := self.headline) is None:
            return []
        if not (declared := self._declared_words(own)):
            return []
        above, spans = {*self._path(own)}, blocks.spans
        begin = prose[spans.item(own, 1)] + MIN_TEXT
        alike = self._marked_alike(own)
        found: dict[tuple[str, str], list[tuple[int, bool | None, bool]]] = {}
        for heading in [number for number in self._titles if number > own][:MAX_HEADED]:
            if prose[spans.item(heading, 0)] < begin:
                continue
            if (part := self._headed_part(heading, above, is_whole=heading in alike)) is None:
                continue
            is_sure = self._declares_article(heading, part, above)
            most = declared - 1 if heading in alike else declared // 2
            is_linked = blocks.element_tags[heading] in LESSER_HEADINGS and self._is_linked(heading)
            if (is_sure is not None or is_linked) and self._declared_words(heading) <= most:
                found.setdefault(self._form(part), []).append((part, is_sure, heading in alike))
        own_forms = {self._form(number) for number in above if found and blocks.element_classes[number]}
        parts: set[int] = set()
        for form, alike_parts in found.items():
            numbers, are_few = [part for part, *_ in alike_parts], len(alike_parts) < MANY
            has_unsure = not are_few or any(is_sure is None for _, is_sure, _ in alike_parts)
            are_stories = has_unsure and self._are_stories(numbers, own)
            parts |= {
                part
                for part, is_sure, is_alike in alike_parts
                if is_alike
                or (is_sure and form in own_forms)
                or (are_few and is_sure is not None and self._is_lesser(part, own))
                or (are_stories and (not are_few or is_sure is None))
            }
        return [number for number in sorted(parts) if parts.isdisjoint([*self._path(number)][1:])]

    def _form(self, number: int) -> tuple[str, str]:
        """An element's tag and class, without digits."""
        return self._blocks.element_tags[number], DIGITS.sub("", self._blocks.element_classes[number] or "")

    def _are_stories(self, parts: list[int], own: int) -> bool:
        """Whether parts are further stories below the page's own, and no sections or entries of it.

        They stand one behind the other, apart from its text, each with a text of several paragraphs and a headline that
        is an `h1` or links to a page of the site.
        """
        blocks, spans = self._blocks, self._blocks.spans
        if len({blocks.parent_list[part] for part in parts}) > 1:
            return False
        prose = self._sums[0]
        between = (prose[spans.item(after, 0)] - prose[spans.item(part, 1)] for part, after in pairwise(parts))
        if any(between) or not all(map(self._has_story, parts)):
            return False
        around = blocks.parent_list[parts[0]]
        begin = max(spans.item(own, 1), spans.item(around, 0))
        return not any(  # a paragraph of the article's beside the stories
            around in (blocks.owner_list[row], blocks.parent_list[blocks.owner_list[row]])
            for row in range(begin, spans.item(parts[0], 0))
            if self._widths.item(row) >= MIN_PROSE
        )

    def _has_story(self, part: int) -> bool:
        """Whether a part has several paragraphs and a headline that is an `h1` or links to a page of the site, or names
        such a page itself.
        """
        blocks = self._blocks
        first, last = blocks.spans[part].tolist()
        if int((self._widths[first:last] >= MIN_PROSE).sum()) < MIN_PARAGRAPHS:
            return False
        heading = next((number for number in self._titles if number >= part), None)
        return heading is not None and (
            blocks.element_tags[heading] == "h1"
            or (self._is_linked(heading) and self._links_to_site(heading))
            or any(
                self._names_article(blocks.nodes[number], of_site=True)
                for number in takewhile(lambda number: number >= part, self._path(heading))
            )
        )

    def _links_to_site(self, heading: int) -> bool:
        """Whether the link of a heading leads to a page of the site."""
        node: Any = self._blocks.nodes[heading]
        links = chain(
            node.iter_elements("a"), (up for up in node.ancestors if isinstance(up, Element) and up.tag == "a")
        )
        host = host_and_path((next(links).attr("href") or "").strip())[0]
        return host in ("", host_and_path(self._url)[0])

    def _is_lesser(self, part: int, own: int) -> bool:
        """Whether a part hasn't much more text than the page's own article above it."""
        prose, spans = self._sums[0], self._blocks.spans
        return self._size(part) <= MAX_TIMES * (prose[spans.item(part, 0)] - prose[spans.item(own, 1)])

    def _marked_alike(self, own: int) -> set[int]:
        """The headings with the tag and the classes of the headline, and in an element with the classes of its own.

        Empty if the headline isn't most of a declared title: the page is a list then.
        """
        words = self._words(own)
        if not any(0 < len(title) <= 2 * len(title & words) for title in self._declared):
            return set()
        classes, parents, tags = self._blocks.element_classes, self._blocks.parent_list, self._blocks.element_tags
        markup = tags[own], classes[own], classes[parents[own]]
        if not any(markup[1:]):
            return set()
        return {
            number for number in self._titles if (tags[number], classes[number], classes[parents[number]]) == markup
        }

    def _headed_part(self, heading: int, above: set[int], *, is_whole: bool) -> int | None:
        """The smallest element that begins with a heading and has text behind it, with what holds nothing else; or the
        largest one (`is_whole`).
        """
        part, found, spans, parents = heading, None, self._blocks.spans, self._blocks.parent_list
        prose, written = self._sums
        first, end = spans.item(heading, 0), spans.item(heading, 1)
        while (part := parents[part]) not in above:
            begin, last = spans.item(part, 0), spans.item(part, 1)
            if begin < first - MAX_KICKERS or prose[begin] < prose[first]:
                break
            if written[last] - written[begin] > MAX_PART * written[-1]:
                break
            if found is not None and last > spans.item(found, 1) and not is_whole:
                break
            if written[last] - written[end] >= MIN_PART:
                found = part
        return found

    def _declares_article(self, heading: int, part: int, above: set[int]) -> bool | None:
        """Whether a part declares itself another article, surely or perhaps (False); None if it doesn't."""
        tags, nodes, parents = self._blocks.element_tags, self._blocks.nodes, self._blocks.parent_list
        if tags[heading] == "h1":
            return True if self._text(heading) != self._text(self.headline) else None
        number, is_article = heading, False
        while number >= part:
            if self._names_article(nodes[number]):
                return True
            is_article |= tags[number] == "article"
            number = parents[number]
        if is_article:
            is_within = any(around in above and tags[around] == "article" for around in self._path(number))
            is_beside = not is_within and any(tags[number] == "article" for number in above)
            if is_beside or self._is_signed(part) or self._is_linked(heading):
                return is_beside
            is_timed = self._text(heading)[:1].isdigit()  # an entry of a live blog
            return False if self._is_title(heading) and not is_timed else None
        if tags[heading] == "h2" and self._is_linked(heading):
            return False
        is_signed = self._is_title(heading) and self._is_signed(part)
        return False if is_signed and not any(tags[around] == "footer" for around in self._path(heading)) else None

    def _names_article(self, node: Any, *, of_site: bool = False) -> bool:
        """Whether an element has the URL of its article, or is an item of one that is no property of another item; a
        URL `of_site` is neither the page's own nor below it, as those of a live blog's entries are.
        """
        if (node.attr("itemtype") or "").endswith(STORY_TYPES) and node.attr("itemprop") is None:
            return True
        if URL_ATTRIBUTES.isdisjoint(node.attrs):
            return False
        urls = [*filter(None, map(node.attr, URL_ATTRIBUTES))]
        host, path = host_and_path(self._url)
        own = path if len(path) > 1 else None
        targets = ((to, own and at.startswith(own)) for to, at in map(host_and_path, urls))
        return bool(urls) if not of_site else any(to in ("", host) and not is_below for to, is_below in targets)

    def _is_title(self, heading: int) -> bool:
        """Whether a heading isn't a label ("Author") or a signature ("Written by Ann Lee") of the own article."""
        text = " ".join(self._blocks.texts[slice(*self._blocks.spans[heading].tolist())])
        return (" " in text or not text.isascii()) and not begins_with_author(text)

    def _is_linked(self, heading: int) -> bool:
        """Whether a heading is a link to another page."""
        blocks = self._blocks
        span = slice(*blocks.spans[heading].tolist())
        linked, length = (sum(column[span].tolist()) for column in (blocks.linked, blocks.lengths))
        if 2 * linked < length:
            return False
        node: Any = blocks.nodes[heading]
        link = next(node.iter_elements("a"), None) or next(
            (up for up in node.ancestors if type(up) is Element and up.tag == "a"), None
        )
        target = (link.attr("href") or "#").strip() if link is not None else "#"
        return not target.startswith("#") and target.partition("#")[0] != self._url.partition("#")[0]

    def _is_signed(self, part: int) -> bool:
        """Whether a part has a byline or a date at its beginning, by its markup or in a line of its own."""
        blocks, first = self._blocks, int(self._blocks.spans[part, 0])
        for element in islice(blocks.nodes[part].iter_elements(), MAX_HEAD):
            if element.tag == "time" or (mask_of(element.attr("class")) & SIGNATURE):
                return True
        return any(len(text) <= MAX_SIGNATURE and begins_with_author(text) for text in blocks.texts[first : first + 4])

    def _text(self, number: int | None) -> str:
        return " ".join(self._blocks.texts[slice(*self._blocks.spans[number].tolist())]).casefold() if number else ""

    def with_article_parts(self, parts: Iterable[int]) -> "Owners":
        """The owners if these elements are known to be the article's."""
        owners = Owners(self._blocks, self._meta, self._url)
        owners.headline, owners.other_articles = self.headline, self.other_articles
        owners._frame, owners._own = self._frame, [*parts]
        return owners

    @cached_property
    def _known(self) -> dict[Any, Owner]:
        """Owners by element."""
        nodes = self._blocks.nodes
        return dict.fromkeys(self._holders, Owner.ARTICLE) | {
            nodes[number]: Owner.OTHER_ARTICLE for number in self.other_articles
        }

    def of(self, element: Any) -> Owner:
        """The owner of an element: that of the outermost part around it that isn't the article's."""
        node: Any = element
        known = self._known
        path: list[tuple[Any, Owner]] = []
        while isinstance(node, Element) and node not in known:
            own = TAGS.get(node.tag) or _named(node)
            if node.tag == "footer" and self.is_of_article(node):
                own = Owner.ARTICLE
            path.append((node, own))
            node = node.parent
        owner = known.get(node, Owner.ARTICLE)
        for node, own in reversed(path):
            known[node] = owner = owner or own
        return owner

    def is_of_article(self, part: Element) -> bool:
        """Whether a footer or a box is in the page's `article`, not in the page or another article."""
        around = (up for up in part.ancestors if isinstance(up, Element) and up.tag == "article")
        return next(around, None) in self._holders

    def linked_heading(self, element: Any) -> str | None:
        """The URL of a linked heading beside an element, in a small part without headline and text."""
        own = set() if element is None else {element.node, *element.node.ancestors}
        for _ in range(TEASER_ANCESTORS):
            if (
                element is None
                or element.node in self._holders
                or len(beginning_of(element.node, MAX_TEASER + 1)) > MAX_TEASER
            ):
                break
            for heading in islice(element.node.iter_elements(), TEASER_ELEMENTS):
                if heading.tag in TEASER_HEADINGS and heading not in own:
                    around = (heading, *islice(heading.iter_elements(), 6), *islice(heading.ancestors, 1))
                    links = [link.attr("href") for link in around if isinstance(link, Element) and link.tag == "a"]
                    if links and links[0]:
                        return str(links[0])
            element = element.getparent()
        return None

    def is_record(self, element: Any, least: int = 20) -> bool:
        """Whether an element is in one of several equal parts in a row with a date and more: comments, teasers.

        `least`: minimum characters of each beside the element.
        """
        part = element
        for _ in range(TEASER_ANCESTORS):
            if part in self._frame or not isinstance(part, Element):
                break
            if part.tag in RECORD_TAGS and _is_in_row(part, len(beginning_of(element, MAX_DATED)), least):
                return True
            part = part.parent
        return False

    def _path(self, number: int | None) -> Iterator[int]:
        """An element and those around it."""
        while number is not None and number >= 0:
            yield number
            number = self._blocks.parent_list[number]


def _is_in_row(part: Element, own: int, least: int) -> bool:
    """Whether a part beside equal ones has a date and so many characters beside those of the element asked about."""
    text = beginning_of(part, own + least + MAX_DATED)
    if len(text) <= own + least or not DATED.search(text, 0, MAX_DATED):
        return False
    form = _form_of(part)
    row = chain(islice(part.previous_siblings, 8), islice(part.next_siblings, 8))
    equal = (beginning_of(other, MAX_DATED) for other in row if isinstance(other, Element) and _form_of(other) == form)
    return any(len(other) > least and DATED.search(other) for other in equal)


def _form_of(element: Element) -> tuple[str | None, ...]:
    """What equal parts in a row share: tag, class, and tags of the first children."""
    children = (child.tag for child in islice(element, 4) if isinstance(child, Element))
    return element.tag, element.attr("class"), *children


def _named(element: Element) -> Owner:
    """The owner that an element's tag, class and id name."""
    tag = element.tag
    masks = class_names().masks
    bits = (masks[tag] | masks[element.attr("class")] | masks[element.attr("id")]) & OWNED
    of_tag = NAMED_TAGS.get(tag, Owner.ARTICLE)
    if not bits:
        return of_tag
    named = next(owner for bit, owner in NAMED if bits & bit)
    return of_tag if of_tag and named in LESSER else named


def owners_of(page: Page) -> Owners:
    """The owners of a page's elements."""
    return page.view(_read_owners)


def _read_owners(page: Page) -> Owners:
    return Owners(page.blocks, page.meta, page.url or "")
