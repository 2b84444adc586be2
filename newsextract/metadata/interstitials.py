"""Pages instead of an article: interstitials (bot check, "enable JavaScript", soft 404, login, paywall, consent), and
empty frames: pages without their own text, which scripts fill in a browser.
"""

import re

from turbohtml.etree import ElementView

from newsextract.language import words
from newsextract.metadata.dates import DECLARED
from newsextract.metadata.describe import Metadata
from newsextract.metadata.evidence import NEAR_BLOCKS
from newsextract.page import Page
from newsextract.page.access import is_free
from newsextract.page.walk import SHOWN_LATER
from newsextract.text import text_width

#: Reason, pattern of title or headline, pattern of a short text, in lower case; consent last: any page may have it.
INTERSTITIALS = tuple(
    (reason, words.pattern(f"{reason}_title"), words.pattern(f"{reason}_text"))
    for reason in ("bot_check", "needs_javascript", "error_page", "login", "paywall_stub", "consent")
)
#: A page with this much text (`text_width`) isn't an interstitial; with the second amount, not a paywall.
MAX_TEXT = 1_200
MAX_TEASER = 900
#: Kinds that a page with an article's date in its markup never is: its footer has forms and notices, and its headline
#: may say that somebody was not found.
UNDATED = frozenset({"bot_check", "login", "error_page"})
DATES = frozenset({*DECLARED, "microdata", "time"})
#: A page with fewer characters of text (a Han character counts as 2.5) isn't an article, unless it declares one; the
#: text of the whole page is searched then.
MIN_ARTICLE = 140
#: Share of link blocks from which on a page is a list of links.
MAX_LINK_SHARE = 0.65
#: Offers that mean no paywall after the text, where others do if the page has little text.
OTHER_OFFER = re.compile(r"newsletter|podcast|\bapp\b", re.I)


def interstitial_reason(page: Page, text: str, metadata: Metadata) -> str | None:
    """The kind of interstitial, as a reason word; None for other pages. `text`: as extracted."""
    width = text_width(text)
    if width >= MAX_TEXT:
        return None
    title = f"{metadata.values.get('headline') or ''}\n{page.meta.title}".lower()
    extracted = text.lower()
    size = int(page.blocks.lengths.sum()) * (width / len(text) if text else 1)
    links = float((page.blocks.link_shares > 0.5).mean()) if size else 0.0
    is_dated = metadata.sources.get("date_published") in DATES
    for reason, title_pattern, text_pattern in INTERSTITIALS:
        limit = MAX_TEASER if reason == "paywall_stub" else MAX_TEXT
        if width >= limit or (reason in UNDATED and is_dated):
            continue
        if title_pattern.search(title) and (reason != "login" or size < 4 * MAX_TEXT):
            return reason
        is_large = size > 3 * MAX_TEXT
        if reason == "paywall_stub":
            reach = 0 if is_large else NEAR_BLOCKS
            if not page.view(is_free) and text_pattern.search(_offers(page, metadata, reach).lower()):
                return reason
            continue
        # Every page of a site has a consent banner: only as the extracted text, or on a small page, does it count.
        is_consent = reason == "consent"
        if is_consent and links > MAX_LINK_SHARE:
            continue
        only_extracted = width >= MIN_ARTICLE or is_large or (is_consent and size > MAX_TEXT)
        if text_pattern.search(extracted if only_extracted else "\n".join(page.blocks.texts).lower()):
            return reason
    return None


def _offers(page: Page, metadata: Metadata, reach: int) -> str:
    """The end of the text and this many blocks after it; all of the text if a block says that it isn't free."""
    texts = page.blocks.texts
    if metadata.body_blocks and (page.view(is_free) is None or not reach):
        last = metadata.body_blocks[-1]
        texts = texts[max(metadata.body_blocks[0], last - 1) : last + 1 + reach]
    return "\n".join(text for text in texts if not OTHER_OFFER.search(text))


#: Below this many characters of visible text, a page with scripts is a frame; below the second limit, a page with an
#: empty element for scripts to fill is one: navigation and footer may be there.
MAX_FRAME = 80
#: Ids and tags of the element that the common frameworks fill.
MOUNT_IDS = frozenset("root app __next __nuxt ___gatsby svelte react-root application app-root q-app main-app".split())
MOUNT_TAGS = ("app-root", "main-app")
#: Found in the types of scripts that are data.
DATA_TYPES = ("json", "template", "text/plain")


def may_be_empty_frame(page: Page) -> bool:
    """Whether a page has so little text that it may be a frame, or may ask for JavaScript."""
    return int(page.blocks.lengths.sum()) < SHOWN_LATER


def is_empty_frame(page: Page) -> bool:
    """Whether a page has next to no text, and scripts that are to bring it."""
    if not may_be_empty_frame(page):
        return False
    blocks = page.blocks
    if int(blocks.lengths.sum()) >= MAX_FRAME:
        mounts = (blocks.spans[number].tolist() for number, name in blocks.element_ids.items() if name in MOUNT_IDS)
        tags = (element.text for element in page.body.node.iter_elements(MOUNT_TAGS))
        if all(first != end for first, end in mounts) and all(map(str.strip, tags)):
            return False
    return any(_runs(script) for script in page.tree.iter("script"))


def _runs(script: ElementView) -> bool:
    """Whether a script element is code, not data."""
    kind = (script.get("type") or "").lower()
    return not any(name in kind for name in DATA_TYPES) and bool(script.get("src") or (script.text or "").strip())
