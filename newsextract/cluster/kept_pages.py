"""A folder of kept pages, read in order, or looked into for one page."""

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from newsextract.discovery.archives import warc_files
from newsextract.discovery.warc_reader import read_warc_range
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.urls import article_key

#: Pages looked for that are held: the peers of a site's articles are the same few.
HELD = 40


class Place(NamedTuple):
    """Where a page stands: the file's number, the record's offset, when the page was fetched."""

    file: int
    offset: int
    fetched_at: datetime


@dataclass
class KeptPages:
    """The WARC files of a folder, as they were when it was opened. About 250 bytes a page once `find` is used."""

    folder: Path
    files: list[Path]
    skipped: Counter[str]
    _places: dict[int, list[Place]] | None = None
    _held: OrderedDict[Place, FetchedPage] = field(default_factory=OrderedDict)

    @classmethod
    def open(cls, folder: Path) -> "KeptPages":
        """ArchiveError where there is no such folder or no WARC file in it."""
        if not folder.is_dir():
            raise ArchiveError(f"{folder} is no folder; pages are kept in the one that NEWSEXTRACT_KEEP_PAGES names")
        files = warc_files(folder)
        if not files:
            raise ArchiveError(f"{folder} holds no kept pages: none of its files is a WARC file")
        return cls(folder, files, Counter())

    def __iter__(self) -> Iterator[FetchedPage]:
        """Every page, one in memory at a time; `skipped` counts what is none, by reason."""
        for _, page in self._placed(self.skipped):
            yield page

    def find(self, url: str, fetched_at: datetime | None = None) -> FetchedPage | None:
        """The page of that address that was fetched at that time, or nearest to it; the newest where none is given."""
        if self._places is None:
            self._places = {}
            for place, page in self._placed(Counter()):
                self._places.setdefault(hash(article_key(page.url)), []).append(place)
        places = self._places.get(hash(article_key(url)), [])
        if fetched_at is None:
            places = sorted(places, key=lambda place: place.fetched_at, reverse=True)
        else:
            places = sorted(places, key=lambda place: abs(place.fetched_at - fetched_at))
        return next(filter(None, (self._page(place, url) for place in places)), None)

    def _page(self, place: Place, url: str) -> FetchedPage | None:
        """The page at a place, where it is one of that address."""
        if place not in self._held:
            read = read_warc_range(self.files[place.file], Counter(), place.offset, place.offset + 1, ours=True)
            for _, page in read:
                self._held[place] = page
        if len(self._held) > HELD:
            self._held.popitem(last=False)
        found = self._held.get(place)
        return found if found is not None and article_key(found.url) == article_key(url) else None

    def _placed(self, skipped: Counter[str]) -> Iterator[tuple[Place, FetchedPage]]:
        for number, file in enumerate(self.files):
            try:
                for offset, page in read_warc_range(file, skipped, ours=True):
                    yield Place(number, offset, page.fetched_at), page
            except ArchiveError:
                skipped["broken"] += 1
