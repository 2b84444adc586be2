"""Grafts: fragments put into real pages, of which every reader knows whether they belong to the article.

Averages over a page hide single sentences: a torn quotation or a swallowed teaser costs little F. Each fragment of
`grafts.toml` goes behind a paragraph of the article on many pages; `share` is on how many of them all its marks are in
the body (`keep`), or none (`drop`). No fragment is used for training.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, partial
from typing import Annotated, Any
from urllib.parse import urlsplit

import numpy as np
import typer
from turbohtml import etree

import newsextract
from evaluation.corpora import Corpus, Gold, find_corpora, map_in_processes
from evaluation.extractors import FOREIGN
from evaluation.gate import SLACK, read_floors, write_floors
from evaluation.scores import letters
from evaluation.tables import new_table
from evaluation.training.labels import labels
from newsextract import Page
from newsextract.cli.terminal import results
from newsextract.files import package_data

SETS = ("fundus", "newsrooms", "newssites", "wpsites", "wcxb-dev")
#: Carriers by default; the least number of paragraphs of the article in one, and characters of a paragraph.
PAGES, MIN_PARAGRAPHS, MIN_LENGTH = 24, 6, 60
RULES = ("keep", "drop")
#: The packages of `--peers`.
PEERS = ("trafilatura", "readability", "resiliparse")
#: A fragment in one of these elements would be part of it.
WITHIN = frozenset({"li", "blockquote", "td", "dd", "figure"})
PLACE = "graft-place"
#: The mean of the kinds of a rule; the least share of each kind, and the name of the pinned means in `floors.json`.
MEAN, MIN_KIND, FLOORS = "mean", 0.9, "grafts"

Carrier = tuple[str, dict[str, str]]


def shares(pages: int = PAGES, workers: int = 1, package: str | None = None) -> dict[str, dict[str, float]]:
    """Rule -> kind, and their mean -> share of the fragments that are where they belong; `package`: of another."""
    grafts = read_grafts()
    right: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in map_in_processes(partial(_judge, grafts, package), carriers(pages), workers):
        for (rule, graft), is_right in zip(grafts, row, strict=True):
            right[rule, graft["kind"]].append(is_right)
    found = {}
    for rule in RULES:
        kinds = {kind: sum(row) / len(row) for (of_rule, kind), row in right.items() if of_rule == rule}
        found[rule] = {**kinds, MEAN: sum(kinds.values()) / len(kinds)}
    return found


def read_grafts() -> list[tuple[str, dict[str, Any]]]:
    """The fragments with their rules."""
    found = package_data("evaluation", "grafts.toml")
    return [(rule, graft) for rule in RULES for graft in found[rule]]


@cache
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
    rows = [
        row
        for row in np.flatnonzero(is_text).tolist()
        if blocks.tags[row] == "p" and WITHIN.isdisjoint(tag for tag, _ in blocks.markup_path(row))
    ]
    if len(rows) < MIN_PARAGRAPHS:
        return None
    pages = {}
    for at, row in (("middle", rows[len(rows) // 2 - 1]), ("end", rows[-1])):
        page = Page(html, gold.url)
        page.blocks.element(int(page.blocks.owners[row])).addnext(etree.Element(PLACE))
        pages[at] = page.tree.node.html
    return gold.url or "https://news.example.org/story", pages


def _judge(grafts: Sequence[tuple[str, dict[str, Any]]], package: str | None, carrier: Carrier) -> list[bool]:
    """Whether each fragment is where it belongs."""
    (url, pages), right = carrier, []
    for rule, graft in grafts:
        html = pages[graft.get("at", "middle")].replace(f"<{PLACE}></{PLACE}>", graft["html"])
        if package:
            body = FOREIGN[package].text(html.encode(), url)
        else:
            body = newsextract.extract(html, url).article_body or ""
        texts = [*map(letters, body.split("\n"))] if graft.get("line") else [letters(body)]
        marks = [*map(letters, graft["marks"])]
        whole = any(all(mark in text for mark in marks) for text in texts)
        right.append(whole if rule == "keep" else not any(mark in text for mark in marks for text in texts))
    return right


def main(
    pages: Annotated[int, typer.Option(min=1, metavar="N", help="Pages that carry the fragments.")] = PAGES,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes.")] = 1,
    pin: Annotated[bool, typer.Option("--pin", help="Make the means that are measured the floors.")] = False,
    peers: Annotated[
        bool, typer.Option("--peers", help="Those of other packages beside them: the extra `peers`.")
    ] = False,
) -> None:
    """Shares of fragments in real pages that are kept or left out rightly; exit status 1 below a floor."""
    for package in PEERS if peers else ():
        FOREIGN[package].check()
    found, floors = shares(pages, workers), read_floors()
    beside = {package: shares(pages, workers, package) for package in PEERS} if peers else {}
    if pin:
        floors[FLOORS] = {"corpora": {"fusion": {rule: round(kinds[MEAN], 4) for rule, kinds in found.items()}}}
        write_floors(floors)
        return
    least = floors.get(FLOORS, {}).get("corpora", {}).get("fusion", {})
    table = new_table(f"Fragments where they belong, on {pages} pages", ("", "kind"), ("share", *beside))
    fails = False
    for rule, kinds in found.items():
        for kind, share in kinds.items():
            is_low = share < (least.get(rule, 0.0) - SLACK if kind == MEAN else MIN_KIND)
            fails = fails or is_low
            others = [f"{of_package[rule][kind]:.3f}" for of_package in beside.values()]
            table.add_row(rule, kind, f"{share:.3f}" + " LOW" * is_low, *others)
    results().print(table)
    raise typer.Exit(1 if fails else 0)
