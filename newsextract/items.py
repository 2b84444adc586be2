"""What moves through the pipelines: a page as fetched, an article as extracted. Plain dataclasses."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any
from uuid import uuid4


@dataclass(slots=True)
class Link:
    """A link found on a page: where to, the text that readers click, and the URL's `identity.article_key`."""

    url: str
    anchor_text: str = ""
    key: str = ""


@dataclass(slots=True)
class FetchedPage:
    """One page as it came from the network or an archive.

    `encoding`: what the HTTP header declared, if anything; `template`: the kinds of elements it is built of, and
    `page_hash`: that of its visible text, once it is read; `drop`: XPaths of elements that count for nothing but their
    links; `parts`: the further pages of an article that is cut into pages; `peer`: another page of its template;
    `paired`: whether it is settled that it has a peer or goes without.
    """

    url: str
    body: bytes = field(repr=False)
    fetched_at: datetime
    encoding: str | None = None
    anchor_text: str | None = None
    discovered_from: str | None = None
    status: int = 200
    etag: str | None = None
    last_modified: str | None = None
    template: frozenset[int] = field(default=frozenset(), repr=False)
    page_hash: str | None = None
    drop: tuple[str, ...] = field(default=(), repr=False)
    parts: "tuple[FetchedPage, ...]" = field(default=(), repr=False)
    peer: "FetchedPage | None" = field(default=None, repr=False)
    paired: bool = False
    id: str = field(default_factory=lambda: uuid4().hex, repr=False, compare=False)


@dataclass(slots=True)
class Image:
    """An image of an article, by absolute URL."""

    url: str
    caption: str | None = None
    credit: str | None = None


@dataclass(slots=True)
class Article:
    """An article, in schema.org's words in snake case. What is not known is None or empty, never a guess.

    `url` is as fetched; dates carry a zone; `article_body` holds one paragraph a line. `sources` says for each field
    where it was found ("json-ld", "meta", ...); `is_accessible_for_free` is as the page declares, `is_truncated` as
    seen.
    """

    url: str
    canonical_url: str | None = None
    site: str = ""
    publisher: str | None = None
    headline: str | None = None
    subtitle: str | None = None
    description: str | None = None
    authors: list[str] = field(default_factory=list)
    date_published: datetime | None = None
    date_modified: datetime | None = None
    date_published_raw: str | None = None
    language: str | None = None
    section: str | None = None
    keywords: list[str] = field(default_factory=list)
    main_image: Image | None = None
    images: list[Image] = field(default_factory=list)
    article_body: str = field(default="", repr=False)
    article_body_html: str | None = field(default=None, repr=False)
    is_accessible_for_free: bool | None = None
    is_truncated: bool | None = None
    is_article: bool = True
    not_article_because: str | None = None
    extractor: str = ""
    confidence: float | None = None
    sources: dict[str, str] = field(default_factory=dict)
    peer_url: str | None = None
    discovered_from: str | None = None
    fetched_at: datetime | None = None
    first_seen_at: datetime | None = None
    content_hash: str = ""
    version: int = 1
    duplicate_of: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """All fields for JSON: datetimes in ISO 8601 with zone, images as objects."""
        return {name: _plain(getattr(self, name)) for name in Article.__slots__}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Article":
        """The inverse of `to_dict`; keys that are no field are ignored, so that older and newer rows can be read."""
        known = {f.name for f in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        for name in DATES & kept.keys():
            kept[name] = datetime.fromisoformat(kept[name]) if kept[name] else None
        if kept.get("main_image"):
            kept["main_image"] = Image(**kept["main_image"])
        kept["images"] = [Image(**image) for image in kept.get("images", ())]
        return cls(**kept)

    def to_zyte(self) -> dict[str, Any]:
        """The article under the names of zyte-common-items' Article; fields that are not known are left out."""
        values: dict[str, Any] = {zyte: _plain(getattr(self, name)) for name, zyte in ZYTE_NAMES.items()}
        values["authors"] = [{"name": name} for name in self.authors]
        values["mainImage"] = {"url": self.main_image.url} if self.main_image else None
        values["images"] = [{"url": image.url} for image in self.images]
        values["metadata"] = {"dateDownloaded": _plain(self.fetched_at), "probability": self.confidence}
        return {name: value for name, value in values.items() if value not in (None, [], "")}


DATES = {"date_published", "date_modified", "fetched_at", "first_seen_at"}
ZYTE_NAMES = {
    "url": "url",
    "canonical_url": "canonicalUrl",
    "headline": "headline",
    "date_published": "datePublished",
    "date_published_raw": "datePublishedRaw",
    "date_modified": "dateModified",
    "language": "inLanguage",
    "description": "description",
    "article_body": "articleBody",
    "article_body_html": "articleBodyHtml",
}


def _plain(value: Any) -> Any:
    """A field's value as JSON has it; never the field's own list or dictionary."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Image):
        return {name: getattr(value, name) for name in value.__slots__}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return dict(value) if isinstance(value, dict) else value
