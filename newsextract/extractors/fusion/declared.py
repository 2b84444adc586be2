"""Features of the page's declarations: title, description, the article's text in JSON-LD; and of its size."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from html import unescape
from math import log1p

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import CJK, LINKED, LINKED_SUM, SIZE_SUM, TAGS, FeatureTable, Fill, Floats
from newsextract.page.json_text import DECODER
from newsextract.text import contained

TITLE_NAMES = (
    "like title", "behind title", "blocks from title", "size from title", "no title found", "behind h1",
)  # fmt: skip
TEXT_NAMES = ("in description", "in article body", "not in article body")
PAGE_NAMES = (
    "log size", "log blocks", "log good", "good share", "p share", "cjk", "link share", "log longest", "good blocks",
)  # fmt: skip
FEATURES = (
    *((name, "title") for name in (*TITLE_NAMES, *TEXT_NAMES)),
    *((f"page {name}", "page") for name in PAGE_NAMES),
)
#: Characters from a block's beginning that are searched for in the declared texts.
PROBE = 40
#: The declared text in JSON-LD.
BODY_NAME = '"articleBody"'
VALUE = re.compile(r'\s*:\s*(?=")')


@dataclass(frozen=True)
class DeclaredText:
    """Titles in lower case, the descriptions as one text, and `articleBody` of the JSON-LD."""

    titles: set[str]
    description: str
    body: str


def read_declared(table: FeatureTable) -> DeclaredText:
    """What the page declares of its text."""
    meta = table.page.meta
    titles = (meta.title, *meta.all("og:title"), *meta.all("title"))
    descriptions = [text[:1000] for text in (*meta.all("description"), *meta.all("og:description"))]
    return DeclaredText(
        {" ".join(title[:400].lower().split()) for title in titles[:4]} - {""},
        " ".join(" ".join(descriptions[:4]).split()),
        article_body(meta.scripts),
    )


def article_body(scripts: Iterable[str]) -> str:
    """The longest `articleBody` string in scripts, without parsing the rest, or ""."""
    longest = ""
    for text in scripts:
        start = text.find(BODY_NAME)
        if start >= 0 and (value := VALUE.match(text, start + len(BODY_NAME))):
            try:
                longest = max(longest, DECODER.raw_decode(text, value.end())[0], key=len)
            except ValueError:  # the string is not closed
                continue
    return " ".join(unescape(longest).split())


def features(table: FeatureTable, declared: DeclaredText, similarity: Floats, title: int) -> Fill:
    """FEATURES. `similarity` and `title`: see `find_title`."""
    size = max(1.0, table.total_size)
    paragraphs = float(table.size[table.tags == TAGS["p"]].sum())
    page = (
        log1p(size), log1p(len(table.size)), log1p(table.total_good), table.total_good / size, paragraphs / size,
        min(1, 2 * float(table.kinds[CJK].sum()) / size), float(table.running[LINKED_SUM, -1]) / size,
        log1p(float(table.good.max())), log1p(np.count_nonzero(table.good)),
    )  # fmt: skip
    values = np.array(page, np.float32)[:, None]
    return partial(_fill_features, table, title, similarity, _declared_text(table, declared), values)


def _fill_features(
    table: FeatureTable,
    title: int,
    similarity: Floats,
    texts: NDArray[np.bool_],
    page: Floats,
    rows: slice,
    out: Floats,
) -> None:
    titled = len(TITLE_NAMES)
    out[0] = similarity[rows]
    _title(table, title, rows, out[1:titled])
    out[titled : titled + len(texts)] = texts[:, rows]
    out[titled + len(texts) :] = page


def find_title(table: FeatureTable, declared: DeclaredText) -> tuple[Floats, int]:
    """(blocks,) similarity of each block to the declared titles, 0 to 1; and the title's block, -1 if there is none."""
    similarity = _title_similarity(table, declared.titles)
    best = similarity + np.float32(0.3) * (table.tags == TAGS["h1"])
    row = int(best.argmax())
    return similarity, row if best[row] >= 0.29 else -1


def _title(table: FeatureTable, title: int, rows: slice, out: Floats) -> None:
    """Fill TITLE_NAMES but the first; `title`: the title's block."""
    out[:] = 0
    headings, numbers = (table.tags == TAGS["h1"]).nonzero()[0], table.rows[rows]
    if len(headings):
        out[4] = numbers > headings[0]
    if title < 0:
        out[3] = 1
        return
    out[0] = numbers > title
    before = table.running[SIZE_SUM]
    for row, distance in ((1, numbers - title), (2, before[rows] - before[title])):
        np.copysign(np.log1p(np.abs(distance)), distance, out=out[row], casting="same_kind")


def _title_similarity(table: FeatureTable, titles: set[str]) -> Floats:
    """(blocks,) ratio of lengths where a block contains a declared title or is part of one, 0 otherwise."""
    out = np.zeros(len(table.size), np.float32)
    if not titles:
        return out
    least, most = 0.25 * min(map(len, titles)), 1.6 * max(map(len, titles)) + 10
    lengths = table.markup[4]
    rows = ((lengths >= max(4, least)) & (lengths <= most)).nonzero()[0].tolist()
    lines, joined = [table.blocks.texts[row].lower() for row in rows], "\n".join(titles)
    alike = [place for place, line in enumerate(lines) if line in joined]
    page = "\n".join(lines)
    for title in titles:
        if title in page:
            alike += [place for place, line in enumerate(lines) if title in line]
    for place in alike:
        line = lines[place]
        pairs = [(len(line), len(title)) for title in titles if line in title or title in line]
        out[rows[place]] = max(min(pair) / max(pair) for pair in pairs)
    return out


def _declared_text(table: FeatureTable, declared: DeclaredText) -> NDArray[np.bool_]:
    """(TEXT_NAMES, blocks): whether the beginning of a paragraph is in the description or in the declared text."""
    out = np.zeros((len(TEXT_NAMES), len(table.size)), bool)
    described, body = declared.description, declared.body
    if len(described) < 2 * PROBE and len(body) < 5 * PROBE:
        return out
    rows: list[int] = ((table.size >= PROBE) & (table.link_share < LINKED)).nonzero()[0].tolist()
    starts = [table.blocks.texts[row][:PROBE] for row in rows]
    in_body = contained(starts, body)
    for row, start in zip(rows, starts, strict=True):
        out[0, row] = start in described
        if body:
            out[1 if start in in_body else 2, row] = True
    return out
