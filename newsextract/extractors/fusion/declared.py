"""What the page says of itself: its title, its description, the article's text in its JSON-LD."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from json import JSONDecoder
from math import log1p

import numpy as np
from turbohtml import Element

from newsextract.extractors.fusion.features import CJK, LINKED, LINKED_SUM, SIZE_SUM, TAGS, Floats, Sheet

TITLE_NAMES = (
    "like title", "behind title", "blocks from title", "size from title", "no title found", "behind h1",
)  # fmt: skip
STATED = ("in description", "in article body", "not in article body")
PAGE_NAMES = (
    "log size", "log blocks", "log good", "good share", "p share", "cjk", "link share", "log longest", "good blocks",
)  # fmt: skip
FEATURES = (
    *((name, "title") for name in (*TITLE_NAMES, *STATED)),
    *((f"page {name}", "page") for name in PAGE_NAMES),
)
#: So many characters of a block are looked for in JSON-LD's text and in the description.
PROBE = 40
DECLARED = {"og:title": "title", "title": "title", "description": "description", "og:description": "description"}
#: Where JSON-LD states the text.
BODY_NAME, VALUE = '"articleBody"', re.compile(r'\s*:\s*(?=")')
JSON = JSONDecoder(strict=False)


@dataclass(frozen=True)
class Stated:
    """What the page says of itself: titles in lower case, the descriptions as one text, the text in its JSON-LD."""

    titles: set[str]
    description: str
    body: str


def read_stated(sheet: Sheet) -> Stated:
    """From the head, and JSON-LD also from the end of most pages: the scripts right below the body."""
    found: dict[str, list[str]] = {"title": [], "description": []}
    scripts = [child for child in sheet.page.body.node if type(child) is Element and child.tag == "script"]
    head = sheet.page.tree.node.find("head")
    for element in () if head is None else head.iter_elements(("title", "meta", "script")):
        if element.tag == "title":
            found["title"].append(element.text[:400])
        elif element.tag == "script":
            scripts.append(element)
        elif name := DECLARED.get(element.attr("property") or element.attr("name") or ""):
            found[name].append((element.attr("content") or "")[:1000])
    titles = {" ".join(title.lower().split()) for title in found["title"][:4]} - {""}
    description = " ".join(" ".join(found["description"][:4]).split())
    return Stated(titles, description, article_body(script for script in scripts if _is_json_ld(script)))


def _is_json_ld(script: Element) -> bool:
    return "ld+json" in (script.attr("type") or "")


def article_body(scripts: Iterable[Element]) -> str:
    """The longest of the `articleBody` strings of scripts, read without reading the rest; "" without one."""
    found = ""
    for script in scripts:
        text = script.text
        place = text.find(BODY_NAME)
        if place >= 0 and (begins := VALUE.match(text, place + len(BODY_NAME))):
            try:
                found = max(found, JSON.raw_decode(text, begins.end())[0], key=len)
            except ValueError:  # not closed
                continue
    return " ".join(unescape(found).split())


def evidence(sheet: Sheet, stated: Stated, likeness: Floats, title: int, out: Floats) -> None:
    """Fills (FEATURES, blocks). `likeness` and `title`: see `find_title`."""
    titled, own = len(TITLE_NAMES), len(TITLE_NAMES) + len(STATED)
    out[1:own] = 0
    out[0] = likeness
    _title(sheet, title, out[1:titled])
    _own_words(sheet, stated, out[titled:own])
    size = max(1.0, sheet.total_size)
    paragraphs = float(sheet.size @ (sheet.tags == TAGS["p"]))
    page = (
        log1p(size), log1p(len(sheet.size)), log1p(sheet.total_good), sheet.total_good / size, paragraphs / size,
        min(1, 2 * float(sheet.kinds[CJK].sum()) / size), float(sheet.running[LINKED_SUM, -1]) / size,
        log1p(float(sheet.good.max())), log1p(np.count_nonzero(sheet.good)),
    )  # fmt: skip
    out[own:] = np.array(page, np.float32)[:, None]


def find_title(sheet: Sheet, stated: Stated) -> tuple[Floats, int]:
    """(blocks,) how like a declared title each is, and the block that is the title; -1 where none can be told."""
    likeness = _likeness(sheet, stated.titles)
    best = likeness + np.float32(0.3) * (sheet.tags == TAGS["h1"])
    row = int(best.argmax())
    return likeness, row if best[row] >= 0.29 else -1


def _title(sheet: Sheet, title: int, out: Floats) -> None:
    """All of TITLE_NAMES but the first."""
    headings = np.flatnonzero(sheet.tags == TAGS["h1"])
    if len(headings):
        out[4, headings[0] + 1 :] = 1
    if title < 0:
        out[3] = 1
        return
    out[0, title + 1 :] = 1
    before = sheet.running[SIZE_SUM, :-1]
    for row, away in ((1, sheet.rows - title), (2, before - before[title])):
        np.copysign(np.log1p(np.abs(away)), away, out=out[row], casting="same_kind")


def _likeness(sheet: Sheet, titles: set[str]) -> Floats:
    """(blocks,) how much of a declared title each line of about its length is: 0 to 1."""
    out = np.zeros(len(sheet.size), np.float32)
    if not titles:
        return out
    least, most = 0.25 * min(map(len, titles)), 1.6 * max(map(len, titles)) + 10
    lengths = sheet.blocks.lengths
    rows = np.flatnonzero((lengths >= max(4, least)) & (lengths <= most)).tolist()
    texts, joined = [sheet.blocks.texts[row].lower() for row in rows], "\n".join(titles)
    page = "\n".join(texts)
    whole = [title for title in titles if title in page]
    for row, line in zip(rows, texts, strict=True):
        if line in joined or (whole and any(title in line for title in whole)):
            alike = [(len(line), len(title)) for title in titles if line in title or title in line]
            out[row] = max(min(pair) / max(pair) for pair in alike)
    return out


def _own_words(sheet: Sheet, stated: Stated, out: Floats) -> None:
    """STATED: whether a paragraph begins as the description or a part of the article's text does."""
    described, body = stated.description, stated.body
    if len(described) < 2 * PROBE and len(body) < 5 * PROBE:
        return
    texts = sheet.blocks.texts
    for row in np.flatnonzero((sheet.size >= PROBE) & (sheet.link_share < LINKED)).tolist():
        start = texts[row][:PROBE]
        out[0, row] = start in described
        if body:
            out[1 if start in body else 2, row] = 1
