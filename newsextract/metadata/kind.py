"""Article or not: whether a page is one, and if not what it is.

First the pages that say what they are (FACES: consent, login, paywall, error, "enable JavaScript"), by their title and
what little text they have. Then one weighing of evidence: WEIGHTS were fitted by logistic regression on articles and
on listing, product and service pages; no single sign decides, because blogs carry no declarations and shops carry all.
"""

import math
from dataclasses import dataclass
from typing import Any

from newsextract.identity import is_home
from newsextract.metadata.describe import Described
from newsextract.metadata.faces import stand_in
from newsextract.metadata.signs import features


@dataclass(frozen=True)
class Kind:
    """What a page is: `reason` is None for an article, else the word under which it is counted; confidence 0 to 1."""

    reason: str | None
    confidence: float

    @property
    def is_article(self) -> bool:
        return self.reason is None


SHORT = 140
WEIGHTS = {
    "share of prose": 2.68,
    "declares article": 1.68,
    "headline asks": 1.64,
    "slug": 1.51,
    "date in path": 1.38,
    "headline words": 1.21,
    "og article": 1.12,
    "sentences": 0.98,
    "share of page": 0.88,
    "date seen": 0.85,
    "story path": 0.83,
    "repeated": 0.68,
    "share of prose taken": 0.68,
    "linked headings": 0.61,
    "story cues": 0.58,
    "author": 0.55,
    "number in path": 0.44,
    "author and date": 0.31,
    "date declared": 0.25,
    "long lines": 0.2,
    "declares listing": 0.14,
    "line length": 0.11,
    "no path": -0.17,
    "text under 1500": -0.17,
    "prices": -0.2,
    "dates in short blocks": -0.26,
    "shallow": -0.34,
    "short slug": -0.44,
    "you": -0.46,
    "share of links": -0.49,
    "no long line": -0.49,
    "text under 600": -0.56,
    "og website": -0.65,
    "declares breadcrumb": -0.7,
    "calls": -0.82,
    "headline short": -0.83,
    "prices in short blocks": -1.04,
    "section path": -1.08,
    "prose blocks": -1.1,
    "text length": -1.11,
    "og product": -1.23,
    "shop path": -1.52,
    "linked heading share": -1.78,
    "cart": -1.85,
    "declares product": -1.95,
    "we": -2.9,
}
BIAS = -1.03
#: Weight below which a page is not taken for an article.
THRESHOLD = -1.1


def judge(page: Any, text: str, described: Described) -> Kind:
    """What kind of page this is, from what it says and declares, its address, its links and the article's text."""
    face = stand_in(page, text, described)
    if face:
        return Kind(face, 0.9)
    if page.url and is_home(page.url):
        return Kind("front", 0.95)
    found = features(page, text, described)
    weight = BIAS + sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items())
    probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, weight - THRESHOLD))))
    if weight >= THRESHOLD:
        return Kind(None, probability) if len(text) >= SHORT or found.get("declares article") else Kind("short", 0.7)
    return Kind(_reason(found, text), 1 - probability)


def not_article(page: Any, text: str, described: Described) -> str | None:
    """The reason word if the page is no article (see `judge`); None if it is one."""
    return judge(page, text, described).reason


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
    if len(text) < SHORT:
        return "short"
    return (
        "listing"
        if found.get("share of links", 0) > 0.5 or found.get("no long line") or found.get("declares listing")
        else "no_article"
    )
