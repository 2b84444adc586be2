"""Grafts: fragments put into real pages, of which every reader knows whether they belong to the article.

Averages over a page hide single sentences: a torn quotation or a swallowed teaser costs little F. Each fragment goes
behind a paragraph of the article on many pages; `share` is on how many of them all its marks are in the body (`keep`),
or none (`drop`); `same`: on how many the fragment changes neither date nor authors. Fragments are those of
`grafts.toml`, and the made ones of `fragments.toml`, whose kinds and languages that are left out are a table of their
own. Fragments of known kinds may be trained on, those that are left out never.
"""

import hashlib
from collections import defaultdict
from dataclasses import replace
from functools import cache, partial
from typing import Annotated, Any
from urllib.parse import urlsplit

import numpy as np
import typer
from turbohtml import etree

import newsextract
from evaluation.corpora import Corpus, Gold, find_corpora, map_in_processes
from evaluation.extractors import FOREIGN
from evaluation.fragments import RULES, Fragment, hashed_classes, made_fragments
from evaluation.gate import SLACK, read_floors, write_floors
from evaluation.scores import letters
from evaluation.tables import new_table
from evaluation.training.labels import labels
from newsextract import Page
from newsextract.cli.terminal import results
from newsextract.files import package_data

SETS = ("fundus", "newsrooms", "newssites", "wpsites", "wcxb-dev")
#: Carriers by default; the least number of paragraphs of the article in one, and characters of a paragraph.
PAGES = 24
MIN_PARAGRAPHS = 6
MIN_LENGTH = 60
#: The packages of `--peers`.
PEERS = ("trafilatura", "readability", "resiliparse")
#: A fragment in one of these elements would be part of it.
WITHIN = frozenset({"li", "blockquote", "td", "dd", "figure"})
PLACE = "graft-place"
#: The mean of the kinds of a rule; the least share of each kind, and the name of the pinned means in `floors.json`.
MEAN = "mean"
MIN_KIND = 0.9
FLOORS = "grafts"
#: Tables: fragments of `grafts.toml`; made ones of kinds and languages that rules are tuned on, or not.
BY_HAND = "by hand"
KNOWN = "known"
LEFT_OUT = "left out"
SAME = "same"

Carrier = tuple[str, dict[str, str]]
#: Table, rule, kind, and whether the fragment was where it belongs.
Verdict = tuple[str, str, str, bool]
Shares = dict[tuple[str, str], dict[str, float]]


def shares(pages: int = PAGES, workers: int = 1, package: str | None = None, *, hashed: bool = False) -> Shares:
    """(Table, rule) -> kind, and their mean -> share of the fragments that are where they belong.

    `package`: of another; `hashed`: with class names as build tools make them.
    """
    right: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in map_in_processes(partial(_judge, package, hashed), carriers(pages), workers):
        for table, rule, kind, is_right in row:
            right[table, rule][kind].append(is_right)
    found = {}
    for key in sorted(right):
        kinds = {kind: sum(row) / len(row) for kind, row in right[key].items()}
        found[key] = {**(kinds if key[1] != SAME else {}), MEAN: sum(kinds.values()) / len(kinds)}
    return found


def fragments(url: str, hashed: bool) -> list[tuple[str, Fragment]]:
    """The fragments of a carrier with their tables."""
    by_hand = [(BY_HAND, fragment) for fragment in read_grafts()]
    if hashed:
        by_hand = [(table, replace(fragment, html=hashed_classes(fragment.html))) for table, fragment in by_hand]
    made = made_fragments(url, "hashed" if hashed else None)
    return by_hand + [(LEFT_OUT if fragment.is_left_out else KNOWN, fragment) for fragment in made]


def read_grafts() -> list[Fragment]:
    """The fragments of `grafts.toml`."""
    found = package_data("evaluation", "grafts.toml")
    return [_fragment(rule, row) for rule in RULES for row in found[rule]]


def _fragment(rule: str, row: dict[str, Any]) -> Fragment:
    marks, place = tuple(row["marks"]), row.get("at", "middle")
    return Fragment(rule, row["kind"], row["html"], marks, place, is_line=row.get("line", False))


@cache
def carriers(count: int) -> list[Carrier]:
    """URL, and HTML by place with PLACE before the first, or behind the middle or last paragraph of the article;
    one page of a site.
    """
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
        if blocks.tags[row] == "p" and WITHIN.isdisjoint(map(blocks.element_tags.__getitem__, blocks.path(row)))
    ]
    if len(rows) < MIN_PARAGRAPHS:
        return None
    pages = {}
    for at, row in (("begin", rows[0]), ("middle", rows[len(rows) // 2 - 1]), ("end", rows[-1])):
        page = Page(html, gold.url)
        paragraph = page.blocks.element(int(page.blocks.elements[row]))
        (paragraph.addprevious if at == "begin" else paragraph.addnext)(etree.Element(PLACE))
        pages[at] = page.tree.node.html
    return gold.url or "https://news.example.org/story", pages


def _judge(package: str | None, hashed: bool, carrier: Carrier) -> list[Verdict]:
    """Whether each fragment is where it belongs, and leaves date and authors as they are."""
    url, pages = carrier
    read = partial(_read, package, url)
    plain, *fields = read(pages["middle"].replace(f"<{PLACE}></{PLACE}>", ""))
    found: list[Verdict] = []
    for table, fragment in fragments(url, hashed):
        body, *other = read(pages[fragment.place].replace(f"<{PLACE}></{PLACE}>", fragment.html))
        texts = [*map(letters, body.split("\n"))] if fragment.is_line else [letters(body)]
        marks = [*map(letters, fragment.marks)]
        if fragment.rule == "keep":
            is_right = any(all(mark in text for mark in marks) for text in texts)
        else:
            is_right = not any(mark in text for mark in marks if mark not in letters(plain) for text in texts)
        found.append((table, fragment.rule, fragment.kind, is_right))
        if not package and table != BY_HAND:
            found.append((table, SAME, fragment.kind, fields == other))
    return found


def _read(package: str | None, url: str, html: str) -> tuple[str, object, object]:
    """The body of a page, its date and its authors; of another package the body only."""
    if package:
        return FOREIGN[package].text(html.encode(), url), None, None
    article = newsextract.extract(html, url)
    return article.article_body or "", article.date_published, article.authors


def main(
    pages: Annotated[int, typer.Option(min=1, metavar="N", help="Pages that carry the fragments.")] = PAGES,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes.")] = 1,
    hashed: Annotated[
        bool, typer.Option("--hashed", help="Class names of the fragments as build tools make them: css-1a2b3c4d.")
    ] = False,
    pin: Annotated[bool, typer.Option("--pin", help="Make the means that are measured the floors.")] = False,
    peers: Annotated[
        bool, typer.Option("--peers", help="Those of other packages beside them: the extra `peers`.")
    ] = False,
) -> None:
    """Shares of fragments in real pages that are kept or left out rightly; exit status 1 below a floor."""
    for package in PEERS if peers else ():
        FOREIGN[package].check()
    found, floors = shares(pages, workers, hashed=hashed), read_floors()
    beside = {package: shares(pages, workers, package, hashed=hashed) for package in PEERS} if peers else {}
    if pin:
        means = {_floor(*key): round(kinds[MEAN], 4) for key, kinds in found.items()}
        floors[FLOORS] = {"corpora": {"fusion": means}}
        write_floors(floors)
        return
    least = {} if hashed else floors.get(FLOORS, {}).get("corpora", {}).get("fusion", {})
    table = new_table(f"Fragments where they belong, on {pages} pages", ("", "", "kind"), ("share", *beside))
    fails = False
    for (of, rule), kinds in found.items():
        for kind, share in kinds.items():
            floor = least.get(_floor(of, rule), 0.0) - SLACK if kind == MEAN else MIN_KIND * (of == BY_HAND)
            is_low = not hashed and share < floor
            fails = fails or is_low
            others = [f"{of_package[of, rule][kind]:.3f}" if rule in RULES else "" for of_package in beside.values()]
            table.add_row(of, rule, kind, f"{share:.3f}" + " LOW" * is_low, *others)
    results().print(table)
    raise typer.Exit(1 if fails else 0)


def _floor(table: str, rule: str) -> str:
    """The name of a pinned mean."""
    return rule if table == BY_HAND else f"{rule}, {table}"
