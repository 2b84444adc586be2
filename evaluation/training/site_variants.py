"""Data augmentation of whole sites: variants whose pages repeat text in ways that other sites do.

Rows of the pages' summaries are added, taken from other pages or made up, and labelled. All choices come from a seeded
generator.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.training.site_examples import SitePage
from newsextract.site_profile.summary import CHOSEN, HEADING, LINKED, LOGIT_STEPS, POSITION_LETTERS, ROW, Rows

Floats = NDArray[np.float64]
Pages = list[SitePage]
#: Rows of a page at most; articles that a site needs for variants made of them.
MAX_ROWS = 240
MIN_ARTICLES = 4
#: Letters of a token, and those of a row by its size (a power of two).
LETTERS_OF_TOKEN = 5.0
LETTERS_OF_SIZE = 0.75
HEADLINE_SIZE = 6
LEAD_SIZE = 7
DATE_SIZE = 4
#: Share of the variants in which whole other articles look as much like text as the page's own does.
AS_SURE = 0.4
ADDRESSES_OF_COPIES = ("amp/", "print", "?p=7")


class Part(NamedTuple):
    """Rows with their labels and tokens."""

    rows: Rows
    labels: Floats
    tokens: Floats

    @classmethod
    def of(cls, page: SitePage, first: int, last: int) -> "Part":
        """Rows first..last-1 of a page."""
        count = len(page.summary.rows)
        labels = np.full(count, np.nan) if page.labels is None else page.labels
        tokens = np.ones(count) if page.tokens is None else page.tokens
        return cls(page.summary.rows[first:last], labels[first:last], tokens[first:last])

    @classmethod
    def line(cls, key: int, size: int, flags: int, logit: float, label: float = 0.0) -> "Part":
        """One row."""
        row = np.zeros(1, ROW)
        row["key"], row["flags"] = key, flags | size << 4
        return cls.foreign(row, np.array([logit]), label)

    @classmethod
    def foreign(cls, rows: Rows, logits: Floats, label: float) -> "Part":
        """Rows of another page, with other log odds."""
        tokens = np.maximum(1.0, letters_of(rows) / LETTERS_OF_TOKEN)
        return cls(with_logits(rows, logits), np.full(len(rows), label), tokens)


def is_chosen(rows: Rows) -> NDArray[np.bool_]:
    """(rows,) whether the page by itself chooses the block."""
    chosen: NDArray[np.bool_] = (rows["flags"] & CHOSEN) > 0
    return chosen


def letters_of(rows: Rows) -> Floats:
    """(rows,) letters of each block, about."""
    letters: Floats = LETTERS_OF_SIZE * np.exp2((rows["flags"] >> 4).astype(float))
    return letters


def with_logits(rows: Rows, logits: Floats) -> Rows:
    """The rows with these log odds, and chosen accordingly."""
    changed = rows.copy()
    changed["logit"] = np.clip(np.floor(LOGIT_STEPS * logits), -127, 126)
    changed["flags"] = (rows["flags"] & ~np.uint8(CHOSEN)) | np.where(logits >= 0, CHOSEN, 0).astype(np.uint8)
    return changed


def body_span(page: SitePage) -> tuple[int, int]:
    """First chosen row of a page, and one past the last."""
    chosen = np.flatnonzero(is_chosen(page.summary.rows))
    return (int(chosen[0]), int(chosen[-1]) + 1) if len(chosen) else (0, 0)


def insert(page: SitePage, place: int, parts: Sequence[Part]) -> SitePage:
    """The page with parts before that row; positions are counted anew."""
    parts = [Part.of(page, 0, place), *parts, Part.of(page, place, len(page.summary.rows))]
    rows, labels, tokens = (np.concatenate(column)[:MAX_ROWS] for column in zip(*parts, strict=True))
    start = int(page.summary.rows["position"][0]) if len(page.summary.rows) else 0
    sizes = letters_of(rows)
    rows["position"] = np.minimum(0xFFFF, start + ((np.cumsum(sizes) - sizes) // POSITION_LETTERS).astype(np.int64))
    page = replace(page, summary=replace(page.summary, rows=rows))
    return page if page.labels is None else replace(page, labels=labels, tokens=tokens)


def headline_of(page: SitePage, flags: int, logit: float) -> Part:
    """A row with the page's headline."""
    return Part.line(page.summary.headline, HEADLINE_SIZE, flags, logit)


class ShortLines:
    """Lines around each article of a site: names of networks, sections, dates."""

    def __init__(self, rng: np.random.Generator) -> None:
        count = int(rng.integers(2, 9))
        self.keys, self.sizes = rng.integers(1, 1 << 32, count), rng.integers(1, 6, count)
        self.logits, self.date_logit = rng.normal(0.3, 1.5, count), rng.normal(0.3, 1.5)
        self.dates = rng.integers(1, 1 << 32, int(rng.integers(3, 30)))
        self.share = float(rng.choice([0.6, 1.0]))

    def parts(self, rng: np.random.Generator) -> list[Part]:
        """The lines around one article."""
        lines = [
            Part.line(key, size, 0, rng.normal(logit, 0.8))
            for key, size, logit in zip(self.keys, self.sizes, self.logits, strict=True)
            if rng.random() < self.share
        ]
        return [*lines, Part.line(rng.choice(self.dates), DATE_SIZE, 0, rng.normal(self.date_logit, 0.8))]


def add_articles(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """One to three whole articles below each article, each after its headline."""
    articles = _articles(pages)
    if len(articles) < MIN_ARTICLES:
        yield from pages
        return
    factor, spread, shift = rng.uniform(0.2, 1), rng.uniform(0.5, 2.5), rng.uniform(-2, 1)
    if rng.random() < AS_SURE:
        factor, spread, shift = 1.0, 0.3, 0.0
    most, in_order, share = int(rng.integers(1, 4)), rng.random() < 0.5, rng.choice([0.3, 0.7, 1.0])
    lines = ShortLines(rng) if rng.random() < 0.7 else None
    for page in pages:
        if page.is_article and page.labels is not None and rng.random() <= share:
            parts = lines.parts(rng) if lines else []
            for other in _some_others(articles, page, int(rng.integers(1, most + 1)), in_order, rng):
                rows = other.summary.rows[slice(*body_span(other))]
                noise = rng.normal(0, spread) + rng.normal(0, 0.7, len(rows))
                logits = rows["logit"] / LOGIT_STEPS * factor + shift + noise
                parts += [headline_of(other, HEADING, rng.normal(-1, 2)), Part.foreign(rows, logits, 0.0)]
                parts += lines.parts(rng) if lines else []
            page = insert(page, body_span(page)[1], parts)
        yield page


def add_lines(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Short lines around each article."""
    lines, above = ShortLines(rng), rng.random() < 0.3
    for page in pages:
        yield insert(page, body_span(page)[0 if above else 1], lines.parts(rng)) if page.labels is not None else page


def add_own_lines(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Lines that no other page has and that aren't text: names and dates, above or below each article."""
    count, above, logit = int(rng.integers(1, 4)), rng.random() < 0.6, rng.normal(-1.5, 1)
    for page in pages:
        if page.labels is not None:
            rows = zip(rng.integers(1, 1 << 32, count), rng.integers(3, 7, count), strict=True)
            lines = [Part.line(key, size, 0, rng.normal(logit, 0.7)) for key, size in rows]
            page = insert(page, body_span(page)[0 if above else 1], lines)
        yield page


def add_teasers(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Headlines of other articles, with or without their beginnings, before, after or within the text."""
    articles = _articles(pages)
    if len(articles) < MIN_ARTICLES:
        yield from pages
        return
    share, logit = rng.choice([0.3, 1.0]), rng.normal(-0.5, 1.5)
    flags = (HEADING if rng.random() < 0.7 else 0) | (LINKED if rng.random() < 0.6 else 0)
    within, above = rng.random() < 0.25, rng.random() < 0.3
    few = int(rng.integers(3, 12)) if rng.random() < 0.4 else len(articles)
    shown = [articles[number] for number in rng.permutation(len(articles))[:few]]
    for page in pages:
        if page.labels is not None and rng.random() <= share:
            parts = []
            count = int(rng.integers(1, 3) if within else rng.integers(2, 7))
            for other in _some_others(shown, page, count, False, rng):
                parts.append(headline_of(other, flags, rng.normal(logit, 1)))
                if not within and other.summary.lead and rng.random() < 0.7:
                    parts.append(Part.line(other.summary.lead, LEAD_SIZE, 0, rng.normal(logit + 0.7, 1)))
            first, last = body_span(page)
            page = insert(page, (first + last) // 2 if within else first if above else last, parts)
        yield page


def add_furniture(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Lines and paragraphs on a share of the site's pages, after, before or within the text."""
    count = int(rng.integers(1, 6))
    keys, sizes, logits = rng.integers(1, 1 << 32, count), rng.integers(1, 9, count), rng.normal(0.5, 1.2, count)
    headings, share = rng.random(count) < 0.15, rng.choice([0.08, 0.2, 0.5, 1.0])
    place, everywhere = rng.choice(3, p=[0.7, 0.2, 0.1]), rng.random() < 0.5
    share = max(share, 0.5) if place == 2 else share  # what is within few texts is more likely text
    for page in pages:
        if rng.random() <= share and (page.is_article or everywhere):
            first, last = body_span(page)
            at = last if place == 0 else first if place == 1 else int(rng.integers(first, last + 1))
            rows = zip(keys, sizes, headings, logits, strict=True)
            parts = [Part.line(key, size, HEADING * head, rng.normal(logit, 0.7)) for key, size, head, logit in rows]
            page = insert(page, at, parts)
        yield page


def add_section_headings(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Headings (or short lines) that several articles share and that are text of each."""
    count = int(rng.integers(2, 8))
    keys, sizes = rng.integers(1, 1 << 32, count), rng.integers(3, 6, count)
    share, flags = rng.uniform(0.05, 0.6), 0 if rng.random() < 0.35 else HEADING
    for page in pages:
        good = _text_rows(page)
        if len(good) >= MIN_ARTICLES and rng.random() <= share:
            used = rng.permutation(count)[: min(count, len(good) - 1)][: int(rng.integers(1, count + 1))]
            places = np.sort(rng.choice(good[1:], len(used), replace=False))
            for place, number in zip(places[::-1], used, strict=True):
                page = insert(page, place, [Part.line(keys[number], sizes[number], flags, rng.normal(1.3, 1), 1.0)])
        yield page


def add_quotes(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Some blocks of another article within an article, as text of both."""
    articles, share = [page for page in _articles(pages) if page.labels is not None], rng.uniform(0.05, 0.5)
    if len(articles) < MIN_ARTICLES:
        yield from pages
        return
    for page in pages:
        other = articles[int(rng.integers(len(articles)))]
        mine, theirs = _text_rows(page), _text_rows(other)
        if other.summary.url != page.summary.url and min(len(mine), len(theirs)) >= 2 and rng.random() <= share:
            count = int(rng.integers(1, min(9, len(theirs)) + 1))
            start = int(rng.integers(len(theirs) - count + 1))
            rows = other.summary.rows[theirs[start : start + count]]
            quoted = Part.foreign(rows, rows["logit"] / LOGIT_STEPS + rng.normal(0, 0.7, count), 1.0)
            page = insert(page, rng.choice(mine[1:]), [quoted])
        yield page


def add_repeated_blocks(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Blocks that come back in several articles, here and there, and are text of each (products, sources, notes)."""
    count = int(rng.integers(6, 40))
    keys, sizes, often = rng.integers(1, 1 << 32, count), rng.integers(2, 8, count), rng.dirichlet(np.full(count, 0.7))
    most, share, logit = int(rng.integers(1, 8)), rng.uniform(0.2, 1), rng.normal(2.5, 1.5)
    for page in pages:
        good = _text_rows(page)
        if len(good) >= MIN_ARTICLES and rng.random() <= share:
            for place in np.sort(rng.permutation(good[1:])[: int(rng.integers(1, most + 1))])[::-1]:
                number = rng.choice(count, p=often)
                flags = LINKED if rng.random() < 0.2 else 0
                block = Part.line(keys[number], sizes[number], flags, rng.normal(logit, 1), 1.0)
                page = insert(page, place, [block])
        yield page


def add_copies(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Articles that have a second address."""
    share, ending = rng.choice([0.1, 0.5, 1.0]), str(rng.choice(ADDRESSES_OF_COPIES))
    copied = [page for page in _articles(pages) if rng.random() < share]
    yield from pages
    for page in copied:
        yield _with_noise(page, 0.4, rng, f"{page.summary.url}{ending}")


def add_noise(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Other log odds of all blocks."""
    spread = rng.uniform(0.3, 1.2)
    for page in pages:
        yield _with_noise(page, spread, rng, page.summary.url)


def mistake_pages(pages: Pages, rng: np.random.Generator) -> Iterator[SitePage]:
    """Pages whose own evidence is worse: lists classified as articles, and articles as lists."""
    factor, up, down, spread = rng.uniform(0.3, 1), rng.uniform(0, 4), rng.uniform(0, 2.5), rng.uniform(0.3, 1.5)
    for page in pages:
        shift = (-down if page.kind == "article" else up) * rng.random()
        margin, reason = float(page.summary.margin * factor + rng.normal(0, spread) + shift), page.summary.reason
        if reason in ("listing", "section", "product", "no_article") and margin > 0:
            reason = None
        elif reason is None and margin < 0:
            reason = "no_article"
        yield replace(page, summary=replace(page.summary, margin=margin, reason=reason))


Variant = Callable[[Pages, np.random.Generator], Iterator[SitePage]]
#: Variants of a site by which the weights of blocks are fitted: changes made one after the other.
VARIANTS: tuple[tuple[Variant, ...], ...] = (
    (add_repeated_blocks,),
    (add_repeated_blocks, add_lines),
    (add_repeated_blocks, add_furniture),
    (add_lines,),
    (add_own_lines,),
    (add_own_lines, add_furniture, add_repeated_blocks),
    (add_lines, add_section_headings),
    (add_quotes,),
    (add_quotes, add_section_headings),
    (add_quotes, add_furniture),
    (add_articles,),
    (add_teasers,),
    (add_furniture,),
    (add_section_headings,),
    (add_copies,),
    (add_articles, add_section_headings),
    (add_furniture, add_section_headings, add_noise),
    (add_teasers, add_furniture),
    (add_copies, add_furniture),
    (add_articles, add_furniture, add_noise),
    (add_articles, add_copies),
    (add_teasers, add_section_headings, add_articles),
)


def _articles(pages: Pages) -> Pages:
    return [page for page in pages if page.is_article and len(page.summary.rows)]


def _text_rows(page: SitePage) -> NDArray[np.int64]:
    """Numbers of the rows that are chosen and text; none if the labels are unknown."""
    if page.labels is None or not page.is_article:
        return np.zeros(0, np.int64)
    rows: NDArray[np.int64] = np.flatnonzero(is_chosen(page.summary.rows) & (page.labels >= 0.5))
    return rows


def _some_others(
    articles: Pages, page: SitePage, count: int, in_order: bool, rng: np.random.Generator
) -> list[SitePage]:
    """Other articles than the page: those that follow it, or any."""
    if in_order:
        urls = [article.summary.url for article in articles]
        start = urls.index(page.summary.url) + 1 if page.summary.url in urls else 0
        chosen = [articles[(start + number) % len(articles)] for number in range(count)]
    else:
        chosen = [articles[number] for number in rng.permutation(len(articles))[:count]]
    return [one for one in chosen if one.summary.headline != page.summary.headline]


def _with_noise(page: SitePage, spread: float, rng: np.random.Generator, url: str) -> SitePage:
    rows = page.summary.rows
    noisy = with_logits(rows, rows["logit"] / LOGIT_STEPS + rng.normal(0, spread, len(rows)))
    return replace(page, summary=replace(page.summary, url=url, rows=noisy))
