"""`scripts/bench extractors`: time of extractors against page size, on hostile pages, and beside lxml's bare parse.

CPU time of one process. Pages of `--part sizes` and `hostile` are made here, from a seed; `ratio` and `article` take
pages of the corpora `wcxb-dev` and `fundus` below NEWSEXTRACT_CORPORA. `article` times whole articles with all
metadata, beside the packages of the extra `peers` that are installed. Exit status 1 if a limit is exceeded.
"""

import logging
import random
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from math import log
from statistics import median
from time import process_time
from typing import Annotated

import lxml.html
import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evaluation.corpora import find_corpus
from evaluation.extractors import ADAPTERS
from evaluation.runs import time_limit
from newsextract.article import extract
from newsextract.errors import NewsextractError, WrongCall
from newsextract.extractors import EXTRACTORS, Extractor, make_extractor
from newsextract.page import Page

#: What is timed: called with a page's bytes and its URL.
Call = Callable[[bytes, str | None], object]
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
#: A page twice as large may take 2 ** 1.15 times as long.
EXPONENT = 1.15
#: The fixed cost of a call hides in small pages; the exponent of what is above this size is what counts as well.
LARGE = 100_000
#: A hostile page of twice the length may take so many times as long (2 is linear; the rest is noise).
DOUBLING = 2.6
#: Seconds after which a measurement is given up.
WAIT_SECONDS = 20
PAGES = 75
RATIO_SETS = ("wcxb-dev", "fundus")

OUT = Console(highlight=False)
ERR = Console(stderr=True)


def words(chance: random.Random, count: int) -> str:
    """Sentences of made-up words, some of them often, as in a language."""
    parts = []
    for place in range(count):
        number = min(int(chance.paretovariate(0.8)), 40_000)
        parts.append("".join("bcdfghklmnprstvz"[number >> s & 15] + "aeiou"[(number >> s) % 5] for s in (0, 4, 8)))
        if place % 9 == 8:
            parts[-1] += chance.choice((",", ",", "."))
    return " ".join(parts)


def news_page(size: int, seed: int) -> bytes:
    """About `size` bytes of a news page: a third navigation and related links, the rest paragraphs."""
    chance = random.Random(seed)
    half = size // 6
    links: list[str] = []
    paragraphs: list[str] = []
    while sum(map(len, links)) < half:
        links += [f'<li class="n"><a href="/{chance.randrange(10**6)}">{words(chance, 5)}</a></li>' for _ in range(20)]
    while sum(map(len, paragraphs)) < size - 2 * half:
        paragraphs += [
            f"<p>{words(chance, 45)}, <a href='/x'>{words(chance, 3)}</a> {words(chance, 20)}.</p>" for _ in range(5)
        ]
    nav = "".join(links)
    body = "\n".join(paragraphs)
    title = words(chance, 8)
    return (
        f"<html><head><title>{title}</title></head><body><ul>{nav}</ul><div id=main><h1>{title}</h1>{body}</div>"
        f"<ul class=related>{nav}</ul><div>About us, contact, imprint.</div></body></html>"
    ).encode()


def siblings(n: int) -> bytes:
    return ("<body><div>" + "".join(f"<p>Row {i}, and more.</p>" for i in range(n)) + "</div>").encode()


def one_text_node(n: int) -> bytes:
    return f"<body><p>{words(random.Random(1), n // 6)}</p><p>After it, one more.</p>".encode()


def topics(n: int) -> bytes:
    """n groups of words that stand together in four paragraphs each and nowhere else."""
    rows = [f"<p>alpha{i} beta{i} gamma{i} delta{i}, and they went on.</p>" for i in range(n) for _ in range(4)]
    random.Random(2).shuffle(rows)
    return ("<body><div>" + "".join(rows) + "</div>").encode()


def nested(n: int) -> bytes:
    return b"<body>" + b"<div>" * n + b"<p>The deepest text, it is here.</p>" + b"</div>" * n


def links(n: int) -> bytes:
    return ("<body>" + "".join(f"<a href='/{i}'>Link, number {i}</a> and " for i in range(n))).encode()


def table_rows(n: int) -> bytes:
    return ("<body><table>" + "".join(f"<tr><td>{i}<td>a, b.<td>{i * i}" for i in range(n)) + "</table>").encode()


#: What it is, its maker, its length.
HOSTILE: tuple[tuple[str, Callable[[int], bytes], int], ...] = (
    ("100,000 siblings", siblings, 100_000),
    ("one text node of 5 MB", one_text_node, 5_000_000),
    ("3,000 topics", topics, 3_000),
    ("100,000 nested elements", nested, 100_000),
    ("100,000 links", links, 100_000),
    ("50,000 table rows", table_rows, 50_000),
)


def seconds(extractor: Extractor, html: bytes, peer: bytes | None, rounds: int) -> tuple[float, float]:
    """The best of several rounds, from the bytes: whole, and above the parse. nan where it takes too long."""
    best = [float("inf"), float("inf")]
    try:
        with time_limit(WAIT_SECONDS):
            for _ in range(rounds):
                other = Page(peer) if peer else None
                if other is not None:
                    _ = other.tree
                start = process_time()
                page = Page(html)
                _ = page.tree
                parsed = process_time()
                _ = extractor(page, peer=other).text
                end = process_time()
                best = [min(best[0], end - start), min(best[1], end - parsed)]
    except TimeoutError:
        return float("nan"), float("nan")
    return best[0], best[1]


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time over log size."""
    return float(np.polyfit([log(size) for size in sizes], [log(max(time, 1e-9)) for time in times], 1)[0])


def time_against_size(extractors: dict[str, Extractor], rounds: int) -> bool:
    table = Table("extractor", title="ms a page, parse included, by size; exponents of the time above the parse")
    for heading in (*(f"{size / 1000:,.0f} kB" for size in SIZES), "exponent", "from 100 kB", ""):
        table.add_column(heading, justify="right")
    pages = [(news_page(size, 1), news_page(size, 2)) for size in SIZES]
    holds = True
    for name, extractor in track(extractors.items(), "sizes", console=ERR, transient=True):
        peers = [other if extractor.needs_peer else None for _, other in pages]
        timed = [
            seconds(extractor, html, peer, rounds if len(html) < 2_000_000 else 1)
            for (html, _), peer in zip(pages, peers, strict=True)
        ]
        above = [rest for _, rest in timed]
        every = exponent(SIZES, above)
        large = [i for i, size in enumerate(SIZES) if size >= LARGE]
        late = exponent([SIZES[i] for i in large], [above[i] for i in large])
        fits = every <= EXPONENT and late <= EXPONENT
        holds &= fits
        cells = [f"{1000 * whole:,.1f}" for whole, _ in timed]
        table.add_row(name, *cells, f"{every:.2f}", f"{late:.2f}", "" if fits else f"[red]over {EXPONENT}")
    OUT.print(table)
    return holds


def hostile_pages(extractors: dict[str, Extractor]) -> bool:
    table = Table(
        "extractor", title="Hostile pages: seconds above the parse (and how many times those of half the length)"
    )
    for name, _, _ in HOSTILE:
        table.add_column(name, justify="right")
    holds = True
    for name, extractor in track(extractors.items(), "hostile pages", console=ERR, transient=True):
        cells = []
        for _, make, length in HOSTILE:
            times = []
            for size in (length // 2, length):
                peer = make(size * 2 // 3) if extractor.needs_peer else None
                try:
                    times.append(seconds(extractor, make(size), peer, 1)[1])
                except NewsextractError as error:
                    times.append(0.0)
                    ERR.print(f"{name}: {error}")
            growth = times[1] / max(times[0], 1e-3)
            fits = times[1] < 0.05 or growth <= DOUBLING
            holds &= fits
            cells.append(
                f"{'' if fits else '[red]'}{times[1]:.2f} ({growth:.1f})" if growth == growth else "[red]given up"
            )
        table.add_row(name, *cells)
    OUT.print(table)
    return holds


def ratio_to_parse(extractors: dict[str, Extractor], rounds: int) -> None:
    """The text that each extractor finds."""

    def text_of(extractor: Extractor) -> Call:
        return lambda html, url: extractor(Page(html, url)).text

    beside_the_parse({name: text_of(one) for name, one in extractors.items() if not one.needs_peer}, rounds)


def whole_articles(rounds: int) -> None:
    """Text and all metadata from the bytes, as users of each package ask for them; resiliparse has the text only."""
    calls: dict[str, Call] = {"newsextract: text": lambda html, url: make_extractor("fusion")(Page(html, url)).text}
    calls["newsextract: extract"] = extract
    for name in ("trafilatura", "resiliparse"):
        try:
            ADAPTERS[name].check()
        except WrongCall as error:
            ERR.print(f"left out: {error}", markup=False)
            continue
        if name == "resiliparse":
            calls["resiliparse: text"] = ADAPTERS[name].extract
            continue
        package = import_module(name)
        calls["trafilatura: bare_extraction"] = partial(_quietly, package.bare_extraction, with_metadata=True)
        calls["trafilatura: extract, JSON"] = partial(
            _quietly, package.extract, output_format="json", with_metadata=True
        )
    beside_the_parse(calls, rounds)


def _quietly(call: Callable[..., object], html: bytes, url: str | None, **options: object) -> object:
    """What it warns of is no part of a table."""
    logging.disable(logging.CRITICAL)
    try:
        return call(html, url=url, include_comments=False, **options)
    finally:
        logging.disable(logging.NOTSET)


def beside_the_parse(
    calls: dict[str, Call], rounds: int, sets: Sequence[str] = RATIO_SETS, number: int = PAGES
) -> dict[str, float]:
    """Side by side: every page by the bare parse and by each call in turn; sums over pages, median of rounds."""
    pages = [(c.html(row.id), row.url) for c in map(find_corpus, sets) for row in c.sample(number)]
    ratios: dict[str, list[float]] = {name: [] for name in calls}
    for turn in track(range(rounds + 1), "beside the bare parse", console=ERR, transient=True):
        base, sums = 0.0, dict.fromkeys(calls, 0.0)
        for html, url in pages:
            start = process_time()
            tree = lxml.html.document_fromstring(html)
            del tree
            base += process_time() - start
            for name, call in calls.items():
                start = process_time()
                found = call(html, url)
                del found
                sums[name] += process_time() - start
        if turn:  # the first round warms
            for name, total in sums.items():
                ratios[name].append(total / base)
    OUT.print(
        f"Bare parse (lxml.html.document_fromstring of the bytes): {1000 * base / len(pages):.2f} ms a page, mean"
    )
    table = Table("", title=f"Times the bare parse, {number} pages each of {', '.join(sets)}, {rounds} rounds")
    for heading in ("median", "least", "most"):
        table.add_column(heading, justify="right")
    for name, found in sorted(ratios.items(), key=lambda row: median(row[1])):
        table.add_row(name, f"{median(found):.2f}", f"{min(found):.2f}", f"{max(found):.2f}")
    OUT.print(table)
    return {name: median(found) for name, found in ratios.items()}


def main(
    extractor: Annotated[str, typer.Option("--extractor", "-e", help="Names; all of this project where none is.")] = "",
    part: Annotated[str, typer.Option(help="sizes, hostile, ratio or article; all where none is named.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="Repetitions; the best (sizes) or the median (ratio) counts.")] = 3,
) -> None:
    """Time of extractors: against size, on hostile pages, beside lxml's bare parse, text alone or whole articles."""
    if part not in ("", "sizes", "hostile", "ratio", "article"):
        raise typer.BadParameter("part is sizes, hostile, ratio or article")
    chosen = {name: make_extractor(name) for name in (extractor.split(",") if extractor else EXTRACTORS)}
    for made in chosen.values():  # dictionaries are loaded before any time is taken
        made(Page(news_page(5000, 3)), peer=Page(news_page(5000, 4)))
    holds = part not in ("", "sizes") or time_against_size(chosen, rounds)
    holds &= part not in ("", "hostile") or hostile_pages(chosen)
    if part in ("", "ratio"):
        ratio_to_parse(chosen, rounds)
    if part in ("", "article"):
        whole_articles(rounds)
    raise typer.Exit(0 if holds else 1)
