"""A corpus: a folder with `gold.jsonl` and `pages/ID.html.gz`, read page by page.

A gold row has an `id` and either `text` (the article, one block a line), or `with` and `without` (segments that an
output must and must not hold), or only `page_type` (a page that is no article). Whatever is wrong with a folder is
said at once, by file and line: a run of an hour should not end on a typing error in its last row.
"""

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1
from pathlib import Path
from typing import Any

from newsextract.errors import WrongCall

CORPORA = "NEWSEXTRACT_CORPORA"
#: A saved page larger than this, unpacked, is taken for a decompression bomb.
MAX_PAGE = 100_000_000
#: An id names a file and a URL: nothing that leads out of the folder or hides a file.
ID = re.compile(r"(?!\.)[^/\\\x00-\x1f\x7f]{1,200}")


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right for one page. `text` is None where only segments or a page type are known."""

    id: str
    url: str | None = None
    text: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    page_type: str | None = None
    title: str | None = None
    author: str | tuple[str, ...] | None = None
    date: str | None = None

    @property
    def kind(self) -> str:
        """How the page is scored: "text", "segments" or "type"."""
        if self.text is not None:
            return "text"
        return "segments" if self.wanted or self.unwanted else "type"


#: Gold's field, the key in gold.jsonl, the types allowed there.
FIELDS: tuple[tuple[str, str, tuple[type, ...]], ...] = (
    ("id", "id", (str,)),
    ("url", "url", (str, type(None))),
    ("text", "text", (str, type(None))),
    ("wanted", "with", (list,)),
    ("unwanted", "without", (list,)),
    ("optional", "optional", (list,)),
    ("page_type", "page_type", (str, type(None))),
    ("title", "title", (str, type(None))),
    ("author", "author", (str, list, type(None))),
    ("date", "date", (str, type(None))),
)


@dataclass(frozen=True)
class Corpus:
    """One corpus; gold is read on first use, pages one by one."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def gold(self) -> tuple[Gold, ...]:
        """All rows in the file's order; WrongCall names the line that is wrong, or the page that is missing."""
        rows = tuple(_rows(self.folder / "gold.jsonl"))
        if not rows:
            raise WrongCall(f"{self.folder}: gold.jsonl has no rows")
        seen: set[str] = set()
        for row in rows:
            if row.id in seen:
                raise WrongCall(f"{self.folder}: gold.jsonl has two rows with the id {row.id!r}")
            seen.add(row.id)
        missing = [row.id for row in rows if not self.path(row.id).is_file()]
        if missing:
            raise WrongCall(f"{self.folder}: {len(missing)} pages are missing, first pages/{missing[0]}.html.gz")
        return rows

    def path(self, identity: str) -> Path:
        return self.folder / "pages" / f"{identity}.html.gz"

    def html(self, identity: str) -> bytes:
        """The page's bytes as they were saved."""
        return page_bytes(self.path(identity))

    def row(self, identity: str) -> Gold:
        for row in self.gold:
            if row.id == identity:
                return row
        raise WrongCall(f"{self.name} has no page {identity!r}; its ids are like {self.gold[0].id!r}")

    def sample(self, size: int | None) -> tuple[Gold, ...]:
        """At most `size` rows, the same on every machine and hardly changed by rows that come or go; None: all."""
        if size is None or size >= len(self.gold):
            return self.gold
        chosen = {row.id for row in sorted(self.gold, key=lambda row: sha1(row.id.encode()).digest())[:size]}
        return tuple(row for row in self.gold if row.id in chosen)


def page_bytes(path: Path) -> bytes:
    """What a .html.gz file holds; WrongCall where it cannot be read or would unpack to more than MAX_PAGE bytes."""
    try:
        with gzip.open(path) as stream:
            html = stream.read(MAX_PAGE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise WrongCall(f"{path}: not a gzip file that can be read ({error})") from error
    if len(html) > MAX_PAGE:
        raise WrongCall(f"{path}: unpacks to more than {MAX_PAGE:,} bytes")
    return html


def corpora_home() -> Path | None:
    """The folder of all corpora that the environment names, None where it names none."""
    home = os.environ.get(CORPORA)
    return Path(home).absolute() if home else None


def find_corpus(name: str | Path) -> Corpus:
    """A corpus by its folder or, below the folder that NEWSEXTRACT_CORPORA names, by its name."""
    home = corpora_home()
    places = [Path(name).absolute(), *([home / name] if home else [])]
    for place in places:
        if (place / "gold.jsonl").is_file():
            return Corpus(place)
    known = ", ".join(corpus.name for corpus in all_corpora()) if home else f"set {CORPORA} to find corpora by name"
    raise WrongCall(f"{name}: no folder with a gold.jsonl ({known})")


def find_corpora(names: Sequence[str | Path]) -> list[Corpus]:
    """The corpora named, or all below NEWSEXTRACT_CORPORA where none is; no two may have one name."""
    corpora = [find_corpus(name) for name in names] if names else all_corpora()
    if not corpora:
        raise WrongCall(f"no corpus: name a folder, or set {CORPORA} to the folder of all corpora")
    if len({corpus.name for corpus in corpora}) < len(corpora):
        raise WrongCall(f"two corpora have one name: {', '.join(str(corpus.folder) for corpus in corpora)}")
    return corpora


def all_corpora() -> list[Corpus]:
    """Every corpus below NEWSEXTRACT_CORPORA, by name; none where it is not set."""
    home = corpora_home()
    return [Corpus(path.parent) for path in sorted(home.glob("*/gold.jsonl"))] if home else []


def _rows(path: Path) -> Iterator[Gold]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _row(line, f"{path}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongCall(f"{path}: can't be read ({error})") from error


def _row(line: str, place: str) -> Gold:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WrongCall(f"{place}: not JSON ({error})") from error
    if not isinstance(values, dict) or not isinstance(values.get("id"), str) or not ID.fullmatch(values["id"]):
        raise WrongCall(f"{place}: a row is an object with an `id` that can name a file")
    gold = Gold(**{field: _value(values[key], key, types, place) for field, key, types in FIELDS if key in values})
    if gold.kind == "type" and gold.page_type is None:
        raise WrongCall(f"{place}: a row needs `text`, or `with` and `without`, or `page_type`")
    return gold


def _value(value: Any, key: str, types: tuple[type, ...], place: str) -> Any:
    if not isinstance(value, types):
        raise WrongCall(f"{place}: `{key}` is {type(value).__name__}")
    if isinstance(value, list):
        if not all(isinstance(part, str) for part in value):
            raise WrongCall(f"{place}: `{key}` holds something that is no text")
        return tuple(value)
    return value
