"""Stories that get other URLs, in each way that sites do it, crawl after crawl on one PostgreSQL."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from newsextract.store import Store
from newsextract.store.admin import check_integrity
from newsextract.store.lookup import changes_since, find_article, find_versions
from newsextract.store.schema import urls
from tests.crawling import Answer, Web, article, crawl, front
from tests.store.samples import text

#: How the old URL of a story leads to its new one.
WAYS: dict[str, Callable[[str], Answer]] = {
    "moved": lambda new: Answer(status=301, headers={"Location": new}),
    "permanent": lambda new: Answer(status=308, headers={"Location": new}),
    "refreshed": lambda new: Answer(f"<meta http-equiv=refresh content='0; url={new}'>"),
    "canonical": lambda new: Answer(story("canonical", "corrected", new)),
    "gone": lambda new: Answer("<h1>410</h1>", status=410),
}


def path(way: str, state: str) -> str:
    return f"/2026/05/the-{way}-bridge-is-{state}"


def story(way: str, state: str, canonical: str = "") -> str:
    head = f"<link rel=canonical href='{canonical}'>" if canonical else ""
    body = f"<p>{text(way)}.</p><p>Nobody of the {way} bridge was hurt.</p>"
    return article(f"The {way} bridge is {state}", way, head=head).replace("<p>", f"{body}<p>", 1)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_renamed_stories_stay_one_article_each(tmp_path, site: Web, store: Store, database_url: str):
    database = {"NEWSEXTRACT_DATABASE_URL": database_url}
    site["/"] = front(*(path(way, "closed") for way in WAYS))
    for way in WAYS:
        site[path(way, "closed")] = story(way, "closed")
    crawl(tmp_path, "site", url=site.url, settings=database)
    site["/"] = front(*(path(way, "corrected") for way in WAYS))
    for way, lead in WAYS.items():
        new = path(way, "corrected")
        site[path(way, "closed")], site[new] = lead(new), story(way, "corrected")
    for _ in range(2):
        store.write(lambda connection: connection.execute(update(urls).values(next_due=None)))
        crawl(tmp_path, "site", url=site.url, settings=database)
        rows = [*store.articles()]
        found = {row.article.url: (row.article.version, row.article.duplicate_of) for row in rows}
        assert found == {site.url + path(way, "corrected"): (2, None) for way in WAYS}
        for way in WAYS:
            for url in (site.url + path(way, "closed"), site.url + path(way, "corrected")):
                article = store.read(find_article, url)
                assert article is not None and article.headline == f"The {way} bridge is corrected"
                headlines = [one.headline for one in store.read(find_versions, url)]
                assert headlines == [f"The {way} bridge is closed", article.headline]
        changes = store.read(changes_since, 0, 99)
        renamed = {(row.article.url, row.article.duplicate_of) for row in changes if row.change_kind == "renamed"}
        assert renamed == {tuple(site.url + path(way, state) for state in ("closed", "corrected")) for way in WAYS}
        site[path("canonical", "closed")] = Answer(status=301, headers={"Location": path("canonical", "corrected")})
    assert store.read(check_integrity) == []
