"""The article's headline: which of the page's title candidates it is.

No source is right everywhere: `h1` is the site's name on some pages, `og:title` a teaser on others, the document's
title carries section and site. So every candidate is weighed by the sources it stands in, how it agrees with the
others, with the address, and with where it stands on the page; the weights (headline.json) were fitted (softmax over a
page's candidates) and the heaviest candidate wins. Sources count by what the page declares to be, too: news pages put
into `og:title` what a blog leaves to its `h1`; and headings by their own element: the one that is a link is the site's.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.metadata.evidence import Evidence, Found, letters
from newsextract.metadata.fitted import fitted
from newsextract.metadata.names import tidy
from newsextract.page.titles import SEPARATOR, parts

#: Sources whose text may carry the site's name, so that its pieces are candidates too.
PARTED = {"og": "part:og", "twitter": "part:og", "json-ld-headline": "part:json-ld"}
#: Sources whose separators part the headline from section and site; in the others they belong to it.
LOOSE = {"from:title", "from:title-part", "part:og"}
#: What the labelled pages cannot teach, on top of the fitted weights: they come without the text of the links to them,
#: which on a site's lists is the headline, and few of them have the site's name as their only heading.
BY_HAND = {"from:anchor": 2.0, "is site": -2.3}
#: The name of a source among the features.
SOURCE = re.compile(r"(?:from|part):[^ ]+$")
#: What a heading's class or id says, by words that it holds.
CLASSED = {"class of titles": ("title", "headline"), "class of posts": ("post", "entry", "article")}
#: Parts of the page that a heading stands in.
WITHIN = frozenset({"article", "main"})
#: What some pages write before the headline.
KIND = re.compile(r"^(?:title|headline|blog|blog post|article|news)\s*:\s*(?=\S)", re.I)
WORD = re.compile(r"\w+")
DIGITS = frozenset("0123456789")
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
MAX_CANDIDATES, MAX_CHILDREN = 60, 30


def headline(evidence: Evidence) -> Found[str] | None:
    """The heaviest candidate, and the source that speaks for it most; None where the page has none."""
    model = fitted("headline")
    weighed = [
        (model.weigh(features) + sum(BY_HAND[name] for name in BY_HAND if name in features), text, features)
        for text, features in candidates(evidence)
    ]
    if not weighed:
        return None
    _, text, features = max(weighed, key=lambda one: one[0])
    sources = [name for name in features if SOURCE.match(name)]
    best = max(sources, key=lambda name: model.weights.get(name, 0.0))
    return Found(text, best.removeprefix("from:").removeprefix("part:"))


def candidates(evidence: Evidence) -> Iterator[tuple[str, dict[str, float]]]:
    """Each distinct candidate with its features."""
    texts, sources, elements = _gathered(evidence)
    page = _Surroundings(evidence, texts, sources)
    kinds = _kinds(evidence)
    for key, text in texts.items():
        found = sorted(sources[key])
        signs = [*found, *[one + kind for kind in kinds for one in found]]
        if (element := elements.get(key)) is not None:
            signs += _signs_of(element)
        yield text, {**dict.fromkeys(signs, 1.0), **page.features(key, text)}


def _signs_of(element: Any) -> Iterator[str]:
    """What a heading's element says of it: links, parts and classes; where in the page it stands."""
    children = [child for child in islice(element, MAX_CHILDREN) if isinstance(child.tag, str)]
    if children:
        if any(child.tag == "a" for child in children):
            yield "holds a link"
        if any(child.text or len(child) for child in children):
            yield "holds elements"
    for tag in WITHIN.intersection(parent.tag for parent in element.iterancestors()):
        yield f"in {tag}"
    if words := f"{element.get('class') or ''} {element.get('id') or ''}".strip().lower():
        yield "has a class"
        for name, parts_of_words in CLASSED.items():
            if any(part in words for part in parts_of_words):
                yield name


def _kinds(evidence: Evidence) -> list[str]:
    """What the page declares to be, as endings of its sources' names."""
    declared = evidence.structured.kinds
    kinds = {
        " of news": any("NewsArticle" in kind for kind in declared),
        " of an article": any(kind.endswith(("Article", "Posting")) and "News" not in kind for kind in declared),
        " of og:article": (evidence.meta.get("og:type") or "").lower() == "article",
    }
    return [kind for kind, holds in kinds.items() if holds]


def _gathered(evidence: Evidence) -> tuple[dict[str, str], dict[str, set[str]], dict[str, Any]]:
    """The candidates' texts, sources and first elements by their letters: two that differ in punctuation are one."""
    texts: dict[str, str] = {}
    sources: dict[str, set[str]] = {}
    elements: dict[str, Any] = {}
    headings = [title for title in evidence.page.titles if title.source == "h1"]
    for title in evidence.page.titles[:MAX_CANDIDATES]:
        text = KIND.sub("", tidy(title.text), count=1)
        key = letters(text)
        if len(key) < 2:
            continue
        source = title.source
        if source == "h1":
            source = "h1-only" if len(headings) == 1 else "h1-first" if title is headings[0] else "h1-later"
        texts.setdefault(key, text)
        sources.setdefault(key, set()).add("from:" + source)
        if title.element is not None:
            elements.setdefault(key, title.element)
        for part in parts(text) if source in PARTED else ():
            if len(part_key := letters(part)) > 1:
                texts.setdefault(part_key, part)
                sources.setdefault(part_key, set()).add(PARTED[source])
    return texts, sources, elements


class _Surroundings:
    """What a candidate is compared with: the other candidates, the address, the site's name, the text blocks."""

    def __init__(self, evidence: Evidence, texts: dict[str, str], sources: dict[str, set[str]]) -> None:
        def of(*names: str) -> list[str]:
            return [key for key, found in sources.items() if found & {"from:" + name for name in names}]

        self.h1, self.json_ld = of("h1-only", "h1-first", "h1-later")[:3], of("json-ld-headline")[:2]
        self.og, self.title = next(iter(of("og")), ""), next(iter(of("title")), "")
        self.sources = sources
        found = {key: WORD.findall(text.lower()) for key, text in texts.items()}
        self.counts = {key: len(words) for key, words in found.items()}
        self.words = {key: {word for word in words if len(word) > 2} for key, words in found.items()}
        self.compared = [
            (f"words of {name}", [self.words[key] for key in keys if key])
            for name, keys in (("h1", self.h1), ("og", [self.og]), ("title", [self.title]))
        ]
        self.site = letters(evidence.meta.get("og:site_name"))
        self.host, self.slug = evidence.host, _path_words(evidence.page.url)
        self.places = _places(evidence, set(map(len, texts.values())))

    def features(self, key: str, text: str) -> dict[str, float]:
        """The signs of a candidate by what surrounds it, those that hold."""
        words, site = self.words[key], self.site
        length = len(key) / 2 if not text.isascii() and HAN.search(text) else self.counts[key]
        before = self.places.get(key)
        found: dict[str, float] = {
            "length": min(length, 14) / 14,
            "one word": length <= 1,
            "two words": length == 2,
            "few words": 3 <= length <= 4,
            "many words": length > 20,
            "holds a stroke": "|" in text or "｜" in text,
            "has digits": not DIGITS.isdisjoint(text),
            "holds separator": not self.sources[key] - LOOSE and SEPARATOR.search(text) is not None,
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
            found[name] = max([_likeness(words, other) for other in others], default=0.0)
        if self.slug:
            common = len(words & self.slug)
            found["address recall"] = common / len(self.slug)
            found["address precision"] = common / max(1, len(words))
        return {name: float(value) for name, value in found.items() if value}


def _places(evidence: Evidence, lengths: set[int]) -> dict[str, int]:
    """How many blocks before the article's first block a text stands, for blocks as long as some candidate."""
    if not evidence.chosen:
        return {}
    first = evidence.chosen[0]
    near = range(max(0, first - 40), min(first + 3, len(evidence.texts)))
    return {letters(evidence.texts[i]): first - i for i in near if len(evidence.texts[i]) in lengths}


def _likeness(words: set[str], others: set[str]) -> float:
    common = len(words & others)
    return common / (len(words) + len(others) - common) if common else 0.0


def _path_words(url: str | None) -> set[str]:
    try:
        path = unquote(urlsplit(url or "").path)
    except ValueError:
        return set()
    words = WORD.findall(path.lower().replace("_", " "))
    return {word for word in words if len(word) > 2 and not word.isdigit()}
