"""The pages that crawls kept (NEWSEXTRACT_KEEP_PAGES): read in order, looked up by URL, found for a stored article.

By another extractor or newer weights, each stored article is extracted again from the page of its current version,
identified by URL and time. It gets a new version only if something differs, so repeating it changes nothing. An
extractor that compares two pages gets the peer of the current version; another extractor gets that or the best
reference page of the site.
"""

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import cast, get_args

from newsextract.article.extract import is_joined, page_of
from newsextract.errors import ArchiveError, NewsextractError
from newsextract.items import Article, FetchedPage, Listing, ListingSource
from newsextract.near_duplicates import signature_of
from newsextract.page import Page
from newsextract.reasons import GONE_KINDS
from newsextract.site_profile import Decision, PageSummary, ProfileSnapshot, SiteEvidence, SiteProfile
from newsextract.site_profile.peer_index import PeerIndex
from newsextract.site_profile.profile import MIN_PAGES
from newsextract.site_profile.summary import read_summaries
from newsextract.store import Store, site_pages
from newsextract.store.articles import ArticleRecord
from newsextract.store.commit import NewVersion, present_versions, revise
from newsextract.store.leases import record_command
from newsextract.store.lookup import read_status
from newsextract.store.outcome import SitePage
from newsextract.store.schema import fingerprint
from newsextract.store.site_pages import load_peers, load_site_pages
from newsextract.urls import article_key, site_of
from newsextract.warc.reader import read_warc_range, warc_files
from newsextract.workers.messages import ExtractionPlan, PageResult, Worker
from newsextract.workers.pool import WorkerPool

#: The stat with the folder of a crawl's kept pages.
FOLDER_STAT = "newsextract/kept/folder"
#: Number of runs whose stats are searched for folders.
MAX_RUNS = 1000
#: When a file of WarcWriter was begun, from its name; and how long a page may wait before it is written.
FILE_NAME, WAIT = re.compile(r"newsextract-(\d{14})-"), timedelta(minutes=10)


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
    names = dict.fromkeys(str(run.stats[FOLDER_STAT]) for run in runs if FOLDER_STAT in run.stats)
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


# ---- re-extraction ---------------------------------------------------------------------------------------------------

#: Sites whose profiles are cached.
CACHED_SITES = 20
#: Pages looked up, extracted and stored in one transaction; limits the memory.
BATCH_SIZE = 50


@dataclass
class Reextraction:
    """Re-extracts the pages of a folder. `counts`: pages by result, with the keys of `cli.cluster`."""

    store: Store
    pages: KeptPages
    workers: WorkerPool
    extractor: str
    uses_peers: bool
    uses_sites: bool = False
    dry_run: bool = False
    made_by: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    run: int | None = None

    def __post_init__(self) -> None:
        self._known_of, self._peers_of = lru_cache(CACHED_SITES)(self._read_site), lru_cache(None)(self._read_peers)

    def __iter__(self) -> Iterator[tuple[NewVersion, int | None]]:
        """Yields each changed article with its change number, None in a dry run."""
        pages = iter(self.pages)
        while batch := [*islice(pages, BATCH_SIZE)]:
            self.counts["pages"] += len(batch)
            yield from self._process_batch(batch)

    def _process_batch(self, batch: list[FetchedPage]) -> Iterator[tuple[NewVersion, int | None]]:
        versions = self.store.read(present_versions, batch)
        submitted = []
        for page in batch:
            present = versions.pop(page.id, None)
            if present is None or present.change_kind in GONE_KINDS:
                self.counts[present.change_kind if present else "no_article_of_it"] += 1
                continue
            if is_joined(present.article):
                self.counts["of_several_pages"] += 1  # only the first page was kept
                continue
            try:
                evidence = self._find_evidence(page, present)
                page = replace(page, listing=page.listing or _listing_of(present.article))
                peer = self._find_peer(page, present)
                plan = ExtractionPlan(() if peer is None else (peer,), evidence)
                submitted.append((present, self.workers.submit(Worker.extract, page, plan)))
            except NewsextractError:
                self.counts["failed"] += 1
        results = (self._revise(present, future) for present, future in submitted)
        revisions = [revision for revision in results if revision is not None]
        if revisions and self.run is None and not self.dry_run:
            self.run = self.store.write(record_command, "reextract", {}, self.made_by)
        numbers = [None] * len(revisions) if self.dry_run else self.store.write(revise, revisions, self.run)
        for revision, number in zip(revisions, numbers, strict=True):
            overtaken = number is None and not self.dry_run
            self.counts["overtaken" if overtaken else "changed"] += 1
            if not overtaken:
                yield revision, number

    def _revise(self, present: ArticleRecord, future: Future[PageResult]) -> NewVersion | None:
        """The new version of an article; None, counted, if nothing differs."""
        try:
            article = future.result().article
        except Exception:  # a page that crashes its worker must affect only itself
            self.counts["failed"] += 1
            return None
        if not article.is_article:
            self.counts["now_no_article"] += 1
            return None
        revision = NewVersion.of(present, article, signature_of(article.article_body))
        if not revision.differing:
            self.counts["unchanged"] += 1
            return None
        return revision

    def _find_evidence(self, page: FetchedPage, present: ArticleRecord) -> SiteEvidence | None:
        """What the site shows about a page; the earlier decision if the same extractor gives the same ratings."""
        if not self.uses_sites:
            return None
        profile, rows = self._known_of(site_of(page.url))
        row = rows.get(fingerprint(page.url)) if present.article.extractor == self.extractor else None
        decided = None
        if row is not None and row.decision is not None and row.fetched_at == page.fetched_at:
            with suppress(ValueError):
                decided = PageSummary.from_bytes(row.summary), Decision.from_bytes(row.decision)
        is_article = decided is not None and decided[1].is_article
        return None if profile is None else SiteEvidence(profile, decided=decided if is_article else None)

    def _read_site(self, site: str) -> tuple[ProfileSnapshot | None, dict[str, SitePage]]:
        """The profile of a site, None if too few pages are known; what is stored of each page, by fingerprint."""
        rows = self.store.read(load_site_pages, site)
        summaries = read_summaries(row.summary for row in site_pages.sample(rows))
        snapshot = ProfileSnapshot.of(SiteProfile.build(summaries)) if len(summaries) >= MIN_PAGES else None
        return snapshot, {row.fingerprint: row for row in rows}

    def _find_peer(self, page: FetchedPage, present: ArticleRecord) -> FetchedPage | None:
        if not self.uses_peers:
            return None
        index, peer_url = self._peers_of(site_of(page.url)), present.article.peer_url
        if peer_url is not None and (peer := index.get(peer_url) or self.pages.find(peer_url, page.fetched_at)):
            return peer
        if present.article.extractor == self.extractor and peer_url is None:
            return None
        template = self.workers.submit(Worker.read, page).result().template
        return index.find_peer(replace(page, template=template))

    def _read_peers(self, site: str) -> PeerIndex:
        index = PeerIndex()
        for page in self.store.read(load_peers, site):
            index.add(page)
        return index


def _listing_of(article: Article) -> Listing | None:
    """What a feed, sitemap, list or AMP copy said about an article whose kept page doesn't have it."""
    used = {name: source for name, source in article.sources.items() if source in get_args(ListingSource)}
    if not used:
        return None
    values = {name: getattr(article, name) for name in ("date_published", "date_modified") if name in used}
    authors = tuple(article.authors) if "authors" in used else ()
    summary = article.description or "" if "description" in used else ""
    return Listing(cast(ListingSource, min(used.values())), authors=authors, summary=summary, **values)
