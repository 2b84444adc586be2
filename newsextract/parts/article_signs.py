"""Signs that a part of a page is an article: its URL or type, a linked headline, a byline or date at its beginning."""

from itertools import chain, islice
from typing import Any

from turbohtml import Element

from newsextract.language.date_parser import parse_date
from newsextract.language.publication_lines import begins_with_author
from newsextract.page import Page
from newsextract.page.class_names import BITS, class_names
from newsextract.text import DIGITS, SHORT_LINE
from newsextract.urls import host_and_path

#: Attributes with the URL of an element's article.
URL_ATTRIBUTES = frozenset({"data-url", "data-href", "data-permalink", "data-link", "data-article-url", "itemid"})
#: Ends of the types of items of microdata that are articles.
STORY_TYPES = ("Article", "BlogPosting")
#: Classes of bylines and dates, among so many elements at the beginning.
SIGNATURE = BITS["hints"]["signature"]
MAX_HEAD = 12


class ArticleSigns:
    """The signs of one page's elements; numbers are those of `Blocks.nodes`."""

    def __init__(self, page: Page) -> None:
        self._blocks, self._url, self._language = page.blocks, page.url or "", page.meta.html_lang

    def names_article(self, number: int, *, of_site: bool = False) -> bool:
        """Whether an element has the URL of its article, or is an item of one that is no property of another item; a
        URL `of_site` is neither the page's own nor below it, as those of a live blog's entries are.
        """
        node = self._blocks.nodes[number]
        attributes = node.attrs
        if (
            "itemtype" in attributes
            and "itemprop" not in attributes
            and (node.attr("itemtype") or "").endswith(STORY_TYPES)
        ):
            return True
        if URL_ATTRIBUTES.isdisjoint(attributes):
            return False
        urls = [*filter(None, map(node.attr, URL_ATTRIBUTES))]
        host, path = host_and_path(self._url)
        own = path if len(path) > 1 else None
        targets = ((to, own and at.startswith(own)) for to, at in map(host_and_path, urls))
        return bool(urls) if not of_site else any(to in ("", host) and not is_below for to, is_below in targets)

    def is_title(self, heading: int) -> bool:
        """Whether a heading isn't a label ("Author") or a signature ("Written by Ann Lee") of the page's article."""
        text = self._text(heading)
        return (" " in text or not text.isascii()) and not begins_with_author(text)

    def is_day(self, heading: int) -> bool:
        """Whether a heading is a date, as days of a list are headed."""
        text = self._text(heading)
        may_be = len(text) <= SHORT_LINE and DIGITS.search(text) is not None
        return may_be and parse_date(text, self._language) is not None

    def _text(self, number: int) -> str:
        return " ".join(self._blocks.texts[slice(*self._blocks.spans[number].tolist())])

    def is_linked(self, heading: int) -> bool:
        """Whether a heading is a link to another page."""
        blocks = self._blocks
        span = slice(*blocks.spans[heading].tolist())
        linked, length = (sum(column[span].tolist()) for column in (blocks.linked, blocks.lengths))
        if 2 * linked < length:
            return False
        target = self._target(heading) or "#"
        return not target.startswith("#") and target.partition("#")[0] != self._url.partition("#")[0]

    def links_to_site(self, heading: int) -> bool:
        """Whether the link of a heading leads to a page of the site."""
        return host_and_path(self._target(heading))[0] in ("", host_and_path(self._url)[0])

    def _target(self, heading: int) -> str:
        """The URL of the first link in or around a heading."""
        node: Any = self._blocks.nodes[heading]
        around = (up for up in node.ancestors if type(up) is Element and up.tag == "a")
        urls = ((link.attr("href") or "").strip() for link in chain(node.iter_elements("a"), around))
        return next(filter(None, urls), "")

    def is_signed(self, part: int) -> bool:
        """Whether a part has a byline or a date at its beginning, by its markup or in a line of its own."""
        blocks, first = self._blocks, self._blocks.spans.item(part, 0)
        masks = class_names().masks
        for element in islice(blocks.nodes[part].iter_elements(), MAX_HEAD):
            is_signature = element.tag == "time" or masks[element.attr("class")] & SIGNATURE
            if is_signature and element.closest("blockquote") is None:
                return True
        return any(len(text) <= SHORT_LINE and begins_with_author(text) for text in blocks.texts[first : first + 4])
