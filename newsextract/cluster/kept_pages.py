"""The pages that a crawl kept (NEWSEXTRACT_KEEP_PAGES): read in order, looked up by URL, found for a stored article."""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from newsextract.article import page_of
from newsextract.errors import ArchiveError, NewsextractError
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.site_profile import SiteProfile
from newsextract.site_profile.snapshot import MIN_PAGES, read_summaries
from newsextract.store import Store
from newsextract.store.lookup import read_status
from newsextract.store.site_pages import load_peers, load_site_pages
from newsextract.urls import article_key, site_of
from newsextract.warc.archives import warc_files
from newsextract.warc.reader import read_warc_range

#: Pages that `KeptPages.find` keeps in memory: the articles of a site share a few peers.
CACHED_PAGES = 40
#: The statistic in which a crawl stores the folder of its pages.
FOLDER_STAT = "newsextract/kept/folder"
#: Runs whose statistics are searched for folders.
MAX_RUNS = 1000
#: When a file of WarcWriter was begun, in its name; time that a page may wait before it is written; and how far two
#: times of one fetch may be apart.
FILE_NAME = re.compile(r"newsextract-(\d{14})-")
WAIT, SAME_TIME = timedelta(minutes=10), timedelta(milliseconds=1)


class RecordPosition(NamedTuple):
    """The position of a page's record: index of the file, offset in it; and when the page was fetched."""

    file: int
    offset: int
    fetched_at: datetime


@dataclass
class KeptPages:
    """The WARC files that a folder had when it was opened. `find` builds an index of about 250 bytes a page."""

    folder: Path
    files: list[Path]
    skipped: Counter[str]
    _index: dict[int, list[RecordPosition]] | None = None
    _cache: OrderedDict[RecordPosition, FetchedPage] = field(default_factory=OrderedDict)

    @classmethod
    def open(cls, folder: Path) -> "KeptPages":
        """ArchiveError if the folder does not exist or has no WARC file."""
        if not folder.is_dir():
            raise ArchiveError(f"{folder} isn't a folder; pages are kept in the one that NEWSEXTRACT_KEEP_PAGES names")
        files = warc_files(folder)
        if not files:
            raise ArchiveError(f"{folder} holds no kept pages: none of its files is a WARC file")
        return cls(folder, files, Counter())

    def __iter__(self) -> Iterator[FetchedPage]:
        """Every page, one in memory at a time; `skipped` counts the records that aren't pages, by reason."""
        for _, page in self._read(self.skipped):
            yield page

    def find(self, url: str, fetched_at: datetime | None = None) -> FetchedPage | None:
        """The page of a URL that was fetched at that time or nearest to it, the newest one without a time."""
        if self._index is None:
            self._index = {}
            for position, page in self._read(Counter()):
                self._index.setdefault(hash(article_key(page.url)), []).append(position)
        positions = self._index.get(hash(article_key(url)), [])
        if fetched_at is None:
            positions = sorted(positions, key=lambda position: position.fetched_at, reverse=True)
        else:
            positions = sorted(positions, key=lambda position: abs(position.fetched_at - fetched_at))
        return next(filter(None, (self._page_at(position, url) for position in positions)), None)

    def find_once(self, url: str, fetched_at: datetime) -> FetchedPage | None:
        """As `find`, for one look-up: without an index, and of only the files that were written at that time.

        The page of that very time ends the search; a page of another time is looked for in all of these files.
        """
        key, nearest = article_key(url), None
        for file in self.files:
            if not _may_hold(file, fetched_at):
                continue
            with suppress(ArchiveError):
                pages = read_warc_range(file, Counter(), ours=True, wanted=lambda found, _: article_key(found) == key)
                for _, page in pages:
                    if abs(page.fetched_at - fetched_at) < SAME_TIME:
                        return page
                    if nearest is None or abs(page.fetched_at - fetched_at) < abs(nearest.fetched_at - fetched_at):
                        nearest = page
        return nearest

    def _page_at(self, position: RecordPosition, url: str) -> FetchedPage | None:
        """The page at this position; None if it is one of another URL with the same hash."""
        if position not in self._cache:
            file, offset = self.files[position.file], position.offset
            for _, page in read_warc_range(file, Counter(), offset, offset + 1, ours=True):
                self._cache[position] = page
        if len(self._cache) > CACHED_PAGES:
            self._cache.popitem(last=False)
        cached = self._cache.get(position)
        return cached if cached is not None and article_key(cached.url) == article_key(url) else None

    def _read(self, skipped: Counter[str]) -> Iterator[tuple[RecordPosition, FetchedPage]]:
        for number, file in enumerate(self.files):
            try:
                for offset, page in read_warc_range(file, skipped, ours=True):
                    yield RecordPosition(number, offset, page.fetched_at), page
            except ArchiveError:
                skipped["broken"] += 1


def find_stored_page(store: Store, url: str, folder: Path | None) -> tuple[FetchedPage, FetchedPage | None]:
    """The kept page from which the present version of the article at `url` was made, and its peer.

    folder: the folder to search; None for those in which crawls of this database kept their pages. For a URL without an
    article the newest page is returned. NewsextractError if no such page was kept.
    """
    article = store.article(url)
    folders = [folder] if folder else _folders_of_runs(store)
    if not folders:
        raise NewsextractError(
            f"no crawl into {store.name} has kept its pages; crawl with -s NEWSEXTRACT_KEEP_PAGES=FOLDER, name the "
            "folder with --pages, or give the address without --database, and it is fetched anew"
        )
    fetched_at = article.fetched_at if article else None
    page = _find_in(folders, article.url if article else url, fetched_at)
    if page is None:
        raise NewsextractError(f"{', '.join(map(str, folders))} holds no page of {url}")
    if article is None or article.peer_url is None or article.fetched_at != page.fetched_at:
        return page, None
    references = (
        reference for reference in store.read(load_peers, site_of(page.url)) if reference.url == article.peer_url
    )
    return page, next(references, None) or _find_in(folders, article.peer_url, fetched_at)


def read_stored_pages(database: str, url: str, folder: Path | None = None) -> tuple[Page, Page | None]:
    """The kept page of the article at `url`, parsed, with what is known of its site, and its peer.

    folder: as for `find_stored_page`. NewsextractError if no such page was kept.
    """
    with Store.open(database, must_exist=True, read_only=True) as store:
        page, peer = find_stored_page(store, url, folder)
        summaries = read_summaries(row.summary for row in store.read(load_site_pages, site_of(page.url)))
    parsed = _parse(page)
    if len(summaries) >= MIN_PAGES:
        parsed.site = SiteProfile.build(summaries)
    return parsed, _parse(peer) if peer else None


def _parse(fetched: FetchedPage) -> Page:
    page = page_of(fetched)
    page.drop(fetched.drop)
    return page


def _folders_of_runs(store: Store) -> list[Path]:
    """The existing folders in which the runs of a database kept their pages, the latest run's first."""
    _, runs = store.read(read_status, last=MAX_RUNS)
    names = dict.fromkeys(str(run.stats[FOLDER_STAT]) for run in runs if FOLDER_STAT in run.stats)
    return [Path(name) for name in names if Path(name).is_dir()]


def _may_hold(file: Path, fetched_at: datetime) -> bool:
    """Whether a file may hold a page that was fetched at a time, by when it was begun and last written to.

    True for a file that another program named.
    """
    begun = FILE_NAME.match(file.name)
    try:
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        began = datetime.strptime(begun[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if begun else None
    except (OSError, ValueError, OverflowError):
        return True
    return began is None or began - WAIT <= fetched_at <= written + WAIT


def _find_in(folders: list[Path], url: str, fetched_at: datetime | None) -> FetchedPage | None:
    if fetched_at is not None:
        for folder in folders:
            if (page := KeptPages.open(folder).find_once(url, fetched_at)) is not None:
                return page
    return next(filter(None, (KeptPages.open(folder).find(url, fetched_at) for folder in folders)), None)
