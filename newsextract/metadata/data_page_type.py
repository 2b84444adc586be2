"""Page type of a page whose text is from its data, which lacks the links and blocks of lists and shops.

So something must show that it is an article: a declared type, a date, an author, a headline that matches the page's, or
an article's URL. If its data are a list of other articles, the page is a list; if the text's object has prices and
variants, it is a product. An empty frame that isn't an article remains a page that needs JavaScript, whatever its data,
because only a browser finds its links.
"""

import re
from collections.abc import Iterable

from newsextract.metadata.describe import Metadata
from newsextract.metadata.empty_frames import is_empty_frame
from newsextract.metadata.page_type import STORY_PATH, PageType
from newsextract.page import Page
from newsextract.page.json_ld import declares_article

#: Minimum similarity of the data's headline to the page's for an article of this page.
SAME_TITLE = 0.6
#: Names of members that products have, and how many of them an object must have.
GOODS, MIN_GOODS = re.compile(r"price|sku|variant|product", re.I), 2
#: Reasons of a page that shows too little, if its data have more behind a wall.
STUBS = frozenset({"needs_javascript", "short", "no_article"})
#: Confidence in these reasons.
CONFIDENCE = 0.7


def revise_page_type(page_type: PageType, page: Page, metadata: Metadata, *, is_withheld: bool) -> PageType:
    """Revises the `page`'s type by its text alone, for pages that are read from their data.

    `is_withheld`: the data have more than the page shows; it isn't used, because the page says that it isn't free.
    """
    if is_withheld:
        is_stub = page_type.reason in STUBS
        return PageType("paywall_stub", page_type.confidence, page_type.margin) if is_stub else page_type
    data = page.data_article
    if data is None or declares_article(metadata.json_ld_types, page.meta.get("og:type")):
        return page_type
    is_goods = bool(data.owners) and _is_goods(data.owners[0].keys())
    if not data.is_list and not is_goods and _has_evidence(page, metadata):
        return page_type
    if is_empty_frame(page):
        return PageType("needs_javascript", CONFIDENCE, page_type.margin)
    if not page_type.is_article:
        return page_type
    reason = "listing" if data.is_list else "product" if is_goods else "no_article"
    return PageType(reason, CONFIDENCE, page_type.margin)


def _is_goods(names: Iterable[str]) -> bool:
    return sum(GOODS.search(name) is not None for name in names) >= MIN_GOODS


def _has_evidence(page: Page, metadata: Metadata) -> bool:
    """Whether anything but the text shows that the page is an article."""
    return (
        (page.data_article is not None and page.data_article.title_match >= SAME_TITLE)
        or not {"date_published", "authors"}.isdisjoint(metadata.values)
        or STORY_PATH.search((page.url or "").partition("?")[0]) is not None
    )
