"""Images: the declared main image, and those in the article, with caption and credit."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from turbohtml import Element

from newsextract.items import Image
from newsextract.language import words
from newsextract.language.names import normalize_line
from newsextract.limits import MAX_KEPT
from newsextract.metadata.evidence import PageEvidence, SourcedValue
from newsextract.metadata.markup import MARKUP, any_of
from newsextract.parts.owners import Owner

#: `meta` elements with the article's main image, most trusted first.
MAIN_IMAGE = MARKUP["metas"]["image"]
#: Parts of URLs of images that aren't pictures of the article.
DECORATION = any_of(MARKUP["images"]["decoration"])
#: Attributes with the URL of an image, those of lazy loading first.
URL_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src", "data-srcset", "srcset", "src", "data-lazy", "data-url")
#: An image of a `srcset`: its URL, which may have commas within, and its width or density; a comma ends either.
CANDIDATE = re.compile(r"([^\s,]\S*+)(?:(?<!,)\s++(\d{1,6}(?:\.\d{1,6})?)[wx](?![^\s,]))?")
CREDIT_LABEL, BY = (words.pattern(key).pattern for key in ("credit_label", "by_anywhere"))
CREDIT = words.Words(
    rf"(?:©|{words.pattern('credit_line').pattern}|(?:{CREDIT_LABEL})(?:\s(?:{BY})|\s?[:：]))\s*(.{{2,80}})"
)
#: How many ancestors of an image are searched for its figure.
FIGURE_LEVELS = 6
#: Tags of images, of AMP too; those with a side of fewer pixels are icons.
IMAGE_TAGS = ("img", "amp-img")
MIN_SIDE = 60


def main_image(evidence: PageEvidence) -> SourcedValue[Image] | None:
    """The first declared image that is not decoration."""
    for source, hrefs in (
        ("json-ld", _json_ld_urls(evidence)),
        ("meta", evidence.metas(*MAIN_IMAGE)),
        ("link", iter(evidence.meta.links.get("image_src", []))),
    ):
        for href in hrefs:
            url = evidence.absolute_url(href.replace("&amp;", "&")) or ""
            is_other = url.rstrip("/").count("/") < 3 or "/avatar/" in url  # the home page, a person
            if not is_other and not is_decoration(url.partition("?")[0].rpartition("/")[2]):
                return SourcedValue(Image(url), source)
    return None


def body_images(evidence: PageEvidence) -> SourcedValue[list[Image]] | None:
    """The images in the article's element, each URL once, without decoration and parts beside the text."""
    by_url: dict[str, Image] = {}
    for element in _image_elements(evidence):
        urls = map(evidence.absolute_url, () if is_icon(element) else image_sources(element))
        url = next((url for url in urls if url and not is_decoration(url)), None)
        if url and url not in by_url and evidence.owners.of(element) < Owner.BESIDE:
            by_url[url] = _image(element, url)
            if len(by_url) >= MAX_KEPT:
                break
    return SourcedValue(list(by_url.values()), "body") if by_url else None


@lru_cache(maxsize=256)
def is_decoration(url: str) -> bool:
    """Whether an image isn't a picture of the article, by its URL: a logo, an icon, a placeholder. Cached: asked for
    the metadata and for the HTML of the body.
    """
    return DECORATION.search(url.lower()) is not None


def _json_ld_urls(evidence: PageEvidence) -> Iterator[str]:
    for value in evidence.structured.values("image", "thumbnailUrl", "primaryImageOfPage"):
        if isinstance(value, dict):
            value = value.get("url") or value.get("contentUrl")
            value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            yield value


def _image_elements(evidence: PageEvidence) -> Iterator[Element]:
    """The images inside the smallest element around those of the article's first and last block."""
    if not len(evidence.body_blocks):
        return
    blocks, first, last = evidence.page.blocks, evidence.body_blocks[0], evidence.body_blocks[-1]
    element = blocks.common_element(first, last)
    if element in (blocks.element_list[first], blocks.element_list[last]):
        element = max(0, blocks.parent_list[element])
    yield from blocks.nodes[element].iter_elements(IMAGE_TAGS)


def is_icon(image: Element) -> bool:
    """Whether an image has a side of fewer pixels than a picture."""
    for side in ("width", "height"):
        size = (image.attr(side) or "").removesuffix("px")
        if size.isdigit() and int(size) < MIN_SIDE:
            return True
    return False


def image_sources(image: Element, names: Sequence[str] = URL_ATTRIBUTES) -> Iterator[str]:
    """The addresses in attributes of an image, of each `srcset` the largest, then those of the `picture` around it."""
    picture: Any = image.parent
    is_in_picture = isinstance(picture, Element) and picture.tag == "picture"
    for element in (image, *(picture.iter_elements("source") if is_in_picture else ())):
        for name in names:
            if (value := (element.attr(name) or "").strip()) and "srcset" in name:
                value = max(CANDIDATE.findall(value), key=lambda one: float(one[1] or 1), default=("",))[0].rstrip(",")
            if value and not value.startswith("data:"):
                yield value.split()[0]


def _image(element: Element, url: str) -> Image:
    figure, caption = element.closest("figure"), None
    if figure is not None and figure in islice(element.ancestors, FIGURE_LEVELS):
        inner = next(figure.iter_elements("figcaption"), None)
        caption = None if inner is None else normalize_line(inner.text)
    caption = caption or normalize_line(element.attr("alt") or "") or None
    if caption is None:
        return Image(url)
    credit = CREDIT.search(caption)
    return Image(url, caption[:500], caption[slice(*credit.span(1))].strip() if credit else None)
