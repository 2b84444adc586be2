"""What the attributes and style sheets of a page hide, or lay out otherwise than their tags, on any screen."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from typing import Any

import numpy as np
from turbohtml import Element, SelectorSyntaxError, parse

from newsextract.page.walk import declared_styles, styled_kinds

#: Style sheets of a page that are read, and characters of each.
MAX_SHEETS = 10
MAX_CHARACTERS = 50_000
#: Characters of a short sheet, and before a rule of a longer one in which its selectors are looked for.
MAX_SELECTOR = 2_000
#: How many selectors are looked for; one of several names or parts counts as the square of their number, since what is
#: around each node is looked at for it.
MAX_SELECTORS = 50
#: A selector of one class or id.
SIMPLE = re.compile(r"[a-z]?[\w-]*+[.#]-?[a-z_][\w-]*+", re.I)
#: What a selector isn't read with: names of other screens or of pages without scripts, whose sheets may be elsewhere;
#: states that scripts or readers switch; combinators in brackets, which cost more than in proportion.
UNREAD = re.compile(
    r"[-_.](?:x?xs|sm|md|lg|x?xl|js)\b|mobile|phone|tablet|desktop|print|screen|cloak|\[(?:open|aria-)|\([^()]*[(\s>+~]"
    r"|(?<!\\):(?!(?:not|is|where|root|(?:first|last|only)-(?:child|of-type))\b)",
    re.I,
)
NAME = re.compile(r"[.#](?:[\w-]|\\.)+|\[[^][]*\]")
COMBINATORS = str.maketrans(">+~", "   ")
COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
#: The `media` of sheets, and rules around others (without white space), that hold on any screen.
ANY_SCREEN = frozenset({None, "", "all", "screen"})
UNCONDITIONAL = frozenset({"@mediaall", "@mediascreen", "@mediaonlyscreen"})
#: What hides in longer sheets, in lower case.
HIDES = re.compile(r"display\s*:\s*none")
#: Properties that hide, with the values of each that do.
HIDING = (("display", {"none"}), ("visibility", {"hidden", "collapse"}))
#: A document to try selectors on.
PROBE = parse("<i></i>")


def styled_nodes(root: Element, sheets: Iterable[Element]) -> dict[Any, int]:
    """Nodes below an element -> their kind, where attributes or these style sheets change it. See `styled_kinds`."""
    on_any_screen = (sheet.text for sheet in sheets if sheet.attr("media") in ANY_SCREEN)
    return styled_kinds(root, hiding_selectors(on_any_screen))


def hiding_selectors(sheets: Iterable[str]) -> Mapping[str, bool]:
    """Selector -> whether its rule is important, so that no script shows the element again but by its attributes.

    What another rule shows (on wide screens, or beside a further class) is not hidden. Cached, since most pages of a
    site have the same sheets.
    """
    return _hiding_selectors(tuple(sheet[:MAX_CHARACTERS] for sheet in islice(sheets, MAX_SHEETS)))


@lru_cache(maxsize=16)
def _hiding_selectors(sheets: tuple[str, ...]) -> dict[str, bool]:
    hiding: dict[str, tuple[int, bool]] = {}
    read: list[str] = []
    for sheet in sheets:
        text = COMMENT.sub("", sheet) if "*" in sheet else sheet  # a single character is found much faster than two
        read.append(lowered := _lowered(text))
        for selectors, declarations in _rules_of(text, lowered):
            for number, (_, values) in enumerate(HIDING):
                if (value := declared_styles(declarations)[number]) in values:
                    is_important = f"{value}!important" in "".join(declarations.lower().split())
                    for selector in filter(_is_read, selectors):
                        hiding[selector] = number, is_important and "[" not in selector and ":" not in selector
    costs = accumulate(_cost_of(selector) for selector in hiding)
    return {
        selector: is_important
        for (selector, (number, is_important)), cost in zip(hiding.items(), costs, strict=True)
        if cost <= MAX_SELECTORS
        and not any(_shows(sheet, name, number) for name in _names_of(_lowered(selector)) for sheet in read)
    }


def _cost_of(selector: str) -> int:
    """How many selectors of one name a selector counts as."""
    return max(len(NAME.findall(selector)), len(selector.translate(COMBINATORS).split())) ** 2


def _rules_of(sheet: str, lowered: str) -> Iterator[tuple[list[str], str]]:
    """Selectors and declarations of each rule that may hide on any screen.

    In longer sheets, selectors of several classes mostly hide menus and buttons: they cost more than they bring.
    """
    if len(sheet) > MAX_SELECTOR:
        return _simple_rules(sheet, lowered)
    return _nested_rules(sheet) if any(word in lowered for word in ("none", "hidden", "collapse")) else iter(())


def _is_read(selector: str) -> bool:
    """Whether a selector has a name, no state of a page, and a syntax that is known here."""
    if not NAME.search(selector) or UNREAD.search(selector):
        return False
    try:
        PROBE.select_one(selector)
    except SelectorSyntaxError:
        return False
    return True


def _names_of(selector: str) -> Sequence[str]:
    """The classes, ids and attributes of what a selector selects, else of all that it names."""
    last = selector.translate(COMBINATORS).split()[-1]
    return NAME.findall(last) or NAME.findall(selector)


def _lowered(sheet: str) -> str:
    """A sheet in lower case and as long as it is, with `?` for other characters than ASCII, which are ten times as
    slow."""
    return (sheet if sheet.isascii() else sheet.encode("ascii", "replace").decode("ascii")).lower()


def _simple_rules(sheet: str, lowered: str) -> Iterator[tuple[list[str], str]]:
    """Selectors of one class or id, and declarations, of each rule that may hide and is within no other."""
    depth = counted = place = 0
    for match in HIDES.finditer(lowered):
        start = sheet.rfind("{", place, match.start())
        if start < 0:
            continue
        end = sheet.find("}", start)
        selectors = _behind(sheet[max(0, start - MAX_SELECTOR) : start]) if match.start() < end else ""
        if found := [part for part in map(str.strip, selectors.split(",")) if SIMPLE.fullmatch(part)]:
            depth, counted = max(0, depth + _opened(lowered[counted:start])), start
            if not depth:
                yield found, sheet[start + 1 : end]
        place = start + 1


def _nested_rules(sheet: str) -> Iterator[tuple[list[str], str]]:
    """Selectors and declarations of each rule of a sheet, those of nested rules with what is around them."""
    around: list[tuple[list[str], list[str]]] = [([""], [])]
    for part in sheet.split("}")[:-1]:
        *preludes, last = part.split("{")
        for prelude in preludes:
            declarations, _, begun = prelude.rpartition(";")
            around[-1][1].append(declarations)
            around.append((_within(around[-1][0], begun.strip()), []))
        if len(around) > 1:
            selectors, declared = around.pop()
            yield selectors, ";".join([*declared, last])


def _within(around: Sequence[str], prelude: str) -> list[str]:
    """The selectors of a rule within others; none of one that holds on some screens only."""
    if prelude.startswith("@"):
        rule = "".join(prelude.lower().split())
        is_supported = rule.startswith("@supports(display:") and rule.count("(") == 1
        return [*around] if rule in UNCONDITIONAL or rule.startswith("@layer") or is_supported else []
    selectors: list[str] = []
    begun = ""
    for piece in map(str.strip, prelude.split(",")):
        begun = f"{begun},{piece}" if begun else piece
        if begun.count("(") == begun.count(")"):
            selectors.append(begun)
            begun = ""
    joined = [part.replace("&", up) if "&" in part else f"{up} {part}".strip() for up in around for part in selectors]
    return joined if sum(map(len, joined)) <= MAX_SELECTOR else []


def _opened(part: str) -> int:
    """How many more braces are opened than closed; much faster than `count`."""
    signs = np.frombuffer(part.encode(), np.uint8)
    return int(np.count_nonzero(signs == ord("{"))) - int(np.count_nonzero(signs == ord("}")))


def _shows(sheet: str, name: str, number: int) -> bool:
    """Whether a rule whose selectors have a name declares another value than a hiding one, but under the pointer."""
    word, values = HIDING[number]
    place, length = sheet.find(name), len(name)
    while place >= 0:
        behind = sheet[place + length : place + length + 1]
        place += length
        if name[0] == "[" or (not behind.isalnum() and behind not in ("-", "_", "\\")):
            if (end := sheet.find("}", place)) < 0:
                return False
            start = sheet.find("{", place, end)
            if start >= 0 and sheet.find("{", start + 1, end) < 0:
                declarations = sheet[start + 1 : end]
                if word in declarations and declared_styles(declarations)[number] not in ("", *values):
                    selectors = _behind(sheet[max(0, place - MAX_SELECTOR) : start])
                    if ":hover" not in selectors or "," in selectors:
                        return True
            place = (end if start < 0 else start) + 1
        place = sheet.find(name, place)
    return False


def _behind(part: str) -> str:
    """The selectors at the end of a part of a sheet, behind what stands before them and the rule around them."""
    for sign in "};{":
        part = part.rpartition(sign)[2]
    return part
