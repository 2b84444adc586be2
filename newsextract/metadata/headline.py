"""The article's headline: which of the page's title candidates it is.

No source is right everywhere: `h1` is the site's name on some pages, `og:title` a teaser on others, the document's
title carries section and site. So every candidate is weighed by the sources it stands in, how it agrees with the
others, with the address, and with where it stands on the page; WEIGHTS were fitted (softmax over a page's candidates)
and the heaviest candidate wins.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from newsextract.metadata.evidence import Evidence, Found, letters
from newsextract.metadata.names import tidy
from newsextract.page.titles import SEPARATOR, parts

#: What speaks for a candidate (or against it). Names with a colon are sources, `part:` means a piece of that source.
WEIGHTS = {
    "holds separator": -1.0,  # by hand
    "words of h1": 1.2,
    "from:og": 1.15,
    "length": 0.89,
    "from:json-ld-headline": 0.84,
    "address recall": 0.84,
    "address precision": 0.77,
    "words of og": 0.76,
    "in h1": 0.66,
    "from:h1-only": 0.59,
    "has digits": 0.57,
    "before the text": 0.45,
    "from:h1-first": 0.44,
    "in the text": 0.42,
    "right before the text": 0.42,
    "begins og": 0.38,
    "part:og": 0.35,
    "from:json-ld-alternativeHeadline": 0.3,
    "from:title-part": 0.28,
    "words of title": 0.21,
    "begins title": 0.18,
    "from:meta": -0.13,
    "in json-ld": -0.15,
    "from:h1-later": -0.15,
    "few words": -0.17,
    "many words": -0.26,
    "holds h1": -0.3,
    "part:json-ld": -0.3,
    "is site": -3.0,  # by hand: the fitted pages have too few
    "two words": -0.53,
    "one word": -0.57,
    "from:title": -0.8,
    "from:h2": -0.86,
    "holds site": -0.95,
}
#: Sources whose text may carry the site's name, so that its pieces are candidates too.
PARTED = {"og": "part:og", "twitter": "part:og", "json-ld-headline": "part:json-ld"}
#: Sources whose separators part the headline from section and site; in the others they belong to it.
LOOSE = {"from:title", "from:title-part", "part:og"}
WORD = re.compile(r"\w+")
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
MAX_CANDIDATES = 60


def headline(evidence: Evidence) -> Found[str] | None:
    """The heaviest candidate, and the source that speaks for it most; None where the page has none."""
    best: tuple[float, str, str] | None = None
    for text, features in candidates(evidence):
        weight = sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
        if best is None or weight > best[0]:
            source = max(features, key=lambda name: WEIGHTS.get(name, 0.0) if ":" in name else -9.0)
            best = (weight, text, source.removeprefix("from:").removeprefix("part:"))
    return Found(best[1], best[2]) if best else None


def candidates(evidence: Evidence) -> Iterator[tuple[str, dict[str, float]]]:
    """Each distinct candidate with its features."""
    texts, sources = _gathered(evidence)
    page = _Surroundings(evidence, texts, sources)
    for key, text in texts.items():
        yield text, {**dict.fromkeys(sources[key], 1.0), **page.features(key, text)}


def _gathered(evidence: Evidence) -> tuple[dict[str, str], dict[str, set[str]]]:
    """The candidates' texts and sources by their letters: two that differ in punctuation are one."""
    texts: dict[str, str] = {}
    sources: dict[str, set[str]] = {}
    headings = [title for title in evidence.page.titles if title.source == "h1"]
    for title in evidence.page.titles[:MAX_CANDIDATES]:
        text = tidy(title.text)
        key = letters(text)
        if len(key) < 2:
            continue
        source = title.source
        if source == "h1":
            source = "h1-only" if len(headings) == 1 else "h1-first" if title is headings[0] else "h1-later"
        texts.setdefault(key, text)
        sources.setdefault(key, set()).add("from:" + source)
        for part in parts(text) if source in PARTED else ():
            if len(part_key := letters(part)) > 1:
                texts.setdefault(part_key, part)
                sources.setdefault(part_key, set()).add(PARTED[source])
    return texts, sources


class _Surroundings:
    """What a candidate is compared with: the other candidates, the address, the site's name, the text blocks."""

    def __init__(self, evidence: Evidence, texts: dict[str, str], sources: dict[str, set[str]]) -> None:
        def of(*names: str) -> list[str]:
            return [key for key, found in sources.items() if found & {"from:" + name for name in names}]

        self.h1, self.og = of("h1-only", "h1-first", "h1-later")[:3], of("og")[:1]
        self.json_ld, self.title = of("json-ld-headline")[:2], of("title")[:1]
        self.sources = sources
        self.words = {key: _words(texts[key]) for key in texts}
        self.site = letters(evidence.meta.get("og:site_name"))
        self.host, self.slug = evidence.host, _path_words(evidence.page.url)
        self.places = _places(evidence, set(map(len, texts.values())))

    def features(self, key: str, text: str) -> dict[str, float]:
        words = self.words[key]
        length = len(key) / 2 if HAN.search(text) else len(WORD.findall(text))
        found: dict[str, float] = {
            "length": min(length, 14) / 14,
            "one word": length <= 1,
            "two words": length == 2,
            "few words": 3 <= length <= 4,
            "many words": length > 20,
            "has digits": any(map(str.isdigit, text)),
            "holds separator": bool(SEPARATOR.search(text)) and not self.sources[key] - LOOSE,
            "is site": key == self.site or (len(key) > 3 and key in self.host),
            "holds site": len(self.site) > 2 and self.site != key and self.site in key,
            "begins og": any(og.startswith(key) and og != key for og in self.og),
            "begins title": any(title.startswith(key) for title in self.title),
            "in title": any(key in title for title in self.title),
            "in h1": any(key != h1 and key in h1 for h1 in self.h1),
            "holds h1": any(key != h1 and h1 in key for h1 in self.h1),
            "in json-ld": any(key != name and key in name for name in self.json_ld),
            "words of h1": max((_likeness(words, self.words[h1]) for h1 in self.h1), default=0.0),
            "words of og": max((_likeness(words, self.words[og]) for og in self.og), default=0.0),
            "words of title": max((_likeness(words, self.words[title]) for title in self.title), default=0.0),
        }
        if self.slug:
            common = len(words & self.slug)
            found["address recall"] = common / len(self.slug)
            found["address precision"] = common / max(1, len(words))
        before = self.places.get(key)
        if before is not None:
            found["before the text"] = before >= 0
            found["right before the text"] = 0 <= before <= 12
            found["in the text"] = before < 0
        return {name: float(value) for name, value in found.items() if value}


def _places(evidence: Evidence, lengths: set[int]) -> dict[str, int]:
    """How many blocks before the article's first block a text stands, for blocks as long as some candidate."""
    if not evidence.chosen:
        return {}
    first = evidence.chosen[0]
    near = range(max(0, first - 40), min(first + 3, len(evidence.texts)))
    return {letters(evidence.texts[i]): first - i for i in near if len(evidence.texts[i]) in lengths}


def _words(text: str) -> set[str]:
    return {word for word in WORD.findall(text.lower()) if len(word) > 2}


def _likeness(words: set[str], others: set[str]) -> float:
    return len(words & others) / max(1, len(words | others))


def _path_words(url: str | None) -> set[str]:
    try:
        path = unquote(urlsplit(url or "").path)
    except ValueError:
        return set()
    return {word for word in _words(path.replace("-", " ").replace("_", " ")) if not word.isdigit()}
