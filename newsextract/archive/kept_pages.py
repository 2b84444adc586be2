"""The pages that crawls kept (NEWSEXTRACT_KEEP_PAGES): read in order, looked up by URL, found for a stored article."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newsextract.article.extract import page_of
from newsextract.errors import ArchiveError, NewsextractError
from newsextract.health.status import read_status
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.site_profile import SiteProfile
from newsextract.site_profile.snapshot import MIN_PAGES, read_summaries
from newsextract.store import Store
from newsextract.store.site_pages import load_peers, load_site_pages
from newsextract.urls import article_key, site_of
from newsextract.warc.archives import warc_files
from newsextract.warc.reader import read_warc_range

#: Number of runs whose stats are searched for folders.
MAX_RUNS = 1000
#: When a file of WarcWriter was begun, from its name; and how long a page may wait before it is written.
FILE_NAME = re.compile(r"newsextract-(\d{14})-")
WAIT = timedelta(minutes=10)


#: The records of a file by the hash of the page's key: when it was fetched, the file, the offset.
Index = dict[int, list[tuple[datetime, Path, int]]]


@dataclass
class KeptPages:
    """WARC files, indexed at the first look-up (250 bytes a page); `skipped`: records that aren't pages."""

    files: list[Path]
    skipped: Counter[str] = field(default_factory=Counter)
    _indexes: dict[Path, Index] = field(default_factory=dict)

    @classmethod
    def open(cls, *folders: Path) -> "KeptPages":
        """Raises ArchiveError if a folder doesn't exist or none has a WARC file."""
        for folder in folders:
            if not folder.is_dir():
                raise ArchiveError(
                    f"{folder} isn't a folder; pages are kept in the one that NEWSEXTRACT_KEEP_PAGES names"
                )
        files = [file for folder in folders for file in warc_files(folder)]
        if not files:
            names = ", ".join(map(str, folders))
            raise ArchiveError(f"{names} has no kept pages: it contains no WARC files")
        return cls(files)

    def __iter__(self) -> Iterator[FetchedPage]:
        """Every page, one in memory at a time."""
        for file in self.files:
            for _, page in _read(file, self.skipped):
                yield page

    def find(self, url: str, fetched_at: datetime | None = None) -> FetchedPage | None:
        """The page of a URL fetched nearest to that time, or the newest; likely files are read first."""
        key, newest = article_key(url), fetched_at or datetime.max.replace(tzinfo=UTC)
        likely = [file for file in self.files if fetched_at is not None and _may_hold(file, fetched_at)]
        for files in (likely, self.files):
            records = [record for file in files for record in self._index(file).get(hash(key), ())]
            for _, file, offset in sorted(records, key=lambda record: abs(record[0] - newest)):
                for _, page in _read(file, Counter(), offset, offset + 1):
                    if article_key(page.url) == key:
                        return page
        return None

    def _index(self, file: Path) -> Index:
        if file not in self._indexes:
            index = self._indexes[file] = {}
            for offset, page in _read(file, Counter()):
                index.setdefault(hash(article_key(page.url)), []).append((page.fetched_at, file, offset))
        return self._indexes[file]


def _read(
    file: Path, skipped: Counter[str], start: int = 0, end: int | None = None
) -> Iterator[tuple[int, FetchedPage]]:
    """The pages of a file with their offsets; none of a broken one."""
    try:
        yield from read_warc_range(file, skipped, start, end, ours=True)
    except ArchiveError:
        skipped["broken"] += 1


def find_stored_page(store: Store, url: str, folder: Path | None) -> tuple[FetchedPage, FetchedPage | None]:
    """The kept page of the current version of the article at `url`, and its peer.

    folder: the folder to search; None for those of crawls into this database. For a URL without an article, the newest
    page. Raises NewsextractError if no such page was kept.
    """
    article = store.article(url)
    folders = [folder] if folder else _folders_of_runs(store)
    if not folders:
        raise NewsextractError(
            f"no crawl into {store.name} has kept its pages; crawl with -s NEWSEXTRACT_KEEP_PAGES=FOLDER, name the "
            "folder with --pages, or give the address without --database, and it is fetched anew"
        )
    fetched_at = article.fetched_at if article else None
    kept = KeptPages.open(*folders)
    page = kept.find(article.url if article else url, fetched_at)
    if page is None:
        raise NewsextractError(f"{', '.join(map(str, folders))} has no page of {url}")
    if article is None or article.peer_url is None or article.fetched_at != page.fetched_at:
        return page, None
    stored = {reference.url: reference for reference in store.read(load_peers, site_of(page.url))}
    return page, stored.get(article.peer_url) or kept.find(article.peer_url, fetched_at)


def read_stored_pages(database: str, url: str, folder: Path | None = None) -> tuple[Page, Page | None]:
    """Like `find_stored_page`, with the page parsed and what is known of its site."""
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
    """The existing folders with kept pages of a database's runs, the latest run's first."""
    _, runs = store.read(read_status, last=MAX_RUNS)
    names = dict.fromkeys(folder for run in runs if (folder := run.counts.kept_folder) is not None)
    return [Path(name) for name in names if Path(name).is_dir()]


def _may_hold(file: Path, fetched_at: datetime) -> bool:
    """Whether a file may have a page fetched at a time, by its name, if that tells, and its last change."""
    begun = FILE_NAME.match(file.name)
    try:
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        began = datetime.strptime(begun[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if begun else None
    except (OSError, ValueError, OverflowError):
        return True
    return began is None or began - WAIT <= fetched_at <= written + WAIT
