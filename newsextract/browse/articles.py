"""What the pages of `newsextract browse` read from the crawl's database: versions, reports, changes since the copy."""

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.browse.figures import update_figures
from newsextract.errors import NewsextractError
from newsextract.index.update import update_index
from newsextract.store import Store
from newsextract.store.lookup import Version, find_versions

if TYPE_CHECKING:
    from newsextract.browse.serve import ServerOptions

logger = logging.getLogger(__name__)

#: An update waits so many times as long as the last one took, so that it never takes more than a tenth of a core.
REST = 9


def versions(database: str, url: str) -> list[Version]:
    """All versions of the article at a URL; NewsextractError if there is none."""
    with Store.open(database, must_exist=True, read_only=True) as store:
        if found := store.read(find_versions, url):
            return found
    raise NewsextractError(f"There is no article at {url}")


def report(database: str, url: str) -> str:
    """The HTML of the evidence report on the kept page of an article; NewsextractError if none was kept."""
    from newsextract.cluster.kept_pages import read_stored_pages
    from newsextract.report import render_report

    page, peer = read_stored_pages(database, url)
    return render_report(page, url, peer=peer, peer_name=peer.url if peer else None)


def keep_updating(options: "ServerOptions") -> None:
    """Updates the index for ever; an error is logged, and the update tried again."""
    wait = float(options.follow or 0)
    while True:
        time.sleep(wait)
        started = time.monotonic()
        try:
            _update(options)
        except NewsextractError as error:
            logger.warning("The copy could not be updated: %s", error)
        wait = max(float(options.follow or 0), REST * (time.monotonic() - started))


def _update(options: "ServerOptions") -> None:
    with Store.open(options.database, must_exist=True, read_only=True) as store:
        update_index(store, options.database, Path(options.index))
        update_figures(store, Path(options.index))
