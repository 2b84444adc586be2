"""The headline: a linear model chooses among the page's title candidates.

No source is right everywhere: `h1` is the site's name on some pages, `og:title` a teaser on others, the document's
title includes section and site. So each candidate is scored by its sources, its agreement with the other candidates and
with the URL, and its position on the page. The weights (headline.json) were fitted by softmax over a page's candidates;
the highest score wins. A source also counts by the type that the page declares (news pages use `og:title` for what
blogs put into `h1`), and a heading by its element (a link is the site's name).
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from urllib.parse import unquote

from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.files import package_data
from newsextract.items import SELECTOR
from newsextract.language.names import normalize_line
from newsextract.limits import MAX_KEPT
from newsextract.metadata.evidence import NEAR_BLOCKS, PageEvidence, SourcedValue
from newsextract.metadata.linear_model import LinearModel, load_model
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.titles import SEPARATOR, Title, parts, title_candidates
from newsextract.text import ALPHANUMERICS, HAN_OR_KANA, comparison_key
from newsextract.urls import INDEX_FILE, host_and_path

#: Sources whose text may contain the site's name, so that its parts are candidates, too.
SPLIT_SOURCES = {"og": "part:og", "twitter": "part:og", "json-ld-headline": "part:json-ld"}
#: Sources in which a separator precedes section or site; in the others it belongs to the headline.
SEPARATED_SOURCES = {"from:title", "from:title-part", "part:og"}
#: Added to the fitted weights, because the labelled pages lack what they are for.
MANUAL_WEIGHTS: dict[str, float] = package_data("newsextract.metadata", "headline_manual.toml")
#: Features that are left out of the fit, with those derived from them.
UNFITTED = tuple(name for name in MANUAL_WEIGHTS if name not in ("from:anchor", "is site"))
#: Features of a heading's class or id -> words in it.
CLASS_FEATURES = BITS["headings"]
#: Features of a heading that is the site's name, where the document's title begins or ends with it.
SITE_MARKS = frozenset({"links to a folder above", "class of a site"})
#: A heading that readers see above the text: its sources, its place, what it may not be. The page declares another
#: title for search or sharing, which neither contains it nor merely adds a kicker.
SEEN_SOURCES = frozenset({"from:h1-only", "from:h1-first", "from:h1-later"})
SEEN_PLACES = frozenset({"before the text", "in article"})
UNSEEN = SITE_MARKS | {"is site", "one word", "two words", "few words"}
DECLARED_SOURCES = frozenset(
    {"from:json-ld-headline", "from:og", "part:og", "part:json-ld", "from:title-part", "from:h1-rest"}
)
#: Ancestors of a heading that are features.
ANCESTOR_FEATURES = ("article", "main")
#: Markdown around a headline, and tags escaped twice, which some systems print.
MARKS = re.compile(r"^#{1,6}\s+|\*\*|__|</?(?:span|strong|em|b|i|u|br|font|small)\b[^<>]{0,200}>")
#: A character of each mark.
IN_MARKS = frozenset("#*_<")
#: Separators at the ends of a document title without the site's name.
ENDS = " \t,-–—|｜·•»«:：/~<>_"
#: Labels that some pages write before the headline.
TITLE_LABEL = re.compile(r"(?:title|headline|blog|blog post|article|news)\s*:\s*(?=\S)", re.I)
DIGITS = "0123456789"

#: Minimum spaces of a block above the text that may be a part of the document's title.
MIN_SPACES = 2


def headline(evidence: PageEvidence) -> SourcedValue[str] | None:
    """What the site's selectors find, or the candidate with the highest score and its source of most weight."""
    for text in map(_without_marks, map(normalize_line, evidence.selected("headline"))):
        if _is_title(comparison_key(text)):
            return SourcedValue(text, SELECTOR)
    page, model = _Candidates(evidence), _model()
    best = max(page.texts, key=lambda key: model.score(page.features(key)), default=None)
    if best is None:
        return None
    fitted = load_model("headline").weights
    source = max(sorted(page.sources[best]), key=lambda name: fitted.get(name, 0.0))
    return SourcedValue(page.texts[best], source.removeprefix("from:").removeprefix("part:"))


@cache
def _model() -> LinearModel:
    """The fitted weights with MANUAL_WEIGHTS added."""
    fitted = load_model("headline").weights
    return LinearModel(
        {name: fitted.get(name, 0.0) + MANUAL_WEIGHTS.get(name, 0.0) for name in {**fitted, **MANUAL_WEIGHTS}}
    )


def headline_candidates(evidence: PageEvidence) -> Iterator[tuple[str, dict[str, float]]]:
    """Yields each distinct candidate with its features, for the fit."""
    page = _Candidates(evidence)
    for key, text in page.texts.items():
        yield text, page.features(key)


def _element_features(element: ElementView, evidence: PageEvidence) -> Iterator[str]:
    """Features of a heading's element: its children, class words, ancestors and link."""
    node = element.node
    if _links_up(node, evidence):
        yield "links to a folder above"
    if children := [child for child in node if isinstance(child, Element)]:
        if any(child.tag == "a" for child in children):
            yield "holds a link"
        if any(child.children for child in children):
            yield "holds elements"
    yield from (f"in {tag}" for tag in ANCESTOR_FEATURES if node.closest(tag) is not None)
    if (name := node.attr("class")) or node.attr("id"):
        yield "has a class"
        bits = mask_of(name) | mask_of(node.attr("id"))
        yield from (feature for feature, bit in CLASS_FEATURES.items() if bits & bit)


def _links_up(heading: Element, evidence: PageEvidence) -> bool:
    """Whether a heading is or contains a link to the home page or a folder above the page: the site's name."""
    links = (heading.parent, next(heading.iter_elements("a"), None))
    hrefs = [link.attr("href") for link in links if isinstance(link, Element) and link.tag == "a"]
    href = next(filter(None, hrefs), None)
    if not href or href.startswith("#") or not (url := evidence.absolute_url(href)):
        return False
    page, target = (INDEX_FILE.sub("/", host_and_path(each)[1]).rstrip("/") for each in (evidence.page.url, url))
    return len(target) < len(page) and f"{page}/".startswith(f"{target}/")


def _declared_types(evidence: PageEvidence) -> list[str]:
    """The types that the page declares, as suffixes of its sources' features."""
    declared = evidence.structured.types
    suffixes = {
        " of news": any("NewsArticle" in kind for kind in declared),
        " of an article": any(kind.endswith(("Article", "Posting")) and "News" not in kind for kind in declared),
        " of og:article": (evidence.meta.get("og:type") or "").lower() == "article",
    }
    return [suffix for suffix, holds in suffixes.items() if holds]


def _without_marks(text: str) -> str:
    """The text without marks and a label, which few texts have."""
    text = (text if IN_MARKS.isdisjoint(text) else MARKS.sub("", text)).strip()
    label = TITLE_LABEL.match(text)
    return text[label.end() :] if label else text


def _is_title(key: str) -> bool:
    """Whether letters and digits are enough for a headline: one character of Han or Kana is a word."""
    return len(key) > 1 or HAN_OR_KANA.match(key) is not None


def _without_end(title: str, part: str) -> str | None:
    """A title without a part with which it begins or ends, even if no separator is there; None if it does neither."""
    if title.endswith(part) and not title[: -len(part)][-1:].isalnum():
        return title[: -len(part)]
    return title[len(part) :] if title.startswith(part) and not title[len(part) :][:1].isalnum() else None


def _without_site_name(title: str, evidence: PageEvidence, headings: list[Title]) -> Iterator[str]:
    """A title without the site's name at an end: "» Bridge opens Time Flies"."""
    for name in (evidence.meta.get("og:site_name"), *(normalize_line(heading.text) for heading in headings[:1])):
        if name and 3 < len(name) < len(title) and (rest := _without_end(title, name)) is not None:
            yield rest.strip(ENDS)


def _printed_part(title: str, evidence: PageEvidence, headings: set[str]) -> Iterator[str]:
    """Blocks right above the text with which the title begins or ends; `headings`: candidates' keys."""
    first = evidence.body_blocks[0] if evidence.body_blocks else 0
    for text in evidence.texts[max(0, first - NEAR_BLOCKS) : first + 2]:
        is_long = text.count(" ") >= MIN_SPACES and len(text) < len(title)
        if is_long and comparison_key(text) not in headings and _without_end(title, text) is not None:
            yield text


class _Candidates:
    """A page's candidates by `comparison_key`, and what they are compared with; `elements`: of headings."""

    def __init__(self, evidence: PageEvidence) -> None:
        self.texts: dict[str, str] = {}
        self.sources: dict[str, set[str]] = {}
        self.elements: dict[str, ElementView] = {}
        self.page_types, self._evidence = _declared_types(evidence), evidence
        self._collect(evidence)
        self.h1, self.json_ld = self._of(*SEEN_SOURCES)[:3], self._of("from:json-ld-headline")[:2]
        self.og, self.title = (next(iter(self._of(f"from:{name}")), "") for name in ("og", "title"))
        words = {key: ALPHANUMERICS.findall(text.lower()) for key, text in self.texts.items()}
        self.lengths: dict[str, float] = {key: len(found) for key, found in words.items()}
        self.words = {key: {word for word in found if len(word) > 2} for key, found in words.items()}
        self.compared = [
            (f"words of {name}", [self.words[key] for key in keys if key])
            for name, keys in (("h1", self.h1), ("og", [self.og]), ("title", [self.title]))
        ]
        self.site = comparison_key(evidence.meta.get("og:site_name")) or self._site_of_headings()
        host, path = host_and_path(evidence.page.url)
        path = unquote(path)
        self.host, *folders = map(comparison_key, (host, *INDEX_FILE.sub("/", path).rstrip("/").split("/")))
        self.folders = set(folders[:-1])
        of_path = ALPHANUMERICS.findall(path.lower())
        self.slug = {word for word in of_path if len(word) > 2 and not word.isdigit()}
        self.positions = _positions(evidence, set(map(len, self.texts.values())))

    def _collect(self, evidence: PageEvidence) -> None:
        titles = title_candidates(evidence.page)
        headings = [title for title in titles if title.source == "h1"]
        for title in titles[:MAX_KEPT]:
            text, source = _without_marks(normalize_line(title.text)), title.source
            key = comparison_key(text)
            if key not in self.texts and not _is_title(key):
                continue
            if source == "h1":
                source = "h1-only" if len(headings) == 1 else "h1-first" if title is headings[0] else "h1-later"
            self._add(key, text, "from:" + source)
            if title.element is not None:
                self.elements.setdefault(key, title.element)
            if source in SPLIT_SOURCES:
                self._add_parts(parts(text), SPLIT_SOURCES[source])
            elif source == "title":
                self._add_parts(_without_site_name(text, evidence, headings), "part:title")
                printed = _printed_part(text, evidence, {comparison_key(heading.text) for heading in headings})
                self._add_parts(printed, "part:title")

    def _add(self, key: str, text: str, source: str) -> None:
        self.texts.setdefault(key, text)
        self.sources.setdefault(key, set()).add(source)

    def _add_parts(self, pieces: Iterable[str], source: str) -> None:
        for part in pieces:
            if _is_title(key := comparison_key(part)):
                self._add(key, part, source)

    def _of(self, *names: str) -> list[str]:
        return [key for key, sources in self.sources.items() if not sources.isdisjoint(names)]

    def _site_of_headings(self) -> str:
        """A heading that is the site's name: the document's title begins or ends with it."""
        for key in sorted(self.elements):
            is_at_end = key != self.title and (self.title.endswith(key) or self.title.startswith(key))
            if is_at_end and not SITE_MARKS.isdisjoint(_element_features(self.elements[key], self._evidence)):
                return key
        return ""

    def by_type(self, names: Iterable[str]) -> list[str]:
        """Features of sources, and their variants for pages of each declared type."""
        return [name + page_type for name in names for page_type in ("", *self.page_types)]

    def features(self, key: str) -> dict[str, float]:
        """A candidate's features that aren't 0."""
        sources = self.sources[key]
        signs, values = self._features_of_text(key)
        if key in self.elements:
            signs += _element_features(self.elements[key], self._evidence)
        if not SEEN_SOURCES.isdisjoint(sources):
            signs += self.by_type(self._seen(key, {*sources, *signs}))
        return dict.fromkeys([*signs, *self.by_type(sorted(sources))], 1.0) | values

    def _seen(self, key: str, features: set[str]) -> Iterator[str]:
        """Features of a heading by the declared titles: worded unlike them, or with a kicker or more words."""
        declared = [other for other in self._of(*DECLARED_SOURCES) if other != key]
        if not features & UNSEEN and features & SEEN_PLACES:
            others = [other for other in declared if 3 * len(other) > len(key)]
            if not any(key in other or (other in key and not key.startswith(other)) for other in others):
                yield "readers see"
        if not features & (UNSEEN - {"few words"}):
            longer = [other for other in declared if len(key) < len(other) < 3 * len(key)]
            if any(other.endswith(key) for other in longer):
                yield "no kicker"
            if any(other.startswith(key) for other in longer):
                yield "no suffix"

    def _features_of_text(self, key: str) -> tuple[list[str], dict[str, float]]:
        text, sources, site, og, title = self.texts[key], self.sources[key], self.site, self.og, self.title
        words, other_h1 = self.words[key], [h1 for h1 in self.h1 if h1 != key]
        length = self.lengths[key]
        if not text.isascii() and HAN_OR_KANA.search(text):
            length = len(key) / 2
        signs = {
            "one word": length <= 1,
            "two words": length == 2,
            "few words": 3 <= length <= 4,
            "many words": length > 20,
            "holds a stroke": "|" in text or "｜" in text,
            "has digits": any(map(text.__contains__, DIGITS)),
            "holds separator": sources <= SEPARATED_SOURCES and SEPARATOR.search(text) is not None,
            "names a folder": length <= 2 and key in self.folders,
            "is site": key == site or (len(key) > 3 and key in self.host),
            "holds site": len(site) > 2 and site != key and site in key,
            "begins og": og.startswith(key) and og != key,
            "begins title": title.startswith(key),
            "ends title": title.endswith(key) and title != key,
            "in title": key in title,
            "in h1": any(key in h1 for h1 in other_h1),
            "holds h1": any(h1 in key for h1 in other_h1),
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
