"""The images of the article: between its blocks, inside and outside of figures, with their captions."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain
from typing import Any, NamedTuple

from turbohtml import Element, Text

from newsextract.article.html.inline import escape_text
from newsextract.article.html.structure import Place, Structure
from newsextract.metadata.images import IMAGE_TAGS, image_sources, is_decoration, is_icon
from newsextract.page import Page
from newsextract.page.walk import collapsed
from newsextract.urls import absolute_url

#: Attributes with an image's URL; lazy-loading ones come first, because `src` is a placeholder then.
IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "src", "data-srcset", "srcset")
#: Most lines of captions of an image.
MAX_LINES = 20
IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?:[?#].*)?$", re.I)


class Image(NamedTuple):
    """An image: the block before which it stands, what it has a caption in common with, the element around it."""

    before: int
    wrapper: int
    element: int
    html: str


class Illustrated(Structure):
    """The chosen blocks with the images among them."""

    def __init__(self, page: Page, kept: Sequence[int]) -> None:
        super().__init__(page, kept)
        self.base = page.base
        self.wrappers: dict[int, int] = {}  # element without blocks -> the one around it that has some
        self.root = self.blocks.common_element(kept[0], kept[-1])
        while self.root > 0 and self.roles[self.root].grid:
            self.root = self.parents[self.root]

    def caption_html(self, element: int) -> str:
        """The captions below an element, without those of figures within it."""
        texts = []
        for number in range(*self.blocks.spans[element].tolist()):
            if self.is_caption(number):
                above = self.elements[number]
                while above > element and self.tags[above] != "figure":
                    above = self.parents[above]
                texts += [self.blocks.texts[number]] * (above <= element)
        return escape_text(" ".join(texts))

    def is_caption(self, number: int) -> bool:
        return self.roles[self.elements[number]].caption is not None

    def images(self) -> Iterator[Image]:
        """The images of the article, each URL once: those among its blocks, and with captions beside them."""
        if not (elements := [*self.blocks.nodes[self.root].iter_elements(IMAGE_TAGS)]):
            return
        below = range(self.root, self.end(self.root))
        numbers = dict(zip(self.blocks.nodes[below.start : below.stop], below, strict=True))
        known: dict[Any, Place] = {}
        around = [self.place_of(image, numbers, known) for image in elements]
        places = self.places({numbers[place.holder] for place in around if not place.is_skipped})
        shown: set[str] = set()
        before_it = None  # the image before, if it is shown
        for index, (image, (holder, is_hidden, is_fallback, _)) in enumerate(zip(elements, around, strict=True)):
            if is_hidden:
                continue
            element = numbers[holder]
            number, wrapper = places.get(image, self.blocks.spans.item(element, 0)), self.wrapper_of(element)
            first, last = (bisect_left(self.kept, end) for end in self.blocks.spans[wrapper].tolist())
            is_captioned = self.tags[wrapper] == "figure" or first == last
            if not is_captioned and (caption := self.caption_behind(element, number)):
                wrapper, is_captioned = caption, True
            if not self.is_among(number, wrapper if is_captioned else None) or (is_fallback and before_it == holder):
                continue
            in_figure = is_captioned or image.closest("figure") is not None
            target = self.image_target(image, in_figure)
            before_it = holder if target else None
            if target and target not in shown:
                shown.add(target)
                alt = escape(collapsed(image.attr("alt") or ""))
                html = f'<img src="{escape(target)}" alt="{alt}">'
                yield Image(number, wrapper if is_captioned else ~index, element, html)

    def wrapper_of(self, element: int) -> int:
        """The smallest block element around one (or itself) that has blocks."""
        spans, path = self.blocks.spans, []
        while element not in self.wrappers and element > self.root and spans.item(element, 0) == spans.item(element, 1):
            path.append(element)
            element = self.parents[element]
        wrapper = self.wrappers.get(element, element)
        self.wrappers.update(dict.fromkeys(path, wrapper))
        return wrapper

    def caption_behind(self, element: int, number: int) -> int:
        """The caption that begins with a block, right behind an image in `element` or behind it; 0 if none."""
        if number == len(self.elements) or not self.is_caption(number):
            return 0
        caption = self.roles[self.elements[number]].caption or 0
        before = caption - 1
        while self.parents[before] > self.parents[caption]:
            before = self.parents[before]
        is_behind = before <= element < caption or element == self.parents[caption]
        has_image = next(self.blocks.nodes[caption].iter_elements(IMAGE_TAGS), None) is not None
        return caption if is_behind and not has_image and self.tags[caption] != "figure" else 0

    def is_among(self, number: int, wrapper: int | None) -> bool:
        """Whether an image is between chosen blocks, but for captions; `wrapper`: the element without chosen ones."""
        first, last = self.kept[0], self.kept[-1]
        between = range(number, first) if number <= first else range(last + 1, number)
        around = () if wrapper is None else range(*self.blocks.spans[wrapper].tolist())
        return len(around) + len(between) <= MAX_LINES and all(map(self.is_caption, chain(around, between)))

    def places(self, elements: set[int]) -> dict[Element, int]:
        """The number of the block that follows each image of these block elements, where they have blocks, too."""
        places: dict[Element, int] = {}
        end = 0
        for element in sorted(elements):
            first, last = self.blocks.spans[element].tolist()
            if element < end or first == last:
                continue  # read with the one around it
            end, number = self.end(element), first
            numbers = {node: number for number in range(first, last) for node in self.nodes_of(number)}
            for node in self.blocks.nodes[element].descendants:
                if type(node) is Text:
                    number = max(number, numbers.get(node, -1) + 1)
                elif type(node) is Element and node.tag in IMAGE_TAGS:
                    places[node] = number
        return places

    def image_target(self, image: Element, in_figure: bool) -> str | None:
        """The URL of an image; outside figures none of decoration and of a link to another page."""
        if not in_figure:
            link = image.closest("a")
            target = absolute_url(link.attr("href"), self.base) if link is not None else None
            own = target is None or IMAGE_FILE.search(target) or target.startswith(self.page.url or "/")
            if is_icon(image) or not own:
                return None
        decoration = None
        for source in image_sources(image, IMAGE_SOURCES):
            if url := absolute_url(source, self.base):
                if not is_decoration(url):
                    return url
                decoration = decoration or url
        return decoration if in_figure else None
