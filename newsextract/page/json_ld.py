"""JSON-LD: every object with an `@type` that describes the page, from all its scripts, in document order.

Descends into graphs, lists and nested objects, but not into the properties in `OTHER_WORKS`: the headlines, dates and
authors of cited, listed or related works aren't the page's. Broken JSON is repaired if that is cheap.
"""

import html
import json
import re
from collections.abc import Iterable
from typing import Any

#: Reads JSON with control characters in strings, too.
DECODER = json.JSONDecoder(strict=False)
#: Limits: characters of one script, objects of one page, levels of nesting; the rest is ignored.
MAX_CHARACTERS = 6_000_000
MAX_OBJECTS = 2_000
MAX_DEPTH = 200
#: Properties whose objects are works other than the page's own.
OTHER_WORKS = frozenset(
    """
    itemListElement hasPart comment review reviews mentions citation isBasedOn relatedLink significantLink subjectOf
    associatedMedia video audio offers isPartOf potentialAction aggregateRating workExample exampleOfWork blogPost
    acceptedAnswer suggestedAnswer
    """.split()
)
#: The types of JSON values with members.
NESTED = frozenset((dict, list))
#: Endings of the types of articles: "NewsArticle", "BlogPosting", "Report".
ARTICLE_ENDINGS = ("Article", "Posting", "Report")
#: Separates the vocabulary's URL from a type's name.
NAMESPACE = re.compile(r"[/#:]")
#: Repairs of invalid JSON, applied one after the other to the whole text.
REPAIRS = (
    (re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)"), ""),
    (re.compile(r"(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*$"), ""),
    (re.compile(r'\\(?!["\\/bfnrtu])'), r"\\\\"),
    (re.compile(r",(\s*[}\]])"), r"\1"),
    (re.compile(r"}\s*{"), "},{"),
    (re.compile(r"^\s*//.*$", re.M), ""),
)


def objects(scripts: Iterable[str]) -> list[dict[str, Any]]:
    """All objects with an `@type` in the scripts' texts, flattened: an object comes before those nested in it."""
    typed: list[dict[str, Any]] = []
    for text in scripts:
        _collect_typed(read(text), typed)
    return typed


def read(text: str) -> Any:
    """The JSON value of a script's text, repaired if it is invalid; None if no repair helps."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return _repaired(text)


def declares_article(type_names: Iterable[str], og_type: str | None) -> bool:
    """Whether a page declares to be an article, by the types in its JSON-LD or by `og:type`."""
    return any(name.endswith(ARTICLE_ENDINGS) for name in type_names) or "article" in (og_type or "").lower()


def types(thing: dict[str, Any]) -> list[str]:
    """The names of an object's types without the vocabulary's URL."""
    declared = thing.get("@type")
    names = declared if isinstance(declared, list) else [declared]
    return [name if name.isalnum() else NAMESPACE.split(name)[-1] for name in names if isinstance(name, str)]


def _repaired(text: str) -> Any:
    for pattern, replacement in REPAIRS:
        text = pattern.sub(replacement, text)
    if "&quot;" in text and text.count("&quot;") > text.count('"'):
        text = html.unescape(text)
    text = text.strip().rstrip(";")
    for attempt in (text, f"[{text}]"):
        try:
            return DECODER.decode(attempt)
        except (ValueError, RecursionError):
            continue
    return None


def _collect_typed(value: Any, typed: list[dict[str, Any]]) -> None:
    """Append the typed objects of a JSON value in document order."""
    if type(value) not in NESTED:
        return
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack and len(typed) < MAX_OBJECTS:
        value, depth = stack.pop()
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, dict):
            if "@type" in value:
                typed.append(value)
            children = [child for name, child in value.items() if type(child) in NESTED and name not in OTHER_WORKS]
        else:
            children = [child for child in value if type(child) in NESTED]
        stack += [(child, depth + 1) for child in reversed(children)]
