"""Reads the articles changed since a cursor from the store and writes them into a sink (see `formats`)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import chain
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from newsextract.errors import WrongCall
from newsextract.files import atomic_write
from newsextract.index.topics import Topic
from newsextract.items import ARTICLE_FIELDS
from newsextract.limits import POLL_INTERVAL
from newsextract.reasons import GONE_KINDS, URL_KINDS
from newsextract.store import ArticleRow, Selection, Store
from newsextract.store.histories import Cursor, read_cursor
from newsextract.store.lookup import Snapshot
from newsextract.store.past import describe_losses, select_past

if TYPE_CHECKING:  # its packages are needed only for tokens
    from newsextract.export.tokens import Tokenizer

#: Fields of an exported article, in order, and those that a tokenizer adds.
FIELDS = (*(spec.name for spec in ARTICLE_FIELDS), "change", "change_kind")
TOKEN_FIELDS = ("sentences", "words")
#: The column of an export of topics, and those of one with stories.
TOPICS = "topics"
STORY_FIELDS = ("story", "story_first", "story_rank")
NO_STORY = (None, None, None)


class Sink:
    """An output format: `begin` with the cursor that the export starts from, `write` each article, then `end`."""

    #: Whether it wants the articles in order of time instead of their change number.
    by_time = False
    #: Whether it says which articles were removed or renamed since the cursor.
    has_removed = True

    def rewrites_from(self, since: int) -> int:
        """The change to start from if what was exported after `since` isn't valid any more."""
        return since

    def begin(self, since: int) -> None:
        """Called once per export; with `--follow` there are several."""

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """Writes an article; `tokens`: values of fields that aren't the article's."""
        raise NotImplementedError

    def end(self) -> None:
        """Moves the output into place."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one export wrote: `rows`, from after the change `since` up to `change`; `hash`: of that change."""

    since: int
    change: int
    rows: int
    hash: str = ""


@dataclass(frozen=True)
class Exporter:
    """Writes a selection of a store's articles into a sink. `on_article` is called after each article written.

    `parts`: what was exported, one for each call.

    `min_confidence`: articles with a lower confidence are left out; those without one stay. `topics`: only articles of
    these, with their names in the column `topics`. `stories`: with STORY_FIELDS, only articles of these stories if any
    are given; None: without.
    """

    store: Store
    selection: Selection
    sink: Sink
    tokenizer: "Tokenizer | None" = None
    on_article: Callable[[], object] = lambda: None
    min_confidence: float = 0.0
    topics: Sequence[Topic] = ()
    on_notice: Callable[[str], object] = lambda sentence: None
    parts: list[Part] = field(default_factory=list)
    stories: Sequence[int] | None = None

    def __call__(self, cursor: Cursor) -> tuple[int, Cursor]:
        """Writes each selected article that changed after the cursor once, in its current state, or as of a change.

        Returns the change after which it began, and the new cursor. If the database went on from an earlier state than
        the cursor's, it begins after the last change that both have, and calls `on_notice` with a sentence. Cursor and
        articles are read in one snapshot, so concurrent changes come with the next call. Raises WrongCall if the cursor
        belongs to another database.
        """
        with self.store.snapshot() as snapshot:
            start = snapshot.find_start(cursor, self.store.name)
            since, rows, as_of = start.change, 0, self.selection.as_of
            if as_of is not None:
                self._check_past(snapshot, since, as_of)
            if start.notice:
                since = self.sink.rewrites_from(since)
                self.on_notice(start.notice)
            self.sink.begin(since)
            selection = replace(self.selection, since=since, by_time=self.sink.by_time)
            ranks = {} if self.stories is None else snapshot.story_ranks(self.stories)
            for row in self._rows(snapshot, selection):
                confidence = row.article.confidence
                if confidence is not None and confidence < self.min_confidence and row.change_kind not in GONE_KINDS:
                    continue
                topics = [topic.name for topic in self.topics if topic.matches(row.article)]
                if self.topics and not topics and row.change_kind not in URL_KINDS:
                    continue
                if self.stories and row.change not in ranks and row.change_kind not in URL_KINDS:
                    continue
                added = self.tokenizer.tokenize(row.article) if self.tokenizer else {}
                if self.stories is not None:
                    added |= dict(zip(STORY_FIELDS, ranks.get(row.change, NO_STORY), strict=True))
                self.sink.write(row, {**added, TOPICS: topics})
                self.on_article()
                rows += 1
            self.sink.end()
            end = snapshot.read_cursor() if as_of is None else snapshot.read(read_cursor, as_of)
            self.parts.append(Part(since, end.change, rows, end.hashes.get(end.change, "")))
            return since, end

    def _check_past(self, snapshot: Snapshot, since: int, as_of: int) -> None:
        """Says what can't be given of an earlier moment. WrongCall for one that hasn't been, or before the cursor."""
        if as_of > snapshot.cursor:
            raise WrongCall(f"{self.store.name} has no change {as_of} yet; the last is {snapshot.cursor}")
        if as_of < since:
            raise WrongCall(f"the export is as of change {as_of}, before the change {since} after which it would begin")
        if losses := [*snapshot.read(describe_losses, as_of)]:
            self.on_notice(f"{'; '.join(losses)}: so it may not be what an export of {self.store.name} gave then")

    def _rows(self, snapshot: Snapshot, selection: Selection) -> Iterator[ArticleRow]:
        """The selected articles, and what was removed or renamed since the cursor, so that a reader does so, too."""
        is_past = selection.as_of is not None
        selected = snapshot.read(select_past, selection) if is_past else snapshot.select(selection)
        if not selection.since or not self.sink.has_removed:
            return selected
        if selection.by_time:
            return chain(selected, snapshot.removed(selection))
        return merge(selected, snapshot.removed(selection), key=lambda row: row.change)

    def follow(self, cursor: Cursor, on_cursor: Callable[[Cursor], object], stop: Event) -> tuple[int, Cursor]:
        """Exports changes until `stop` is set; calls `on_cursor` with the new cursor after each export."""
        since, cursor = self(cursor)
        on_cursor(cursor)
        while not stop.wait(POLL_INTERVAL):
            self.store.close()  # the file may have been replaced by a backup; the next call opens the present one
            if self.store.read(read_cursor) != cursor:
                _, cursor = self(cursor)
                on_cursor(cursor)
        return since, cursor


def parse_fields(
    option: str, with_tokens: bool, with_topics: bool = False, with_stories: bool = False
) -> tuple[str, ...]:
    """The field names of the option `--fields`, all fields if it is empty. Raises WrongCall for an unknown name."""
    known = (*FIELDS, *((TOPICS,) * with_topics), *(STORY_FIELDS * with_stories), *(TOKEN_FIELDS * with_tokens))
    names = tuple(name.strip() for name in option.split(",") if name.strip())
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = "; sentences and words need --tokens" if set(unknown) & set(TOKEN_FIELDS) else ""
        hint += "; those of stories need --stories" if set(unknown) & set(STORY_FIELDS) else ""
        raise WrongCall(f"--fields: {unknown[0]!r} isn't a field; known are {', '.join(known)}{hint}")
    return tuple(dict.fromkeys(names)) or known


def read_cursor_file(path: Path) -> Cursor:
    """The cursor in a file, perhaps a number alone; the beginning without the file. WrongCall for anything else."""
    try:
        return Cursor.from_text(path.read_text("utf-8"))
    except FileNotFoundError:
        return Cursor()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongCall(f"the cursor file {path} can't be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise WrongCall(f"the cursor file {path} isn't one that an export wrote: {error}") from error


def write_cursor_file(path: Path | None, cursor: Cursor) -> None:
    """Writes the new cursor; even after a power cut, the file has either the old or the new one."""
    if path is not None:
        with atomic_write(path) as file:
            file.write(cursor.to_text().encode())
