"""Fields that are only declared (publisher, section, canonical URL, ...): a table of sources for each, best first."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from newsextract.language import words
from newsextract.language.names import normalize_line
from newsextract.limits import MAX_KEPT
from newsextract.metadata.evidence import PageEvidence, Source, SourcedValue, first_accepted
from newsextract.page.access import read_access
from newsextract.text import comparison_key
from newsextract.urls import is_home, site_of

BETWEEN_KEYWORDS = str.maketrans(dict.fromkeys(";，；、،؛", ","))
#: Values of a section that mean "none".
NO_SECTION = words.pattern("no_section")
#: Editorial flags for a story's place on the front page, which aren't sections.
FLAG = re.compile(f"{NO_SECTION.pattern}|{words.alternatives('section_flag')}", re.I)


def _json_ld(*names: str, ranks: tuple[int, ...] = (1, 2, 3)) -> Source:
    return Source("json-ld", lambda evidence: evidence.structured.texts(*names, ranks=ranks))


def _metas(*names: str) -> Source:
    return Source("meta", lambda evidence: evidence.metas(*names))


def _breadcrumb(evidence: PageEvidence) -> Iterator[str]:
    """The items of the breadcrumb between home page and the page itself, last first."""
    for thing in evidence.page.json_ld:
        if thing.get("@type") != "BreadcrumbList":
            continue
        items = [*evidence.structured.flatten(thing.get("itemListElement"))]
        items.sort(key=lambda item: str(item.get("position")).zfill(3) if isinstance(item, dict) else "")
        names = [text for item in items if (text := item_name(item))]
        inner = [text for text in names[1:] if comparison_key(text) != comparison_key(evidence.headline)]
        yield from reversed(inner)


def item_name(item: Any) -> str | None:
    """The name of a ListItem of schema.org, in itself or in its `item`."""
    if not isinstance(item, dict):
        return None
    inner = item.get("item")
    name = item.get("name") or (inner.get("name") if isinstance(inner, dict) else None)
    return name if isinstance(name, str) else None


def _accept_short_text(raw: Any, evidence: PageEvidence) -> str | None:
    text = normalize_line(str(raw))
    return text if 1 < len(text) <= 60 and "://" not in text else None


def _accept_section(raw: Any, evidence: PageEvidence) -> str | None:
    """A section without its editorial flags ("Featured, Town" is Town); None if it has only flags."""
    short = _accept_short_text(raw, evidence) or ""
    parts = short.split(",")
    real = [part.strip() for part in parts if part.strip() and not FLAG.fullmatch(part.strip())]
    return (short if len(real) == len(parts) else ", ".join(real)) or None


def _accept_flag(raw: Any, evidence: PageEvidence) -> str | None:
    """A flag if nothing else is declared, unless it means that there is no section."""
    short = _accept_short_text(raw, evidence)
    return None if short is None or NO_SECTION.fullmatch(short) else short


def _accept_canonical_url(raw: Any, evidence: PageEvidence) -> str | None:
    """A URL on the page's own site that isn't the home page (unless the page is)."""
    url, page = evidence.absolute_url(str(raw)), evidence.page.url
    if url is None or (page and site_of(url) != site_of(page)):
        return None
    return None if is_home(url) and not (page and is_home(page)) else url.partition("#")[0]


def _json_ld_is_free(evidence: PageEvidence) -> Iterator[Any]:
    for thing in evidence.structured.works:
        value = thing.get("isAccessibleForFree")
        yield from evidence.structured.flatten([str(value)] if isinstance(value, bool) else value)


CANONICAL = Source("link", lambda evidence: evidence.meta.links.get("canonical", []))
#: Where a section is declared, most trusted first.
SECTION_SOURCES = (
    _json_ld("articleSection", ranks=(1, 2)),
    _metas("article:section", "parsely-section", "section"),
    Source("breadcrumb", _breadcrumb),
)
#: Turns a declared value into a field's value, or rejects it with None.
Accept = Callable[[Any, PageEvidence], Any]
#: Field -> how its candidates are accepted, and its sources, most trusted first.
TABLES: dict[str, tuple[Accept, tuple[Source, ...]]] = {
    "publisher": (
        _accept_short_text,
        (
            _metas("og:site_name"),
            _json_ld("publisher", ranks=(1, 2)),
            _metas("application-name", "dc.publisher", "publisher"),
        ),
    ),
    "description": (
        lambda raw, _: normalize_line(str(raw)) or None,
        (
            _metas("og:description", "description"),
            _json_ld("description"),
            _metas("twitter:description"),
            Source("feed", lambda evidence: [evidence.page.listing.summary] if evidence.page.listing else []),
        ),
    ),
    "section": (_accept_section, SECTION_SOURCES),
    "canonical_url": (
        _accept_canonical_url,
        (CANONICAL, _metas("og:url"), _json_ld("mainEntityOfPage", "url", ranks=(1,))),
    ),
    "is_accessible_for_free": (
        lambda raw, _: read_access(raw),
        (Source("json-ld", _json_ld_is_free), _metas("article:content_tier")),
    ),
}


def declared_fields(evidence: PageEvidence) -> dict[str, SourcedValue[Any]]:
    """The values of the fields in TABLES that the page declares."""
    values = {name: first_accepted(table, evidence, accept) for name, (accept, table) in TABLES.items()}
    values["section"] = values["section"] or first_accepted(SECTION_SOURCES, evidence, _accept_flag)
    return {name: value for name, value in values.items() if value is not None}


def keywords(evidence: PageEvidence) -> SourcedValue[list[str]] | None:
    """The keywords of the first source that has any, split at commas, without repetitions."""
    for source, raws in (
        ("json-ld", evidence.structured.texts("keywords", ranks=(1, 2))),
        ("meta", evidence.metas("article:tag")),
        ("meta", evidence.metas("news_keywords", "keywords", "parsely-tags", "sailthru.tags")),
    ):
        words = (
            normalize_line(word).lstrip("#") for raw in raws for word in raw.translate(BETWEEN_KEYWORDS).split(",")
        )
        if unique := [*dict.fromkeys(word for word in words if 1 < len(word) <= 80)][:MAX_KEPT]:
            return SourcedValue(unique, source)
    return None
