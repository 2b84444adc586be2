"""Grafts: fragments put into real pages, of which every reader knows whether they belong to the article.

Averages over a page hide single sentences: a torn quotation or a swallowed teaser costs little F. Each fragment of
`grafts.toml` goes behind a paragraph of the article on many pages; `share` is on how many of them all its marks are in
the body (`keep`), or none (`drop`). No page or fragment is used for training.
"""

import hashlib
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from turbohtml import etree

import newsextract
from evaluation.corpora import Corpus, Gold, find_corpora, map_in_processes
from evaluation.training.labels import labels
from newsextract import Page

SETS = ("fundus", "newsrooms", "newssites", "wpsites", "wcxb-dev")
#: Carriers by default; the least number of paragraphs of the article in one, and characters of a paragraph.
PAGES, MIN_PARAGRAPHS, MIN_LENGTH = 24, 6, 60
RULES = ("keep", "drop")
PLACE = "graft-place"

Carrier = tuple[str, dict[str, str]]


def shares(pages: int = PAGES, workers: int = 1) -> dict[str, dict[str, float]]:
    """Rule -> kind -> share of the fragments that are where they belong, over all carriers."""
    grafts = read_grafts()
    right: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in map_in_processes(partial(_judge, grafts), carriers(pages), workers):
        for (rule, graft), is_right in zip(grafts, row, strict=True):
            right[rule, graft["kind"]].append(is_right)
    return {
        rule: {kind: sum(row) / len(row) for (of_rule, kind), row in right.items() if of_rule == rule} for rule in RULES
    }


def read_grafts() -> list[tuple[str, dict[str, Any]]]:
    """The fragments with their rules."""
    found = tomllib.loads(files("evaluation").joinpath("grafts.toml").read_text("utf-8"))
    return [(rule, graft) for rule in RULES for graft in found[rule]]


def carriers(count: int) -> list[Carrier]:
    """URL, and HTML by place with PLACE behind the middle or the last paragraph of the article; one page of a site."""
    rows = [(corpus, gold) for corpus in find_corpora(SETS) for gold in corpus.gold if gold.text and gold.is_article]
    rows.sort(key=lambda row: hashlib.sha256(row[1].id.encode()).digest())
    found: dict[str, Carrier] = {}
    for corpus, gold in rows:
        site = urlsplit(gold.url or "").netloc or gold.id
        if site not in found and (carrier := _carrier(corpus, gold)) is not None:
            found[site] = carrier
            if len(found) == count:
                break
    return [*found.values()]


def _carrier(corpus: Corpus, gold: Gold) -> Carrier | None:
    html = corpus.html(gold.id)
    blocks = Page(html, gold.url).blocks
    is_text = (labels(gold, blocks.texts) >= 0.9) & (blocks.lengths >= MIN_LENGTH)
    rows = [row for row in np.flatnonzero(is_text).tolist() if blocks.tags[row] == "p"]
    if len(rows) < MIN_PARAGRAPHS:
        return None
    pages = {}
    for at, row in (("middle", rows[len(rows) // 2 - 1]), ("end", rows[-1])):
        page = Page(html, gold.url)
        page.blocks.element(int(page.blocks.owners[row])).addnext(etree.Element(PLACE))
        pages[at] = page.tree.node.html
    return gold.url or "https://news.example.org/story", pages


def _judge(grafts: Sequence[tuple[str, dict[str, Any]]], carrier: Carrier) -> list[bool]:
    url, pages = carrier
    return [*_judgements(grafts, url, pages)]


def _judgements(grafts: Sequence[tuple[str, dict[str, Any]]], url: str, pages: dict[str, str]) -> Iterator[bool]:
    for rule, graft in grafts:
        html = pages[graft.get("at", "middle")].replace(f"<{PLACE}></{PLACE}>", graft["html"])
        body = newsextract.extract(html, url).article_body or ""
        texts = [*map(_letters, body.split("\n"))] if graft.get("line") else [_letters(body)]
        marks = [*map(_letters, graft["marks"])]
        if rule == "keep":
            yield any(all(mark in text for mark in marks) for text in texts)
        else:
            yield not any(mark in text for mark in marks for text in texts)


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
