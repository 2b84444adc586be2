"""The article's images: the main one as declared, the others as they stand in its text."""

import re
from collections.abc import Iterator
from typing import Any

from newsextract.items import Image
from newsextract.metadata.evidence import Evidence, Found
from newsextract.metadata.names import tidy

#: Addresses of what is no picture of the article.
DECORATION = tuple(
    "logo icon sprite pixel spacer blank placeholder avatar gravatar badge button emoji 1x1 transparent tracking beacon"
    " /ad/ /ads/ doubleclick share- share_ social- social_ loading .svg?".split()
)
#: The same if it follows right behind "default", with or without a stroke.
DEFAULT = re.compile(r"default[-_]?(?:image|share|og|social)")
ADDRESSES = ("data-src", "data-original", "data-lazy-src", "data-srcset", "srcset", "src")
CREDIT = re.compile(
    r"(?:©|photo(?:graph)?(?: by|:)|foto:|bild:|image:|credit:|图片来源[:：]|摄影?[:：])\s*(.{2,80})", re.I
)
MAX_IMAGES = 50
SMALL = 60


def main_image(evidence: Evidence) -> Found[Image] | None:
    """The first declared address that is a picture's, else the first picture of the article."""
    for source, addresses in (
        ("json-ld", _json(evidence)),
        (
            "meta",
            evidence.metas("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"),
        ),
        ("meta", evidence.metas("itemprop:image", "parsely-image-url", "sailthru.image.full", "thumbnail")),
        ("link", iter(evidence.meta.links.get("image_src", []))),
    ):
        for address in addresses:
            url = evidence.absolute(address)
            if url and not _is_decoration(url.rsplit("/", 1)[-1]):
                return Found(Image(url), source)
    return None


def images(evidence: Evidence) -> list[Image]:
    """The pictures between the headline and the last block of the article, each address once."""
    found: dict[str, Image] = {}
    for element in _elements(evidence):
        url = _address(element, evidence)
        if url and url not in found and not _is_decoration(url) and not evidence.marks.elsewhere(element):
            found[url] = _described(element, url)
            if len(found) >= MAX_IMAGES:
                break
    return list(found.values())


def _is_decoration(url: str) -> bool:
    address = url.lower()
    return (
        address.endswith(".svg")
        or any(map(address.__contains__, DECORATION))
        or ("default" in address and DEFAULT.search(address) is not None)
    )


def _json(evidence: Evidence) -> Iterator[str]:
    for value in evidence.structured.values("image", "thumbnailUrl", "primaryImageOfPage"):
        if isinstance(value, dict):
            value = value.get("url") or value.get("contentUrl")
            value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            yield value


def _elements(evidence: Evidence) -> Iterator[Any]:
    """The `img` elements inside the smallest element that holds the article's first and last block."""
    if not len(evidence.chosen):
        return
    blocks = evidence.page.blocks
    first, last = int(blocks.owners[evidence.chosen[0]]), int(blocks.owners[evidence.chosen[-1]])
    above = set()
    while last > 0:
        above.add(last := int(blocks.parents[last]))
    while first > 0 and (first := int(blocks.parents[first])) not in above:
        pass
    holder = blocks.element(max(0, first))
    yield from holder.iter("img")


def _address(element: Any, evidence: Evidence) -> str | None:
    for side in ("width", "height"):
        size = (element.get(side) or "").removesuffix("px")
        if size.isdigit() and int(size) < SMALL:
            return None
    for name in ADDRESSES:
        value = (element.get(name) or "").strip()
        if value and not value.startswith("data:"):
            largest = (value.rsplit(",", 1)[-1] if "srcset" in name else value).split()
            return evidence.absolute(largest[0]) if largest else None
    return None


def _described(element: Any, url: str) -> Image:
    figure = next(
        (above for above, _ in zip(element.iterancestors(), range(6), strict=False) if above.tag == "figure"), None
    )
    caption = None
    if figure is not None:
        caption = next((tidy("".join(inner.itertext())) for inner in figure.iter("figcaption")), None)
    caption = caption or tidy(element.get("alt") or "") or None
    credit = CREDIT.search(caption) if caption else None
    return Image(url, caption[:500] if caption else None, credit[1].strip() if credit else None)
