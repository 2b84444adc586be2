"""The signs of an article and of what is none: what a page declares, its address, headline, text and blocks."""

import math
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from newsextract.metadata.cues import counted
from newsextract.metadata.describe import Described

PRODUCT_TYPES = frozenset(
    "Product Offer ProductGroup AggregateOffer SoftwareApplication Vehicle Hotel LodgingBusiness Course Event"
    " Service JobPosting".split()
)
SECTION_PATH = re.compile(
    r"/(?:tags?|categor(?:y|ies)|topics?|sections?|archive|search|author|authors|page|index|labels?|themen|rubrik"
    r"|issues|collections?)(?:/|$)",
    re.I,
)
DATE_PATH = re.compile(r"/(?:19|20)\d\d/?[-/_]?\d\d?/|(?:19|20)\d\d[-_]?\d\d[-_]?\d\d")
ASKS = re.compile(r"[?？]|^(?:how|what|why|when|which|best|top|the \d|\d)", re.I)
HEADINGS = frozenset({"h2", "h3", "h4"})
SHOP_PATH = re.compile(
    r"/(?:products?|shop|store|cart|item|itm|dp|p|buy|pricing|plans|services?|solutions|courses?|programs?|degrees?"
    r"|certificat\w*|locations?|jobs?|careers|browse|departments?|ip|categor(?:y|ies)|collections?|sale)(?:/|$)",
    re.I,
)
STORY_PATH = re.compile(
    r"/(?:blogs?|news|articles?|stor(?:y|ies)|posts?|insights?|magazine|features?|guides?|learn|opinion|press"
    r"|20\d\d)(?:/|$)",
    re.I,
)
MONEY = ("$", "€", "£", "¥", "₹", " eur", " usd", "元")
PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|eur|usd|£)|元")
#: What a document's title says of a page that sells, lists or leads.
TRADE = re.compile(
    r"\b(?:services?|products?|solutions?|programs?|collections?|shop|buy|store|sale|company|companies|consulting"
    r"|software|tools?|list of|directory|courses?|degrees?|certificat\w*|pricing|online|near (?:me|you)|for sale"
    r"|reviews?|official|home|catalog|recipes|categories|archives?|news|topics?)\b",
    re.I,
)
#: Class words of `body` and `html` by which publishing systems name the kind of page they have made.
CLASSES = {
    "class of a story": re.compile(
        r"(?:^|[\s_-])(?:single|post|article|story|entry|blog-post|postid|is-article|news-detail|detail)(?:$|[\s_-])"
    ),
    "class of a list": re.compile(
        r"(?:^|[\s_-])(?:archive|category|tag|search|listing|collection|tax|term|home|index|section|blog-page|front)"
        r"(?:$|[\s_-])"
    ),
    "class of a shop": re.compile(r"product|shop|cart|woocommerce|store|catalog|plp|pdp"),
}
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")
#: Words of who tells of somebody, and of who speaks of themselves as a firm does.
THIRD = tuple(" he , she , they , his , her , their , i , my , me ".split(","))
OURS = tuple(" we , our , us , ours ".split(","))
#: Characters and short blocks that are looked at.
MUCH, MANY = 2_500, 1_500


def features(page: Any, text: str, described: Described, confidence: float | None = None) -> dict[str, float]:
    """The evidence for and against an article, each between about -1 and 1; `confidence`: the extractor's."""
    found = {
        **_declared(page, described),
        **_sureness(confidence),
        **_text(text),
        **_blocks(page),
        **_chosen(page.blocks, described.chosen),
        **_address(page.url),
        **_headline(described.values.get("headline"), page.meta.title),
    }
    return {name: float(value) for name, value in found.items() if value}


def _declared(page: Any, described: Described) -> dict[str, float]:
    """What the head and its JSON-LD say that the page is."""
    kinds = described.kinds
    og_type = (page.meta.get("og:type") or "").lower()
    declared = described.sources.get("date_published") in ("json-ld", "meta", "microdata")
    root = page.tree if page.tree is not None else {}
    words = " ".join(one for one in (*_class_words(root), *_class_words(page.body)) if one).lower()
    return {
        "declares article": any(name.endswith(("Article", "Posting", "Report")) for name in kinds),
        "declares product": bool(kinds & PRODUCT_TYPES),
        "declares a person": "Person" in kinds,
        "declares nothing": not kinds,
        "og article": "article" in og_type or "post" in og_type,
        "og product": "product" in og_type or "shop" in og_type,
        "og website": og_type == "website",
        "author declared": bool(page.meta.get("author") or page.meta.get("article:author")),
        "amp": "amphtml" in page.meta.links,
        "feed of comments": any(
            "comments" in address or address.rstrip("/").endswith("/feed")
            for address in page.meta.links.get("alternate", ())
        ),
        "date declared": declared,
        "date seen": not declared and "date_published" in described.values,
        "only changes declared": bool(page.meta.get("article:modified_time"))
        and not page.meta.get("article:published_time"),
        "author": "authors" in described.values,
        "author and date": "authors" in described.values and "date_published" in described.values,
        **{name: bool(pattern.search(words)) for name, pattern in CLASSES.items()},
    }


def _class_words(element: Any) -> Sequence[str | None]:
    return (element.get("class"), element.get("id")) if element is not None else ()


def _sureness(confidence: float | None) -> dict[str, float]:
    """The extractor's confidence as log odds; nothing where the extractor gives none."""
    if confidence is None:
        return {"no confidence": 1.0}
    odds = (confidence + 1e-3) / (1 - min(1.0, confidence) + 1e-3)
    return {"confidence": max(-1.0, min(1.0, math.log(odds) / 5)), "hardly any confidence": confidence < 0.02}


def _text(text: str) -> dict[str, float]:
    """The article's text: how long, and of whom it speaks."""
    start = text[:MUCH]
    lowered = f" {start.lower()} "
    words = max(80, lowered.count(" "))
    return {
        "text under 600": width(text) < 600,
        "quotes": min(1.0, (start.count("“") + start.count("«") + start.count('"')) / 12),
        "third person": min(1.0, sum(map(lowered.count, THIRD)) * 15 / words),
        "first person plural": min(1.0, sum(map(lowered.count, OURS)) * 15 / words),
        "exclaims": min(1.0, start.count("!") / 4),
    }


def width(text: str) -> float:
    """How long a text is in Latin letters: Han, Kana and Hangul say as much with fewer."""
    return (2.5 if not text.isascii() and HAN.search(text[:400]) else 1.0) * len(text)


def _blocks(page: Any) -> dict[str, float]:
    """The page around the text: its links, its short blocks, its buttons, and how much of it is prose."""
    blocks = page.blocks
    lengths, shares = blocks.lengths, blocks.link_shares
    total = max(1, int(lengths.sum()))
    short = "\n".join([one for one in blocks.texts[:MANY] if len(one) < 40]).lower()
    cues = counted(short)
    prices = PRICE.findall(short) if any(map(short.__contains__, MONEY)) else ()
    headings = sum(map(blocks.element_tags.count, HEADINGS))
    linked = [blocks.element_tags[owner] for owner in blocks.owners[shares > 0.8].tolist()]
    tags = {tag: blocks.element_tags.count(tag) for tag in ("button", "form", "article")}
    return {
        "share of links": float(blocks.linked.sum()) / total,
        "share of prose": int(lengths[(shares < 0.3) & (lengths > 100)].sum()) / total,
        "cart": min(1.0, cues["shop"] / 4),
        "calls": min(1.0, cues["call"] / 6),
        "story cues": min(1.0, cues["story"] / 3),
        "prices in short blocks": min(1.0, len(prices) / 6),
        "linked heading share": min(1.0, sum(map(linked.count, HEADINGS)) / max(4, headings)),
        "buttons": min(1.0, math.log1p(tags["button"]) / 5),
        "forms": min(1.0, tags["form"] / 4),
        "one article": tags["article"] == 1,
        "many articles": tags["article"] >= 5,
    }


def _chosen(blocks: Any, chosen: Sequence[int]) -> dict[str, float]:
    """The blocks of the text: whether they lie together, and whether they are paragraphs."""
    if not len(chosen):
        return {}
    rows = np.asarray(chosen)
    parents = np.bincount(blocks.parents[blocks.owners[rows]] + 1)
    return {
        "short blocks taken": float((blocks.lengths[rows] < 40).mean()),
        "one parent": int(parents.max()) / len(rows),
        "share of span": (chosen[-1] - chosen[0] + 1) / len(blocks),
    }


def _address(url: str | None) -> dict[str, float]:
    try:
        path = unquote(urlsplit(url or "").path)
    except ValueError:
        path = ""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return {"no path": True}
    words = [word for word in re.split(r"[-_.\s]+", parts[-1]) if word not in ("html", "htm", "php", "shtml", "aspx")]
    return {
        "section path": bool(SECTION_PATH.search(path)),
        "shop path": bool(SHOP_PATH.search(path)),
        "story path": bool(STORY_PATH.search(path)),
        "date in path": bool(DATE_PATH.search(path)),
        "slug": min(len(words), 8) / 8,
        "plural slug": len(words) <= 4 and words[-1:] != [] and words[-1].endswith("s"),
        "short slug": len(words) <= 2 and not re.search(r"\d{4,}", parts[-1]),
        "length of path": min(1.0, len(path) / 100),
        "folder": path.endswith("/"),
        "file": path.endswith((".html", ".htm")),
    }


def _headline(headline: str | None, title: str) -> dict[str, float]:
    text = headline or ""
    written = text.split()
    words = len(HAN.findall(text)) * 3 or len(written)
    trade = len(TRADE.findall(title))
    return {
        "headline words": min(words, 12) / 12,
        "headline short": 0 < words <= 3,
        "headline in small letters": sum(word[:1].islower() for word in written) / max(1, len(written)),
        "headline plural": 0 < words <= 6 and written[-1].endswith("s"),
        "headline asks": bool(ASKS.search(text)),
        "colon in title": ":" in title,
        "trade in title": bool(trade),
        "trades in title": min(3, trade) / 3,
    }
