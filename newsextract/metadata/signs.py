"""The signs of an article and of what is none: what a page declares, its address, headline, text and blocks."""

import math
import re
from collections import Counter
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.metadata.describe import Described
from newsextract.page.jsonld import types

LISTING_TYPES = frozenset(
    "CollectionPage ItemList SearchResultsPage ProfilePage ContactPage AboutPage ImageGallery CheckoutPage".split()
)
PRODUCT_TYPES = frozenset(
    "Product Offer ProductGroup AggregateOffer SoftwareApplication Vehicle Hotel LodgingBusiness Course Event"
    " Service JobPosting".split()
)
SECTION_PATH = re.compile(
    r"/(?:tags?|categor(?:y|ies)|topics?|sections?|archive|search|author|authors|page|index|labels?|themen|rubrik"
    r"|issues|collections?)(?:/|$)",
    re.I,
)
SHOP_PATH = re.compile(
    r"/(?:products?|shop|store|cart|item|itm|dp|p|buy|pricing|plans|services?|solutions|courses?|programs?|degrees?"
    r"|certificat\w*|locations?|jobs?|careers)(?:/|$)",
    re.I,
)
STORY_PATH = re.compile(
    r"/(?:blogs?|news|articles?|stor(?:y|ies)|posts?|insights?|magazine|features?|guides?|learn|opinion|press"
    r"|20\d\d)(?:/|$)",
    re.I,
)
PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|EUR|USD|£)|元")
CART = re.compile(
    r"^(?:add to (?:cart|bag|basket|wishlist)|buy now|shop now|sold out|in stock|out of stock|quantity|qty|sku\b.*"
    r"|free shipping.*"
    r"|in den warenkorb|ajouter au panier|añadir al carrito|size guide|write a review|load more|sort by.*"
    r"|filters?(?: by)?|show more"
    r"|clear all|quick view|\d+ (?:results|items|products).*|加入购物车|立即购买)$",
    re.M,
)
CALL = re.compile(
    r"^(?:request (?:a |an |free )?(?:quote|demo|info\w*|estimate)|apply(?: now| online)?|enroll(?: now)?"
    r"|get a (?:free )?quote|book (?:now|a .*)"
    r"|get started(?: .*)?|schedule .*|free estimate|view details|learn more|contact us.*|call (?:us|now).*|pricing"
    r"|testimonials|our services"
    r"|why choose .*|frequently asked questions|faqs?|find a .*|read more|view all.*|see all.*|explore .*)$",
    re.M,
)
STORY = re.compile(
    r"^(?:.*\bmin(?:ute)?s? read\b.*|(?:written |posted |published |reviewed )?by\b.*|(?:published|posted|updated"
    r"|last updated)\b.*|share(?: this.*| on.*)?"
    r"|(?:leave a )?(?:comments?|reply).*|related (?:articles|posts|stories).*|table of contents|key takeaways"
    r"|about the author.*"
    r"|(?:previous|next) (?:post|article|story).*|tags:?|filed under.*|sources?|references|conclusion|introduction"
    r"|in this article.*)$",
    re.M,
)
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")
SENTENCE = re.compile(r"[.!?…][\"”’)]?\s|[。！？]")
WE, YOU = re.compile(r"\b(?:we|our|us)\b"), re.compile(r"\b(?:you|your)\b")
YEAR = re.compile(r"\b(?:19|20)\d\d\b|\d年")


def features(page: Any, text: str, described: Described) -> dict[str, float]:
    """The evidence for and against an article, each between about -1 and 1."""
    kinds = {name for thing in page.json_ld[:200] for name in types(thing)}
    og_type = (page.meta.get("og:type") or "").lower()
    declared = described.sources.get("date_published") in ("json-ld", "meta", "microdata")
    found = {
        "declares article": any(name.endswith(("Article", "Posting", "Report")) for name in kinds),
        "declares listing": bool(kinds & LISTING_TYPES),
        "declares product": bool(kinds & PRODUCT_TYPES),
        "declares breadcrumb": "BreadcrumbList" in kinds,
        "og article": "article" in og_type or "post" in og_type,
        "og product": "product" in og_type or "shop" in og_type,
        "og website": og_type == "website",
        "date declared": declared,
        "date seen": not declared and "date_published" in described.values,
        "author": "authors" in described.values,
        "author and date": "authors" in described.values and "date_published" in described.values,
        **_text(text),
        **_blocks(page, text),
        **_address(page.url),
        **_headline(described.values.get("headline")),
    }
    return {name: float(value) for name, value in found.items() if value}


def _text(text: str) -> dict[str, float]:
    """The article's text: how long, in how long lines, and whether it talks or sells."""
    lines = [line for line in text.split("\n") if line]
    wide = 2.5 if HAN.search(text[:400]) else 1.0
    size = wide * len(text)
    start = text[:6000].lower()
    return {
        "text length": min(1.5, math.log10(1 + size) / 4),
        "text under 600": size < 600,
        "text under 1500": size < 1500,
        "long lines": min(sum(wide * len(line) > 120 for line in lines), 20) / 20,
        "no long line": not any(wide * len(line) > 120 for line in lines),
        "line length": min(1.0, (size / max(1, len(lines))) / 300),
        "prices": min(1.0, len(PRICE.findall(text[:20000])) / 10),
        "sentences": min(1.0, len(SENTENCE.findall(text[:20000])) / 40),
        "we": min(1.0, len(WE.findall(start)) * 60 / max(600, len(start))),
        "you": min(1.0, len(YOU.findall(start)) * 60 / max(600, len(start))),
    }


def _blocks(page: Any, text: str) -> dict[str, float]:
    """The page around the text: its links, its short blocks, and how much of it is prose."""
    blocks = page.blocks
    total = max(1, int(blocks.lengths.sum()) if len(blocks) else 0)
    short = [one for one in blocks.texts[:1500] if len(one) < 40]
    repeated = sum(count for count in Counter(short).values() if count >= 3)
    plain = (blocks.link_shares < 0.3) & (blocks.lengths > 100)
    prose = int(blocks.lengths[plain].sum()) if len(blocks) else 0
    headings = [tag for tag in blocks.tags if tag in ("h2", "h3", "h4")]
    linked = sum(
        tag in ("h2", "h3", "h4") and share > 0.8 for tag, share in zip(blocks.tags, blocks.link_shares, strict=True)
    )
    cues = "\n".join(short).lower()
    return {
        "share of page": min(1.0, len(text) / total),
        "share of links": float(blocks.linked.sum()) / total,
        "share of prose": prose / total,
        "share of prose taken": min(1.0, len(text) / max(200, prose)),
        "prose blocks": min(1.0, int(plain.sum()) / 30),
        "cart": min(1.0, len(CART.findall(cues)) / 4),
        "calls": min(1.0, len(CALL.findall(cues)) / 6),
        "story cues": min(1.0, len(STORY.findall(cues)) / 3),
        "prices in short blocks": min(1.0, sum(bool(PRICE.search(one)) for one in short) / 6),
        "dates in short blocks": min(1.0, max(0, sum(bool(YEAR.search(one)) for one in short) - 2) / 8),
        "repeated": min(1.0, repeated / max(20, len(short))),
        "linked headings": min(1.0, linked / 8),
        "linked heading share": linked / max(4, len(headings)),
        "headings": min(1.0, (len(headings) - linked) / 12),
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
        "date in path": bool(re.search(r"/(?:19|20)\d\d/?[-/_]?\d\d?/|(?:19|20)\d\d[-_]?\d\d[-_]?\d\d", path)),
        "number in path": bool(re.search(r"\d{5,}", path)),
        "slug": min(len(words), 8) / 8,
        "short slug": len(words) <= 2 and not re.search(r"\d{4,}", parts[-1]),
        "shallow": len(parts) <= 1,
    }


def _headline(headline: str | None) -> dict[str, float]:
    text = headline or ""
    words = len(HAN.findall(text)) * 3 or len(text.split())
    return {
        "headline words": min(words, 12) / 12,
        "headline short": 0 < words <= 3,
        "no headline": not text,
        "headline asks": bool(re.search(r"[?？]|^(?:how|what|why|when|which|best|top|the \d|\d)", text, re.I)),
    }
