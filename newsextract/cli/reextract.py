"""`newsextract reextract`: new versions of stored articles from kept pages."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from newsextract.cli.options import Alone, Database, Extractor, Options, extractor_options, flag, open_store, option
from newsextract.errors import NewsextractError, WrongCall
from newsextract.project import project_settings
from newsextract.settings import NEWSEXTRACT_DATABASE_URL, NEWSEXTRACT_EXTRACTOR
from newsextract.text import counted, say

if TYPE_CHECKING:
    from newsextract.store.revisions import NewVersion
    from newsextract.workers.messages import Workers

#: What `archive.reextract` counts, and its wording in the summary, in printing order: what is counted, and the rest.
SUMMARY = (
    ("pages", "page", "read"),
    ("changed", "article", "changed"),
    ("unchanged", "article", "unchanged"),
    ("now_no_article", "page", "that this extractor doesn't consider articles; the stored articles stay"),
    ("no_article_of_it", "kept page", "of no article, or of an older version"),
    ("of_several_pages", "multi-page article", "with only the first page kept; the stored articles stay"),
    ("deleted", "page", "of deleted articles"),
    ("retracted", "page", "of retracted articles"),
    ("overtaken", "article", "that a crawl changed in the meantime"),
    ("failed", "page", "that could not be extracted"),
)


def reextract(
    pages: Annotated[Path | None, option("FOLDER", "The folder of kept pages. [default: that of the project]")] = None,
    extractor: Extractor = NEWSEXTRACT_EXTRACTOR,
    option: Options = None,
    database: Database = NEWSEXTRACT_DATABASE_URL,
    workers: Annotated[
        int | None, option("N", "Worker processes; 0: this process. [default: one a core]", min=0, max=256)
    ] = None,
    scheduler: Annotated[
        str | None, option("tcp://HOST:PORT", "A Dask scheduler whose workers extract the pages.")
    ] = None,
    alone: Alone = False,
    dry_run: Annotated[bool, flag("--dry-run", "Only show what would change.")] = False,
) -> None:
    """Extract stored articles again from their kept pages, with another extractor or newer weights.

    Prints each changed article: change number, URL, and the fields that differ.
    """
    from newsextract.archive.kept_pages import KeptPages
    from newsextract.archive.loop import extract_all, read_with
    from newsextract.archive.reextract import KeptArticles, RevisionSink
    from newsextract.archive.stored_sites import StoredSites
    from newsextract.extractors import accepts_peer, make_extractor
    from newsextract.extractors.registry import FITTED_EXTRACTOR, made_by

    folder = pages or project_settings().get("NEWSEXTRACT_KEEP_PAGES")
    if not folder:
        raise WrongCall("--pages FOLDER is missing: the folder of kept pages, as in NEWSEXTRACT_KEEP_PAGES")
    if scheduler is not None and workers is not None:
        raise WrongCall("give --scheduler or --workers, not both")
    options = extractor_options(option)
    instance = make_extractor(extractor, options)
    kept, counts = KeptPages.open(Path(folder)), Counter[str]()
    with (
        open_store(database, read_only=dry_run) as store,
        _open_workers(scheduler, extractor, options, workers) as called,
    ):
        uses_sites = extractor == FITTED_EXTRACTOR and not alone
        maker, peers = made_by(extractor, options, alone=alone), accepts_peer(instance)
        sites = StoredSites(store, kept, called, extractor, uses_peers=peers, uses_sites=uses_sites)
        source = KeptArticles(store, kept, sites, counts)
        extract_all(source, read_with(called), RevisionSink(store, counts, _print_change, dry_run, maker))
    for name, counted_as, rest in SUMMARY:
        if counts[name] or name in ("pages", "changed"):
            say(f"{counted(counts[name], counted_as)} {rest}", err=True)
    for reason, number in kept.skipped.most_common():
        say(f"{counted(number, 'record')} skipped: {reason}", err=True)
    if not counts["pages"]:
        raise NewsextractError(f"{folder} has no readable page")


@contextmanager
def _open_workers(
    scheduler: str | None, extractor: str, options: dict[str, object], workers: int | None
) -> "Iterator[Workers]":
    """The worker processes: on a Dask cluster, or of this machine."""
    if scheduler is not None:
        if find_spec("distributed") is None:
            raise NewsextractError("--scheduler needs distributed: pip install 'newsextract[cluster]'")
        from newsextract.archive.dask_engine import FIRST_WAIT_SECONDS, DaskWorkers, connect

        with connect(scheduler, FIRST_WAIT_SECONDS) as client:
            yield DaskWorkers(client, extractor, options)
        return
    from newsextract.workers.pool import WorkerPool

    pool = WorkerPool.shared(extractor, options, workers)
    try:
        yield pool
    finally:
        pool.release()


def _print_change(revision: "NewVersion", number: int | None) -> None:
    before, after = revision.stored.article, revision.article
    sizes = f"{len(before.article_body)} -> {len(after.article_body)} characters"
    say(f"{number or '-'}\t{after.url}\t{', '.join(revision.differing)}\t{sizes}")
