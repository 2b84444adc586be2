"""Sites that show walls for a while: nothing of a wall is stored, articles keep their text, and all stories come."""

from datetime import timedelta

from newsextract.health.past_runs import past
from newsextract.runs.config import Site
from newsextract.runs.intervals import current_interval
from newsextract.store.schema import runs
from tests.crawling import Answer, Web, article, crawl, front, make_due, webs

TOWNS = ("Ash", "Birch", "Cedar", "Dale", "Elm", "Fern")
WALL = (
    "<!doctype html><title>Dine valg</title><body><h1>Dine valg</h1><p>Sammen med partnerne lagrer vi opplysninger "
    "på enheten din for å vise annonser som passer for deg, og for å måle hvor mange som leser oss.</p><p>Du kan endre "
    "valget når du vil, nederst på hver side, og der står også hvem de er.</p>{}</body>"
)


def publish(site: Web, kind: str) -> None:
    """Puts the stories of all towns on the site, or what is in their place."""
    paths = [f"/news/the-bridge-of-{town.lower()}" for town in TOWNS]
    site.pages["/"] = Answer(front(*paths, head=f"<meta name=edition content={kind}>"))
    site.pages["/consent"] = Answer(WALL.format(""))
    for number, (town, path) in enumerate(zip(TOWNS, paths, strict=True)):
        site.pages[path] = Answer(article(f"The bridge of {town}", town))
        if kind == "redirect":
            site.pages[path] = Answer(status=302, headers={"Location": "/consent"})
        elif kind == "titled":
            site.pages[path] = Answer(WALL.replace("Dine valg", f"The bridge of {town}").format(""))
        elif kind == "varying" or (kind == "some" and number < 3):
            site.pages[path] = Answer(WALL.format(f"<p>Nr. {number * 7919:x}, 27.11.2026</p>"))


#: What each site shows in three crawls, and the number of stories that are stored after each.
SHOWN = (
    (("varying", 0), ("open", 6), ("open", 6)),
    (("some", 3), ("open", 6), ("open", 6)),
    (("redirect", 0), ("open", 6), ("open", 6)),
    (("open", 6), ("titled", 6), ("open", 6)),
    (("open", 6), ("varying", 6), ("open", 6)),
)


def test_walls_are_never_stored_and_stories_keep_text_and_version_behind_them(tmp_path, store):
    with webs(len(SHOWN)) as sites:
        for crawled in zip(*SHOWN, strict=True):
            for site, (kind, _) in zip(sites, crawled, strict=True):
                publish(site, kind)
            crawl(tmp_path, "site", url=",".join(site.url for site in sites), status=None)
            rows = [row.article for row in store.articles() if row.change_kind != "retracted"]
            for site, (_, number) in zip(sites, crawled, strict=True):
                present = [one for one in rows if one.url.startswith(site.url)]
                expected = [f"The bridge of {town}" for town in TOWNS[6 - number :]]
                assert sorted(one.headline for one in present) == expected
            assert {one.version for one in present} == {1}, "of the last site"
            make_due(tmp_path, "%/news/%", "%/consent")


def test_hours_of_refusal_do_not_lengthen_the_interval_of_a_site(tmp_path, site, store):
    site_of_file = Site("paper", "site", {}, interval=timedelta(hours=4), longest=timedelta(days=4))
    factors = []
    for now in ("open", "refused", "refused", "open"):
        publish(site, "open")
        for path in [*site.pages][1:] if now == "refused" else ():
            site[path] = Answer(status=403)
        site["/"] = front(*[*site.pages][2:], head=f"<meta name=edition content={len(factors)}>")
        crawl(tmp_path, "site", url=site.url, status=None)
        found = store.read(lambda connection: [*past(connection, runs.c.id > 0)])
        factors.append(current_interval(site_of_file, found) / site_of_file.interval)
        make_due(tmp_path, "%/news/%")
    assert factors == [1, 1, 1, 1.5], "the last run was let in, and has nothing new"


def test_retries_of_dead_links_end_after_some_that_fail_as_before_and_all_are_fetched_once_they_work(tmp_path, site):
    paths = [f"/2026/03/story-{n}" for n in range(100)]
    fine = [f"/2026/04/story-{n}" for n in range(30)]
    site["/"] = front(*paths, *fine)
    for n, path in enumerate(fine):
        site[path] = article(f"Note {n} on the tram", f"Town {n}")
    assert {*fine} <= crawl(tmp_path, "site", url=site.url, status=None).paths, "first fetches are no retries"
    site["/"] = front("/2026/03/another")
    asked = []
    for works in (False, True):
        for n, path in enumerate(paths if works else ()):
            site[path] = article(f"Story {n} of the pier", f"Place {n}")
        site.asked.clear()
        make_due(tmp_path, "/2026/03/story-%")
        done = crawl(tmp_path, "site", url=site.url)
        asked.append(len({*paths}.intersection(site.asked)))
    assert asked[0] < 40 and asked[1] == len(paths) and done.paths >= {*paths}
