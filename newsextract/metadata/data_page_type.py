"""Page type of a page whose text is from its data: such a page has no links and blocks that tell lists and shops.

So it must have something of an article: a declared type, a date, an author, a headline that is the page's, or an
address as stories have. A page whose data are a list of other articles is a list; a text that an object with prices and
variants has is one of goods. An empty frame that is no article stays a page that needs JavaScript, whatever its data
hold: only a browser finds its links.
"""

import re
from collections.abc import Iterable

from newsextract.metadata.describe import Metadata
from newsextract.metadata.empty_frames import is_empty_frame
from newsextract.metadata.page_type import STORY_PATH, PageType
from newsextract.page import Page
from newsextract.page.json_ld import declares_article

#: Similarity of the headline in the data to the page's from which on it is the page's article.
SAME_TITLE = 0.6
#: Names of members that goods have, and how many of them an object of goods has at least.
GOODS, MIN_GOODS = re.compile(r"price|sku|variant|product", re.I), 2
#: Reasons of a page that shows too little, where its data have more behind a wall.
STUBS = frozenset({"needs_javascript", "short", "no_article"})
#: Confidence in these reasons.
CONFIDENCE = 0.7


def revise_page_type(page_type: PageType, page: Page, metadata: Metadata, *, is_withheld: bool) -> PageType:
    """The type of `page` in place of that of its text alone; for pages that are read from their data.

    `is_withheld`: the data have more than the page shows, which is not taken because the page says that it is not free.
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
    """Whether anything of a page but its text says that it is an article."""
    return (
        (page.data_article is not None and page.data_article.title_match >= SAME_TITLE)
        or not {"date_published", "authors"}.isdisjoint(metadata.values)
        or STORY_PATH.search((page.url or "").partition("?")[0]) is not None
    )
