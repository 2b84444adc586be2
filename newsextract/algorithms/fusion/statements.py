"""What the page says of itself: its title, its description, the article's text in its JSON-LD."""

from html import unescape
from typing import Any

import numpy as np

from newsextract.algorithms.fusion.sheet import CJK, LINKED, TAGS, Floats, Sheet

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


def evidence(sheet: Sheet, likeness: Floats, title: int) -> Floats:
    """(blocks, FEATURES). `likeness` and `title`: see `find_title`."""
    out = np.zeros((len(sheet.size), len(FEATURES)), np.float32)
    _title(sheet, likeness, title, out)
    _own_words(sheet, out)
    size = max(1.0, sheet.total_size)
    good = np.count_nonzero(sheet.good)
    paragraphs = float(sheet.size @ (sheet.tags == TAGS["p"]))
    out[:, -9:] = (
        np.log1p(size), np.log1p(len(out)), np.log1p(sheet.total_good), sheet.total_good / size, paragraphs / size,
        min(1, 2 * float(sheet.kinds[:, CJK].sum()) / size), float(sheet.running[-1, 1]) / size,
        np.log1p(float(sheet.good.max())), np.log1p(good),
    )  # fmt: skip
    return out


def find_title(sheet: Sheet) -> tuple[Floats, int]:
    """(blocks,) how like the declared title each is, and the block that is the title; -1 where none can be told."""
    likeness = _likeness(sheet)
    best = likeness + np.float32(0.3) * (sheet.tags == TAGS["h1"])
    row = int(best.argmax())
    return likeness, row if best[row] >= 0.29 else -1


def _title(sheet: Sheet, likeness: Floats, title: int, out: Floats) -> None:
    rows = np.arange(len(sheet.size))
    headings = np.flatnonzero(sheet.tags == TAGS["h1"])
    out[:, 0] = likeness
    if len(headings):
        out[headings[0] + 1 :, 5] = 1
    if title < 0:
        out[:, 4] = 1
        return
    out[title + 1 :, 1] = 1
    before = sheet.running[:-1, 0]
    away = np.stack([rows - title, before - before[title]], 1)
    out[:, 2:4] = np.sign(away) * np.log1p(np.abs(away))


def _likeness(sheet: Sheet) -> Floats:
    """(blocks,) how much of the title (or of OpenGraph's) each line of about its length is: 0 to 1."""
    out = np.zeros(len(sheet.size), np.float32)
    titles = {" ".join(title.lower().split()) for title in _declared(sheet.page.tree, "title")} - {""}
    if not titles:
        return out
    least, most = 0.25 * min(map(len, titles)), 1.6 * max(map(len, titles)) + 10
    texts, lengths = sheet.blocks.texts, sheet.blocks.lengths
    for row in np.flatnonzero((lengths >= max(4, least)) & (lengths <= most)).tolist():
        line = texts[row].lower()
        for title in titles:
            if line in title or title in line:
                out[row] = max(float(out[row]), min(len(line), len(title)) / max(len(line), len(title)))
    return out


def _declared(tree: Any, what: str) -> list[str]:
    """Contents of the head's title or description elements."""
    found: list[str] = []
    head = tree.find("head")
    if head is None:
        return found
    names = (what, f"og:{what}")
    for element in head.iterchildren("title", "meta") if what == "title" else head.iterchildren("meta"):
        if element.tag == "title":
            found.append((element.text or "")[:400])
        elif (element.get("property") or element.get("name")) in names:
            found.append((element.get("content") or "")[:1000])
    return found[:4]


def _own_words(sheet: Sheet, out: Floats) -> None:
    described = " ".join(" ".join(_declared(sheet.page.tree, "description")).split())
    body = ""
    if b'articleBody"' in sheet.page.utf8:
        bodies = [thing.get("articleBody") for thing in sheet.page.json_ld]
        body = " ".join(unescape(max((text for text in bodies if isinstance(text, str)), key=len, default="")).split())
    if len(described) < 2 * PROBE and len(body) < 5 * PROBE:
        return
    texts = sheet.blocks.texts
    for row in np.flatnonzero((sheet.size >= PROBE) & (sheet.link_share < LINKED)).tolist():
        start = texts[row][:PROBE]
        out[row, 6] = start in described
        if body:
            out[row, 7 if start in body else 8] = 1
