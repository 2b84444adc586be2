"""The headline: a linear model chooses among the page's title candidates.

No source is right everywhere: `h1` is the site's name on some pages, `og:title` a teaser on others, the document's
title carries section and site. So every candidate is scored by its sources, its agreement with the other candidates and
with the URL, and its position on the page; the weights (headline.json) were fitted (softmax over a page's candidates)
and the candidate with the highest score wins. A source also counts by the type that the page declares (news pages put
into `og:title` what a blog leaves to its `h1`), and a heading by its element (one that is a link is the site's name).
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.metadata.evidence import PageEvidence, SourcedValue, comparison_key
from newsextract.metadata.linear_model import load_model
from newsextract.metadata.names import normalize_line
from newsextract.page.titles import SEPARATOR, parts
from newsextract.text import HAN, KANA, character_class

#: Sources whose text may contain the site's name, so that its parts are candidates too.
SPLIT_SOURCES = {"og": "part:og", "twitter": "part:og", "json-ld-headline": "part:json-ld"}
#: Sources in which a separator precedes section or site; in the others it belongs to the headline.
SEPARATED_SOURCES = {"from:title", "from:title-part", "part:og"}
#: Added to the fitted weights, because the labelled pages have no anchor texts (which on a site's lists are headlines)
#: and few of them have the site's name as their only heading.
MANUAL_WEIGHTS = {"from:anchor": 2.0, "is site": -2.3}
#: Features that name a source.
SOURCE_FEATURE = re.compile(r"(?:from|part):[^ ]+$")
#: Features of a heading's class or id -> words in it.
CLASS_FEATURES = {"class of titles": ("title", "headline"), "class of posts": ("post", "entry", "article")}
#: Ancestors of a heading that are features.
ANCESTOR_FEATURES = frozenset({"article", "main"})
#: Labels that some pages write before the headline.
LABEL = re.compile(r"^(?:title|headline|blog|blog post|article|news)\s*:\s*(?=\S)", re.I)
WORD = re.compile(r"\w+")
DIGITS = frozenset("0123456789")
HAN_OR_KANA = re.compile(f"[{character_class(HAN, KANA)}]")
MAX_CANDIDATES, MAX_CHILDREN = 60, 30


def headline(evidence: PageEvidence) -> SourcedValue[str] | None:
    """The candidate with the highest score, with its source of the highest weight; None where there is none."""
    model = load_model("headline")
    scored = [
        (model.score(features) + sum(w for name, w in MANUAL_WEIGHTS.items() if name in features), text, features)
        for text, features in headline_candidates(evidence)
    ]
    if not scored:
        return None
    _, text, features = max(scored, key=lambda row: row[0])
    sources = [name for name in features if SOURCE_FEATURE.match(name)]
    best = max(sources, key=lambda name: model.weights.get(name, 0.0))
    return SourcedValue(text, best.removeprefix("from:").removeprefix("part:"))


def headline_candidates(evidence: PageEvidence) -> Iterator[tuple[str, dict[str, float]]]:
    """Yields each distinct candidate with its features."""
    texts, sources, elements = _collect(evidence)
    page = _PageContext(evidence, texts, sources)
    page_types = _declared_types(evidence)
    for key, text in texts.items():
        names = sorted(sources[key])
        binary = [*names, *[name + page_type for page_type in page_types for name in names]]
        if (element := elements.get(key)) is not None:
            binary += _element_features(element)
        yield text, {**dict.fromkeys(binary, 1.0), **page.features(key, text)}


def _element_features(element: Any) -> Iterator[str]:
    """Features of a heading's element: its children, class words and ancestors."""
    children = [child for child in islice(element, MAX_CHILDREN) if isinstance(child.tag, str)]
    if children:
        if any(child.tag == "a" for child in children):
            yield "holds a link"
        if any(child.text or len(child) for child in children):
            yield "holds elements"
    for tag in ANCESTOR_FEATURES.intersection(parent.tag for parent in element.iterancestors()):
        yield f"in {tag}"
    if words := f"{element.get('class') or ''} {element.get('id') or ''}".strip().lower():
        yield "has a class"
        for name, parts_of_words in CLASS_FEATURES.items():
            if any(part in words for part in parts_of_words):
                yield name


def _declared_types(evidence: PageEvidence) -> list[str]:
    """The types that the page declares to be of, as suffixes of the features of its sources."""
    declared = evidence.structured.types
    suffixes = {
        " of news": any("NewsArticle" in kind for kind in declared),
        " of an article": any(kind.endswith(("Article", "Posting")) and "News" not in kind for kind in declared),
        " of og:article": (evidence.meta.get("og:type") or "").lower() == "article",
    }
    return [suffix for suffix, holds in suffixes.items() if holds]


def _collect(evidence: PageEvidence) -> tuple[dict[str, str], dict[str, set[str]], dict[str, Any]]:
    """Texts, sources and first elements of the candidates by `comparison_key`, so that punctuation does not count."""
    texts: dict[str, str] = {}
    sources: dict[str, set[str]] = {}
    elements: dict[str, Any] = {}
    headings = [title for title in evidence.page.titles if title.source == "h1"]
    for title in evidence.page.titles[:MAX_CANDIDATES]:
        text = LABEL.sub("", normalize_line(title.text), count=1)
        key = comparison_key(text)
        if len(key) < 2:
            continue
        source = title.source
        if source == "h1":
            source = "h1-only" if len(headings) == 1 else "h1-first" if title is headings[0] else "h1-later"
        texts.setdefault(key, text)
        sources.setdefault(key, set()).add("from:" + source)
        if title.element is not None:
            elements.setdefault(key, title.element)
        for part in parts(text) if source in SPLIT_SOURCES else ():
            if len(part_key := comparison_key(part)) > 1:
                texts.setdefault(part_key, part)
                sources.setdefault(part_key, set()).add(SPLIT_SOURCES[source])
    return texts, sources, elements


class _PageContext:
    """The context that candidates are compared with: other candidates, URL, site name, text blocks."""

    def __init__(self, evidence: PageEvidence, texts: dict[str, str], sources: dict[str, set[str]]) -> None:
        def of(*names: str) -> list[str]:
            return [key for key, its_sources in sources.items() if its_sources & {"from:" + name for name in names}]

        self.h1, self.json_ld = of("h1-only", "h1-first", "h1-later")[:3], of("json-ld-headline")[:2]
        self.og, self.title = next(iter(of("og")), ""), next(iter(of("title")), "")
        self.sources = sources
        tokens = {key: WORD.findall(text.lower()) for key, text in texts.items()}
        self.counts = {key: len(words) for key, words in tokens.items()}
        self.words = {key: {word for word in words if len(word) > 2} for key, words in tokens.items()}
        self.compared = [
            (f"words of {name}", [self.words[key] for key in keys if key])
            for name, keys in (("h1", self.h1), ("og", [self.og]), ("title", [self.title]))
        ]
        self.site = comparison_key(evidence.meta.get("og:site_name"))
        self.host, self.slug = evidence.host, _path_words(evidence.page.url)
        self.positions = _positions(evidence, set(map(len, texts.values())))

    def features(self, key: str, text: str) -> dict[str, float]:
        """The features of a candidate that are not 0."""
        words, site = self.words[key], self.site
        length = len(key) / 2 if not text.isascii() and HAN_OR_KANA.search(text) else self.counts[key]
        before = self.positions.get(key)
        features: dict[str, float] = {
            "length": min(length, 14) / 14,
            "one word": length <= 1,
            "two words": length == 2,
            "few words": 3 <= length <= 4,
            "many words": length > 20,
            "holds a stroke": "|" in text or "｜" in text,
            "has digits": not DIGITS.isdisjoint(text),
            "holds separator": not self.sources[key] - SEPARATED_SOURCES and SEPARATOR.search(text) is not None,
            "is site": key == site or (len(key) > 3 and key in self.host),
            "holds site": len(site) > 2 and site != key and site in key,
            "begins og": self.og.startswith(key) and self.og != key,
            "begins title": self.title.startswith(key),
            "in title": key in self.title,
            "in h1": any(key != h1 and key in h1 for h1 in self.h1),
            "holds h1": any(key != h1 and h1 in key for h1 in self.h1),
            "in json-ld": any(key != name and key in name for name in self.json_ld),
            "before the text": before is not None and before >= 0,
            "right before the text": before is not None and 0 <= before <= 12,
            "in the text": before is not None and before < 0,
        }
        for name, others in self.compared:
            features[name] = max([_jaccard(words, other) for other in others], default=0.0)
        if self.slug:
            common = len(words & self.slug)
            features["address recall"] = common / len(self.slug)
            features["address precision"] = common / max(1, len(words))
        return {name: float(value) for name, value in features.items() if value}


def _positions(evidence: PageEvidence, lengths: set[int]) -> dict[str, int]:
    """Number of blocks from a text to the article's first block, for texts as long as some candidate."""
    if not evidence.body_blocks:
        return {}
    first = evidence.body_blocks[0]
    near = range(max(0, first - 40), min(first + 3, len(evidence.texts)))
    return {comparison_key(evidence.texts[i]): first - i for i in near if len(evidence.texts[i]) in lengths}


def _jaccard(words: set[str], others: set[str]) -> float:
    common = len(words & others)
    return common / (len(words) + len(others) - common) if common else 0.0


def _path_words(url: str | None) -> set[str]:
    try:
        path = unquote(urlsplit(url or "").path)
    except ValueError:
        return set()
    words = WORD.findall(path.lower().replace("_", " "))
    return {word for word in words if len(word) > 2 and not word.isdigit()}
