"""What a crawl counts and notes: typed fields, kept in Scrapy's stats, where other tools find them (docs/STATS.md)."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Generic, Protocol, TypeVar, overload

T = TypeVar("T")


class Stats(Protocol):
    """Scrapy's StatsCollector, as far as it is used here."""

    def get_value(self, key: str, default: Any = None) -> Any: ...
    def set_value(self, key: str, value: Any) -> None: ...
    def get_stats(self) -> dict[str, Any]: ...


class StatsOfRun:
    """The stats of a run that the database has, or of a crawl that has ended."""

    def __init__(self, stats: Mapping[str, Any]) -> None:
        self._stats = dict(stats)

    def get_value(self, key: str, default: Any = None) -> Any:
        return self._stats.get(key, default)

    def set_value(self, key: str, value: Any) -> None:
        self._stats[key] = value

    def get_stats(self) -> dict[str, Any]:
        return self._stats


class Value(Generic[T]):
    """A field of `CrawlCounts`: the stat of this name; `default` until it is set."""

    def __init__(self, name: str, default: T) -> None:
        self.name, self.default = name, default

    @overload
    def __get__(self, counts: None, kind: type) -> "Value[T]": ...
    @overload
    def __get__(self, counts: "CrawlCounts", kind: type) -> T: ...
    def __get__(self, counts: "CrawlCounts | None", kind: type) -> "Value[T] | T":
        if counts is None:
            return self
        value: T = counts.stats.get_value(self.name, self.default)
        return value

    def __set__(self, counts: "CrawlCounts", value: T) -> None:
        counts.stats.set_value(self.name, value)


class ByKey(Generic[T]):
    """A field of `CrawlCounts`: the stats with this prefix, by what follows it; `default` for any other key."""

    def __init__(self, prefix: str, default: T) -> None:
        self.prefix, self.default = prefix, default

    def __get__(self, counts: "CrawlCounts", kind: type) -> "Values[T]":
        return Values(counts.stats, self.prefix, self.default)


class Values(MutableMapping[str, T]):
    """The values of a `ByKey` of one crawl."""

    def __init__(self, stats: Stats, prefix: str, default: T) -> None:
        self._stats, self._prefix, self._default = stats, prefix, default

    def __getitem__(self, key: str) -> T:
        value: T = self._stats.get_value(f"{self._prefix}{key}", self._default)
        return value

    def __setitem__(self, key: str, value: T) -> None:
        self._stats.set_value(f"{self._prefix}{key}", value)

    def __delitem__(self, key: str) -> None:
        raise TypeError("stats are not taken back")

    def __contains__(self, key: object) -> bool:
        return f"{self._prefix}{key}" in self._stats.get_stats()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key; `default` if it has none."""
        return self._stats.get_value(f"{self._prefix}{key}", default)

    def __iter__(self) -> Iterator[str]:
        names = [*self._stats.get_stats()]  # another thread may add some
        return iter([name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix)])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class CrawlCounts:
    """The counters and notes of a crawl, running or ended; docs/STATS.md says what each means."""

    #: Pages that came in; articles by what was new of them; the others by reason; and what else is known of them.
    pages = Value("newsextract/pages", 0)
    pending = Value("newsextract/pending", 0)
    articles = ByKey("newsextract/articles/", 0)
    dropped = ByKey("newsextract/dropped/", 0)
    aliases = Value("newsextract/aliases", 0)
    duplicates = Value("newsextract/duplicates", 0)
    without_text = Value("newsextract/without_text", 0)
    canonical_refused = Value("newsextract/canonical_refused", 0)
    paired = Value("newsextract/paired", 0)
    unpaired = Value("newsextract/unpaired", 0)
    parts = Value("newsextract/parts", 0)
    missing_parts = Value("newsextract/parts/missing", 0)
    links_not_read = Value("newsextract/links_not_read", 0)
    missed_selectors = ByKey("newsextract/selectors/missed/", 0)
    amp_dates = Value("newsextract/amp_dates", 0)
    #: Pages and lists as at the last fetch, by hash or by HTTP 304; known pages fetched again, by result.
    unchanged = Value("newsextract/unchanged", 0)
    same_page = Value("newsextract/same_page", 0)
    not_modified = Value("newsextract/not_modified", 0)
    refetched = ByKey("newsextract/refetched/", 0)
    #: What the review of a site did.
    retracted = Value("newsextract/retracted", 0)
    dated = Value("newsextract/dated", 0)
    lines_left_out = Value("newsextract/lines_left_out", 0)
    #: Feeds and sitemaps by result; those that were not read wholly, each with the reason; what is left, by kind.
    lists = ByKey("newsextract/lists/", 0)
    named_lists = Value[list[str]]("newsextract/named_lists", [])
    more_lists = Value("newsextract/more_lists", 0)
    left = ByKey("newsextract/left/", 0)
    #: The number of the run; why the crawl can't go on; whether another process works on it; URLs that brought nothing.
    run = Value[int | None]("newsextract/run", None)
    fatal = Value[str | None]("newsextract/fatal", None)
    joined = Value("newsextract/joined", False)
    start_failed = Value[list[str]]("newsextract/start_failed", [])
    workers = ByKey("newsextract/workers/", 0)
    kept_pages = Value("newsextract/kept/pages", 0)
    kept_folder = Value[str | None]("newsextract/kept/folder", None)
    slowed_down = Value("newsextract/slowed_down", 0)
    #: The latest moment that a server named, as a timestamp.
    served_at = Value[float | None]("newsextract/served_at", None)
    #: By site: figures (`health.yields`); sentences on a yield that dropped, on refused pages, on pages that lead to
    #: another host; the URL to which the given one redirects.
    yields = Value[dict[str, Any]]("newsextract/yields", {})
    warnings = ByKey("newsextract/yield_warning/", "")
    refused = ByKey("newsextract/refused/", "")
    led = ByKey("newsextract/led/", "")
    moved = ByKey("newsextract/moved/", "")
    #: By URL of a list: its new links although its validators are the old ones.
    stale = ByKey("newsextract/stale/", 0)
    #: Pages rendered by a browser, those that failed by reason, and what they loaded.
    rendered = Value("newsextract/render/pages", 0)
    not_rendered = ByKey("newsextract/render/failed/", 0)
    render_requests = Value("newsextract/render/requests", 0)
    render_bytes = Value("newsextract/render/bytes", 0)
    render_not_loaded = ByKey("newsextract/render/not_loaded/", 0)
    render_over_limit = Value("newsextract/render/over_limit", 0)

    def __init__(self, stats: Stats) -> None:
        self.stats = stats

    @classmethod
    def of_run(cls, stats: Mapping[str, Any]) -> "CrawlCounts":
        """Those in the stats of a run."""
        return cls(StatsOfRun(stats))

    @property
    def finish_reason(self) -> str | None:
        """Scrapy's; None while the crawl runs."""
        reason: str | None = self.stats.get_value("finish_reason")
        return reason
