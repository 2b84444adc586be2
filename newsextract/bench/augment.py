"""Pages as they might have been: variants of a labelled page in other markup, for evidence that holds on sites unseen.

The labels are made anew by alignment with the same gold, so a variant may change anything but the article's words.
Every choice comes from a seed made of the page's id.
"""

import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from lxml import etree

from newsextract.bench.corpus import Gold
from newsextract.page import Page


def variants(html: bytes, gold: Gold) -> Iterator[bytes]:
    """No or one variant of a page."""
    return iter(())
