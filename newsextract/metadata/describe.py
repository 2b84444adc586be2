"""All fields of one page, in the order in which they need each other."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from newsextract.metadata import authors, dates, fields, headline, images, language
from newsextract.metadata.evidence import Evidence, Found

log = logging.getLogger(__name__)


@dataclass
class Described:
    """The fields of an article that are known, under the names of `items.Article`, and the source of each.

    `chosen`: the numbers of the blocks of its text; `kinds`: the types of the page's JSON-LD.
    """

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    chosen: Sequence[int] = ()
    kinds: frozenset[str] = frozenset()

    def add(self, name: str, found: Found[Any] | None) -> None:
        if found is not None:
            self.values[name] = found.value
            self.sources[name] = found.source


def describe(page: Any, body_blocks: Sequence[int] | None = None, *, fetched_at: datetime | None = None) -> Described:
    """The metadata of a page. `body_blocks`: numbers of the blocks of the article's text, None: not known."""
    evidence = Evidence(page, tuple(body_blocks or ()), fetched_at)
    described = Described(chosen=evidence.chosen, kinds=evidence.structured.kinds)
    title = headline.headline(evidence)
    described.add("headline", title)
    evidence.headline = title.value if title else None
    text = " ".join(evidence.texts[i] for i in evidence.chosen[:12]) or " ".join(evidence.texts)[:4000]
    tongue = language.language(evidence, text)
    described.add("language", tongue)
    evidence.language = tongue.value if tongue else None
    for name, found in fields.declared(evidence).items():
        described.add(name, found)
    evidence.publisher = described.values.get("publisher")
    described.add("keywords", fields.keywords(evidence))
    described.add("authors", authors.authors(evidence))
    published = dates.published(evidence)
    described.add("date_published", published)
    if published:
        described.values["date_published_raw"] = published.raw
        described.sources["date_published_raw"] = published.source
    described.add("date_modified", dates.modified(evidence, published))
    described.add("main_image", images.main_image(evidence))
    pictures = images.images(evidence)
    if pictures:
        described.add("images", Found(pictures, "body"))
    _log(evidence)
    return described


def _log(evidence: Evidence) -> None:
    """One line a page on what it declares and nobody can use."""
    if evidence.meta.scripts and not evidence.page.json_ld:
        evidence.note("json-ld", "JSON-LD without an object", evidence.meta.scripts[0].text or "")
    if evidence.notes:
        log.info("%s: %s", evidence.page.url or "a page without URL", "; ".join(evidence.notes.values()))
