"""What the attributes and style sheets of a page hide, or lay out otherwise than their tags, on any screen."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from turbohtml import Element

from newsextract.page.walk import declared_styles, styled_kinds

#: Style sheets of a page that are read, and characters of each.
MAX_SHEETS = 10
MAX_CHARACTERS = 50_000
#: Characters before a rule in which its selectors are looked for.
MAX_SELECTOR = 2_000
#: How many selectors are looked for.
MAX_SELECTORS = 50
#: A selector of tags, classes and ids, within others or not; the last has a class or id.
SELECTOR = re.compile(
    r"(?:[a-z.#][\w-]*+(?:[.#]-?[a-z_][\w-]*+)*+(?:\s*>\s*|\s+))*+[a-z]?[\w-]*+(?:[.#]-?[a-z_][\w-]*+)++", re.I
)
#: Names of what is for other screens only, or without scripts; their sheets may be elsewhere.
SCREEN = re.compile(r"[-_.](?:x?xs|sm|md|lg|x?xl|js)\b|mobile|phone|tablet|desktop|print|screen", re.I)
NAME = re.compile(r"[.#][\w-]+")
COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
#: Rules around others that hold on any screen, if they have no condition in brackets.
UNCONDITIONAL = ("@layer", "@media all", "@media screen")
#: What hides, in lower case.
HIDES = re.compile(r"display\s*:\s*none")
IMPORTANT = "none!important"


def styled_nodes(root: Element, sheets: Iterable[str]) -> dict[Any, int]:
    """Nodes below an element -> their kind, where attributes or these style sheets change it. See `styled_kinds`."""
    return styled_kinds(root, hiding_selectors(sheets))


def hiding_selectors(sheets: Iterable[str]) -> Mapping[str, bool]:
    """Selector -> whether its rule is important, so that no script shows the element again.

    What another rule shows (on wide screens, or beside a further class) is not hidden. Cached, since most pages of a
    site have the same sheets.
    """
    return _hiding_selectors(tuple(sheet[:MAX_CHARACTERS] for sheet in islice(sheets, MAX_SHEETS)))


@lru_cache(maxsize=16)
def _hiding_selectors(sheets: tuple[str, ...]) -> dict[str, bool]:
    hiding: dict[str, bool] = {}
    read: list[str] = []
    for sheet in sheets:
        text = COMMENT.sub("", sheet) if "*" in sheet else sheet  # a single character is found much faster than two
        read.append(lowered := _lowered(text))
        for selectors, declarations in _hiding_rules(text, lowered):
            if declared_styles(declarations)[0] == "none":
                hiding |= dict.fromkeys(selectors, IMPORTANT in "".join(declarations.lower().split()))
    names = {selector: _names_of(_lowered(selector)) for selector in islice(hiding, MAX_SELECTORS)}
    return {selector: hiding[selector] for selector in names if not _is_shown(names[selector], read)}


def _names_of(selector: str) -> Sequence[str]:
    """The classes and ids of what a selector selects."""
    return NAME.findall(selector.replace(">", " ").split()[-1])


def _lowered(sheet: str) -> str:
    """A sheet in lower case and as long as it is, with `?` for other characters than ASCII, which are ten times as
    slow."""
    return (sheet if sheet.isascii() else sheet.encode("ascii", "replace").decode("ascii")).lower()


def _hiding_rules(sheet: str, lowered: str) -> Iterator[tuple[list[str], str]]:
    """Selectors and declarations of each rule that may hide, but those within a rule for a kind of screen.

    In longer sheets, selectors of several classes mostly hide menus and buttons: they cost more than they bring.
    """
    depth = counted = place = 0
    is_short = len(sheet) <= MAX_SELECTOR
    for match in HIDES.finditer(lowered):
        start = sheet.rfind("{", place, match.start())
        if start < 0:
            continue
        end = sheet.find("}", start)
        selectors = _behind(sheet[max(0, start - MAX_SELECTOR) : start]) if match.start() < end else ""
        parts = map(str.strip, selectors.split(","))
        known = [part for part in parts if (is_short or _is_simple(part)) and SELECTOR.fullmatch(part)]
        if found := [part for part in known if not SCREEN.search(part)]:
            depth, counted = max(0, depth + _opened(lowered[counted:start])), start
            if not depth or (is_short and depth == 1 and _is_unconditional(lowered, start)):
                yield found, sheet[start + 1 : end]
        place = start + 1


def _is_simple(selector: str) -> bool:
    """Whether a selector is of one class or id."""
    return selector.count(".") + selector.count("#") == 1 and " " not in selector and ">" not in selector


def _is_unconditional(lowered: str, start: int) -> bool:
    """Whether the rule around a place holds on any screen."""
    begin = lowered.rfind("@", 0, start)
    rule = lowered[begin : lowered.find("{", begin)]
    return rule.startswith(UNCONDITIONAL) and "(" not in rule


def _opened(part: str) -> int:
    """How many more braces are opened than closed; much faster than `count`."""
    signs = np.frombuffer(part.encode(), np.uint8)
    return int(np.count_nonzero(signs == ord("{"))) - int(np.count_nonzero(signs == ord("}")))


def _is_shown(names: Sequence[str], lowered: Sequence[str]) -> bool:
    """Whether a rule of the sheets shows a class or id of these names."""
    return any(_shows(sheet, name) for sheet in lowered for name in names)


def _shows(sheet: str, name: str) -> bool:
    """Whether a rule whose selectors have a name declares another `display` than none."""
    place, length = sheet.find(name), len(name)
    while place >= 0:
        behind = sheet[place + length : place + length + 1]
        place += length
        if not behind.isalnum() and behind not in ("-", "_"):
            if (end := sheet.find("}", place)) < 0:
                return False
            start = sheet.find("{", place, end)
            if start >= 0 and sheet.find("{", start + 1, end) < 0:
                declarations = sheet[start + 1 : end]
                if "display" in declarations and declared_styles(declarations)[0] not in ("", "none"):
                    return True
            place = (end if start < 0 else start) + 1
        place = sheet.find(name, place)
    return False


def _behind(part: str) -> str:
    """The selectors at the end of a part of a sheet, behind what stands before them and the rule around them."""
    for sign in "};{":
        part = part.rpartition(sign)[2]
    return part
