"""What the page declares about the article beside its headline, dates and names: each field one table of sources."""

from collections.abc import Callable, Iterator
from typing import Any

from newsextract.metadata.evidence import Evidence, Found, Source, first, letters
from newsextract.metadata.names import tidy
from newsextract.urls import is_home, site_of

MAX_KEYWORDS = 50


def _json(*names: str, ranks: tuple[int, ...] = (1, 2, 3)) -> Source:
    return Source("json-ld", lambda evidence: evidence.structured.texts(*names, ranks=ranks))


def _metas(*names: str) -> Source:
    return Source("meta", lambda evidence: evidence.metas(*names))


def _link(rel: str) -> Source:
    return Source("link", lambda evidence: iter(evidence.meta.links.get(rel, [])))


def _breadcrumb(evidence: Evidence) -> Iterator[str]:
    """The last crumb but the page itself and the home page."""
    for thing in evidence.page.json_ld:
        if thing.get("@type") != "BreadcrumbList":
            continue
        crumbs = [text for item in evidence.structured.opened(thing.get("itemListElement")) if (text := _crumb(item))]
        inner = [text for text in crumbs[1:] if letters(text) != letters(evidence.headline)]
        yield from reversed(inner)


def _crumb(item: Any) -> str | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("item")
    name = item.get("name") or (inner.get("name") if isinstance(inner, dict) else None)
    return name if isinstance(name, str) else None


def _text(raw: Any, evidence: Evidence) -> Found[str] | None:
    text = tidy(str(raw))
    return Found(text, "", str(raw)) if text else None


def _short(raw: Any, evidence: Evidence) -> Found[str] | None:
    text = tidy(str(raw))
    return Found(text, "") if 1 < len(text) <= 60 and "://" not in text else None


def _canonical(raw: Any, evidence: Evidence) -> Found[str] | None:
    """An address on the page's own site that is not its home page (unless the page is)."""
    url = evidence.absolute(str(raw))
    if url is None:
        return None
    page = evidence.page.url
    if page and site_of(url) != site_of(page):
        return None
    return None if is_home(url) and not (page and is_home(page)) else Found(url, "")


def _free(raw: Any, evidence: Evidence) -> Found[bool] | None:
    word = str(raw).strip().lower().rsplit("/", 1)[-1]
    free = {
        "true": True,
        "false": False,
        "yes": True,
        "no": False,
        "free": True,
        "locked": False,
        "metered": False,
    }.get(word)
    return None if free is None else Found(free, "")


def _declared_free(evidence: Evidence) -> Iterator[Any]:
    for thing in evidence.structured.works:
        value = thing.get("isAccessibleForFree")
        yield from evidence.structured.opened([str(value)] if isinstance(value, bool) else value)


Accept = Callable[[Any, Evidence], Found[Any] | None]
TABLES: dict[str, tuple[Accept, tuple[Source, ...]]] = {
    "publisher": (
        _short,
        (_metas("og:site_name"), _json("publisher", ranks=(1, 2)), _metas("application-name", "dc.publisher")),
    ),
    "subtitle": (_text, (_json("alternativeHeadline", ranks=(1,)),)),
    "description": (
        _text,
        (_metas("og:description", "description"), _json("description"), _metas("twitter:description")),
    ),
    "section": (
        _short,
        (
            _json("articleSection", ranks=(1, 2)),
            _metas("article:section", "parsely-section", "section"),
            Source("breadcrumb", _breadcrumb),
        ),
    ),
    "canonical_url": (_canonical, (_link("canonical"), _metas("og:url"), _json("mainEntityOfPage", "url", ranks=(1,)))),
    "is_accessible_for_free": (_free, (Source("json-ld", _declared_free), _metas("article:content_tier"))),
}


def declared(evidence: Evidence) -> dict[str, Found[Any]]:
    """The fields of TABLES that the page declares."""
    found = {name: first(table, evidence, accept) for name, (accept, table) in TABLES.items()}
    return {name: one for name, one in found.items() if one is not None}


def keywords(evidence: Evidence) -> Found[list[str]] | None:
    """The first list of key words, split at commas, each once."""
    for source, raws in (
        ("json-ld", evidence.structured.texts("keywords", ranks=(1, 2))),
        ("meta", evidence.metas("article:tag")),
        ("meta", evidence.metas("news_keywords", "keywords", "parsely-tags", "sailthru.tags")),
    ):
        words = [tidy(word) for raw in raws for word in raw.replace("，", ",").replace(";", ",").split(",")]
        unique = list(dict.fromkeys(word for word in words if 1 < len(word) <= 80))[:MAX_KEYWORDS]
        if unique:
            return Found(unique, source)
    return None
