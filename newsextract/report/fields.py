"""The article's fields in the head of the report: name, value, source."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from newsextract.items import Article, Image
from newsextract.report.visible_text import visible_text

NAMES = tuple(
    """
    url canonical_url site publisher headline subtitle description authors date_published date_published_raw
    date_modified language section keywords main_image is_accessible_for_free is_truncated is_article
    not_article_because confidence extractor peer_url content_hash
    """.split()
)


@dataclass(frozen=True)
class Field:
    """A field with a value. `source`: where in the page it was found, None if it was computed."""

    name: str
    value: str
    source: str | None


def article_fields(article: Article) -> list[Field]:
    """The fields that have a value, in the order of NAMES."""
    values = ((name, getattr(article, name)) for name in NAMES)
    return [
        Field(name, visible_text(_text(value)), article.sources.get(name))
        for name, value in values
        if value not in (None, "", [])
    ]


def web_address(url: str | None) -> str | None:
    """The URL if it is http or https, else None: a page may declare `javascript:` URLs, which a click would run."""
    try:
        return url if url and urlsplit(url).scheme in ("http", "https") else None
    except ValueError:
        return None


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " · ".join(map(_text, value))
    if isinstance(value, Image):
        return value.url
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)
