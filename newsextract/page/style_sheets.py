"""Selectors by which a page's own style sheets hide parts of it, on any screen."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from newsextract.page.walk import declared_styles

#: Style sheets of a page that are read, and characters of each.
MAX_SHEETS, MAX_CHARACTERS = 10, 100_000
#: Characters before a rule in which its selectors are looked for.
MAX_SELECTOR = 2_000
#: How many selectors are looked for.
MAX_SELECTORS = 50
#: A selector of one class or id, which a script needn't look for; a class or id of any other.
SIMPLE = re.compile(r"[a-zA-Z][\w-]*[.#]-?[a-zA-Z_][\w-]*|[.#]-?[a-zA-Z_][\w-]*")
#: Names of what is for other screens only; their sheets may be elsewhere.
SCREEN = re.compile(r"[-_](?:x?xs|sm|md|lg|x?xl)\b|mobile|phone|tablet|desktop|print|screen", re.I)
NAME = re.compile(r"[.#][\w-]+")
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
DISPLAY = re.compile("display", re.I)
HIDES = re.compile(r"display\s*:\s*none", re.I)
IMPORTANT = re.compile(r"none\s*!\s*important", re.I)


def hiding_selectors(sheets: Iterable[str]) -> dict[str, bool]:
    """Selector -> whether its rule is important, so that no script shows the element again.

    A class or id that another rule shows (on wide screens, or beside a further class) hides nothing.
    """
    hiding: dict[str, bool] = {}
    shown: set[str] = set()
    read = [sheet[:MAX_CHARACTERS] for sheet in islice(sheets, MAX_SHEETS)]
    if not any(map(HIDES.search, read)):
        return hiding
    for sheet in read:
        for selectors, declarations, is_nested in _rules(COMMENT.sub("", sheet) if "/*" in sheet else sheet):
            display = declared_styles(declarations)[0]
            if display == "none" and not is_nested:
                parts = map(str.strip, selectors.split(","))
                found = (part for part in parts if SIMPLE.fullmatch(part) and not SCREEN.search(part))
                hiding |= dict.fromkeys(found, IMPORTANT.search(declarations) is not None)
            elif display and display != "none":
                shown.update(name.lower() for name in NAME.findall(selectors))
    kept = [
        (selector, is_sure) for selector, is_sure in hiding.items() if shown.isdisjoint(NAME.findall(selector.lower()))
    ]
    return dict(kept[:MAX_SELECTORS])


def _rules(sheet: str) -> Iterator[tuple[str, str, bool]]:
    """Selectors and declarations of each rule with a declaration of `display`, and whether it is within another."""
    depth = place = 0
    for match in DISPLAY.finditer(sheet):
        start = sheet.rfind("{", place, match.start())
        if start < 0:
            continue
        depth = max(0, depth + sheet.count("{", place, start) - sheet.count("}", place, start))
        end = sheet.find("}", start)
        if match.start() < end:
            yield _behind(sheet[max(0, start - MAX_SELECTOR) : start]), sheet[start + 1 : end], depth > 0
        place, depth = start + 1, depth + 1


def _behind(part: str) -> str:
    """The selectors at the end of a part of a sheet, behind the rules and statements before them."""
    return part.rpartition("}")[2].rpartition(";")[2]
