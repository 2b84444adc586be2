"""Fuzzing: mutated inputs go through every reader of foreign bytes, under limits of time and memory.

An input follows from its seed alone: which kind, which sample, which mutations. Batches of them run in processes of
their own, so that an input that hangs or kills its process is one failure. Refusals (NewsextractError) are answers.
"""

import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Annotated

import typer

from newsextract import extract
from newsextract.crawl.politeness import RobotRules
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.lists import read_list, sitemaps_in_robots_txt
from newsextract.errors import NewsextractError, WorkerDied, WorkerTimeout
from newsextract.files import package_data
from newsextract.index.query import parse_query
from newsextract.limits import limit_memory, run_within
from newsextract.page import Page
from newsextract.page.decode import decode
from newsextract.runs.config import read_sites
from newsextract.runs.sites_file import read_list as read_sites_list
from newsextract.spiders.site import SiteSpider
from newsextract.warc.reader import SkippedRecords, read_warc_range

URL = "https://news.example.org/2026/05/01/pier"
#: Limits of an input: its bytes, CPU seconds, and MB that the process may grow; seconds of a batch until it is killed.
MAX_BYTES = 200_000
MAX_SECONDS = 5.0
MAX_GROWTH = 400
MAX_BATCH = 120.0
BATCH = 16
INPUTS = package_data("evaluation", "fuzz.toml")
PIECES = [piece.encode().decode("unicode_escape") for piece in INPUTS["pieces"].split()]


def _read_file(read: Callable[[Path], object], body: bytes) -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(body)
        return read(path)


def _robots(body: bytes) -> object:
    rules = RobotRules(body.decode("utf-8", "replace"))
    return rules.allowed(URL, "newsextract/1"), rules.crawl_delay("newsextract"), sitemaps_in_robots_txt(body, URL)


def _search(body: bytes) -> object:
    query = parse_query(body.decode("utf-8", "replace")[:1000])
    return query.matches([INPUTS["samples"]["page"]] * 4), query.spans(INPUTS["samples"]["page"])


READERS: dict[str, Callable[[bytes], object]] = {
    "page": lambda body: extract(body, URL),
    "feed": lambda body: read_list(body, URL),
    "sitemap": lambda body: read_list(body, URL),
    "robots": _robots,
    "json_ld": lambda body: Page(b"<script type='application/ld+json'>" + body + b"</script>", URL).json_ld,
    "encoding": lambda body: (non_html_reason(body, "text/plain"), decode(body, None, URL)),
    "header": lambda body: declared_charset(body.decode("latin-1")),
    "warc": partial(_read_file, lambda path: [*read_warc_range(path, SkippedRecords())]),
    "sites": partial(_read_file, lambda path: read_sites(path, {"site": SiteSpider}, {})),
    "opml": partial(_read_file, read_sites_list),
    "search": _search,
}


def make_input(seed: int) -> tuple[str, bytes]:
    """The kind of reader and the bytes of a seed."""
    random = Random(seed)
    kind = random.choice([*READERS])
    text = INPUTS["samples"][kind]
    for _ in range(random.randint(1, 6)):
        start, end = sorted(random.choices(range(len(text) + 1), k=2))
        piece = random.choice((text[start : start + 40], random.choice(PIECES), *random.choices(PIECES, k=2)))
        times = random.choice((0, 1, 1, 2, 50, 5_000))
        text = text[:start] + (piece * times)[:MAX_BYTES] + text[random.choice((start, start, end)) :]
    body = bytearray(text.encode(random.choice(INPUTS["encodings"]), "replace")[:MAX_BYTES])
    for _ in range(random.choice((0, 0, 8))):
        place = random.randrange(len(body) + 1)
        body[place : place + 1] = random.randbytes(1)
    return kind, bytes(body)


def failures(seeds: range) -> dict[int, str]:
    """Seed -> what went wrong with its input."""
    try:
        return run_within(MAX_BATCH, _failures, seeds)
    except (WorkerTimeout, WorkerDied) as error:
        if len(seeds) == 1:
            return {seeds[0]: f"{make_input(seeds[0])[0]}: {error}"}
        return {seed: text for each in seeds for seed, text in failures(range(each, each + 1)).items()}


def _failures(seeds: range) -> dict[int, str]:
    limit_memory()
    return {seed: text for seed in seeds if (text := _failure(*make_input(seed)))}


def _failure(kind: str, body: bytes) -> str | None:
    start, memory = process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        READERS[kind](body)
    except Exception as error:
        if not isinstance(error, NewsextractError):
            return f"{kind}: {type(error).__name__}: {str(error)[:100]}"
    seconds = process_time() - start
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) // 1024
    if seconds > MAX_SECONDS or growth > MAX_GROWTH:
        return f"{kind}: {len(body)} bytes take {seconds:.1f} s and {growth} MB"
    return None


def main(
    seconds: Annotated[float, typer.Option(min=0, metavar="N", help="Time budget; 0: one input.")] = 60.0,
    seed: Annotated[int, typer.Option(metavar="N", help="The first input; each next one has the next number.")] = 1,
) -> None:
    """Feeds mutated inputs to the readers; exit status 1, and the seeds, if one fails, hangs, or takes too much."""
    print(f"from seed {seed}", flush=True)
    extract(INPUTS["samples"]["page"], URL)  # what is loaded on first use is no input's growth
    end, size, place, failed = monotonic() + seconds, BATCH if seconds else 1, seed, 0
    while place == seed or monotonic() < end:
        for wrong, text in failures(range(place, place + size)).items():
            failed += 1
            print(f"seed {wrong}: {text} (scripts/bench fuzz --seed {wrong} --seconds 0)", flush=True)
        place += size
    print(f"inputs: {place - seed:,}, failed: {failed}")
    if failed:
        raise typer.Exit(1)
