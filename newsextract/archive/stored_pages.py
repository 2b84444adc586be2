"""The kept page of a stored article, and its peer, as `newsextract report` and `browse` show them."""

from pathlib import Path

from newsextract.archive.kept_pages import KeptPages
from newsextract.archive.stored_sites import profile_of
from newsextract.article.extract import page_of
from newsextract.errors import NewsextractError
from newsextract.health.status import MAX_RUNS, read_status
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.site_profile import SiteProfile
from newsextract.store import Store
from newsextract.store.site_pages import load_peers, load_site_pages
from newsextract.urls import site_of


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


def read_stored_pages(
    database: str, url: str, folder: Path | None = None
) -> tuple[Page, Page | None, SiteProfile | None]:
    """Like `find_stored_page`, with the pages parsed, and what is known of their site."""
    with Store.open(database, must_exist=True, read_only=True) as store:
        page, peer = find_stored_page(store, url, folder)
        profile = profile_of(store.read(load_site_pages, site_of(page.url)))
    return _parse(page), _parse(peer) if peer else None, profile


def _parse(fetched: FetchedPage) -> Page:
    page = page_of(fetched)
    page.drop(fetched.drop)
    return page


def _folders_of_runs(store: Store) -> list[Path]:
    """The existing folders with kept pages of a database's runs, the latest run's first."""
    _, runs = store.read(read_status, last=MAX_RUNS)
    names = dict.fromkeys(folder for run in runs if (folder := run.counts.kept_folder) is not None)
    return [Path(name) for name in names if Path(name).is_dir()]
