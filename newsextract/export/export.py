"""Articles changed since a cursor, written in a format; the cursor to go on from is given back when all are written."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.store import ArticleRow, Selection, Store

if TYPE_CHECKING:  # needs packages that only tokens need
    from newsextract.export.tokens import Tokenizer

#: Seconds between two looks for changes.
INTERVAL = 1.0
#: Fields of every line, in this order, and those that tokens add.
FIELDS = (*Article.__dataclass_fields__, "change", "change_kind")
OF_TOKENS = ("sentences", "words")


class Sink(Protocol):
    """Where articles go: `begin` a round with the cursor it goes on from, `write` each, and `end` it for good."""

    #: Whether it wants articles in order of day.
    by_day: bool

    def begin(self, since: int) -> None: ...

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None: ...

    def end(self) -> None: ...


@dataclass(frozen=True)
class Export:
    """What is exported, from where and into what; each call is a round, and gives the cursor to go on from."""

    store: Store
    selection: Selection
    sink: Sink
    tokenizer: "Tokenizer | None" = None
    told: Callable[[], object] = lambda: None

    def follow(self, since: int, read: Callable[[int], object], stop: Event) -> int:
        """Round after round until `stop` is set; `read` is told the cursor whenever more is written."""
        cursor = self(since)
        read(cursor)
        while not stop.wait(INTERVAL):
            if self.store.cursor() != cursor:
                cursor = self(cursor)
                read(cursor)
        return cursor

    def __call__(self, since: int) -> int:
        """Writes every selected article that changed after `since` once, as it is at this moment.

        Cursor and articles are of one moment, so what changes meanwhile comes next time. A `since` that the database
        has never reached belongs to another one: WrongCall.
        """
        with self.store.snapshot() as snapshot:
            if not 0 <= since <= snapshot.cursor:
                raise WrongCall(
                    f"the cursor {since} is not of {self.store.name}, whose last change is {snapshot.cursor}; "
                    "0 begins anew"
                )
            self.sink.begin(since)
            for row in snapshot.select(replace(self.selection, since=since, by_day=self.sink.by_day)):
                self.sink.write(row, self.tokenizer.of(row.article) if self.tokenizer else {})
                self.told()
            self.sink.end()
            return snapshot.cursor


def chosen_fields(given: str, with_tokens: bool) -> tuple[str, ...]:
    """The fields of `--fields`, all where it is empty; WrongCall for a name that is none."""
    known = (*FIELDS, *OF_TOKENS) if with_tokens else FIELDS
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = "; sentences and words need --tokens" if set(unknown) & set(OF_TOKENS) else ""
        raise WrongCall(f"--fields: {unknown[0]!r} is no field; there are {', '.join(known)}{hint}")
    return tuple(dict.fromkeys(names)) or known
