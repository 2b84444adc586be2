"""JSON-LD: every object with an `@type` that describes the page, from all its scripts, in document order.

Descends into graphs, lists and nested objects, but not into the properties in `OTHER_WORKS`: the headlines, dates and
authors of cited, listed or related works aren't the page's. Broken JSON is read as far as it can be understood.
"""

from collections.abc import Iterable
from typing import Any

from newsextract.limits import MAX_ELEMENTS
from newsextract.page.json_text import MAX_DEPTH, read
from newsextract.text import is_placeholder

#: Properties whose objects are works other than the page's own.
OTHER_WORKS = frozenset(
    """
    itemListElement hasPart comment review reviews mentions citation isBasedOn relatedLink significantLink subjectOf
    associatedMedia video audio offers isPartOf potentialAction aggregateRating workExample exampleOfWork blogPost
    acceptedAnswer suggestedAnswer liveBlogUpdate
    """.split()
)
#: The types of JSON values with members.
NESTED = frozenset((dict, list))
#: Endings of the types of articles: "NewsArticle", "BlogPosting", "Report".
ARTICLE_ENDINGS = ("Article", "Posting", "Report")
#: Separates the vocabulary's URL from a type's name.


def objects(scripts: Iterable[str]) -> list[dict[str, Any]]:
    """All objects with an `@type` in the scripts' texts, flattened: an object comes before those nested in it."""
    typed: list[dict[str, Any]] = []
    for text in scripts:
        value = read(text)
        _drop_unfilled(value)
        _collect_typed(value, typed)
    return typed


def _drop_unfilled(value: Any) -> None:
    """Takes the members that a template left unfilled out of a JSON value."""
    stack = [value] if type(value) in NESTED else []
    while stack:
        holder, unfilled = stack.pop(), list[Any]()
        for name, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if type(member) is str:
                if is_placeholder(member):
                    unfilled.append(name)
            elif type(member) in NESTED:
                stack.append(member)
        for name in reversed(unfilled):
            del holder[name]


def declares_article(type_names: Iterable[str], og_type: str | None) -> bool:
    """Whether a page declares to be an article, by the types in its JSON-LD or by `og:type`."""
    return any(name.endswith(ARTICLE_ENDINGS) for name in type_names) or "article" in (og_type or "").lower()


def without_namespace(name: str) -> str:
    """The name of a type or property without its vocabulary: what is behind the last `/`, `#` or `:`."""
    return name.replace("#", "/").replace(":", "/").rpartition("/")[2]


def types(thing: dict[str, Any]) -> list[str]:
    """The names of an object's types without the vocabulary's URL."""
    declared = thing.get("@type")
    names = declared if isinstance(declared, list) else [declared]
    return [name if name.isalnum() else without_namespace(name) for name in names if isinstance(name, str)]


def _collect_typed(value: Any, typed: list[dict[str, Any]]) -> None:
    """Append the typed objects of a JSON value in document order."""
    if type(value) not in NESTED:
        return
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack and len(typed) < MAX_ELEMENTS:
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
