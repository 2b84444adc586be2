"""`newsextract site`: what a database knows of a site, and how it is forgotten."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from newsextract.cli.options import Database
from newsextract.cli.terminal import messages, results
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL

if TYPE_CHECKING:
    from newsextract.items import FetchedPage
    from newsextract.site_profile.overview import PageGroup
    from newsextract.store.site_pages import StoredSitePage

#: Rows of each table, and characters of a line.
MAX_ROWS, MAX_LINE = 20, 100


def site(
    words: Annotated[list[str], typer.Argument(metavar="[forget] URL", help="A site, or any URL on it.")],
    database: Database = NEWSEXTRACT_DATABASE_URL,
) -> None:
    """Show what a crawl has learned about a site: templates, URL patterns, and lines that many pages share.

    With `forget` before the URL that is deleted, and learned anew; the articles stay.
    """
    from newsextract.store import Store
    from newsextract.store.site_pages import forget_site_pages, load_peers, load_site_pages
    from newsextract.urls import site_of

    if len(words) > 2 or (len(words) == 2 and words[0] != "forget"):
        raise WrongCall("give one URL, after `forget` to delete what is known about the site")
    name = site_of(words[-1] if "://" in words[-1] else f"https://{words[-1]}")
    if not name:
        raise WrongCall(f"{words[-1]!r} isn't an address of a site, such as https://example.org/")
    with Store.open(database, must_exist=True, read_only=len(words) == 1) as store:
        if len(words) == 2:
            pages = store.write(forget_site_pages, name)
            messages().print(f"{pages} pages of {name} are forgotten; its articles stay")
            return
        rows, references = store.read(load_site_pages, name), store.read(load_peers, name)
    if not rows:
        raise NewsextractError(f"nothing is known about {name} in {database}: none of its pages were crawled")
    _print(name, rows, references)


def _print(name: str, rows: "list[StoredSitePage]", references: "list[FetchedPage]") -> None:
    from newsextract.article import page_of
    from newsextract.site_profile import Decision, PageSummary
    from newsextract.site_profile.overview import KnownPage, find_furniture, group_by_address, group_by_template

    pages = []
    for row in rows:
        try:
            summary = PageSummary.from_bytes(row.summary)
            is_article = row.decision is not None and Decision.from_bytes(row.decision).is_article
        except ValueError:
            continue
        waits = "waits" if row.decision is None else row.reason or "no_article"
        pages.append(KnownPage(summary, None if is_article else waits))
    articles = sum(page.reason is None for page in pages)
    size = sum(len(row.summary) for row in rows) / 1e6
    results().print(f"{name}: {len(pages)} pages are known, {articles} of them articles ({size:.2f} MB)")
    _print_groups("template", group_by_template(pages))
    _print_groups("form of address", group_by_address(pages))
    lines = [text for page in references for text in page_of(page).blocks.texts]
    table = Table("pages", "line on many pages")
    for line, count in find_furniture(pages, lines)[:MAX_ROWS]:
        table.add_row(str(count), line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…")
    if table.row_count:
        results().print(table)


def _print_groups(title: str, groups: "list[PageGroup]") -> None:
    table = Table(title, "pages", "articles", "what", "example")
    for group in groups[:MAX_ROWS]:
        table.add_row(group.name, str(group.pages), str(group.articles), group.kind.replace("_", " "), group.example)
    results().print(table)
    if len(groups) > MAX_ROWS:
        results().print(f"and {len(groups) - MAX_ROWS} more")
