"""Page templates: whether two pages have the same template.

URLs say which page is likely of the same template; a redesign, another edition or an archive of years keeps the URL's
shape and changes the page. A template is compared by the page's (tag, class words, parent's tag) triples: pages of one
crawl share over .8 of the smaller page's triples, pages of a site from before and after a redesign under .7, pages of
different sites under .15 (measured on 75 pairs of the fundus pages).
"""

from functools import lru_cache
from itertools import islice
from zlib import crc32

from newsextract.limits import MOST
from newsextract.page import Page
from newsextract.text import DIGITS

#: Two pages have the same template if they share this part of the smaller page's triples, and this part of the triples
#: of both: a section page has everything in an article's header and footer, and little else.
MIN_SHARE_OF_SMALLER = 0.7
#: More triples than any template has.
MAX_TRIPLES = 500


def template_of(page: Page) -> frozenset[int]:
    """The template of a page: a 32-bit hash of each triple, the same in every process. Kept with the page."""
    if page.template is not None:
        return page.template
    blocks = page.blocks
    tags = blocks.element_tags
    parents = map([*tags, ""].__getitem__, blocks.parent_list)  # -1: none
    triples = dict.fromkeys(zip(tags, blocks.element_classes, parents, strict=True))
    hashes = (_triple_hash(tag, classes or "", of) for tag, classes, of in islice(triples, MAX_TRIPLES))
    page.template = frozenset(hashes)
    return page.template


def same_template(first: frozenset[int], second: frozenset[int]) -> bool:
    """Whether pages with these triples are of one template."""
    common, smaller, both = len(first & second), min(len(first), len(second)), len(first | second)
    return common > 0 and common >= MIN_SHARE_OF_SMALLER * smaller and common >= MOST * both


@lru_cache(4096)
def _triple_hash(tag: str, classes: str, parent: str) -> int:
    words = sorted(DIGITS.sub("", classes).split()[:2])
    return crc32(" ".join((tag, parent, *words)).encode("utf-8", "replace"))
