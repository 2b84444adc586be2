"""Data augmentation: variants of labelled pages in other markup, so that features generalise to other sites and times.

Old pages have tables, line breaks and no class names; blogs have comments below the article in many kinds of markup.
Labels of a variant are made anew by alignment with the same gold, so a variant may change anything but the words of the
article. All random choices come from a seed made of the page's id and URL.
"""

import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from turbohtml import etree

from evaluation.corpora import Gold
from evaluation.training.labels import labels
from evaluation.training.modules import add_modules
from newsextract.files import package_data
from newsextract.page import Page

#: Share of pages with gold text that get a variant of each kind.
CHANCE = 0.6
COMMENTS = 0.5
CUT = 0.3
#: Share of the variants with modules in other markup.
CHANGED = 0.3
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: Classes, words and elements of what is added, by kind.
ADDED: dict[str, list[Any]] = package_data("evaluation.training", "augment.toml")


def variant(html: bytes, gold: Gold, lines: Sequence[str]) -> bytes | None:
    """HTML of a variant of the page, or None. `lines`: paragraphs of other pages, of which comments are made."""
    chance = random.Random(zlib.crc32(f"{gold.id} {gold.url}".encode()))
    page, rows = _page_with_text(html, gold, chance)
    if page is None or not len(page.blocks):
        return None
    if rows and chance.random() < COMMENTS:
        if chance.random() < CUT:
            rows = _cut(page, rows, chance.choice((1, 2, 3, 5)))
        _add_comments(page, rows[-1], lines, chance)
    for share, add in ADDITIONS:
        if rows and chance.random() < share:
            add(page, rows[-1], lines, chance)
    for share, change in CHANGES:
        if chance.random() < share:
            change(page.tree, chance)
    return bytes(page.tree.node.html, "utf-8")


def variant_with_modules(html: bytes, gold: Gold, lines: Sequence[str]) -> bytes | None:
    """HTML of the page with modules inside its article, or None; arguments as in `variant`."""
    chance = random.Random(zlib.crc32(f"{gold.id} {gold.url} modules".encode()))
    page, rows = _page_with_text(html, gold, chance)
    if page is None or not rows:
        return None
    if chance.random() < CUT:
        rows = _cut(page, rows, chance.choice((2, 3, 5, 8)))
    add_modules(page, rows, lines, chance)
    if chance.random() < CHANGED:
        for share, change in CHANGES[:3]:
            if chance.random() < share:
                change(page.tree, chance)
    return bytes(page.tree.node.html, "utf-8")


def _page_with_text(html: bytes, gold: Gold, chance: random.Random) -> tuple[Page | None, list[int]]:
    """The page with the rows of its article, for CHANCE of the pages whose text is known."""
    if gold.scored_by != "text" or chance.random() > CHANCE:
        return None, []
    page = Page(html, gold.url)
    return page, np.flatnonzero(labels(gold, page.blocks.texts) >= 0.5).tolist()


def _cut(page: Page, rows: list[int], length: int) -> list[int]:
    """Shortens the article to its first blocks, like a short post with more comments than text; returns their rows."""
    dropped = set(rows[length:])
    for row in rows[length:]:
        number = page.blocks.elements[row]
        element = page.blocks.element(number)
        parent = element.getparent()
        if dropped.issuperset(range(*page.blocks.spans[number].tolist())) and parent is not None:
            if element.tail and element.tail.strip():
                element.clear(keep_tail=True)
            else:
                parent.remove(element)
    return rows[:length]


def _sibling_of_sections(element: Any, levels: int) -> Any:
    """The element, or its ancestor this many levels above, that a section may follow, or None."""
    for _ in range(levels):
        parent = element.getparent()
        if parent is None or parent.tag in ("body", "html"):
            break
        element = parent
    return None if element.getparent() is None or element.tag in ("body", "html", "td", "tr", "li") else element


def _add_comments(page: Page, row: int, lines: Sequence[str], chance: random.Random) -> None:
    """Adds a section of comments after the article's last block, or after an ancestor up to three levels above."""
    sibling = _sibling_of_sections(page.blocks.element(page.blocks.elements[row]), chance.randrange(4))
    if sibling is None:
        return
    names = ADDED["telling"] if chance.random() < 0.75 else ADDED["neutral"]
    count = chance.choice((2, 4, 8, 15, 40))
    section = etree.Element("div", {"class": chance.choice(names)})
    heading = chance.choice(ADDED["headings"]).format(n=count)
    if heading:
        etree.SubElement(section, chance.choice(("h2", "h3", "h4", "div", "p", "b"))).text = heading
    tags = chance.choice(ADDED["comment_tags"])
    listed = etree.SubElement(section, tags[0])
    name = chance.choice(names)
    order = chance.randrange(3)
    for _ in range(count):
        _add_comment(listed, tags, name, order, lines, chance)
    sibling.addnext(section)


def _add_comment(
    listed: Any, tags: Sequence[str], name: str, order: int, lines: Sequence[str], chance: random.Random
) -> None:
    item = etree.SubElement(listed, tags[1], {"class": name})
    signed = f"{chance.choice(ADDED['names'])} {chance.choice(('', 'says:', 'wrote:', '-', '|'))} "
    date = chance.choice(ADDED["dates"]).format(n=chance.randrange(1, 28))
    if order:
        etree.SubElement(item, tags[2] if tags[1] == "tr" else "div").text = signed + (date if order == 1 else "")
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        etree.SubElement(item, tags[2]).text = chance.choice(lines)
    if order != 1:
        etree.SubElement(item, tags[2] if tags[1] == "tr" else "div").text = f"{signed} {date}"
    action = chance.choice(ADDED["actions"])
    if action:
        etree.SubElement(item[-1], "a").text = action


def _add_dialog(page: Page, row: int, lines: Sequence[str], chance: random.Random) -> None:
    """Adds a dialog (consent, donations, an announcement) as first or last child of the body."""
    body = page.tree.find(".//body")
    if body is None:
        return
    section = etree.Element("div", {"class": chance.choice(ADDED["dialogs"])})
    inner = etree.SubElement(section, "div")
    if chance.random() < 0.5:
        inner.set("class", chance.choice(ADDED["dialogs"]))
    if chance.random() < 0.6:
        etree.SubElement(inner, chance.choice(("h2", "h3", "h4", "p"))).text = _short(lines, chance)
    for _ in range(chance.choice((1, 2, 3, 6, 12))):
        etree.SubElement(inner, chance.choice(("p", "p", "p", "div", "li"))).text = chance.choice(lines)
    body.insert(0 if chance.random() < 0.3 else len(body), section)


def _add_article(page: Page, row: int, lines: Sequence[str], chance: random.Random) -> None:
    """Adds one to three further articles below the article, each with a headline in the same markup."""
    headline = next(iter(page.tree.iter("h1", "h2")), None)
    last = page.blocks.element(page.blocks.elements[row])
    if headline is None or headline.getparent() is None:
        return
    inside = set(headline.iterancestors())
    sibling = last
    while (above := sibling.getparent()) is not None and above not in inside:
        sibling = above
    if above is None or sibling.tag in ("body", "html", "td", "tr", "li"):
        return
    for _ in range(chance.choice((1, 1, 2, 3))):
        tag = sibling.tag if sibling.tag in ("div", "article", "section") else "div"
        section = etree.Element(tag, _classes_of(sibling))
        heading = etree.SubElement(section, headline.tag, _classes_of(headline))
        holder = etree.SubElement(heading, "a", href="/story") if chance.random() < 0.3 else heading
        holder.text = _short(lines, chance)
        for _ in range(chance.choice((2, 4, 6, 10))):
            tag = last.tag if last.tag in ("p", "div") else "p"
            etree.SubElement(section, tag, _classes_of(last)).text = chance.choice(lines)
        sibling.addnext(section)


def _classes_of(element: Any) -> dict[str, str]:
    classes = element.get("class")
    return {"class": classes} if classes else {}


def _add_teasers(page: Page, row: int, lines: Sequence[str], chance: random.Random) -> None:
    """Adds a list of other articles below the article: a linked headline and an excerpt each."""
    sibling = _sibling_of_sections(page.blocks.element(page.blocks.elements[row]), chance.randrange(1, 5))
    if sibling is None:
        return
    section = etree.Element(chance.choice(("div", "ul", "section")), {"class": chance.choice(ADDED["teasers"])})
    if chance.random() < 0.6:
        etree.SubElement(section, chance.choice(("h2", "h3", "h4", "div"))).text = chance.choice(ADDED["more"])
    tag, name = "li" if section.tag == "ul" else chance.choice(("div", "article")), chance.choice(ADDED["teasers"])
    for _ in range(chance.choice((2, 4, 6, 10))):
        item = etree.SubElement(section, tag, {"class": name})
        heading = etree.SubElement(item, chance.choice(("h2", "h3", "h4", "div")))
        etree.SubElement(heading, "a", href="/story").text = _short(lines, chance)
        words = chance.choice(lines).split()
        excerpt = " ".join(words[: chance.choice((20, 40, 60))])[:300]
        etree.SubElement(item, chance.choice(("p", "div"))).text = excerpt + chance.choice(("…", "...", " […]", ""))
        if chance.random() < 0.4:
            etree.SubElement(item, "a", href="/story").text = chance.choice(ADDED["onward"])
    sibling.addnext(section)


def _short(lines: Sequence[str], chance: random.Random) -> str:
    """The first words of a paragraph, as a heading."""
    return " ".join(chance.choice(lines).split()[: chance.choice((4, 7, 11))])[:80]


def _without_names(tree: Any, chance: random.Random) -> None:
    for element in tree.iter():
        for name in ("class", "id", "role", "itemprop"):
            element.attrib.pop(name, None)


def _rename(tree: Any, tags: Sequence[str], tag: str) -> None:
    for element in list(tree.iter(*tags)):
        element.tag = tag


def _paragraphs_as_breaks(tree: Any, chance: random.Random) -> None:
    """Replaces paragraphs by their text with one or two `br` after it."""
    breaks = chance.choice((1, 2))
    for element in list(tree.iter("p")):
        if element.getparent() is not None:
            for _ in range(breaks):
                element.append(etree.Element("br"))
            element.tag = "span-gone"
    etree.strip_tags(tree, "span-gone")


def _divs_as_tables(tree: Any, chance: random.Random) -> None:
    for element in list(tree.iter("div")):
        if chance.random() < 0.4 and len(element):
            element.tag = "td"
            above = element.getparent()
            if above is None:
                continue
            table, row = etree.Element("table"), etree.Element("tr")
            above.replace(element, table)
            table.tail, element.tail = element.tail, None
            table.append(row)
            row.append(element)


def _without_metadata(tree: Any, chance: random.Random) -> None:
    for element in list(tree.iter("meta", "script")):
        name = (element.get("property") or element.get("name") or "").lower()
        if element.tag == "script" or "title" in name or "description" in name:
            element.getparent().remove(element) if element.tail is None else element.clear(keep_tail=True)


#: Probability that a variant gets each kind of text beside its article.
ADDITIONS = ((0.25, _add_dialog), (0.2, _add_article), (0.25, _add_teasers))
#: Probability of each change of a variant.
CHANGES: tuple[tuple[float, Callable[[Any, random.Random], None]], ...] = (
    (0.4, _without_names),
    (0.5, lambda tree, _: _rename(tree, ADDED["semantic"], "div")),
    (0.2, lambda tree, _: _rename(tree, ["p"], "div")),
    (0.3, _paragraphs_as_breaks),
    (0.3, _divs_as_tables),
    (0.3, lambda tree, chance: _rename(tree, HEADINGS, chance.choice(("b", "div", "p")))),
    (0.6, _without_metadata),
)
