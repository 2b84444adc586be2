"""`scripts/bench duplicates`: precision, recall, cost and growth of near-duplicate detection.

`--part edits`: each text, changed by each edit of `edits`, is stored after all texts; precision and recall of the
articles marked as duplicates. Texts are those of the corpora below NEWSEXTRACT_CORPORA, else of the demonstration site.
`cost`: milliseconds per signature. `growth`: synthetic signatures are put into an SQLite file, ten times as many each
time; time of storing an article, file size and memory. Exit status 1 if a goal is missed.
"""

import os
import random
import resource
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from time import process_time
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import insert, select, update

from evaluation.corpora import CORPORA, find_corpora
from evaluation.duplicates.edits import EDITS, TEMPLATES, Edit, Text, pairs, report
from newsextract.demo import Site
from newsextract.items import Article
from newsextract.near_duplicates import Signature, signature_of
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.schema import articles, bands, change_counter, signatures

PRECISION, RECALL, MILLISECONDS = 0.99, 0.97, 0.5
#: Values of all synthetic articles.
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
ROW = {"site": "first.example", "content_hash": "", "version": 1, "change_kind": "new"}
ROW |= {"first_seen_at": WHEN, "last_seen_at": WHEN}
#: Characters of a text, at least and at most.
SHORTEST, LONGEST = 400, 20_000
#: Reports of one template in a database.
REPORTS = 60
GROUP = 100

OUT = Console(highlight=False)


@dataclass
class Marks:
    """Number of pairs, of second texts marked as copies of their first text, and of those marked as others' copies."""

    pairs: int = 0
    marked: int = 0
    elsewhere: int = 0

    def count(self, original: str | None, first: str) -> None:
        self.pairs += 1
        self.marked += original == first
        self.elsewhere += original is not None and original != first


def texts_of(limit: int) -> list[Text]:
    """Articles to be edited, as lists of paragraphs; at most `limit` of each set."""
    bodies: list[str] = []
    if os.environ.get(CORPORA):
        for corpus in find_corpora([]):
            bodies += [row.text for row in corpus.sample(limit) if row.text]
    else:
        bodies = [gold.text for gold in Site().gold()]
    lines = [[line for line in body.split("\n") if line.strip()] for body in bodies]
    return distinct(text for text in lines if SHORTEST <= len("".join(text)) <= LONGEST)


def distinct(texts: Iterable[Text]) -> list[Text]:
    """The texts without those that begin like another one: sets share pages."""
    by_beginning = {"".join(text)[:80].casefold(): text for text in texts}
    return list(by_beginning.values())


def store(database: Store, texts: Iterable[tuple[str, Text]]) -> dict[str, str | None]:
    """Stores the texts in this order as a crawl does; URL -> URL of the article that it is a copy of, or None."""
    outcomes = []
    for url, text in texts:
        body = "\n".join(text)
        outcomes.append(PageOutcome(url, UrlState.stored, article=Article(url, article_body=body)))
        outcomes[-1].signature = signature_of(body)
    results = [row for i in range(0, len(outcomes), GROUP) for row in database.commit(outcomes[i : i + GROUP])]
    return {row.article.url: row.article.duplicate_of for row in results if row.article}


def marks_of(edit: Edit, texts: list[Text], folder: Path) -> Marks:
    """Stores the edit of every text after all texts, and counts the marks."""
    made = pairs(edit, texts)
    first = {number: pair[0] for number, pair in made}
    with Store.open(f"sqlite:///{folder / edit.__name__}.db") as database:
        before = [(f"https://first.example/{n}", first.get(n, text)) for n, text in enumerate(texts)]
        known = store(database, before)
        marked = store(database, [(f"https://second.example/{n}", pair[1]) for n, pair in made])
    marks = Marks()
    for number, _ in made:
        at = f"https://first.example/{number}"
        if at in known and (url := f"https://second.example/{number}") in marked:  # else it is an alias of another
            marks.count(marked[url], known[at] or at)
    return marks


def marks_of_reports(name: str, folder: Path) -> Marks:
    """Stores reports of one template, of which none is a copy, and counts the marks."""
    chance = random.Random(name)
    with Store.open(f"sqlite:///{folder / name}.db") as database:
        marked = store(database, [(f"https://first.example/{n}", report(chance, name)) for n in range(REPORTS)])
    marks = Marks()
    for original in marked.values():
        marks.count(original, "none")
    return marks


def measure_edits(limit: int) -> bool:
    """Prints the table of edits; returns whether precision and recall reach their goals."""
    texts = texts_of(limit)
    table = Table(
        "second text", "a copy", "texts", "marked", "marked as a copy of another", title=f"{len(texts)} texts"
    )
    right = wrong = copies = 0
    with tempfile.TemporaryDirectory() as folder:
        kinds = [(edit.__name__, marks_of(edit, texts, Path(folder)), copy) for edit, copy in EDITS.items()]
        kinds += [(f"report: {name}", marks_of_reports(name, Path(folder)), False) for name in TEMPLATES]
    for name, marks, copy in kinds:
        table.add_row(name, "yes" if copy else "no", *map(str, (marks.pairs, marks.marked, marks.elsewhere)))
        right += marks.marked if copy else 0
        wrong += marks.elsewhere + (0 if copy else marks.marked)
        copies += marks.pairs if copy else 0
    precision, recall = right / (right + wrong), right / copies
    OUT.print(table)
    OUT.print(f"precision {precision:.4f} (goal {PRECISION}), recall {recall:.4f} (goal {RECALL})")
    return precision >= PRECISION and recall >= RECALL


def measure_cost(limit: int) -> bool:
    """Prints the cost of signatures; returns whether the mean is within the goal."""
    bodies = ["\n".join(text) for text in texts_of(limit)]
    signature_of(bodies[0])
    best = [9.0] * len(bodies)
    for _ in range(5):
        for number, body in enumerate(bodies):
            start = process_time()
            signature_of(body)
            best[number] = min(best[number], process_time() - start)
    sizes = [len(made.to_bytes()) for body in bodies if (made := signature_of(body))]
    cost = 1e3 * mean(best)
    OUT.print(f"{len(bodies)} texts of {mean(map(len, bodies)):.0f} characters: {cost:.3f} ms a signature, ", end="")
    OUT.print(f"{mean(sizes):.0f} bytes kept (goal {MILLISECONDS} ms)")
    return cost <= MILLISECONDS


def synthetic(chance: np.random.Generator) -> Signature:
    """A random signature of the size of that of an article of 500 words."""
    keys = chance.integers(-(2**31), 2**31, 16, dtype=np.int32)
    grams = np.unique(chance.integers(0, 2**16, 480, dtype=np.uint16))
    return Signature(np.unique(keys), grams, np.unique(chance.integers(0, 2**32, 40, dtype=np.uint32)))


def fill(database: Store, numbers: range) -> None:
    """Stores articles with these numbers that have a signature and no text."""
    chance = np.random.default_rng(numbers.start)
    for start in range(0, len(numbers), 2_000):
        made = {number: synthetic(chance) for number in numbers[start : start + 2_000]}
        keys = [{"band": key, "article": number} for number, one in made.items() for key in one.keys.tolist()]
        kept = [{"article": number, "signature": one.to_bytes()} for number, one in made.items()]
        with database.database.writing() as connection:
            connection.execute(insert(articles), [{**ROW, **named(number)} for number in made])
            connection.execute(insert(signatures), kept)
            connection.execute(insert(bands), sorted(keys, key=lambda key: (key["band"], key["article"])))
            connection.execute(update(change_counter).values(last=numbers.stop))


def named(number: int) -> dict[str, object]:
    url = f"https://first.example/{number}"
    return {"id": number, "key": url, "key_hash": f"{number:064x}", "url": url, "change": number}


def milliseconds(database: Store, chance: np.random.Generator, with_signatures: bool) -> float:
    """Milliseconds of CPU time to store an article: mean of 400, half of them copies of stored ones."""
    kept = signatures.c.signature
    with database.database.reading() as connection:
        some = connection.execute(select(kept).order_by(signatures.c.article).limit(200)).scalars().all()
    known = [Signature.from_bytes(one) for one in some]
    outcomes = []
    for number in range(400):
        url = f"https://{chance.integers(2**60)}.example/"
        outcomes.append(PageOutcome(url, UrlState.stored, article=Article(url, article_body=url)))
        if with_signatures:
            outcomes[-1].signature = known[number // 2] if number % 2 else synthetic(chance)
    start = process_time()
    for number in range(0, len(outcomes), GROUP):
        database.commit(outcomes[number : number + GROUP])
    return 1e3 * (process_time() - start) / len(outcomes)


def measure_growth(limit: int) -> bool:
    """Prints time, memory and file size by number of signatures."""
    table = Table("signatures", "ms to store an article", "without signature", "file, MB", "memory, MB")
    sizes = [size for size in (1_000, 10_000, 100_000, 1_000_000, 10_000_000) if size < limit] + [limit]
    chance = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/news.db") as database:
        done = 1
        for size in sizes:
            fill(database, range(done, size))
            plain, signed = (milliseconds(database, chance, with_signatures) for with_signatures in (False, True))
            done = database.cursor() + 1
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            file = (Path(folder) / "news.db").stat().st_size / 1e6
            table.add_row(f"{size:,}", f"{signed:.2f}", f"{plain:.2f}", f"{file:.0f}", f"{memory:.0f}")
    OUT.print(table)
    return True


def main(
    part: Annotated[str, typer.Option(help="edits, cost or growth; empty: edits and cost.")] = "",
    texts: Annotated[int, typer.Option(min=10, help="At most so many texts of a set.")] = 400,
    articles: Annotated[int, typer.Option(min=1000, help="Signatures of the last row of `growth`.")] = 1_000_000,
) -> None:
    """Precision and recall of near-duplicates, cost of signatures, growth of the store."""
    parts = {
        "edits": lambda: measure_edits(texts),
        "cost": lambda: measure_cost(texts),
        "growth": lambda: measure_growth(articles),
    }
    if part and part not in parts:
        raise typer.BadParameter(f"{part!r} isn't one of {', '.join(parts)}")
    good = [parts[name]() for name in ([part] if part else ["edits", "cost"])]
    raise typer.Exit(0 if all(good) else 1)
