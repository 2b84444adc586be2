"""Bag of words for topic models: how often each word occurs in each article, as a sparse matrix.

Writes `matrix.npz` (scipy.sparse CSR, one row an article, one column a word), `vocabulary.txt` (the words of the
columns, one a line) and `documents.csv` (change, url, date and headline of the rows). Only the vocabulary is in memory;
the arrays of the matrix grow in temporary files, so that it may be larger than memory.
"""

import csv
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from newsextract.export.exporter import Sink
from newsextract.files import atomic_write, storing
from newsextract.store import ArticleRow

COLUMNS = ("change", "url", "date_published", "headline")
#: The arrays of a CSR matrix that grow with the articles, with scipy.sparse.save_npz's names.
ARRAYS: dict[str, type[np.generic]] = {"indices": np.int32, "data": np.int32, "indptr": np.int64}


class BagOfWords(Sink):
    """Writes the matrix, the vocabulary and the list of documents into a folder when `end` is called."""

    has_removed = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._vocabulary: dict[str, int] = {}
        self._documents = self._cells = 0

    def begin(self, since: int) -> None:
        """Opens the temporary files, which disappear with this process."""
        with storing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._spools: dict[str, IO[bytes]] = {name: tempfile.TemporaryFile(dir=self._folder) for name in ARRAYS}  # noqa: SIM115
            self._table = tempfile.TemporaryFile("w+", dir=self._folder, encoding="utf-8", newline="")  # noqa: SIM115
        self._rows = csv.writer(self._table)
        self._rows.writerow(COLUMNS)
        self._append("indptr", [0])

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        vocabulary = self._vocabulary
        counted = Counter(word for words in tokens["words"] for word in words)
        cells = sorted((vocabulary.setdefault(word, len(vocabulary)), count) for word, count in counted.items())
        self._append("indices", [column for column, _ in cells])
        self._append("data", [count for _, count in cells])
        self._cells, self._documents = self._cells + len(cells), self._documents + 1
        self._append("indptr", [self._cells])
        date = row.article.date_published
        self._rows.writerow((row.change, row.article.url, date.isoformat() if date else "", row.article.headline))

    def end(self) -> None:
        """Writes the three files, the matrix last."""
        with storing(self._folder):
            self._put_text("vocabulary.txt", (f"{word}\n" for word in self._vocabulary))
            self._table.seek(0)
            self._put_text("documents.csv", self._table)
            arrays: dict[str, Any] = {name: _mapped(spool, ARRAYS[name]) for name, spool in self._spools.items()}
            arrays |= {"shape": np.array([self._documents, len(self._vocabulary)]), "format": np.array(b"csr")}
            with atomic_write(self._folder / "matrix.npz") as draft:
                np.savez_compressed(draft, **arrays)

    def _append(self, name: str, values: list[int]) -> None:
        self._spools[name].write(np.array(values, ARRAYS[name]).tobytes())

    def _put_text(self, name: str, lines: Iterable[str]) -> None:
        with atomic_write(self._folder / name) as file:
            file.writelines(line.encode() for line in lines)


def _mapped(spool: IO[bytes], dtype: type[np.generic]) -> np.ndarray[Any, Any]:
    """The array in a file, which numpy reads piece by piece."""
    spool.flush()
    return np.memmap(spool, dtype, "r") if spool.tell() else np.empty(0, dtype)
