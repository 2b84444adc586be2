"""Corpora: folders with `gold.jsonl` and `pages/ID.html.gz`.

A gold row has an `id` and one of: `text` (the article, one block a line); `with` and `without` (segments that an output
must and must not contain); only `page_type` (a page that isn't an article: listing, page, product ...). A corpus may
mix these. Optional keys: `url`, `optional` (lines that count neither way), `title`, `author` (a string or a list),
`date`, `subtitle`, `lead_image`, `language`, `site` (the key of folds and pairs, by default the host of `url`), and for
pages rendered by JavaScript `kind` (the format of their data) and `has_article_body`. `metadata.jsonl` has the same
keys for articles with unknown text; only `scripts/bench metadata` reads it. All rows are checked when the corpus is
opened; errors name file and line.
"""

import gzip
import os
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, TypeVar

import pydantic.dataclasses
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from newsextract.errors import NewsextractError, WrongCall
from newsextract.urls import site_of

T = TypeVar("T")
Result = TypeVar("Result")

CORPORA = "NEWSEXTRACT_CORPORA"
GOLD_ROWS = "gold.jsonl"
METADATA_ROWS = "metadata.jsonl"
#: Sets whose golds come from feeds: dates are in UTC; captions, linked lines and notices are in the authors' texts.
FROM_FEEDS = frozenset({"wpsites", "blogsites", "newssites"})
#: Maximum bytes of an unpacked page (protection against decompression bombs).
MAX_PAGE = 100_000_000
#: An id is part of a file name and of a URL: no path separators, no leading dot.
ID = r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]{0,199}$"


@pydantic.dataclasses.dataclass(frozen=True, slots=True, config=ConfigDict(strict=True, populate_by_name=True))
class Gold:
    """The gold of one page. `text` is None if only segments or a page type are known."""

    id: Annotated[str, Field(pattern=ID)]
    url: str | None = None
    text: str | None = None
    wanted: Annotated[tuple[str, ...], Field(validation_alias="with")] = ()
    unwanted: Annotated[tuple[str, ...], Field(validation_alias="without")] = ()
    optional: tuple[str, ...] = ()
    page_type: str | None = None
    title: str | None = None
    author: str | tuple[str, ...] | None = None
    date: str | None = None
    subtitle: str | None = None
    lead_image: str | None = None
    language: str | None = None
    given_site: Annotated[str | None, Field(validation_alias="site")] = None
    data_format: Annotated[str | None, Field(validation_alias="kind")] = None
    has_article_body: bool | None = None

    @property
    def scored_by(self) -> str:
        """How the page is scored: "text", "segments" or "type"."""
        if self.text is not None:
            return "text"
        return "segments" if self.wanted or self.unwanted else "type"

    @property
    def is_article(self) -> bool:
        """Whether the page is an article: any page but those whose gold is only a page type."""
        return self.scored_by != "type" or self.page_type is None

    @property
    def site(self) -> str:
        """The key by which pages are put into folds: `site` of the row, else the URL's host; "" without either."""
        return self.given_site or (site_of(self.url) if self.url else "")

    @property
    def groups(self) -> tuple[str, ...]:
        """Parts of a corpus with separate figures: the page type; the data of pages rendered by JavaScript."""
        if not self.is_article:
            return (self.page_type or "",)
        if self.has_article_body is None:
            return ()
        data = "with articleBody" if self.has_article_body else "without articleBody"
        return (data, f"data: {self.data_format}") if self.data_format else (data,)


#: Gold from a line of JSON, its fields by their keys and types.
ROW = TypeAdapter(Gold)


@dataclass(frozen=True)
class Corpus:
    """One corpus folder. Gold rows are read on first use, pages one at a time."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def gold(self) -> tuple[Gold, ...]:
        """All rows in the file's order. Raises WrongCall for an invalid line or a missing page."""
        return self._checked(GOLD_ROWS)

    @cached_property
    def with_metadata(self) -> tuple[Gold, ...]:
        """The rows of gold.jsonl and metadata.jsonl; a corpus may have only one of them."""
        names = [name for name in (GOLD_ROWS, METADATA_ROWS) if (self.folder / name).is_file()]
        return tuple(row for name in names for row in self._checked(name))

    def _checked(self, name: str) -> tuple[Gold, ...]:
        rows = tuple(_rows(self.folder / name))
        if not rows:
            raise WrongCall(f"{self.folder}: {name} has no rows")
        seen: set[str] = set()
        for row in rows:
            if row.id in seen:
                raise WrongCall(f"{self.folder}: {name} has two rows with the id {row.id!r}")
            seen.add(row.id)
        missing = [row.id for row in rows if not self.path(row.id).is_file()]
        if missing:
            raise WrongCall(f"{self.folder}: {len(missing)} pages are missing, first pages/{missing[0]}.html.gz")
        return rows

    def path(self, identity: str) -> Path:
        return self.folder / "pages" / f"{identity}.html.gz"

    def html(self, identity: str) -> bytes:
        """The page as saved. Raises WrongCall if it can't be read or unpacks to more than MAX_PAGE bytes."""
        path = self.path(identity)
        try:
            with gzip.open(path) as stream:
                html = stream.read(MAX_PAGE + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise WrongCall(f"{path}: not a gzip file that can be read ({error})") from error
        if len(html) > MAX_PAGE:
            raise WrongCall(f"{path}: unpacks to more than {MAX_PAGE:,} bytes")
        return html

    def sample(self, size: int | None, *, with_metadata: bool = False) -> tuple[Gold, ...]:
        """At most `size` rows (None: all), chosen by a hash of their ids: the same on every machine."""
        rows = self.with_metadata if with_metadata else self.gold
        chosen = {row.id for row in sorted(rows, key=lambda row: sha1(row.id.encode()).digest())[:size]}
        return tuple(row for row in rows if row.id in chosen)


def find_corpus(name: str | Path) -> Corpus:
    """A corpus by its folder, or by its name below the folder that NEWSEXTRACT_CORPORA names."""
    home = os.environ.get(CORPORA)
    for folder in (Path(name).absolute(), *([Path(home).absolute() / name] if home else [])):
        if (folder / GOLD_ROWS).is_file() or (folder / METADATA_ROWS).is_file():
            return Corpus(folder)
    known = ", ".join(corpus.name for corpus in all_corpora()) if home else f"set {CORPORA} to find corpora by name"
    raise WrongCall(f"{name}: no folder with a {GOLD_ROWS} ({known})")


def find_corpora(names: Sequence[str | Path]) -> list[Corpus]:
    """The corpora named; without names all below NEWSEXTRACT_CORPORA. Raises WrongCall if two have the same name."""
    corpora = [find_corpus(name) for name in names] if names else all_corpora()
    if not corpora:
        raise WrongCall(f"no corpus: name a folder, or set {CORPORA} to the folder of all corpora")
    if len({corpus.name for corpus in corpora}) < len(corpora):
        raise WrongCall(f"two corpora have the same name: {', '.join(str(corpus.folder) for corpus in corpora)}")
    return corpora


def all_corpora() -> list[Corpus]:
    """Every corpus below NEWSEXTRACT_CORPORA, sorted by name; none if it is not set."""
    home = os.environ.get(CORPORA)
    return [Corpus(path.parent) for path in sorted(Path(home).absolute().glob(f"*/{GOLD_ROWS}"))] if home else []


def map_in_processes(
    function: Callable[[T], Result],
    items: Iterable[T],
    workers: int,
    chunksize: int = 8,
    begin: Callable[[], object] = bool,
) -> Iterator[Result]:
    """The function's results in the order of the items; from this process, or from two or more others.

    `begin`: called first in each process. Raises NewsextractError if one dies.
    """
    if workers < 2:
        begin()
        yield from map(function, items)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=begin)
    try:
        yield from pool.map(function, items, chunksize=chunksize)
    except BrokenProcessPool as error:
        raise NewsextractError("a worker process died on a page; run with 0 workers to see on which") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _rows(path: Path) -> Iterator[Gold]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():  # composed as pages are, since some golds write letters and accents apart
                    yield _row(unicodedata.normalize("NFC", line), path, number)
    except (OSError, UnicodeDecodeError) as error:
        raise WrongCall(f"{path}: can't be read ({error})") from error


def _row(line: str, path: Path, number: int) -> Gold:
    source = f"{path}, line {number}"
    try:
        gold = ROW.validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        raise WrongCall(f"{source}: {' '.join(f'`{key}`' for key in first['loc'])} {first['msg']}") from error
    if gold.scored_by == "type" and gold.page_type is None and path.name != METADATA_ROWS:
        raise WrongCall(f"{source}: a row needs `text`, or `with` and `without`, or `page_type`")
    return gold
