"""The article's fields as the report's head lists them: name, value, where it was found."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from newsextract.items import Article, Image
from newsextract.report.shown import shown

NAMES = tuple(
    """
    url canonical_url site publisher headline subtitle description authors date_published date_published_raw
    date_modified language section keywords main_image is_accessible_for_free is_truncated is_article
    not_article_because confidence extractor peer_url content_hash
    """.split()
)


@dataclass(frozen=True)
class Field:
    """A field that is known. `source`: where it was found, None for what was made here."""

    name: str
    value: str
    source: str | None


def fields(article: Article) -> list[Field]:
    """The fields that have a value, in the order of NAMES."""
    values = ((name, getattr(article, name)) for name in NAMES)
    return [
        Field(name, shown(_text(value)), article.sources.get(name))
        for name, value in values
        if value not in (None, "", [])
    ]


def web_address(url: str | None) -> str | None:
    """The URL if a click on it can only open a web page, else None: pages may name `javascript:` anything."""
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
