"""The article's headline: which of the page's title candidates it is."""

from newsextract.metadata.evidence import Evidence, Found, letters
from newsextract.metadata.names import tidy

#: How much a candidate's source speaks for it by itself, before others agree.
WEIGHTS = {
    "json-ld-headline": 3.0, "h1": 3.0, "og": 2.5, "twitter": 1.5, "title-part": 1.0, "meta": 1.0, "anchor": 1.0,
    "title": 1.2, "json-ld-name": 0.8, "json-ld-alternativeHeadline": 0.2, "h2": 0.2,
}


def headline(evidence: Evidence) -> Found[str] | None:
    """The candidate whose own source and whose agreement with the other sources weigh most."""
    totals: dict[str, dict[str, float]] = {}
    texts: dict[str, str] = {}
    for title in evidence.page.titles:
        text = tidy(title.text)
        key = letters(text)
        if len(key) < 2:
            continue
        support = totals.setdefault(key, {})
        support[title.source] = max(support.get(title.source, 0.0), WEIGHTS[title.source])
        texts.setdefault(key, text)
    if not totals:
        return None
    best = max(totals, key=lambda key: sum(totals[key].values()))
    source = max(totals[best], key=lambda name: totals[best][name])
    return Found(texts[best], source)
