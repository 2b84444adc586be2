"""The folder of a run: which result of it lies where, and what it was begun with.

articles/day=2026-03-05/SLICE.parquet   what is wanted: the articles of a slice by day of fetching, sorted by site
done/SLICE.json                         that a slice is done: written last, with its figures
work/survey, work/peers, work/attempts  what the steps before leave behind, and which page was under way
run.json, summary.json                  what was asked, what came of it
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsextract.cluster.slices import Slice
from newsextract.errors import StorageError, WrongCall
from newsextract.files import atomic_write


@dataclass(frozen=True, slots=True)
class Place:
    """The folder, the same for all workers: they and whoever starts them must see it under this path."""

    folder: Path

    def survey(self, piece: Slice) -> Path:
        """Which shapes of URL the slice has, and where."""
        return self.folder / "work" / "survey" / f"{piece.name}.parquet"

    def peers(self, bucket: int) -> Path:
        """The reference pages of the sites of a bucket."""
        return self.folder / "work" / "peers" / f"{bucket:04d}.parquet"

    def attempts(self, piece: Slice) -> Path:
        """The offsets of the pages as they were begun."""
        return self.folder / "work" / "attempts" / piece.name

    def articles(self, piece: Slice, day: str) -> Path:
        """The slice's articles that were fetched on a day."""
        return self.folder / "articles" / f"day={day}" / f"{piece.name}.parquet"

    def done(self, piece: Slice) -> Path:
        """The slice's figures; there when all else of it is."""
        return self.folder / "done" / f"{piece.name}.json"

    def begin(self, asked: dict[str, Any]) -> None:
        """Makes the folder, or goes on in one that was made for the same; WrongCall where it was made for another."""
        note = self.folder / "run.json"
        if note.exists():
            before = read_json(note)
            other = sorted(key for key in asked.keys() | before.keys() if asked.get(key) != before.get(key))
            if other:
                raise WrongCall(f"{self.folder} was begun with other {', '.join(other)}; give another --output")
            return
        if self.folder.is_dir() and any(self.folder.iterdir()):
            raise WrongCall(f"{self.folder} is neither empty nor a run that can be gone on with")
        write_json(note, asked)

    def tidy(self, finished: Iterable[Slice]) -> None:
        """Removes what killed workers left half written, and notes on attempts that nobody needs any more."""
        for piece in finished:
            self.attempts(piece).unlink(missing_ok=True)
        for draft in self.folder.glob("articles/*/.*"):
            draft.unlink(missing_ok=True)
        for name in ("survey", "peers", "attempts"):
            for draft in (self.folder / "work" / name).glob(".*"):
                draft.unlink(missing_ok=True)


def write_json(path: Path, values: Any) -> None:
    """The file holds the old values or the new ones, whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(json.dumps(values, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """The values; StorageError where they can't be read."""
    try:
        values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} can't be read ({error})") from error
    return values
