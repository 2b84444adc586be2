"""The metadata of a page: all fields, chosen in the order in which they need each other."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from newsextract.metadata.authors import authors
from newsextract.metadata.dates import dates
from newsextract.metadata.evidence import PageEvidence, SourcedValue
from newsextract.metadata.fields import declared_fields, keywords
from newsextract.metadata.headline import headline
from newsextract.metadata.images import body_images, main_image
from newsextract.metadata.language import language
from newsextract.metadata.subtitle import subtitle
from newsextract.page import Page
from newsextract.text import is_placeholder

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Metadata:
    """The known fields of a page, by their names in `items.Article`, and their sources ("json-ld", "byline" ...).

    `body_blocks`: of its text. An unknown field has no key.
    """

    values: Mapping[str, Any]
    sources: Mapping[str, str]
    body_blocks: Sequence[int] = ()
    json_ld_types: frozenset[str] = frozenset()


def describe(page: Page, body_blocks: Sequence[int] | None = None, *, fetched_at: datetime | None = None) -> Metadata:
    """The metadata of a page; `body_blocks`: its text, if known; `fetched_at`: what "yesterday" refers to."""
    evidence, fields = read_evidence(page, body_blocks, fetched_at)
    fields["keywords"] = keywords(evidence)
    fields["authors"] = names = authors(evidence)
    fields["subtitle"] = subtitle(evidence, names.value if names else [])
    published, fields["date_modified"] = dates(evidence)
    if published:
        fields["date_published"] = published
        fields["date_published_raw"] = SourcedValue(published.raw, published.source)
    fields["main_image"] = main_image(evidence)
    fields["images"] = body_images(evidence)
    if evidence.meta.scripts and not page.json_ld:
        evidence.note("json-ld", "JSON-LD without an object", evidence.meta.scripts[0])
    if evidence.notes:
        log.info("%s: %s", page.url or "a page without URL", "; ".join(evidence.notes.values()))
    known = {name: field for name, field in fields.items() if field is not None and _is_filled(field.value)}
    return Metadata(
        {name: field.value for name, field in known.items()},
        {name: field.source for name, field in known.items()},
        evidence.body_blocks,
        evidence.structured.types,
    )


def read_evidence(
    page: Page, body_blocks: Sequence[int] | None = None, fetched_at: datetime | None = None
) -> tuple[PageEvidence, dict[str, SourcedValue[Any] | None]]:
    """The evidence of a page with what dates and authors need, and the fields known by then."""
    evidence = PageEvidence(page, tuple(body_blocks or ()), fetched_at)
    fields: dict[str, SourcedValue[Any] | None] = {"headline": headline(evidence)}
    evidence.headline = _value(fields["headline"])
    text = " ".join(evidence.texts[i] for i in evidence.body_blocks[:12]) or " ".join(evidence.texts)[:4000]
    fields["language"] = language(evidence, text)
    evidence.language = _value(fields["language"])
    fields |= declared_fields(evidence)
    evidence.publisher = _value(fields.get("publisher"))
    return evidence, fields


def _is_filled(value: Any) -> bool:
    """Whether a value isn't what a template left unfilled."""
    return not (isinstance(value, str) and is_placeholder(value))


def _value(field: SourcedValue[str] | None) -> str | None:
    return None if field is None else field.value
