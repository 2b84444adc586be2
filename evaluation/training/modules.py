"""Data augmentation: modules that newsrooms put inside an article, between its paragraphs and after the last one.

There are modules of each of KINDS, in many languages and with many kinds of markup; their classes name the module, name
nothing, or are missing. A page's own paragraphs keep their labels, however many modules are put between them.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from turbohtml import etree

from newsextract.files import package_data
from newsextract.page import Page

#: Kind of text -> wordings.
Words = dict[str, list[str]]
DATA: dict[str, Any] = package_data("evaluation.training", "modules.toml")
#: Language -> its wordings.
WORDS: dict[str, Words] = DATA["words"]
TELLING, NEUTRAL, NAMES, CREDITS = (DATA[name] for name in ("telling", "neutral", "names", "credits"))
#: Modules of an article at most; probability that one stands in the same markup as the article's paragraphs, without
#: an element of its own around it.
MODULES = (1, 1, 2, 3, 4, 6)
BARE = 0.15


def add_modules(page: Page, rows: Sequence[int], lines: Sequence[str], chance: random.Random) -> None:
    """Puts modules between the blocks of the article (`rows`), and some after the last. `lines`: other pages' text."""
    places = _places(page, rows)
    if not places:
        return
    words = _words_of(page, chance)
    kinds = [kind for kind in KINDS if kind != "caption" or _leaves_out_captions(page, rows)]
    for _ in range(chance.choice(MODULES)):
        kind = chance.choice(kinds)
        place = places[-1] if kind in ("end", "role") else chance.choice(places)
        if place.getparent() is None:
            continue
        section = _element(None, chance.choice(("div", "div", "aside", "section", "figure")), kind, chance)
        KINDS[kind](section, kind, words, lines, chance)
        if kind == "line" or chance.random() < BARE:
            for child in reversed(list(section)):
                place.addnext(child)
        else:
            for _ in range(chance.choice((0, 0, 1, 2))):
                outer = _element(None, "div", kind, chance)
                outer.append(section)
                section = outer
            place.addnext(section)


def _places(page: Page, rows: Sequence[int]) -> list[Any]:
    """Elements that a module may follow: those of one block of the article each, and breaks between such blocks."""
    places = []
    for number in dict.fromkeys(page.blocks.elements[rows].tolist()):
        element = page.blocks.element(number)
        parent = element.getparent()
        if parent is None or element.tag in ("body", "html"):
            continue
        first, last = page.blocks.spans[number].tolist()
        if last - first == 1 and element.tag not in ("li", "td", "th", "tr", "dd", "dt", "span", "a"):
            places.append(element)
        elif last - first > 1:
            places += [child for child in element if child.tag == "br"]
    return places


def _leaves_out_captions(page: Page, rows: Sequence[int]) -> bool:
    """Whether the page has captions and its gold none: some golds, such as those from feeds, have captions."""
    blocks = page.blocks
    names = [
        blocks.element_tags[number] + (blocks.element_classes[number] or "") for number in blocks.elements.tolist()
    ]
    captions = {row for row, name in enumerate(names) if "caption" in name}
    return bool(captions) and captions.isdisjoint(rows)


def _words_of(page: Page, chance: random.Random) -> Words:
    """The wordings in the page's language; in another one if it has none, or is unknown."""
    root = page.tree if page.tree.tag == "html" else next(iter(page.tree.iter("html")), None)
    language = ((root.get("lang") if root is not None else "") or "").lower()[:2]
    return WORDS.get(language) or WORDS["en" if chance.random() < 0.7 else chance.choice(list(WORDS))]


def _element(parent: Any, tag: str, kind: str, chance: random.Random) -> Any:
    """A new element with a class that tells its kind, a neutral one or none."""
    element = etree.Element(tag) if parent is None else etree.SubElement(parent, tag)
    names = chance.choice((TELLING[kind], NEUTRAL, NEUTRAL, ()))
    if names:
        element.set("class", chance.choice(names))
    return element


def _appeal(section: Any, kind: str, words: Words, lines: Sequence[str], chance: random.Random) -> None:
    """A heading, sentences in paragraphs or items, and buttons: prompts, forms, appeals, placeholders, players."""
    texts = list(words[kind])
    chance.shuffle(texts)
    if kind == "letter" and chance.random() < 0.6:
        section = etree.SubElement(section, "form")
    if chance.random() < 0.7:
        etree.SubElement(section, chance.choice(("h2", "h3", "h4", "p", "strong"))).text = texts[0]
    listed = etree.SubElement(section, "ul") if chance.random() < 0.2 else section
    tag = "li" if listed is not section else chance.choice(("p", "p", "div"))
    for text in texts[1 : 1 + chance.choice((1, 2, 3, 5))]:
        _element(listed, tag, kind, chance).text = text
    if kind == "video":
        for _ in range(chance.choice((0, 1, 3, 6))):  # a playlist
            button = etree.SubElement(section, chance.choice(("button", "a", "div")))
            etree.SubElement(button, chance.choice(("h3", "h4", "span", "p"))).text = _headline(lines, chance)
            etree.SubElement(button, "span").text = f"{chance.randrange(10)}:{chance.randrange(60):02}"
    for _ in range(chance.choice((0, 1, 1, 2))):
        tag = chance.choice(("a", "button"))
        etree.SubElement(section, tag, href="/account").text = chance.choice(words["action"])


def _other_articles(section: Any, kind: str, words: Words, lines: Sequence[str], chance: random.Random) -> None:
    """Linked headlines, in capitals or not, with excerpts or not, under a label or not."""
    capitals = chance.random() < 0.3
    form = chance.randrange(3)
    if chance.random() < 0.7:
        heading = etree.SubElement(section, chance.choice(("h2", "h3", "h4", "p", "div", "strong")))
        heading.text = chance.choice(words["more"])
    listed = etree.SubElement(section, "ul") if not form else section
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        item = _element(listed, ("li", "div", "article")[form], kind, chance)
        heading = etree.SubElement(item, chance.choice(("h3", "h4", "strong", "b", "span", "p")))
        text = _headline(lines, chance)
        etree.SubElement(heading, "a", href="/story").text = text.upper() if capitals else text
        if form and chance.random() < 0.5:
            etree.SubElement(item, "p").text = chance.choice(lines)[:120] + chance.choice(("", "…", "..."))


def _linked_lines(section: Any, kind: str, words: Words, lines: Sequence[str], chance: random.Random) -> None:
    """Headlines of other articles as paragraphs of the text: "Read also: ...", in capitals or not."""
    label, capitals = chance.choice(words["more"]), chance.random() < 0.5
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        line = etree.SubElement(section, "p")
        holder = etree.SubElement(line, chance.choice(("strong", "b", "em"))) if chance.random() < 0.6 else line
        text = _headline(lines, chance)
        text = text.upper() if capitals else text
        link = etree.SubElement(holder, "a", href="/story")
        form = chance.randrange(3)
        if form == 1:
            holder.text = f"{label}: "
        link.text = f"{label.upper() if capitals else label}: {text}" if form == 2 else text


def _caption(section: Any, kind: str, words: Words, lines: Sequence[str], chance: random.Random) -> None:
    """One or several pictures, each with a sentence and a credit."""
    for _ in range(chance.choice((1, 1, 1, 3, 8))):
        figure = _element(section, chance.choice(("figure", "div", "p")), kind, chance)
        etree.SubElement(figure, "img").set("src", "/picture.jpg")
        credit = chance.choice(CREDITS).format(chance.choice(NAMES))
        text = f"{_headline(lines, chance)}. {credit}" if chance.random() < 0.7 else credit
        tag = "span" if figure.tag == "p" else chance.choice(("figcaption", "figcaption", "p", "div"))
        _element(figure, tag, kind, chance).text = text


def _notice(section: Any, kind: str, words: Words, lines: Sequence[str], chance: random.Random) -> None:
    for text in chance.sample(words[kind], min(len(words[kind]), chance.choice((1, 1, 2, 3)))):
        etree.SubElement(section, chance.choice(("p", "p", "div", "em"))).text = text


def _author(section: Any, kind: str, words: Words, lines: Sequence[str], chance: random.Random) -> None:
    name = chance.choice(NAMES)
    heading = etree.SubElement(section, chance.choice(("h3", "h4", "p", "div")))
    etree.SubElement(heading, "a", href="/author").text = name
    etree.SubElement(section, chance.choice(("p", "div"))).text = f"{name} {chance.choice(words['role'])}"
    if chance.random() < 0.4:
        _notice(section, "end", words, lines, chance)


def _headline(lines: Sequence[str], chance: random.Random) -> str:
    """The first words of a paragraph of another page."""
    line = chance.choice(lines)
    return " ".join(line.split()[: chance.choice((5, 8, 12))])[: chance.choice((25, 60, 90))]


Fill = Callable[[Any, str, Words, Sequence[str], random.Random], None]
KINDS: dict[str, Fill] = {
    "prompt": _appeal, "letter": _appeal, "video": _appeal, "donate": _appeal, "embed": _appeal,
    "more": _other_articles, "line": _linked_lines, "caption": _caption, "end": _notice, "role": _author,
}  # fmt: skip
