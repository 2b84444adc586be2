"""`newsextract site`: what was learned about a site."""

from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.options import Database, open_store
from newsextract.cli.terminal import print_table
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import LONG_LINE, MAX_LISTED, counted, say

if TYPE_CHECKING:
    from newsextract.items import FetchedPage
    from newsextract.site_profile.overview import KnownPage, PageGroup
    from newsextract.store.outcome import SitePage


def site(
    words: Annotated[list[str], typer.Argument(metavar="[forget] URL", help="A site, or any URL on it.")],
    database: Database = NEWSEXTRACT_DATABASE_URL,
) -> None:
    """Show what a crawl has learned about a site: templates, URL patterns, and lines that many pages share.

    `newsextract site forget URL` deletes what was learned; the articles stay.
    """
    from newsextract.health.chosen_sites import sites_named
    from newsextract.store.site_pages import forget_site_pages, load_peers, load_site_pages

    if len(words) > 2 or (len(words) == 2 and words[0] != "forget"):
        raise WrongCall("give one URL, with `forget` before it to delete what is known about the site")
    with open_store(database, read_only=len(words) == 1) as store:
        for name in store.read(sites_named, words[-1:]):
            if len(words) == 2:
                pages = store.write(forget_site_pages, name)
                say(f"forgot {counted(pages, 'page')} of {name}; its articles stay", err=True)
            elif rows := store.read(load_site_pages, name):
                _print_site(name, rows, store.read(load_peers, name))
            else:
                raise NewsextractError(f"nothing was learned about {name}: none of its pages were crawled")


def _print_site(name: str, rows: "list[SitePage]", references: "list[FetchedPage]") -> None:
    from newsextract.article.extract import page_of
    from newsextract.site_profile import Decision, PageSummary
    from newsextract.site_profile.overview import find_furniture, group_by_address, group_by_template

    pages: list[KnownPage] = []
    for row in rows:
        try:
            summary = PageSummary.from_bytes(row.summary)
            is_article = row.decision is not None and Decision.from_bytes(row.decision).is_article
        except ValueError:
            continue
        waits = "waits" if row.decision is None else row.reason or "no_article"
        pages.append((summary, None if is_article else waits))
    articles = sum(reason is None for _, reason in pages)
    size = sum(len(row.summary) for row in rows) / 1e6
    say(f"{name}: {counted(len(pages), 'known page')}, {articles} of them articles ({size:.2f} MB)")
    _print_groups("template", group_by_template(pages))
    _print_groups("URL pattern", group_by_address(pages))
    lines = [text for page in references for text in page_of(page).blocks.texts]
    if shared := find_furniture(pages, lines)[:MAX_LISTED]:
        cells = [(count, line if len(line) <= LONG_LINE else f"{line[:LONG_LINE]}…") for line, count in shared]
        print_table(("pages", "line on many pages"), cells, boxed=True)


def _print_groups(title: str, groups: "list[PageGroup]") -> None:
    rows = [
        (group.name, len(group.reasons), group.articles, group.kind.replace("_", " "), group.example)
        for group in groups[:MAX_LISTED]
    ]
    print_table((title, "pages", "articles", "what", "example"), rows, boxed=True)
    if len(groups) > MAX_LISTED:
        say(f"and {len(groups) - MAX_LISTED} more")
