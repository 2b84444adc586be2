"""Article or not: whether a page is one, and if not what it is.

First the pages that say what they are (FACES: consent, login, paywall, error, "enable JavaScript"), by their title and
what little text they have. Then one weighing of signs: the weights (kind.json) were fitted by logistic regression on
articles and on listing, product and service pages; no single sign decides, because blogs declare nothing and shops all.
"""

import math
from dataclasses import dataclass
from typing import Any

from newsextract.metadata.describe import Described
from newsextract.metadata.fitted import fitted
from newsextract.metadata.interstitials import stand_in
from newsextract.metadata.page_type import features, width
from newsextract.urls import is_home


@dataclass(frozen=True)
class Kind:
    """What a page is: `reason` is None for an article, else the word under which it is counted; confidence 0 to 1."""

    reason: str | None
    confidence: float

    @property
    def is_article(self) -> bool:
        return self.reason is None


#: Fewer characters of text (letters; a Han character is worth more) are no article, unless the page declares one.
SHORT = 140
#: Where the extractor is less sure than this, it has found no text at all, and no address or headline makes up for it:
#: of articles (wcxb-dev, fundus, zhnews, l3s-gn1) two in a thousand are below, of other pages one in six.
NOTHING = 0.002


def judge(page: Any, text: str, described: Described, confidence: float | None = None) -> Kind:
    """What kind of page this is, from what it says and declares, its address, its links and the article's text.

    `confidence`: the extractor's, None where it gives none.
    """
    face = stand_in(page, text, described)
    if face:
        return Kind(face, 0.9)
    if page.url and is_home(page.url):
        return Kind("front", 0.95)
    found = features(page, text, described, confidence)
    model = fitted("kind")
    beyond = model.weigh(found) - model.threshold
    probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, beyond))))
    nothing = confidence is not None and confidence < NOTHING
    if beyond >= 0 and not nothing:
        return Kind(None, probability) if width(text) >= SHORT or found.get("declares article") else Kind("short", 0.7)
    return Kind(_reason(found, text), 1 - (confidence or 0.0) if nothing else 1 - probability)


def not_article(page: Any, text: str, described: Described, confidence: float | None = None) -> str | None:
    """The reason word if the page is no article (see `judge`); None if it is one."""
    return judge(page, text, described, confidence).reason


def _reason(found: dict[str, float], text: str) -> str:
    """The word for a page that is no article, from its strongest evidence."""
    if (
        found.get("og product")
        or found.get("declares product")
        or found.get("shop path")
        or found.get("cart", 0) >= 0.5
    ):
        return "product"
    if found.get("section path"):
        return "section"
    if width(text) < SHORT:
        return "short"
    is_list = found.get("share of links", 0) > 0.5 or found.get("class of a list") or found.get("many articles")
    return "listing" if is_list else "no_article"
