"""A stored article's page, out of the folder in which a crawl kept it."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.errors import NewsextractError
from newsextract.urls import site_of

if TYPE_CHECKING:
    from newsextract.items import FetchedPage
    from newsextract.page import Page
    from newsextract.store import Store

#: The statistic under which a crawl notes where it keeps its pages.
FOLDER = "newsextract/kept/folder"
#: Runs looked through for the folders of their pages.
RUNS = 1000


def kept_pages(database: str, url: str, folder: Path | None) -> "tuple[Page, Page | None, str | None]":
    """The page that the present version of the article at `url` was made from, its peer, and the peer's URL.

    `folder`: where to look; None for where the crawls of that database kept their pages. A page that is no article is
    found too, the newest. NewsextractError where it is not there.
    """
    from newsextract.article import page_of
    from newsextract.store import Store

    with Store.open(database, must_exist=True, read_only=True) as store:
        article = store.article(url)
        folders = [folder] if folder else _folders(store)
        if not folders:
            raise NewsextractError(
                f"no crawl into {database} has kept its pages; crawl with -s NEWSEXTRACT_KEEP_PAGES=FOLDER, name the "
                "folder with --pages, or give the address without --database, and it is fetched anew"
            )
        fetched_at = article.fetched_at if article else None
        page = _find(folders, article.url if article else url, fetched_at)
        if page is None:
            raise NewsextractError(f"{', '.join(map(str, folders))} holds no page of {url}")
        peer_url = article.peer_url if article and article.fetched_at == page.fetched_at else None
        peer = None
        if peer_url:
            known = (one for one in store.peers(site_of(page.url)) if one.url == peer_url)
            peer = next(known, None) or _find(folders, peer_url, fetched_at)
    parsed = [page_of(one) for one in (page, peer) if one is not None]
    for one, fetched in zip(parsed, (page, peer), strict=False):
        one.drop(fetched.drop if fetched else ())
    return parsed[0], parsed[1] if peer else None, peer.url if peer else None


def _folders(store: "Store") -> list[Path]:
    """Where the crawls of a database kept their pages, the last one's first; those that are still there."""
    _, runs = store.status(last=RUNS)
    named = dict.fromkeys(str(run.stats[FOLDER]) for run in runs if FOLDER in run.stats)
    return [Path(name) for name in named if Path(name).is_dir()]


def _find(folders: list[Path], url: str, fetched_at: datetime | None) -> "FetchedPage | None":
    from newsextract.cluster.kept_pages import KeptPages

    return next(filter(None, (KeptPages.open(folder).find(url, fetched_at) for folder in folders)), None)
