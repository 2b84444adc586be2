"""The page's JSON-LD: every typed object that describes the page, from all its scripts, in document order.

Descends into graphs, lists and nested things, but not into the properties of OTHER_WORKS: what an article cites, is
followed by or commented with has headlines, dates and authors too, and they are not the page's.
"""

import html
import json
import re
from collections.abc import Iterable
from typing import Any

#: Characters of one script, objects of one page and nested levels that are read; what lies beyond is left out.
MAX_CHARACTERS = 6_000_000
MAX_OBJECTS = 2_000
MAX_DEPTH = 200
#: Properties whose objects are other works than the page's own.
OTHER_WORKS = frozenset(
    """
    itemListElement hasPart comment review reviews mentions citation isBasedOn relatedLink significantLink subjectOf
    associatedMedia video audio offers isPartOf potentialAction aggregateRating workExample exampleOfWork blogPost
    acceptedAnswer suggestedAnswer
    """.split()
)
#: What ends the vocabulary's address before a type's name.
NAMESPACE = re.compile(r"[/#:]")
#: What broken scripts have in common, and the mending of it, tried one after the other on the whole text.
REPAIRS = (
    (re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)"), ""),
    (re.compile(r"(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>)\s*;?\s*$"), ""),
    (re.compile(r'\\(?!["\\/bfnrtu])'), r"\\\\"),
    (re.compile(r",(\s*[}\]])"), r"\1"),
    (re.compile(r"}\s*{"), "},{"),
    (re.compile(r"^\s*//.*$", re.M), ""),
)


def objects(scripts: Iterable[Any]) -> list[dict[str, Any]]:
    """All objects with an `@type` of these script elements, flattened: an object comes before what is nested in it."""
    found: list[dict[str, Any]] = []
    for script in scripts:
        if text := script.text:
            _flatten(read(text), found)
    return found


def read(text: str) -> Any:
    """The value that a script holds, mended where that is cheap; None where nothing can be made of it."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _mended(text)


def types(thing: dict[str, Any]) -> list[str]:
    """The names of an object's types, without the vocabulary's address."""
    kinds = thing.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return [name if name.isalnum() else NAMESPACE.split(name)[-1] for name in names if isinstance(name, str)]


def _mended(text: str) -> Any:
    for pattern, replacement in REPAIRS:
        text = pattern.sub(replacement, text)
    if "&quot;" in text and text.count("&quot;") > text.count('"'):
        text = html.unescape(text)
    text = text.strip().rstrip(";")
    attempts = (text, f"[{text}]", *_closed(text))
    for attempt in attempts:
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _closed(text: str) -> list[str]:
    """The text cut where its last complete member ends, with the open brackets closed; [] if it isn't cut off."""
    open_brackets: list[str] = []
    cut, quoted = 0, False
    kept: list[str] = []
    for match in re.finditer(r'\\.|["{}\[\],]', text):
        mark = match.group()
        if mark == '"':
            quoted = not quoted
        elif quoted or len(mark) > 1:
            continue
        elif mark in "{[":
            open_brackets.append("}" if mark == "{" else "]")
        elif mark == ",":
            cut, kept = match.start(), list(open_brackets)
        elif open_brackets and mark == open_brackets[-1]:
            open_brackets.pop()
            cut, kept = match.end(), list(open_brackets)
            if not open_brackets:
                break
    if not cut or len(kept) > MAX_DEPTH:
        return []
    return [text[:cut] + "".join(reversed(kept))]


def _flatten(value: Any, found: list[dict[str, Any]]) -> None:
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack and len(found) < MAX_OBJECTS:
        value, depth = stack.pop()
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, dict):
            if "@type" in value:
                found.append(value)
            children = [child for name, child in value.items() if name not in OTHER_WORKS]
        elif isinstance(value, list):
            children = value
        else:
            continue
        stack.extend((child, depth + 1) for child in reversed(children) if isinstance(child, dict | list))
