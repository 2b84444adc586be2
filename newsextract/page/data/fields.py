"""Headline, authors, dates, section and image of the objects around an article's text, as one object of JSON-LD.

So the metadata read them as they read JSON-LD, behind what the page itself declares.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from newsextract.page.data.candidates import titles_of
from newsextract.page.data.prose import plain_text

#: Property of schema.org -> names under which systems keep it, the most telling first.
NAMES: dict[str, tuple[str, ...]] = {
    "datePublished": tuple(
        """datePublished publishedAt published_at publishDate publish_date publicationDate publication_date
        publishedDate datePublication firstPublishedAt first_published_at firstPublished first_publish_date
        display_date displayDate pubDate published_date publishTime published date_gmt date postDate createdAt
        created_at""".split()
    ),
    "dateModified": tuple(
        """dateModified updatedAt updated_at modifiedAt modified_at lastModified last_modified last_updated_date
        lastUpdated updatedDate updateDate modified_gmt modified updated""".split()
    ),
    "author": tuple("authors author byline bylines creator creators writers credits contributors".split()),
    "articleSection": tuple("section primarySection primary_section category primaryCategory channel rubric".split()),
    "image": tuple(
        """image mainImage main_image featuredImage featured_image leadImage heroImage coverImage cover_image cover
        teaserImage thumbnail promo_image""".split()
    ),
}
PERSON_NAMES = ("name", "fullName", "full_name", "displayName", "display_name", "title", "byline")
TEXT_NAMES = ("name", "title", "label", "displayName")
ADDRESS_NAMES = ("url", "src", "href", "contentUrl", "sourceUrl", "original")
MAX_AUTHORS, MAX_OWNERS, MAX_DEPTH = 10, 4, 4
#: Seconds and milliseconds since 1970 of the years 2000 to 2100.
EPOCH = (946_684_800, 4_102_444_800)


def work_of(owners: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The fields of the objects around a text, inmost first, as a work of JSON-LD; {} where they have none."""
    work: dict[str, Any] = {}
    for owner in owners[:MAX_OWNERS]:
        title = next(titles_of(owner), None)
        if title is not None:
            work.setdefault("headline", title)
        for property_name, names in NAMES.items():
            if property_name not in work:
                found = (READERS[property_name](owner.get(name), 0) for name in names if owner.get(name))
                value = next(filter(None, found), None)
                if value:
                    work[property_name] = value
        if title is not None and "datePublished" in work:
            break
    return {"@type": "CreativeWork", **work} if work else {}


def _date(value: Any, depth: int) -> str | None:
    if isinstance(value, str) and 8 <= len(value) <= 40 and any(map(str.isdigit, value)):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > EPOCH[1] else value
        if EPOCH[0] < seconds < EPOCH[1]:
            return datetime.fromtimestamp(seconds, UTC).isoformat()
    if isinstance(value, dict) and depth < MAX_DEPTH:
        return next(filter(None, (_date(value.get(name), depth + 1) for name in ("iso", "date", "value", "utc"))), None)
    return None


def _people(value: Any, depth: int) -> list[dict[str, str]]:
    """Persons with their names: of a name, an object, or a list of them."""
    if isinstance(value, str):
        name = plain_text(value)
        return [{"@type": "Person", "name": name}] if 2 < len(name) <= 100 and "://" not in name else []
    if depth >= MAX_DEPTH:
        return []
    if isinstance(value, list):
        people = [person for one in value[:MAX_AUTHORS] for person in _people(one, depth + 1)]
        return people[:MAX_AUTHORS]
    if isinstance(value, dict):
        for name in PERSON_NAMES:
            if isinstance(value.get(name), str) and value[name]:
                return _people(value[name], depth + 1)
        first, last = value.get("firstName"), value.get("lastName")
        if isinstance(first, str) and isinstance(last, str):
            return _people(f"{first} {last}".strip(), depth + 1)
        inner = (value.get(name) for name in ("by", "items", "nodes", "data", "attributes", "fields", "author"))
        return next(filter(None, (_people(one, depth + 1) for one in inner if one)), [])
    return []


def _text(value: Any, depth: int) -> str | None:
    if isinstance(value, list) and value and depth < MAX_DEPTH:
        return _text(value[0], depth + 1)
    if isinstance(value, dict):
        value = next((value[name] for name in TEXT_NAMES if isinstance(value.get(name), str)), None)
    return plain_text(value) if isinstance(value, str) and 1 < len(value) <= 60 else None


def _image(value: Any, depth: int) -> str | None:
    if isinstance(value, str):
        return value if value.startswith(("http://", "https://", "/")) and len(value) < 2_000 else None
    if isinstance(value, list) and value and depth < MAX_DEPTH:
        return _image(value[0], depth + 1)
    if isinstance(value, dict) and depth < MAX_DEPTH:
        return next(filter(None, (_image(value.get(name), depth + 1) for name in ADDRESS_NAMES)), None)
    return None


READERS: dict[str, Callable[[Any, int], Any]] = {
    "datePublished": _date,
    "dateModified": _date,
    "author": _people,
    "articleSection": _text,
    "image": _image,
}
