"""Fragments made for real pages: kinds of parts x languages x markup x names of classes x places.

A list of hand-made fragments is soon known by heart. These are drawn anew for each page, from a seed made of the page's
URL, and kinds and languages that are `left_out` in `fragments.toml` are neither fitted nor tuned on: what they reach is
what a kind that nobody has seen reaches.
"""

import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from newsextract.files import package_data

#: How the classes of a part are named: as in English, in another language, by a build tool, or not at all.
NAMINGS = ("as they are", "translated", "hashed", "none")
RULES = ("keep", "drop")
#: Where a part may stand, unless its kind says otherwise.
PLACES = ("middle", "middle", "end")
#: Text of a slot's letter: key of a language's texts.
SLOTS = {"h": "headings", "q": "questions", "s": "sentences", "i": "items", "n": "names"}
SLOT = re.compile(r"\{([hqsinw])(\d)\}")
CLASS = re.compile(r"\{([cd])\}")
QUOTES = "\"'"
CLASS_ATTRIBUTE = re.compile(r"(?<=\sclass=)(\"[^\"]*\"|'[^']*'|[^\s>]+)")


@dataclass(frozen=True)
class Fragment:
    """`marks`: texts that have to be in the body (rule "keep"; in one line if `is_line`), or mustn't be ("drop")."""

    rule: str
    kind: str
    html: str
    marks: tuple[str, ...]
    place: str
    is_left_out: bool = False
    is_line: bool = False


def made_fragments(seed: str, naming: str | None = None) -> Iterator[Fragment]:
    """For each kind of part two fragments, of known kinds one of them in a language that is left out.

    `naming`: of NAMINGS; by default drawn.
    """
    table = _table()
    languages = {is_out: [name for name, of in table["languages"].items() if of.get("left_out", False) == is_out]
                 for is_out in (False, True)}  # fmt: skip
    for rule in RULES:
        for kind in table[rule]:
            for number, is_out in enumerate((False, True)):
                chance = random.Random(zlib.crc32(f"{seed} {kind['kind']} {number}".encode()))
                spoken = [name for name in languages[is_out] if name in kind.get("words", languages[is_out])]
                yield made_fragment(rule, kind, chance.choice(spoken), chance, naming)


def kinds_to_fit(rule: str) -> list[dict[str, Any]]:
    """The kinds of a rule that may be fitted on."""
    return [kind for kind in _table()[rule] if not kind.get("left_out")]


def languages_to_fit() -> list[str]:
    """The languages whose texts may be fitted on."""
    return [name for name, texts in _table()["languages"].items() if not texts.get("left_out")]


def made_fragment(
    rule: str,
    kind: Mapping[str, Any],
    language: str,
    chance: random.Random,
    naming: str | None = None,
    texts: Mapping[str, Sequence[str]] | None = None,
) -> Fragment:
    """A fragment of a kind in a language; `texts`: others than those of the language."""
    is_left_out = kind.get("left_out", False) or _table()["languages"][language].get("left_out", False)
    texts = texts or _table()["languages"][language]
    words = kind.get("words", {}).get(language, ())
    template, place = chance.choice(kind["html"]), chance.choice(kind.get("places", PLACES))
    drawn = chance.choice(NAMINGS)
    names = class_names(kind["classes"], naming or drawn, chance)
    marks: list[str] = []

    def text(slot: re.Match[str]) -> str:
        line = words[int(slot[2])] if slot[1] == "w" else texts[SLOTS[slot[1]]][int(slot[2])]
        if slot[1] != "n" or rule == "keep":
            marks.append(line)
        return line

    def name(slot: re.Match[str]) -> str:
        return f' class="{names[slot[1]]}"' if names[slot[1]] else ""

    html = SLOT.sub(text, CLASS.sub(name, template))
    return Fragment(rule, kind["kind"], html, tuple(marks), place, is_left_out)


def hashed_classes(html: str) -> str:
    """HTML with each class name as a build tool of CSS modules names it."""
    return CLASS_ATTRIBUTE.sub(lambda match: f'"{" ".join(map(_hashed, match[1].strip(QUOTES).split()))}"', html)


def class_names(names: Sequence[str], naming: str, chance: random.Random) -> dict[str, str]:
    """Class of a part and of what it repeats."""
    own = names[0] if naming == "as they are" else chance.choice(names[1:])
    found = {"c": own, "d": f"{own}-item"}
    if naming == "hashed":
        return {slot: _hashed(name) for slot, name in found.items()}
    return dict.fromkeys(found, "") if naming == "none" else found


def _hashed(name: str) -> str:
    return f"css-{zlib.crc32(name.encode()):08x}"


@cache
def _table() -> dict[str, Any]:
    return package_data("evaluation", "fragments.toml")
