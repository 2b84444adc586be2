"""Page type: whether a page is an article, and if not, what it is.

First the interstitials (consent, login, paywall, error, bot check, "enable JavaScript"), by their title and short text,
and empty frames that scripts fill. Then a linear model over features of the page. Its weights (page_type.json) were
fitted by logistic regression on articles and on listing, static, product and service pages; no single feature decides,
because blogs declare nothing and shops everything. The pattern of an interstitial doesn't outrank a text that the
extractor is sure of.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, groupby
from operator import itemgetter
from urllib.parse import unquote

import numpy as np

from newsextract.language import words
from newsextract.limits import MOST
from newsextract.metadata.describe import Metadata
from newsextract.metadata.interstitials import MIN_ARTICLE, interstitial_reason, is_empty_frame
from newsextract.metadata.linear_model import LinearModel, load_model
from newsextract.metadata.markup import MARKUP, any_of
from newsextract.metadata.page_layout import page_layout_features
from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.data.article import find_data_article
from newsextract.page.data.candidates import SAME_TITLE
from newsextract.page.json_ld import ARTICLE_ENDINGS, declares_article
from newsextract.page.letters import is_garbage
from newsextract.text import EAST_ASIAN, MIN_TEXT, has_number, text_width
from newsextract.urls import host_and_path, is_home
from newsextract.urls.paths import LISTS, kinds_in

#: Below this confidence the extractor has found no text: two in a thousand articles (wcxb-dev, fundus, zhnews, l3s-gn1)
#: and one in six other pages are below it. Then a page is an article only if everything else makes it certain: none of
#: the other pages (wcxb-other, wpsites, blogsites, newssites) has this margin.
MIN_CONFIDENCE = 0.002
CERTAIN_MARGIN = 4.0
#: From this confidence on, the text outranks the patterns of these interstitials: an article may say that something was
#: not found. A paywall's teaser is a sure text, too, and a consent page is text.
OUTRANKED = frozenset({"error_page", "login", "bot_check", "needs_javascript"})
PRODUCT_TYPES = frozenset(MARKUP["types"]["product"])
#: What lists a segment of a path names; a year in the path.
SECTIONS = LISTS | {"page", "collection"}
YEAR_PATH = re.compile(r"/20\d\d(?:/|$)")
DATE_PATH = re.compile(r"/(?:19|20)\d\d/?[-/_]?\d\d?/|(?:19|20)\d\d[-_]?\d\d[-_]?\d\d")
ASKS = re.compile(r"[?？]|^(?:how|what|why|when|which|best|top|the \d|\d)", re.I)
MONEY = ("$", "€", "£", "¥", "₹", " eur", " usd", "元")
PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|eur|usd|£)|元")
#: Words in the document titles of shops, lists and portals.
TRADE = words.pattern("trade", bounded=True)
#: Feature -> class words of `body` and `html` by which publishing systems name the page type.
CLASSES = {
    "class of a story": any_of(MARKUP["page"]["story"], word=r"\s_-"),
    "class of a list": any_of(MARKUP["page"]["list"], word=r"\s_-"),
    "class of a shop": any_of(MARKUP["page"]["shop"]),
}
#: Pronouns of reports and stories, and of companies that write about themselves.
THIRD = tuple(" he , she , they , his , her , their , i , my , me ".split(","))
OURS = tuple(" we , our , us , ours ".split(","))
#: Features that mean something else on a page without date and author: companies rather than blogs.
UNDATED = (
    *("first person plural", "exclaims", "calls", "trade in title", "buttons", "forms", "share of prose"),
    *("short blocks taken", "confidence"),
)
#: Why a page is no article: the reason; the features that give it, any one of them, a share from one half on; and
#: those of which one must hold besides, if there are any. What a page sells outranks its URL, and words of a URL alone
#: sell nothing: newsrooms have categories, collections, services and careers.
REASONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("product", ("og product", "cart"), ()),
    ("section", ("section path", "path of a list", "path of a month", "body of a list"), ()),
    ("static", ("path of a static page",), ()),
    ("product", ("declares product",), ()),
    ("product", ("shop path",), ("class of a shop", "cart", "prices in short blocks")),
    ("listing", ("share of links", "class of a list", "many articles"), ()),
    ("static", ("body of a page",), ()),
)
#: Reasons that don't apply to a page without text: it is `short`.
BELOW_SHORT = frozenset({"listing"})
#: Characters of text and blocks that are examined.
MAX_CHARACTERS = 2_500
MAX_BLOCKS = 1_500
#: Cues of shops, of calls to action, of stories -> phrases that are a whole short block; `*`: any rest, `#`: a number.
CUES: Mapping[str, Sequence[str]] = {kind: words.listed(f"cue_{kind}") for kind in ("shop", "call", "story")}
#: First characters of a cue by which it is looked for; those of a reading time, behind a space.
CUE_START = 3
READING_START = 4
#: Slope and offset of the log odds of an article over `PageType.margin` (Platt's scaling), on pages of sites unseen in
#: training; `scripts/bench fit page_type` prints them.
CALIBRATION = (1.04, -1.20)
#: Reasons that the model gives, and the share of articles among pages recognised without it.
MODEL_REASONS = frozenset({"product", "section", "short", "listing", "no_article"})
RECOGNISED = 0.02


@dataclass(frozen=True)
class PageType:
    """A page's type: `reason`, None for an article; `margin`: log odds by the features alone (front page: 0)."""

    reason: str | None
    confidence: float
    margin: float = 0.0

    @property
    def is_article(self) -> bool:
        return self.reason is None


def article_probability(margin: float, reason: str | None) -> float:
    """The probability that a page with this margin and reason is an article, calibrated."""
    if reason is not None and reason not in MODEL_REASONS:
        return RECOGNISED
    slope, offset = CALIBRATION
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, slope * margin + offset))))


def classify_page(
    page: Page, text: str, metadata: Metadata, confidence: float | None = None, *, model: LinearModel | None = None
) -> PageType:
    """The type of a page; `confidence`: the extractor's, if it has one; `model`: other weights than ours."""
    is_sure = confidence is not None and confidence >= MOST
    reason = interstitial_reason(page, text, metadata)
    if reason in OUTRANKED and is_sure:
        reason = None
    if not reason and text_width(text) < MIN_ARTICLE and is_empty_frame(page):
        reason = "needs_javascript"
    if reason == "needs_javascript":
        bodies = (thing.get("articleBody") for thing in page.json_ld)
        reason = None if any(isinstance(body, str) and len(body) >= MIN_TEXT for body in bodies) else reason
    if not reason and is_garbage(text):
        reason = "garbage"
    if not reason and page.url and is_home(page.url):
        return PageType("front", 0.95)
    features = page_type_features(page, text, metadata, confidence)
    model = model or load_model("page_type")
    margin = model.score(features) - model.threshold
    if reason:
        return PageType(reason, 0.9, margin)
    probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, margin))))
    is_declared = features.get("declares article") and features.get("date declared")
    is_certain = margin >= CERTAIN_MARGIN or is_declared
    has_no_text = confidence is not None and confidence < MIN_CONFIDENCE and not is_certain
    if margin >= 0 and not has_no_text:
        is_og_article = features.get("og article") and features.get("date declared")
        is_long_enough = text_width(text) >= MIN_ARTICLE or features.get("declares article") or is_og_article
        return PageType(None, probability, margin) if is_long_enough else PageType("short", 0.7, margin)
    return PageType(_reason(features, text), 1 - (confidence or 0.0) if has_no_text else 1 - probability, margin)


def _reason(features: Mapping[str, float], text: str) -> str:
    """The reason of the first row of REASONS that holds, otherwise `short` or `no_article`."""
    is_short = text_width(text) < MIN_ARTICLE
    for reason, signs, others in REASONS:
        if is_short and reason in BELOW_SHORT:
            break
        has_others = not others or any(map(features.get, others))
        if has_others and any(features.get(sign, 0) >= MOST for sign in signs):
            return reason
    return "short" if is_short else "no_article"


def page_type_features(page: Page, text: str, metadata: Metadata, confidence: float | None = None) -> dict[str, float]:
    """The features of a page that aren't 0, each between about -1 and 1; `confidence`: the extractor's."""
    path = unquote(host_and_path(page.url)[1])
    features = {
        **_declaration_features(page, metadata),
        **_confidence_features(confidence),
        **_text_features(text),
        **_block_features(page),
        **_body_block_features(page.blocks, metadata.body_blocks),
        **_path_features(path),
        **_headline_features(metadata.values.get("headline"), page.meta.title),
        **page_layout_features(page, path, metadata),
    }
    if not any(features.get(name) for name in ("date declared", "date seen", "author")):
        features |= {"undated": 1.0, **{f"undated, {name}": features.get(name, 0.0) for name in UNDATED}}
    return {name: float(value) for name, value in features.items() if value}


def _declaration_features(page: Page, metadata: Metadata) -> dict[str, float]:
    """Features of the head, of JSON-LD and of the class names of `html` and `body`."""
    types = metadata.json_ld_types
    og_type = (page.meta.get("og:type") or "").lower()
    declared = metadata.sources.get("date_published") in ("json-ld", "meta", "microdata")
    names = (element.get(name) for element in (page.tree, page.body) for name in ("class", "id"))
    words = " ".join(("", *filter(None, names))).lower()
    return {
        "declares article": any(name.endswith(ARTICLE_ENDINGS) for name in types),
        "declares product": bool(types & PRODUCT_TYPES),
        "declares a person": "Person" in types,
        "declares nothing": not types,
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
        "date seen": not declared and "date_published" in metadata.values,
        "only changes declared": bool(page.meta.get("article:modified_time"))
        and not page.meta.get("article:published_time"),
        "author": "authors" in metadata.values,
        "author and date": "authors" in metadata.values and "date_published" in metadata.values,
        **{name: bool(pattern.search(words)) for name, pattern in CLASSES.items()},
    }


def _confidence_features(confidence: float | None) -> dict[str, float]:
    """The extractor's confidence as log odds."""
    if confidence is None:
        return {"no confidence": 1.0}
    odds = (confidence + 1e-3) / (1 - min(1.0, confidence) + 1e-3)
    return {"confidence": max(-1.0, min(1.0, math.log(odds) / 5)), "hardly any confidence": confidence < 0.02}


def _text_features(text: str) -> dict[str, float]:
    """The extracted text: its length, quotes and pronouns."""
    start = text[:MAX_CHARACTERS]
    lowered = f" {start.lower()} "
    words = max(80, lowered.count(" "))
    return {
        "text under 600": text_width(text) < 600,
        "quotes": min(1.0, (start.count("“") + start.count("«") + start.count('"')) / 12),
        "third person": min(1.0, sum(map(lowered.count, THIRD)) * 15 / words),
        "first person plural": min(1.0, sum(map(lowered.count, OURS)) * 15 / words),
        "exclaims": min(1.0, start.count("!") / 4),
    }


def _block_features(page: Page) -> dict[str, float]:
    """The whole page: share of links and prose, phrases of short blocks, buttons, forms, headings."""
    blocks = page.blocks
    lengths, shares = blocks.lengths, blocks.link_shares
    total = max(1, int(lengths.sum()))
    short = "\n".join(compress(blocks.texts, (lengths[:MAX_BLOCKS] < 40).tolist())).lower()
    cues = count_cues(short)
    prices = PRICE.findall(short) if any(map(short.__contains__, MONEY)) else ()
    buttons = [*map(itemgetter(0), page.listed)].count("button")
    numbers, tags = blocks.numbered_tags
    counts = Counter(dict(zip(tags, np.bincount(numbers).tolist(), strict=True)))
    return {
        "share of links": float(blocks.linked.sum()) / total,
        "share of prose": int(lengths[(shares < 0.3) & (lengths > 100)].sum()) / total,
        "cart": min(1.0, cues["shop"] / 4),
        "calls": min(1.0, cues["call"] / 6),
        "story cues": min(1.0, cues["story"] / 3),
        "prices in short blocks": min(1.0, len(prices) / 6),
        "buttons": min(1.0, math.log1p(buttons) / 5),
        "forms": min(1.0, counts["form"] / 4),
        "one article": counts["article"] == 1,
        "many articles": counts["article"] >= 5,
    }


def _body_block_features(blocks: Blocks, body_blocks: Sequence[int]) -> dict[str, float]:
    """The blocks of the text: whether they are contiguous, of one parent, and long."""
    if not len(body_blocks):
        return {}
    rows = np.asarray(body_blocks)
    parents = np.bincount(blocks.parents[blocks.elements[rows]] + 1)
    return {
        "short blocks taken": np.count_nonzero(blocks.lengths[rows] < 40) / len(rows),
        "one parent": int(parents.max()) / len(rows),
        "share of span": (body_blocks[-1] - body_blocks[0] + 1) / len(blocks),
    }


def _path_features(path: str) -> dict[str, float]:
    parts = [part for part in path.split("/") if part]
    if not parts:
        return {"no path": True}
    kinds = kinds_in(path)
    words = [word for word in re.split(r"[-_.\s]+", parts[-1]) if word not in ("html", "htm", "php", "shtml", "aspx")]
    return {
        "section path": not kinds.isdisjoint(SECTIONS),
        "shop path": "shop" in kinds,
        "story path": "story" in kinds or YEAR_PATH.search(path) is not None,
        "date in path": bool(DATE_PATH.search(path)),
        "slug": min(len(words), 8) / 8,
        "plural slug": len(words) <= 4 and words[-1:] != [] and words[-1].endswith("s"),
        "short slug": len(words) <= 2 and not has_number(parts[-1], 4),
        "length of path": min(1.0, len(path) / 100),
        "folder": path.endswith("/"),
        "file": path.endswith((".html", ".htm")),
    }


def _headline_features(headline: str | None, title: str) -> dict[str, float]:
    text = headline or ""
    written = text.split()
    words = len(EAST_ASIAN.findall(text)) * 3 or len(written)
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


def _cues() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The kinds of whole blocks, and those of beginnings by their first word, which isn't that of a longer one."""
    whole: dict[str, str] = {}
    beginnings: dict[str, dict[str, str]] = {}
    for kind, phrase in ((kind, phrase) for kind, phrases in CUES.items() for phrase in phrases):
        words = phrase.rstrip("*")
        if phrase.endswith("*"):
            beginnings.setdefault(words.split(" ")[0], {})[words if " " in words else f"{words} "] = kind
        if " " not in words or not phrase.endswith("*"):
            whole[words] = kind
    return whole, beginnings


WHOLE_CUES, CUE_BEGINNINGS = _cues()
#: The first characters of each.
CUE_STARTS = frozenset(words[:CUE_START] for words in chain(WHOLE_CUES, *CUE_BEGINNINGS.values()))
LEADING_NUMBER = re.compile(r"\d(?<!\d\d)\d*+(?= |$)")
#: Reading times, anywhere in a block, by their first letters, which few pages have.
READING_CUES = sorted(f" {cue}" for cue in words.listed("reading_time_cue"))
READING_TIME = {
    beginning: re.compile("|".join(map(re.escape, times)))
    for beginning, times in groupby(READING_CUES, itemgetter(slice(0, READING_START)))
}


def count_cues(blocks: str) -> Counter[str]:
    """The number of cues of each kind among short blocks, one a line in lower case."""
    times = (pattern.findall(blocks) for beginning, pattern in READING_TIME.items() if beginning in blocks)
    counts = Counter(story=sum(map(len, times)))
    for line in [
        LEADING_NUMBER.sub("#", line) if line[:1].isdigit() else line
        for line in blocks.split("\n")
        if line[:CUE_START] in CUE_STARTS or line[:1].isdigit()
    ]:
        if kind := WHOLE_CUES.get(line):
            counts[kind] += 1
        elif (beginnings := CUE_BEGINNINGS.get(line.partition(" ")[0])) and line.startswith(tuple(beginnings)):
            counts[next(kind for words, kind in beginnings.items() if line.startswith(words))] += 1
    return counts


# ---- pages whose text is from their data ----------------------------------------------------------------------------


#: Names of members that products have, and how many of them an object must have.
GOODS = ("price", "sku", "variant", "product")
MIN_GOODS = 2
#: Reasons of a page that shows too little, if its data have more behind a wall.
STUBS = frozenset({"needs_javascript", "short", "no_article"})
#: Confidence in the reasons given here.
DATA_CONFIDENCE = 0.7


def revise_page_type(page_type: PageType, page: Page, metadata: Metadata, *, is_withheld: bool) -> PageType:
    """Revises the `page`'s type by its text alone, for pages that are read from their data.

    That text lacks the links and blocks of lists and shops. So something must show that the page is an article: a
    declared type, a date, an author, a headline that matches the page's, or an article's URL. If its data are a list of
    other articles, the page is a list; if the text's object has prices and variants, it is a product. An empty frame
    that isn't an article remains a page that needs JavaScript, whatever its data, because only a browser finds its
    links. `is_withheld`: the data have more than the page shows; it isn't used, because the page says that it isn't
    free.
    """
    if is_withheld:
        is_stub = page_type.reason in STUBS
        return PageType("paywall_stub", page_type.confidence, page_type.margin) if is_stub else page_type
    data = page.view(find_data_article)
    if data is None or declares_article(metadata.json_ld_types, page.meta.get("og:type")):
        return page_type
    members = [name.lower() for thing in data.around[:1] for name in thing]
    is_goods = sum(any(map(name.__contains__, GOODS)) for name in members) >= MIN_GOODS
    if not data.is_list and not is_goods and _has_evidence(page, metadata):
        return page_type
    if is_empty_frame(page):
        return PageType("needs_javascript", DATA_CONFIDENCE, page_type.margin)
    if not page_type.is_article:
        return page_type
    reason = "listing" if data.is_list else "product" if is_goods else "no_article"
    return PageType(reason, DATA_CONFIDENCE, page_type.margin)


def _has_evidence(page: Page, metadata: Metadata) -> bool:
    """Whether anything but the text shows that the page is an article."""
    data = page.view(find_data_article)
    return (
        (data is not None and data.title_match >= SAME_TITLE)
        or not {"date_published", "authors"}.isdisjoint(metadata.values)
        or "story" in kinds_in(path := (page.url or "").partition("?")[0])
        or YEAR_PATH.search(path) is not None
    )
