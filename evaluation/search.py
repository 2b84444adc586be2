"""`scripts/bench search`: size and speed of the index on generated articles, and of searches and counts in it.

The articles are written into the index directly, with Zipf-distributed words, because a crawl's database of a million
articles takes an hour to fill; the update through the change log is measured on a database of its own.
"""

import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Annotated

import typer

from newsextract.index import update
from newsextract.index.query import parse_query
from newsextract.index.search import count_matches, match_ids, matches
from newsextract.items import Article
from newsextract.store import PageOutcome, Store, UrlState

WORDS, VOCABULARY, SITES, DAYS = 250, 60_000, 200, 730
NOW = datetime(2026, 11, 23, tzinfo=UTC)
#: Number of changes of one update.
CHANGES = 1000


class Texts:
    """Random texts: the word of rank r has a probability proportional to 1 / (r + 3)."""

    def __init__(self) -> None:
        self.rng = random.Random(1)
        self.words = [f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}w{n}" for n in range(VOCABULARY)]
        self.weights = list(accumulate(1 / (n + 3) for n in range(VOCABULARY)))
        #: Halves of texts: making each text anew takes longer than indexing it.
        self.halves = [self.text(WORDS // 2) for _ in range(20_000)]

    def text(self, length: int) -> str:
        """A text of so many words."""
        return " ".join(self.rng.choices(self.words, cum_weights=self.weights, k=length))


def search(
    articles: Annotated[int, typer.Option(min=1000, metavar="N", help="Articles in the index.")] = 1_000_000,
) -> None:
    """Prints bytes and milliseconds an article, the time of an update, and of searches and counts."""
    texts = Texts()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = Path(folder) / "index.db"
        _report_update(texts, Path(folder))
        used = _fill(path, texts, articles)
        size = path.stat().st_size
        print(f"{articles:,} articles: {size / articles:,.0f} bytes and {1000 * used / articles:.2f} ms an article")
        with update.open_index(path) as index:
            for name, word in (("rare", texts.words[VOCABULARY // 2]), ("common", texts.words[35])):
                query = parse_query(word)
                number = len(match_ids(index, query))
                newest = _median(lambda query=query: list(matches(index, query, match_ids(index, query, limit=20))))  # type: ignore[misc]
                ranked = _median(lambda query=query: match_ids(index, query, by="relevance", limit=20))  # type: ignore[misc]
                counted = _median(lambda query=query: count_matches(index, query, "day"))  # type: ignore[misc]
                print(
                    f"{name} word ({number:,} articles): newest {1000 * newest:.0f} ms, by relevance "
                    f"{1000 * ranked:.0f} ms, by day {1000 * counted:.0f} ms"
                )


def _fill(path: Path, texts: Texts, number: int) -> float:
    """Writes the articles; returns the seconds of it without the making of the texts."""
    used = 0.0
    with update.open_index(path) as index:
        index.execute("BEGIN IMMEDIATE")
        update._create_tables(index, "bench")
        for article in range(1, number + 1):
            day = f"{date(2026, 11, 23) - timedelta((number - article) * DAYS // number)}"
            row = dict.fromkeys(update.COLUMNS)
            row |= {
                "id": article,
                "headline": texts.text(8),
                "article_body": texts.text(WORDS),
                "authors": texts.text(2),
            }
            row |= {"site": f"site{article % SITES}.example", "language": "en", "day": day, "stored_on": day}
            row |= {"change_kind": "new", "url": f"https://site{article % SITES}.example/{article}"}
            started = time.process_time()
            update._insert(index, row, None)
            used += time.process_time() - started
        started = time.process_time()
        index.execute("COMMIT")
        index.execute("ANALYZE figures")
        index.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return used + time.process_time() - started


def _report_update(texts: Texts, folder: Path) -> None:
    """Prints the time of an update by new articles, and by changed ones."""
    path = folder / "small.db"
    with Store.open(f"sqlite:///{folder}/news.db") as store:
        for what in ("new", "changed"):
            pages = []
            for number in range(CHANGES):
                url = f"https://site{number % SITES}.example/{number}"
                article = Article(url, headline=texts.text(8), article_body=texts.text(WORDS), date_published=NOW)
                pages.append(PageOutcome(url, UrlState.stored, article=article, at=NOW))
            store.commit(pages)
            started = time.process_time()
            update.update_index(store, "news.db", path)
            print(f"update by {CHANGES:,} {what} articles: {time.process_time() - started:.2f} s")


def _median(call: Callable[[], object], times: int = 5) -> float:
    """The median time of some calls, in seconds of the clock."""
    measured = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        measured.append(time.perf_counter() - started)
    return sorted(measured)[times // 2]
