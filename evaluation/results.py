"""Results of runs as JSON files: figures by set and extractor, how they were made, optionally the figures of each page.

Page figures are needed to compare two results; committed results don't have them.
"""

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from newsextract.errors import WrongCall
from newsextract.files import atomic_write
from newsextract.version import VERSION

FORMAT = 1
#: Packages that a page's text depends on, besides those of an extractor.
DEPENDENCIES = ("turbohtml", "lxml", "w3lib", "numpy", "scipy", "rapidfuzz", "jieba")


@dataclass(slots=True)
class Run:
    """One extractor on one set. `times` in milliseconds: parse, above (the parse) and total, each median and p95.

    `convention`: what the gold holds beside the body (see `conventions`); `groups`: scores of page types and formats of
    data, with their number of pages.
    """

    set: str
    extractor: str
    pages: int
    scores: dict[str, float]
    times: dict[str, dict[str, float]]
    peers: str = "none"
    convention: str = "body"
    not_applicable: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    intervals: dict[str, list[float]] = field(default_factory=dict)
    by_page: dict[str, list[Any]] = field(default_factory=dict, repr=False)
    groups: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The extractor, with "+peer" if it was given peers: the name of a row in tables and floors."""
        return self.extractor if self.peers == "none" else f"{self.extractor}+peer"

    @property
    def key(self) -> tuple[str, str, str]:
        """The key by which runs of two results are matched."""
        return self.set, self.label, self.convention


@dataclass(slots=True)
class Difference:
    """Two extractors, or two runs, on the same pages of one set; positive: the second is better."""

    set: str
    first: str
    second: str
    figure: str
    pages: int
    difference: float
    low: float
    high: float
    better: float

    @property
    def certain(self) -> bool:
        """Whether the 95 % interval excludes zero."""
        return self.low > 0 or self.high < 0


@dataclass(slots=True)
class Result:
    """All runs of one call."""

    made: dict[str, str]
    runs: list[Run]

    def run(self, set_name: str, label: str, convention: str = "body") -> Run | None:
        wanted = set_name, label, convention
        return next((run for run in self.runs if run.key == wanted), None)

    @property
    def sets(self) -> list[str]:
        return list(dict.fromkeys(run.set for run in self.runs))

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(run.label for run in self.runs))

    def save(self, path: Path, *, by_page: bool = True) -> None:
        """Writes the JSON file atomically, with numbers rounded to six places."""
        values: dict[str, Any] = {"format": FORMAT, **asdict(self)}
        for run in () if by_page else values["runs"]:
            del run["by_page"]
        rounded = json.loads(json.dumps(values), parse_float=lambda digits: round(float(digits), 6))
        write_atomically(path, json.dumps(rounded, ensure_ascii=False, indent=None if by_page else 1) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Result":
        """Reads a result. Raises WrongCall for any other file."""
        names = {field.name for field in fields(Run)}
        with reading(path, "no result of `scripts/bench run`", FORMAT) as values:
            runs = [Run(**{name: row[name] for name in row.keys() & names}) for row in values["runs"]]
            return cls(dict(values["made"]), runs)


def circumstances(versions: Mapping[str, str], settings: Mapping[str, object]) -> dict[str, str]:
    """Date, versions, machine and settings of a run."""
    made = {
        "date": datetime.now(UTC).date().isoformat(),
        "newsextract": VERSION,
        "python": platform.python_version(),
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    dependencies = {name: package_version(name) for name in DEPENDENCIES}
    return {**made, **dependencies, **versions, **{name: str(value) for name, value in settings.items()}}


@contextmanager
def reading(path: Path, unlike: str, form: int | None = None) -> Iterator[Any]:
    """Reads the JSON of a file, for a block that parses it. Raises WrongCall if it can't be read, has another
    `format` than `form`, or isn't what the block expects (then the message is `unlike`).
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if form is not None and values["format"] != form:
            raise WrongCall(f"{path}: format {values['format']}; this version reads {form}")
        yield values
    except OSError as error:
        raise WrongCall(f"{path}: can't be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WrongCall(f"{path}: {unlike} ({error})") from error


def write_atomically(path: Path, text: str) -> None:
    """Replaces a file atomically. Raises StorageError if it cannot be written."""
    with atomic_write(path) as file:
        file.write(text.encode())


def merged(results: Sequence[Result]) -> Result:
    """Several results as one; among runs with the same set, extractor and convention the last is kept."""
    runs = {run.key: run for result in results for run in result.runs}
    return Result(dict(results[-1].made) if results else {}, list(runs.values()))


def package_version(package: str) -> str:
    """Installed version of a package, "absent" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
