"""The headline: a linear model chooses among the page's title candidates.

No source is right everywhere: `h1` is the site's name on some pages, `og:title` a teaser on others, the document's
title carries section and site. So every candidate is scored by its sources, its agreement with the other candidates and
with the URL, and its position on the page; the weights (headline.json) were fitted (softmax over a page's candidates)
and the candidate with the highest score wins. A source also counts by the type that the page declares (news pages put
into `og:title` what a blog leaves to its `h1`), and a heading by its element (one that is a link is the site's name).
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from math import inf
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from turbohtml import Element

from newsextract.metadata.evidence import PageEvidence, SourcedValue, comparison_key
from newsextract.metadata.linear_model import load_model
from newsextract.metadata.names import normalize_line
from newsextract.page.titles import SEPARATOR, Title, parts
from newsextract.text import HAN, KANA, character_class

#: Sources whose text may contain the site's name, so that its parts are candidates too.
SPLIT_SOURCES = {"og": "part:og", "twitter": "part:og", "json-ld-headline": "part:json-ld"}
#: Sources in which a separator precedes section or site; in the others it belongs to the headline.
SEPARATED_SOURCES = {"from:title", "from:title-part", "part:og"}
#: Added to the fitted weights, because the labelled pages have no anchor texts (which on a site's lists are headlines)
#: and few of them have the site's name as their only heading. Weights fitted with blogs, which have it often, are no
#: better on them by folds of sites (.995, .997) and worse on news (.918 to .898).
MANUAL_WEIGHTS = {
    "from:anchor": 2.0,
    "from:feed": 1.0,
    "from:sitemap": 1.0,
    "is site": -4.0,
    "links to a folder above": -1.0,
    "class of a site": -1.0,
    "names a folder": -2.0,
    "ends title": -0.3,
    "part:title": 0.4,
    "h2 right before the text": 0.5,
    "no kicker": 1.3,
    "no suffix": 0.7,
    "readers see": 0.3,
    "readers see of news": 4.0,
    "readers see of og:article": 1.0,
}
#: Features that are left out of the fit, with those derived from them.
UNFITTED = tuple(name for name in MANUAL_WEIGHTS if name not in ("from:anchor", "is site"))
#: Features of a heading's class or id -> words in it.
CLASS_FEATURES = {
    "class of titles": re.compile(r"title|headline"),
    "class of posts": re.compile(r"post|entry|article"),
    "class of a site": re.compile(r"(?:site|blog|web)[-_]?(?:title|name|logo|head)|logo|brand|masthead"),
}
#: Features of a heading that is the site's name, where the document's title begins or ends with it.
SITE_MARKS = frozenset({"links to a folder above", "class of a site"})
#: A heading that readers see above the text: its sources, its place, what it may not be. The page declares a title for
#: search or sharing beside it, of which it is no part, and which it does not merely put a kicker before.
SEEN_SOURCES = frozenset({"from:h1-only", "from:h1-first", "from:h1-later"})
SEEN_PLACES = frozenset({"before the text", "in article"})
UNSEEN = SITE_MARKS | {"is site", "one word", "two words", "few words"}
DECLARED_SOURCES = frozenset(
    {"from:json-ld-headline", "from:og", "part:og", "part:json-ld", "from:title-part", "from:h1-rest"}
)
INDEX_FILE = re.compile(r"(?:index|default|home)\.\w+$")
#: Ancestors of a heading that are features.
ANCESTOR_FEATURES = frozenset({"article", "main"})
#: Marks of Markdown around a headline, and tags that were escaped twice, which some systems print as they are.
MARKS = re.compile(r"^#{1,6}\s+|\*\*|__|</?(?:span|strong|em|b|i|u|br|font|small)\b[^<>]{0,200}>")
#: Separators at the ends of a document title without the site's name.
ENDS = " \t-–—|｜·•»«:：/~<>_"
#: Labels that some pages write before the headline.
LABEL = re.compile(r"^(?:title|headline|blog|blog post|article|news)\s*:\s*(?=\S)", re.I)
WORD = re.compile(r"\w+")
DIGITS = frozenset("0123456789")
HAN_OR_KANA = re.compile(f"[{character_class(HAN, KANA)}]")
MAX_CANDIDATES, MAX_CHILDREN = 60, 30


class Candidate(NamedTuple):
    """A candidate: its text, its sources as features, the other features that hold, and those that have a value."""

    text: str
    sources: list[str]
    signs: list[str]
    values: dict[str, float]


def headline(evidence: PageEvidence) -> SourcedValue[str] | None:
    """The candidate with the highest score, with its source of the highest weight; None where there is none."""
    weight = _weights().get
    best, highest = None, -inf
    for candidate in _candidates(evidence):
        score = sum([weight(name, 0.0) for name in candidate.signs])
        score += sum([weight(name, 0.0) * value for name, value in candidate.values.items()])
        if score > highest:
            best, highest = candidate, score
    if best is None:
        return None
    fitted = load_model("headline").weights
    source = max(best.sources, key=lambda name: fitted.get(name, 0.0))
    return SourcedValue(best.text, source.removeprefix("from:").removeprefix("part:"))


@cache
def _weights() -> dict[str, float]:
    """The fitted weights with MANUAL_WEIGHTS added."""
    fitted = load_model("headline").weights
    return {**fitted, **{name: fitted.get(name, 0.0) + weight for name, weight in MANUAL_WEIGHTS.items()}}


def headline_candidates(evidence: PageEvidence) -> Iterator[tuple[str, dict[str, float]]]:
    """Yields each distinct candidate with its features, for the fit."""
    for candidate in _candidates(evidence):
        yield candidate.text, {**dict.fromkeys(candidate.signs, 1.0), **candidate.values}


def _candidates(evidence: PageEvidence) -> Iterator[Candidate]:
    texts, sources, elements = _collect(evidence)
    marks = {key: list(_element_features(element, evidence)) for key, element in elements.items()}
    page = _PageContext(evidence, texts, sources, {key for key in marks if not SITE_MARKS.isdisjoint(marks[key])})
    page_types = tuple(_declared_types(evidence))
    for key, text in texts.items():
        (signs, values), names = page.features(key, text), sorted(sources[key])
        signs += marks.get(key, ())
        by_type = names if SEEN_SOURCES.isdisjoint(names) else [*names, *page.seen(key, {*names, *signs})]
        signs += [variant for name in by_type for variant in _variants(name, page_types)]
        yield Candidate(text, names, signs, values)


@lru_cache(maxsize=256)
def _variants(name: str, page_types: tuple[str, ...]) -> tuple[str, ...]:
    """A feature of a source, and the same on pages of each declared type."""
    return name, *(name + page_type for page_type in page_types)


def _element_features(element: Any, evidence: PageEvidence) -> Iterator[str]:
    """Features of a heading's element: its children, class words, ancestors and link."""
    if _links_up(element, evidence):
        yield "links to a folder above"
    node = element.node
    if children := [child for child in node if isinstance(child, Element)][:MAX_CHILDREN]:
        if any(child.tag == "a" for child in children):
            yield "holds a link"
        if any(child.children for child in children):
            yield "holds elements"
    for tag in ANCESTOR_FEATURES.intersection([above.tag for above in node.ancestors if isinstance(above, Element)]):
        yield f"in {tag}"
    if words := f"{element.get('class') or ''} {element.get('id') or ''}".strip().lower():
        yield "has a class"
        for name, pattern in CLASS_FEATURES.items():
            if pattern.search(words):
                yield name


def _links_up(element: Any, evidence: PageEvidence) -> bool:
    """Whether a heading is or holds a link to the home page or another folder above the page: it is the site's name."""
    links = [element.node.parent, *islice(element.node.iter_elements("a"), 1)]
    hrefs = (link.attr("href") for link in links if isinstance(link, Element) and link.tag == "a")
    href = next(filter(None, hrefs), None)
    if not href or href.startswith("#") or not (url := evidence.absolute_url(href)):
        return False
    try:
        page, target = (INDEX_FILE.sub("", urlsplit(each).path).rstrip("/") for each in (evidence.page.url or "", url))
    except ValueError:
        return False
    return len(target) < len(page) and f"{page}/".startswith(f"{target}/")


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
        text = _without_marks(normalize_line(title.text))
        key = comparison_key(text)
        if not _is_title(key):
            continue
        source = title.source
        if source == "h1":
            source = "h1-only" if len(headings) == 1 else "h1-first" if title is headings[0] else "h1-later"
        texts.setdefault(key, text)
        sources.setdefault(key, set()).add("from:" + source)
        if title.element is not None:
            elements.setdefault(key, title.element)
        pieces = {SPLIT_SOURCES[source]: parts(text)} if source in SPLIT_SOURCES else {}
        if source == "title":
            pieces["part:title"] = tuple(_without_site_name(text, evidence, headings))
        for part_source, of_source in pieces.items():
            for part in of_source:
                if _is_title(part_key := comparison_key(part)):
                    texts.setdefault(part_key, part)
                    sources.setdefault(part_key, set()).add(part_source)
    return texts, sources, elements


def _without_marks(text: str) -> str:
    """The text without marks and a label, which few texts have."""
    if "#" in text or "*" in text or "__" in text or "<" in text:
        text = MARKS.sub("", text).strip()
    return LABEL.sub("", text, count=1) if ":" in text else text


def _is_title(key: str) -> bool:
    """Whether letters and digits are enough for a headline: one character of Han or Kana is a word."""
    return len(key) > 1 or HAN_OR_KANA.match(key) is not None


def _without_site_name(title: str, evidence: PageEvidence, headings: list[Title]) -> Iterator[str]:
    """A document title without the site's name at its end or beginning, which no separator need divide.

    The name is declared, or that of the first heading: "» Bridge opens Time Flies" below the heading "Time Flies".
    """
    for name in (evidence.meta.get("og:site_name"), *(normalize_line(heading.text) for heading in headings[:1])):
        if name and len(name) > 3 and len(name) < len(title):
            if title.endswith(name) and not title[-len(name) - 1].isalnum():
                yield title[: -len(name)].strip(ENDS)
            elif title.startswith(name) and not title[len(name)].isalnum():
                yield title[len(name) :].strip(ENDS)


class _PageContext:
    """The context that candidates are compared with: other candidates, URL, site name, text blocks."""

    def __init__(
        self, evidence: PageEvidence, texts: dict[str, str], sources: dict[str, set[str]], marked_as_site: set[str]
    ) -> None:
        def of(names: frozenset[str]) -> list[str]:
            return [key for key, its_sources in sources.items() if not names.isdisjoint(its_sources)]

        self.h1, self.json_ld = of(SEEN_SOURCES)[:3], of(frozenset({"from:json-ld-headline"}))[:2]
        self.og, self.title = (next(iter(of(frozenset({f"from:{name}"}))), "") for name in ("og", "title"))
        self.sources = sources
        self.declared = [key for key, its_sources in sources.items() if its_sources & DECLARED_SOURCES]
        tokens = {key: WORD.findall(text.lower()) for key, text in texts.items()}
        self.counts = {key: len(words) for key, words in tokens.items()}
        self.words = {key: {word for word in words if len(word) > 2} for key, words in tokens.items()}
        self.compared = [
            (f"words of {name}", [self.words[key] for key in keys if key])
            for name, keys in (("h1", self.h1), ("og", [self.og]), ("title", [self.title]))
        ]
        at_ends = [
            key
            for key in sorted(marked_as_site)
            if key != self.title and (self.title.endswith(key) or self.title.startswith(key))
        ]
        self.site = comparison_key(evidence.meta.get("og:site_name")) or next(iter(at_ends), "")
        path = _path(evidence.page.url)
        self.host, self.slug = _full_host(evidence.page.url), _path_words(path)
        self.folders = {comparison_key(folder) for folder in INDEX_FILE.sub("", path).rstrip("/").split("/")[:-1]}
        self.positions = _positions(evidence, set(map(len, texts.values())))

    def seen(self, key: str, features: set[str]) -> Iterator[str]:
        """Features of a heading that depend on what the page declares for search or sharing.

        Whether it is above the text, worded as no declared title is; whether a declared title puts a kicker before it,
        or a site's name or more words behind it.
        """
        if not features & UNSEEN and features & SEEN_PLACES:
            others = [other for other in self.declared if other != key and 3 * len(other) > len(key)]
            if not any(other in key or key in other for other in others):
                yield "readers see"
        if not features & (UNSEEN - {"few words"}):
            longer = [other for other in self.declared if len(key) < len(other) < 3 * len(key)]
            if any(other.endswith(key) for other in longer):
                yield "no kicker"
            if any(other.startswith(key) for other in longer):
                yield "no suffix"

    def features(self, key: str, text: str) -> tuple[list[str], dict[str, float]]:
        """The features of a candidate by its text and place: those that hold, and those that have a value."""
        words, sources, site, og, title = self.words[key], self.sources[key], self.site, self.og, self.title
        length = len(key) / 2 if not text.isascii() and HAN_OR_KANA.search(text) else self.counts[key]
        signs = {
            "one word": length <= 1,
            "two words": length == 2,
            "few words": 3 <= length <= 4,
            "many words": length > 20,
            "holds a stroke": "|" in text or "｜" in text,
            "has digits": not DIGITS.isdisjoint(text),
            "holds separator": sources <= SEPARATED_SOURCES and SEPARATOR.search(text) is not None,
            "names a folder": length <= 2 and key in self.folders,
            "is site": key == site or (len(key) > 3 and key in self.host),
            "holds site": len(site) > 2 and site != key and site in key,
            "begins og": og.startswith(key) and og != key,
            "begins title": title.startswith(key),
            "ends title": title.endswith(key) and title != key,
            "in title": key in title,
            "in h1": any(key != h1 and key in h1 for h1 in self.h1),
            "holds h1": any(key != h1 and h1 in key for h1 in self.h1),
            "in json-ld": any(key != name and key in name for name in self.json_ld),
        }
        if (before := self.positions.get(key)) is not None:
            signs["before the text"] = before >= 0
            signs["right before the text"] = 0 <= before <= 12
            signs["h2 right before the text"] = 0 <= before <= 12 and "from:h2" in sources
            signs["in the text"] = before < 0
        values = {"length": min(length, 14) / 14}
        for name, others in self.compared:
            values[name] = max([_jaccard(words, other) for other in others], default=0.0)
        if self.slug:
            common = len(words & self.slug)
            values["address recall"] = common / len(self.slug)
            values["address precision"] = common / max(1, len(words))
        return [name for name, holds in signs.items() if holds], values


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


def _full_host(url: str | None) -> str:
    try:
        return comparison_key((urlsplit(url or "").hostname or "").removeprefix("www."))
    except ValueError:
        return ""


def _path(url: str | None) -> str:
    try:
        return unquote(urlsplit(url or "").path)
    except ValueError:
        return ""


def _path_words(path: str) -> set[str]:
    words = WORD.findall(path.lower().replace("_", " "))
    return {word for word in words if len(word) > 2 and not word.isdigit()}
