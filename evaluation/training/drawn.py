"""What drawn parts of pages are made of: texts of another page, classes that name nothing, boxes and headings."""

import random
from collections.abc import Sequence
from html import escape

from evaluation.fragments import NAMINGS, class_names

#: Words of a sentence, a heading and an item made of another page's text, at most.
MAX_SENTENCE = 30
MAX_HEADING = 7
MAX_ITEM = 5
#: Classes of drawn boxes: they name nothing.
CLASSES = ("box", "module", "inner", "row", "block", "text", "content", "wrap", "c-1", "panel", "entry", "part", "note")
HEADINGS = ("h2", "h3", "h4", "h5", "strong", "b", "p", "div", "")
#: Marks that end a sentence.
ENDS = ".!?…。！？؟।"

Texts = dict[str, list[str]]


def texts_of(lines: Sequence[str], chance: random.Random) -> Texts:
    """Texts of a fragment that are another page's, as in `fragments.toml`."""

    def cut(most: int, count: int, least: int = 2) -> list[str]:
        found = []
        for _ in range(count):
            line = chance.choice(lines)
            words = line.split()
            size = chance.randint(least, most)
            start = chance.randrange(max(1, len(line) - 6 * size))
            found.append(" ".join(words[:size]) if len(words) > 4 else line[start : start + 3 * size])
        return [escape(text[:200], quote=False) for text in found]

    sentences = [
        text if text[-1] in ENDS else f"{text.rstrip('.,;:，')}{_end_of(text)}" for text in cut(MAX_SENTENCE, 8, 5)
    ]
    questions = [f"{text.rstrip('.,;:?')}?" for text in cut(MAX_HEADING + 4, 2)]
    names = [" ".join(word.capitalize() for word in text.split()) for text in cut(2, 3)]
    return {
        "sentences": sentences, "questions": questions, "headings": cut(MAX_HEADING, 2), "items": cut(MAX_ITEM, 4),
        "names": names, "labels": cut(4, 6, 1),
    }  # fmt: skip


def _end_of(text: str) -> str:
    """What a sentence in this script ends with."""
    return "。" if text[-1] >= "\u3040" and text[-1] < "\ua000" else "।" if "\u0900" <= text[-1] < "\u0980" else "."


def attributes(chance: random.Random) -> tuple[str, str]:
    """The class attributes of a drawn box and of what it repeats."""
    names = class_names(chance.sample(CLASSES, 3), chance.choice(NAMINGS), chance)
    own, inner = (f' class="{names[slot]}"' if names[slot] else "" for slot in "cd")
    return own, inner


def wrapped(html: str, own: str, chance: random.Random) -> str:
    """A box with this content, perhaps with elements between."""
    for _ in range(chance.choice((0, 0, 1, 2))):
        html = f"<div>{html}</div>"
    outer = chance.choice(("div", "div", "div", "section", "aside"))
    return f"<{outer}{own}>{html}</{outer}>"


def heading(texts: Texts, chance: random.Random) -> str:
    tag = chance.choice(HEADINGS)
    return f"<{tag}>{chance.choice(texts['headings'])}</{tag}>" if tag else ""
