"""What the page says of itself: its title, its description, the article's text in its JSON-LD."""

import re
from typing import Any

import numpy as np

from newsextract.algorithms.fusion.sheet import Floats, Sheet

FEATURES = (
    *((name, "title") for name in ("is title", "like title", "behind title", "log blocks from title", "size from title", "no title found", "is h1", "behind h1")),
    *((name, "title") for name in ("in description", "in article body", "not in article body")),
    *((f"page {name}", "page") for name in ("log size", "log blocks", "log good", "good share", "p share", "cjk", "link share", "log longest", "good blocks")),
)  # fmt: skip
LETTERS = re.compile(r"[\W_]+")
#: Letters of a block that are compared with JSON-LD's text.
PROBE = 40


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES)."""
    count = len(sheet.size)
    out = np.zeros((count, len(FEATURES)), np.float32)
    _title(sheet, out)
    _own_words(sheet, out)
    size = sheet.running[-1, 0]
    paragraphs = np.array([tag == "p" for tag in sheet.blocks.tags])
    out[:, -9:] = (
        np.log1p(size), np.log1p(count), np.log1p(sheet.total_good), sheet.total_good / max(1.0, float(size)),
        sheet.size[paragraphs].sum() / max(1.0, float(size)), min(1, 2 * sheet.kinds[:, 6].sum() / max(1.0, float(size))),
        sheet.running[-1, 1] / max(1.0, float(size)), np.log1p(sheet.good.max()), np.log1p((sheet.good > 0).sum()),
    )  # fmt: skip
    return out


def _title(sheet: Sheet, out: Floats) -> None:
    rows = np.arange(len(sheet.size))
    is_h1 = np.array([tag == "h1" for tag in sheet.blocks.tags])
    likeness = _likeness(sheet)
    out[:, 1] = likeness
    out[:, 6] = is_h1
    if is_h1.any():
        out[:, 7] = rows > int(is_h1.argmax())
    best = likeness + 0.3 * is_h1
    if best.max() < 0.3:
        out[:, 5] = 1
        return
    row = int(best.argmax())
    out[row, 0] = 1
    out[:, 2] = rows > row
    out[:, 3] = np.sign(rows - row) * np.log1p(np.abs(rows - row))
    before = sheet.running[:-1, 0]
    away = before - before[row]
    out[:, 4] = np.sign(away) * np.log1p(np.abs(away))


def _likeness(sheet: Sheet) -> Floats:
    """(blocks,) how much of the title (or of OpenGraph's) each line of about its length is: 0 to 1."""
    out = np.zeros(len(sheet.size), np.float32)
    titles = [LETTERS.sub("", title.lower()) for title in _declared(sheet.page.tree, "title")]
    titles = [title for title in titles if title]
    if not titles:
        return out
    longest = 3 * max(map(len, titles)) + 20
    texts = sheet.blocks.texts
    lengths = sheet.blocks.lengths
    for row in np.flatnonzero((lengths <= longest) & (lengths >= 4)).tolist():
        text = texts[row].lower()
        line = LETTERS.sub("", text)
        for title in titles:
            if line and (line in title or title in line):
                out[row] = max(out[row], min(len(line), len(title)) / max(len(line), len(title)))
    return out


def _declared(tree: Any, what: str) -> list[str]:
    """Contents of the head's title or description elements."""
    found = []
    head = tree.find("head")
    if head is None:
        return []
    for element in head.iterchildren("title", "meta"):
        if element.tag == "title":
            if what == "title" and element.text:
                found.append(element.text[:400])
        else:
            name = element.get("property") or element.get("name")
            if name and what in name and name.lower() in (what, f"og:{what}", f"twitter:{what}"):
                found.append((element.get("content") or "")[:1000])
    return found[:4]


def _own_words(sheet: Sheet, out: Floats) -> None:
    described = LETTERS.sub("", " ".join(_declared(sheet.page.tree, "description")).lower())
    body = ""
    if b'articleBody"' in sheet.page.utf8:
        bodies = [thing.get("articleBody") for thing in sheet.page.json_ld]
        body = LETTERS.sub("", max((text for text in bodies if isinstance(text, str)), key=len, default="").lower())
    if len(described) < 20 and len(body) < 100:
        return
    for row in np.flatnonzero(sheet.size >= PROBE).tolist():
        line = LETTERS.sub("", sheet.blocks.texts[row][: 2 * PROBE].lower())[:PROBE]
        if len(line) >= 12:
            out[row, 8] = line in described
            if body:
                out[row, 9 if line in body else 10] = 1
