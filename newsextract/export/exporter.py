"""Reads the articles changed since a cursor from the store and writes them into a sink (see `formats`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from newsextract.errors import WrongCall
from newsextract.files import atomic_write
from newsextract.index.topics import Topic
from newsextract.items import ARTICLE_FIELDS
from newsextract.reasons import GONE_KINDS
from newsextract.store import ArticleRow, Selection, Store

if TYPE_CHECKING:  # its packages are needed only for tokens
    from newsextract.export.tokens import Tokenizer

#: Seconds between two polls for new changes in `Exporter.follow`.
POLL_INTERVAL = 1.0
#: Fields of an exported article, in order, and those that a tokenizer adds.
FIELDS = (*(spec.name for spec in ARTICLE_FIELDS), "change", "change_kind")
TOKEN_FIELDS = ("sentences", "words")
#: The column of an export of topics.
TOPICS = "topics"


class Sink:
    """An output format: `begin` with the cursor that the export starts from, `write` each article, then `end`."""

    #: Whether it wants the articles in order of time instead of their change number.
    by_time = False

    def begin(self, since: int) -> None:
        """Called once per export; with `--follow` there are several."""

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """Writes an article; `tokens`: values of fields that aren't the article's."""
        raise NotImplementedError

    def end(self) -> None:
        """Moves the output into place."""


@dataclass(frozen=True)
class Exporter:
    """Writes a selection of a store's articles into a sink. `on_article` is called after each article written.

    `min_confidence`: articles with a lower confidence are left out; those without one stay. `topics`: only articles of
    these, with their names in the column `topics`.
    """

    store: Store
    selection: Selection
    sink: Sink
    tokenizer: "Tokenizer | None" = None
    on_article: Callable[[], object] = lambda: None
    min_confidence: float = 0.0
    topics: Sequence[Topic] = ()

    def __call__(self, since: int) -> int:
        """Writes each selected article that changed after `since` once, in its current state; returns the new cursor.

        Cursor and articles are read in one snapshot, so concurrent changes come with the next call. Raises WrongCall if
        the database has never reached the change number `since`, which then belongs to another database.
        """
        with self.store.snapshot() as snapshot:
            if not 0 <= since <= snapshot.cursor:
                raise WrongCall(
                    f"the cursor {since} belongs to another database: the last change of {self.store.name} is "
                    f"{snapshot.cursor}; use 0 to start over"
                )
            self.sink.begin(since)
            for row in snapshot.select(replace(self.selection, since=since, by_time=self.sink.by_time)):
                confidence = row.article.confidence
                if confidence is not None and confidence < self.min_confidence and row.change_kind not in GONE_KINDS:
                    continue
                topics = [topic.name for topic in self.topics if topic.matches(row.article)]
                if self.topics and not topics:
                    continue
                added = self.tokenizer.tokenize(row.article) if self.tokenizer else {}
                self.sink.write(row, {**added, TOPICS: topics})
                self.on_article()
            self.sink.end()
            return snapshot.cursor

    def follow(self, since: int, on_cursor: Callable[[int], object], stop: Event) -> int:
        """Exports changes until `stop` is set; calls `on_cursor` with the new cursor after each export."""
        cursor = self(since)
        on_cursor(cursor)
        while not stop.wait(POLL_INTERVAL):
            if self.store.cursor() != cursor:
                cursor = self(cursor)
                on_cursor(cursor)
        return cursor


def parse_fields(option: str, with_tokens: bool, with_topics: bool = False) -> tuple[str, ...]:
    """The field names of the option `--fields`, all fields if it is empty. Raises WrongCall for an unknown name."""
    known = (*FIELDS, *((TOPICS,) * with_topics), *(TOKEN_FIELDS * with_tokens))
    names = tuple(name.strip() for name in option.split(",") if name.strip())
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = "; sentences and words need --tokens" if set(unknown) & set(TOKEN_FIELDS) else ""
        raise WrongCall(f"--fields: {unknown[0]!r} isn't a field; known are {', '.join(known)}{hint}")
    return tuple(dict.fromkeys(names)) or known


def read_cursor(path: Path) -> int:
    """The change number in a cursor file, 0 without the file. Raises WrongCall if it has anything else."""
    try:
        text = path.read_text("utf-8").strip()
    except FileNotFoundError:
        return 0
    except (OSError, UnicodeDecodeError) as error:
        raise WrongCall(f"the cursor file {path} can't be read: {error}") from error
    if not (text.isascii() and text.isdigit()):
        raise WrongCall(f"the cursor file {path} should contain a number, not {text[:40]!r}")
    return int(text)


def write_cursor(path: Path | None, cursor: int) -> None:
    """Writes the new number; even after a power cut, the file has either the old or the new one."""
    if path is not None:
        with atomic_write(path) as file:
            file.write(f"{cursor}\n".encode())
