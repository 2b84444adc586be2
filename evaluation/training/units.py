"""Data augmentation: units of markup put between the paragraphs of articles, with the labels they should get.

Tables, definition lists, quotations with their source, questions and answers, code, notes and lists belong to the
article; lists of its site's articles, forms, share bars, author boxes, comments and further articles don't. Few pages
have any of them, and the golds of many leave out tables or quotations. Markup is that of `units.toml`; what is in it
comes from other pages of the corpus.
"""

import random
import re
import tomllib
import zlib
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import numpy as np
from turbohtml import etree

from evaluation.corpora import Gold
from evaluation.training.labels import labels
from evaluation.training.modules import NAMES, NEUTRAL, Words, places, words_of
from newsextract.page import Page

#: Wanted or unwanted -> kind -> markup.
MARKUP: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: Share of the pages with a variant, number of units in each, share of the wanted ones.
CHANCE, UNITS, WANTED = 0.5, (1, 2, 3, 4), 0.3
#: Kinds that stand behind an article's last paragraph, and the share of the others that do.
LAST, AT_END = frozenset({"author", "comments", "next"}), 0.2
REPEATED, CHOSEN = re.compile(r"<<(.*?)>>(?!>)", re.S), re.compile(r"\[\[([^\[\]]*)\]\]")
FILLED = re.compile(r"@(?:([kx])\(([^)]*)\)|([smwnyulic]))")


def variant_with_units(html: bytes, gold: Gold, lines: Sequence[str]) -> tuple[bytes, dict[str, float]] | None:
    """HTML of the page with units in its article, and the label of each text in them; arguments as in `variant`."""
    chance = random.Random(zlib.crc32(f"{gold.id} {gold.url} units".encode()))
    if gold.scored_by != "text" or chance.random() > CHANCE:
        return None
    page = Page(html, gold.url)
    rows = np.flatnonzero(labels(gold, page.blocks.texts) >= 0.5).tolist()
    if not rows or not (found := places(page, rows)):
        return None
    words = words_of(page, chance)
    units: dict[str, str] = {}
    label_of: dict[str, float] = {}
    for number in range(chance.choice(UNITS)):
        label = float(chance.random() < WANTED)
        kinds = MARKUP["wanted" if label else "unwanted"]
        kind = chance.choice([*kinds])
        place = found[-1] if kind in LAST or chance.random() < AT_END else chance.choice(found)
        if place.getparent() is None:
            continue
        name = f"unit-{number}"
        unit = fill(chance.choice(kinds[kind]), words, lines, chance)
        place.addnext(etree.Element(name))
        units[f"<{name}></{name}>"] = unit
        label_of |= dict.fromkeys(Page(unit).blocks.texts, label)
    made: str = page.tree.node.html
    for mark, unit in units.items():
        made = made.replace(mark, unit)
    return made.encode(), label_of


def fill(markup: str, words: Words, lines: Sequence[str], chance: random.Random) -> str:
    """A unit of that markup, with words of the corpus."""
    markup = REPEATED.sub(lambda match: match[1] * chance.randrange(2, 8), markup)
    markup = CHOSEN.sub(lambda match: chance.choice(match[1].split("|")), markup)
    return FILLED.sub(lambda match: _filling(match, words, lines, chance), markup)


def _filling(match: re.Match[str], words: Words, lines: Sequence[str], chance: random.Random) -> str:
    kind, names, sign = match.groups()
    if kind == "x":
        return escape(chance.choice(words[names]))
    if kind == "k":
        return str(chance.choice((*names.split(), chance.choice(NEUTRAL), "")))
    return SIGNS[sign](lines, chance)


def _part(lines: Sequence[str], chance: random.Random, sizes: Sequence[int]) -> str:
    """Some words of a line; of scripts without blanks, characters."""
    line, size = chance.choice(lines), chance.choice(sizes)
    parts = line.split()
    text = " ".join(parts[:size]) if len(parts) > 4 or line.isascii() else line[: 2 * size]
    return escape(text.rstrip(".,:;!?。，"))


SIGNS: dict[str, Callable[[Sequence[str], random.Random], str]] = {
    "s": lambda lines, chance: escape(chance.choice(lines)[:300]),
    "m": lambda lines, chance: _part(lines, chance, (5, 8, 12)),
    "w": lambda lines, chance: _part(lines, chance, (1, 2, 3)),
    "n": lambda lines, chance: chance.choice(("{0}", "{0}.{1}", "{0},{1}00", "${0}", "{0} %")).format(
        chance.randrange(1, 400), chance.randrange(10)
    ),
    "y": lambda lines, chance: chance.choice(NAMES),
    "u": lambda lines, chance: f"https://{chance.choice(('example.org', 'docs.example.com'))}/{chance.randrange(999)}",
    "l": lambda lines, chance: f"/story/{chance.randrange(9999)}",
    "i": lambda lines, chance: "/picture.jpg",
    "c": lambda lines, chance: f' class="{chance.choice(NEUTRAL)}"' if chance.random() < 0.4 else "",
}
