"""The items that pass through the pipelines: `FetchedPage` in, `Article` out. Plain dataclasses.

`ARTICLE_FIELDS` is the one table of an article's fields. The SQL columns, a commit's row, the fields that a
re-extraction compares, the Parquet schema, the export's fields, the columns of `newsextract browse` and the JSON Schema
(`article.schema`) are derived from it. A new field takes an entry in `Article`, a row of docs/SCHEMA.md, a new
SCHEMA_VERSION, and for `use(column=True)` a migration.
"""

import sys
from collections.abc import Iterator, KeysView, Mapping, MutableMapping
from copy import copy, deepcopy
from dataclasses import MISSING, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from os import urandom
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast, get_args, get_type_hints

from newsextract.pickling import pickled_at_once

if TYPE_CHECKING:
    import zyte_common_items as zyte

Kind = TypeVar("Kind", bound="Article")


@cache
def _shared_names(kind: type[Any], other: type[Any]) -> tuple[str, ...]:
    """The names of the fields that two dataclasses have in common."""
    names = {spec.name for spec in fields(other)}
    return tuple(spec.name for spec in fields(kind) if spec.name in names)


#: What can describe a page before it is fetched.
ListingSource = Literal["feed", "sitemap", "amp"]
#: No article of the web is older.
EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)


def is_plausible_date(when: datetime | None, seen_at: datetime | None = None) -> bool:
    """Whether an article that was fetched at `seen_at` (now, if None) can have this date: from 1990 to a day later.

    This is the one check of pages, lists, the store and arguments. A date without a time zone isn't a moment.
    """
    if when is None or when.tzinfo is None:
        return False
    try:
        return EARLIEST <= when <= (seen_at or datetime.now(UTC)) + timedelta(days=1)
    except (OverflowError, ValueError):  # a time zone leads out of the years 1 to 9999
        return False


@dataclass(slots=True)
class Link:
    """A link on a page: absolute URL, anchor text, and the URL's `urls.article_key`."""

    url: str
    anchor_text: str = ""
    key: str = ""


@pickled_at_once
@dataclass(slots=True, frozen=True)
class Listing:
    """What a ListingSource says about a page before it is fetched; unknown values and implausible dates are empty."""

    source: ListingSource
    title: str = ""
    date_published: datetime | None = None
    date_modified: datetime | None = None
    authors: tuple[str, ...] = ()
    summary: str = ""

    def __post_init__(self) -> None:
        for name in ("date_published", "date_modified"):
            if not is_plausible_date(getattr(self, name)):
                object.__setattr__(self, name, None)

    def is_better_than(self, other: "Listing | None") -> bool:
        """Whether it says more: first by having a publication date, then by being from a feed."""
        ranks = [(one.date_published is not None, one.source == "feed") for one in (self, other) if one is not None]
        return len(ranks) == 1 or ranks[0] > ranks[1]

    def merged(self, later: "Listing") -> "Listing":
        """The later one, or this one if it says more, with the last time of a change."""
        best = self if self.is_better_than(later) else later
        dates = [one.date_modified for one in (self, later) if one.date_modified is not None]
        return replace(best, date_modified=max(dates, default=None))

    def to_dict(self) -> dict[str, Any]:
        """The known values, as JSON values."""
        return {spec.name: _plain(value) for spec in fields(self) if (value := getattr(self, spec.name))}

    @classmethod
    def from_dict(cls, values: object) -> "Listing | None":
        """The inverse of `to_dict`; None for anything else."""
        if not isinstance(values, dict) or values.get("source") not in get_args(ListingSource):
            return None
        title, summary = (text if isinstance(text := values.get(name), str) else "" for name in ("title", "summary"))
        authors = values.get("authors")
        names = [name for name in authors if isinstance(name, str)] if isinstance(authors, list) else []
        try:
            published, modified = (
                datetime.fromisoformat(values[name]) if values.get(name) else None
                for name in ("date_published", "date_modified")
            )
        except (TypeError, ValueError):
            return None
        return cls(values["source"], title, published, modified, tuple(names), summary)


#: What selectors of a site may select, and the fields of `Article` that are read from there; their source.
SELECTED = {"headline": "headline", "authors": "authors", "date": "date_published", "body": "article_body"}
SELECTOR = "selector"


class DictAccess:
    """Reads and sets fields as a dictionary does, for the pipelines of other Scrapy projects.

    A name that is no field of the class is one of `extra`: of the item that the page came in, or set by a pipeline.
    """

    __slots__ = ()

    def own_names(self) -> dict[str, str]:
        """The attributes that are fields, by the names that other code knows them by."""
        return {spec.name: spec.name for spec in fields(cast(Any, self))}

    def __getitem__(self, name: str) -> Any:
        extra = cast(Any, self).extra
        return extra[name] if name in extra else getattr(self, self.own_names()[name])

    def __setitem__(self, name: str, value: Any) -> None:
        own, extra = self.own_names(), cast(Any, self).extra
        if name in own and name not in extra:
            object.__setattr__(self, own[name], value)
        else:
            object.__setattr__(self, "extra", {**extra, name: value})

    def __delitem__(self, name: str) -> None:
        """Removes a field; one that the class has itself stays, because the article is made from it."""
        extra = {**cast(Any, self).extra}
        if name not in self.own_names() or name in extra:
            del extra[name]
        object.__setattr__(self, "extra", extra)

    def __len__(self) -> int:
        return len(self.keys())

    def __bool__(self) -> bool:
        return True

    def __or__(self, values: Any) -> dict[str, Any]:
        return {**dict(self.items()), **values}

    def __ior__(self, values: Any) -> Self:
        self.update(values)
        return self

    def __iter__(self) -> Iterator[str]:
        return iter({**self.own_names(), **cast(Any, self).extra})

    def __contains__(self, name: object) -> bool:
        return name in self.own_names() or name in cast(Any, self).extra

    def keys(self) -> KeysView[str]:
        """The names of its fields."""
        return KeysView({**self.own_names(), **cast(Any, self).extra})

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The names of its fields, each with its metadata, as of a `scrapy.Item`."""
        return {name: {} for name in self}

    def copy(self) -> Self:
        """A shallow copy, whose fields can be set."""
        return copy(self)

    def deepcopy(self) -> Self:
        """A copy, whose own fields are those of the item and can't be changed by it."""
        return deepcopy(self)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Its fields with their values."""
        return ((name, self[name]) for name in self)

    def values(self) -> Iterator[Any]:
        """The values of its fields."""
        return (self[name] for name in self)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field; `default` if there is none."""
        try:
            return self[name]
        except KeyError:
            return default

    def setdefault(self, name: str, default: Any = None) -> Any:
        """The value of a field, which gets `default` if there is none."""
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, values: Any = (), **more: Any) -> None:
        """Sets several fields."""
        for name, value in dict(values, **more).items():
            self[name] = value

    def pop(self, name: str, *default: Any) -> Any:
        """Removes a field that the class doesn't have itself, and returns its value."""
        value = self[name] if not default or name in self else default[0]
        if name in cast(Any, self).extra:
            del self[name]
        return value


MutableMapping.register(DictAccess)  # for code that asks for the kind of an item


@pickled_at_once
@dataclass(frozen=True, slots=True)
class FetchedPage(DictAccess):
    """One page as it came from the network or an archive; `dataclasses.replace` makes one with other values.

    `encoding`: the charset of the HTTP header, if any. `template`: hashes of the kinds of its elements, and
    `page_hash`: hash of its visible text, both set once the page is parsed. `drop`: XPaths of elements whose text is
    ignored; their links are followed. `selectors`: XPaths by keys of SELECTED, tried in order. `parts`: the further
    pages of a multi-page article. `peer`: another page of the same template. `listing`: what a feed or sitemap says.
    `amp`: the URL of its AMP copy. `rendered`: whether a browser made `body`. `is_cut_off`: whether the answer ended
    early, each time that it was asked for. `extra`: further fields of the item that
    it came in, for its article.
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
    selectors: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    parts: "tuple[FetchedPage, ...]" = field(default=(), repr=False)
    peer: "FetchedPage | None" = field(default=None, repr=False)
    listing: Listing | None = None
    amp: str | None = None
    rendered: bool = False
    is_cut_off: bool = False
    extra: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    id: str = field(default_factory=lambda: urandom(8).hex(), repr=False, compare=False)

    def own_names(self) -> dict[str, str]:
        """Those of the item that it came in."""
        return {"url": "url", "html": "body", "body": "body", "fetched_at": "fetched_at"}

    def page_values(self) -> dict[str, Any]:
        """The values of its fields, without those that a subclass adds."""
        return {name: getattr(self, name) for name in _shared_names(FetchedPage, FetchedPage)}


@dataclass(slots=True)
class Image:
    """An image of an article, with its absolute URL."""

    url: str
    caption: str | None = None
    credit: str | None = None


#: Where a field's value comes from: `page`, read from the page, so that another value makes a new version;
#: `extraction`, about how it was extracted; `fetch`, decided at the fetch and kept by a re-extraction.
Origin = Literal["page", "extraction", "fetch"]


@dataclass(frozen=True, slots=True)
class ArticleField:
    """A field of `Article`, and how it is used beyond `to_dict()`.

    `meaning`: one sentence, with the unit if any, for docs/SCHEMA.md, JSON Schema, comments of SQL and Parquet columns.
    `column`: in the table `articles`, NOT NULL if the type isn't optional or `required` is set; `browse`: in the index
    of `newsextract browse`. `since`: the first schema version. `type`: without `| None`.
    """

    meaning: str
    origin: Origin = "page"
    column: bool = False
    required: bool = False
    browse: bool = False
    since: int = 1
    name: str = ""
    type: type = object
    optional: bool = False


def use(meaning: str, origin: Origin = "page", *, default: Any = None, repr: bool = True, **how: Any) -> Any:
    """A field of `Article` with a default, or `default=list` for a new list each time; `how`: see `ArticleField`."""
    metadata = {"use": ArticleField(meaning, origin, **how)}
    if isinstance(default, type):
        return field(default_factory=default, metadata=metadata, repr=repr)
    return field(default=default, metadata=metadata, repr=repr)


#: The version of the fields of `Article` (docs/SCHEMA.md); any change of a field, its type or its meaning raises it.
SCHEMA_VERSION = 3


class Extensible(DictAccess):
    """Has fields beside its own, in `extra`, which other code of a Scrapy project reads and sets by ItemAdapter."""

    __slots__ = ("_extra",)

    def __post_init__(self) -> None:
        if (itemadapter := sys.modules.get("itemadapter")) is not None:
            from newsextract.item_adapter import register  # needed only in a process with itemadapter

            register(itemadapter, DictAccess)

    @property
    def extra(self) -> dict[str, Any]:
        """The fields that aren't the class's own; don't change the dictionary, set another one."""
        return getattr(self, "_extra", {})

    @extra.setter
    def extra(self, values: dict[str, Any]) -> None:
        self._extra = values


@dataclass(slots=True)
class Article(Extensible):
    """An article, with schema.org's property names in snake case. An unknown value is None or empty, never a guess.

    `url` is the URL fetched; datetimes are aware; `article_body` holds one paragraph a line. `sources` names for each
    field where its value was read ("json-ld", "meta", ...). `is_accessible_for_free` is as the page declares,
    `is_truncated` as observed.
    """

    url: str = use("URL of the page as fetched.", "fetch", default=MISSING, column=True, browse=True)
    canonical_url: str | None = use(
        "Canonical URL that the page declares, if it is on the same site.", "fetch", column=True, browse=True
    )
    site: str = use(
        "Host without www., with the port if it is not the scheme's default.",
        "fetch",
        default="",
        column=True,
        browse=True,
    )
    publisher: str | None = use("Name of the site or its publisher.", browse=True)
    headline: str | None = use("Headline.", column=True, browse=True)
    subtitle: str | None = use(
        "Standfirst, the line or paragraph below the headline; may also be a paragraph of article_body.", browse=True
    )
    description: str | None = use("Summary that the page declares.", browse=True)
    authors: list[str] = use("Names of the authors, in the page's order.", default=list, browse=True)
    date_published: datetime | None = use(
        "Publication time; never filled from a modification time.", column=True, browse=True
    )
    date_modified: datetime | None = use("Time of the last modification that the page declares.")
    date_published_raw: str | None = use("The text that date_published was read from.")
    language: str | None = use("Language code (BCP 47).", column=True, browse=True)
    section: str | None = use("Section of the site.", browse=True)
    keywords: list[str] = use("Keywords and tags.", default=list, browse=True)
    main_image: Image | None = use("The article's main image.")
    images: list[Image] = use("Images of the article.", default=list)
    article_body: str = use("Text, one paragraph a line, in reading order.", default="", browse=True, repr=False)
    article_body_html: str | None = use("The same text as clean HTML.", repr=False)
    is_accessible_for_free: bool | None = use("Whether the page declares that it can be read without paying.")
    is_truncated: bool | None = use("Whether the text ends early; null if unknown.")
    is_article: bool = use(
        "Whether the page is an article; false only if it was retracted.", "extraction", default=True
    )
    not_article_because: str | None = use(
        "Why the page isn't an article, in one word; null for an article.", "extraction"
    )
    extractor: str = use("Name of the algorithm that chose the text.", "extraction", default="", browse=True)
    confidence: float | None = use(
        "Probability that this is an article and the text is right, from 0 to 1.", "extraction", browse=True
    )
    sources: dict[str, str] = use(
        "For each field that was read from the page, where its value was found.", "extraction", default=dict
    )
    peer_url: str | None = use("URL of the page of the same template that it was compared with.", "extraction")
    discovered_from: str | None = use("Where the URL was found: a page, a feed, a sitemap, an archive.", "fetch")
    fetched_at: datetime | None = use("Time at which this version was fetched.", "fetch", column=True, browse=True)
    first_seen_at: datetime | None = use(
        "Time at which the article was first stored; null outside a database.",
        "fetch",
        column=True,
        required=True,
        browse=True,
    )
    content_hash: str = use(
        "Hash of headline and text; equal for equal letters and digits.", "extraction", default="", column=True
    )
    version: int = use(
        "Number of this version of the article, from 1.", "extraction", default=1, column=True, browse=True
    )
    duplicate_of: str | None = use(
        "URL of the article that was stored first with nearly this text.", "fetch", browse=True
    )

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON values: datetimes in ISO 8601 with offset, images as objects."""
        return {spec.name: _plain(getattr(self, spec.name)) for spec in ARTICLE_FIELDS}

    def to_zyte(self, probability: float | None = None) -> "zyte.Article":
        """The article as zyte-common-items' Article; needs the extra `poet`."""
        import zyte_common_items as zyte

        return zyte.Article(
            url=self.url,
            canonicalUrl=self.canonical_url,
            headline=self.headline,
            datePublished=zyte_time(self.date_published),
            datePublishedRaw=self.date_published_raw,
            dateModified=zyte_time(self.date_modified),
            authors=[zyte.Author(name=name, nameRaw=name) for name in self.authors] or None,
            inLanguage=self.language.partition("-")[0].lower() if self.language else None,
            mainImage=zyte.Image(url=self.main_image.url) if self.main_image else None,
            images=[zyte.Image(url=image.url) for image in self.images] or None,
            description=self.description,
            articleBody=self.article_body or None,
            articleBodyHtml=self.article_body_html or None,
            metadata=zyte.ArticleMetadata(dateDownloaded=zyte_time(self.fetched_at), probability=probability),
        )

    @property
    def article_body_markdown(self) -> str | None:
        """The text as Markdown, from `article_body_html`; needs the extra `markdown`."""
        try:
            from markdownify import markdownify
        except ImportError as error:
            raise ImportError("Markdown needs markdownify: pip install 'newsextract[markdown]'") from error
        if self.article_body_html is None:
            return None
        return str(markdownify(self.article_body_html, heading_style="ATX", bullets="-")).strip()

    def as_kind(self, kind: type[Kind], **more: Any) -> Kind:
        """The article as an instance of another class of articles, with what both have and these fields."""
        names = _shared_names(cast(Any, kind), cast(Any, type(self)))  # mypy: their items are unhashable
        article = kind(**{name: getattr(self, name) for name in names} | more)
        if self.extra:
            article.extra = self.extra
        return article

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Article":
        """The inverse of `to_dict`. Ignores unknown keys, so that documents of other versions can be read."""
        known = {f.name for f in fields(cls)}
        kept = {name: value for name, value in values.items() if name in known}
        for name in kept.keys() & DATETIME_FIELDS:
            kept[name] = datetime.fromisoformat(kept[name]) if kept[name] else None
        if kept.get("main_image"):
            kept["main_image"] = Image(**kept["main_image"])
        kept["images"] = [Image(**image) for image in kept.get("images", ())]
        return cls(**kept)


def zyte_time(value: datetime | None) -> str | None:
    """In UTC, in the form of zyte-common-items: "2026-03-05T08:00:00Z"."""
    return None if value is None else value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(slots=True)
class StoredArticle(Article):
    """An article on its way from the database to the feeds of a crawl. `change`, `change_kind`: as in an export."""

    change: int | None = None
    change_kind: str = "new"


def article_fields(kind: type[Article]) -> tuple[ArticleField, ...]:
    """A row for each field of an article class, in its order."""
    rows = []
    for name, hint in get_type_hints(kind).items():
        options = get_args(hint)
        optional = type(None) in options
        use = kind.__dataclass_fields__[name].metadata["use"]
        rows.append(replace(use, name=name, type=options[0] if optional else hint, optional=optional))
    return tuple(rows)


ARTICLE_FIELDS = article_fields(Article)
DATETIME_FIELDS = frozenset(spec.name for spec in ARTICLE_FIELDS if spec.type is datetime)


def _plain(value: Any) -> Any:
    """A field's value as JSON; lists and dictionaries are copies."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Image):
        return {name: getattr(value, name) for name in value.__slots__}
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    return dict(value) if isinstance(value, dict) else value
