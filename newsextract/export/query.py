"""What an export is asked for: as options give it, as its manifest records it, and how it is run from either."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from newsextract.errors import WrongCall
from newsextract.export.exporter import Exporter, Sink, parse_fields
from newsextract.export.formats import FORMATS
from newsextract.index import TOPICS_FILE
from newsextract.index.topics import read_topics
from newsextract.store import Selection, Store

#: Fields of a selection that say from where to where an export reads, and that its format decides.
BOUNDS = ("since", "until", "by_time", "as_of", "retracted")


@dataclass(frozen=True)
class ExportQuery:
    """Which articles, which fields of them, and in which form. `topics`: names in the file of topics. `stories`: see
    `Exporter`.

    `tokens`, `no_stop_words`, `dictionary`, `raw`: see `newsextract export --help`.
    """

    selection: Selection = field(default_factory=Selection)
    form: str = "jsonl"
    fields: tuple[str, ...] = ()
    min_confidence: float = 0.0
    topics: tuple[str, ...] = ()
    tokens: bool = False
    no_stop_words: bool = False
    dictionary: Path | None = None
    raw: bool = False
    stories: tuple[int, ...] | None = None

    def to_manifest(self) -> dict[str, Any]:
        """The query as JSON values, as `from_manifest` reads it."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("selection", "form")}
        values = {**asdict(self.selection), **own, "format": self.form}
        return {name: _as_json(value) for name, value in values.items() if name not in BOUNDS}

    @classmethod
    def from_manifest(cls, values: Mapping[str, Any]) -> "ExportQuery":
        """The inverse of `to_manifest`; also of the manifests of earlier versions. Raises WrongCall."""
        try:
            own: dict[str, Any] = {one.name: values[one.name] for one in fields(cls) if one.name in values}
            selected = {
                one.name: values[one.name] for one in fields(Selection) if one.name in values and one.name not in BOUNDS
            }
            for name in ("published_from", "published_before"):
                selected[name] = selected.get(name) and datetime.fromisoformat(selected[name])
            own |= {name: tuple(own.get(name, ())) for name in ("fields", "topics")}
            own["stories"] = None if own.get("stories") is None else tuple(own["stories"])
            own |= {"form": values["format"], "dictionary": own.get("dictionary") and Path(own["dictionary"])}
            own["selection"] = Selection(**selected, retracted=keeps_retracted(values["format"]))
            query = cls(**own)
            parse_fields(",".join(query.fields), query.tokens, bool(query.topics), query.stories is not None)
        except (KeyError, TypeError, ValueError) as error:
            raise WrongCall(f"the query of the manifest can't be read: {error}") from error
        if query.form not in FORMATS:
            raise WrongCall(f"the manifest's format {query.form!r} is not one of {', '.join(FORMATS)}")
        return query

    def exporter(
        self,
        store: Store,
        sink: Sink,
        topics_file: Path | None = None,
        on_article: Callable[[], object] = lambda: None,
        on_notice: Callable[[str], object] = lambda sentence: None,
        as_of: int | None = None,
    ) -> Exporter:
        """What runs the export into a sink. `as_of`: of the articles as they were after this change."""
        tokenizer = None
        if self.tokens:
            from newsextract.export.tokens import Tokenizer  # loads dictionaries

            tokenizer = Tokenizer(self.dictionary, self.no_stop_words)
        topics = read_topics(topics_file or TOPICS_FILE, [*self.topics]) if self.topics else []
        selection = replace(self.selection, as_of=as_of)
        exporter = Exporter(store, selection, sink, tokenizer, on_article, self.min_confidence, topics, on_notice)
        return replace(exporter, stories=self.stories)


def keeps_retracted(form: str) -> bool:
    """Whether a format can mark an article as deleted; others leave retracted ones out."""
    return form not in ("bow", "warc-wet")


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [*value]
    return str(value) if isinstance(value, datetime | Path) else value
