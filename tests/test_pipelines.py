"""The item pipelines in real crawls: peers, extractors that fail, duplicates, the database and JSON lines."""

import re

from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.lookup import find_versions
from newsextract.store.outcome import PageResponse, RequestedUrl
from newsextract.store.site_pages import load_peers
from tests.crawling import Web, article, crawl, front, json_lines, make_due, web

#: Ballast makes a page 60 kB: eight fill BOUND, the bytes of responses that the test allows in the pipelines.
BALLAST = "<!--" + "x" * 60_000 + "-->"
BOUND = 500_000
#: Templates by the letter in their classes (numbers would make no difference); their first pages are more than BOUND.
TEMPLATES = "abcdefghijkl"
PARAGRAPH = (
    "The {name} of {place} was closed on Monday, after engineers had found cracks in it, and nobody can say yet when "
    "it will open again. People in {place} now walk an hour to the next one, which is older, narrower, just as worn."
)


def story(name: str, place: str, template: str = "t") -> str:
    """An article in a template whose boilerplate all its pages share word by word."""
    text = "".join(f"<p>{PARAGRAPH.format(name=name, place=f'{place} {part}')}</p>" for part in ("North", "South"))
    furniture = f"<p>Written by the desk of {template}, with care, and read by nobody, or so we fear, in {template}."
    return (
        f"<html><head><title>The {name} of {place}</title></head><body class={template}><div class={template}-top>"
        f"{furniture}</div><div class={template}-main><h1>The {name} of {place}</h1>{text}</div>"
        f"<div class={template}-foot>{furniture.replace('Written', 'Printed')}</div></body></html>"
    )


def test_pages_whose_extractor_needs_a_peer_are_all_read_with_one_and_block_nothing(tmp_path, site):
    pages = {
        f"/{second}/section-{letter}/a-story-of-{letter}-{second}": story(f"bridge {letter}", f"Town {second}", letter)
        for second in ("first", "later")
        for letter in TEMPLATES
    }
    site["/"] = front(*pages)
    for path, page in pages.items():
        site[path] = page.replace("</body>", f"{BALLAST}</body>")
    settings = {"NEWSEXTRACT_EXTRACTOR": "tsrec", "SCRAPER_SLOT_MAX_ACTIVE_SIZE": str(BOUND)}
    crawled = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert crawled.stats["newsextract/pending"] >= len(TEMPLATES)
    peers = {article["url"].removeprefix(site.url): article["peer_url"] for article in crawled.articles}
    assert [path for path in pages if not peers.get(path)] == [], f"{crawled.stats}\n{crawled.stderr}"
    assert all("with care" not in article["article_body"] for article in crawled.articles)


def test_page_waits_no_longer_for_a_peer_than_the_setting_says(tmp_path, site):
    site["/"] = front("/news/one-single-story")
    site["/news/one-single-story"] = story("bridge", "Hill")
    settings = {"NEWSEXTRACT_EXTRACTOR": "tsrec", "NEWSEXTRACT_PEER_WAIT": "0", "LOG_LEVEL": "INFO"}
    crawled = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert crawled.stats["newsextract/pending"] == crawled.stats["newsextract/dropped/no_peer"] >= 1
    assert "WARNING" not in crawled.stderr
    assert not re.search(r"[1-9]\d* pending", crawled.stderr), "it was settled before the end"


def test_default_takes_the_peer_at_hand_waits_for_none_and_never_pairs_a_page_with_itself(tmp_path, site):
    single = ("/news/one-single-story", "/blog/2026/another-kind-of-page")
    twice = ("/culture/a-story-told-once", "/sport/a-story-told-once")
    site["/"] = front(*single, *twice)
    site[single[0]], site[single[1]] = story("bridge", "Hill"), story("well", "Dale", "blog")
    site[twice[0]] = site[twice[1]] = story("bridge", "Coast", "twice")
    crawled = crawl(tmp_path, "site", url=site.url)
    peers = {article["url"].removeprefix(site.url): article["peer_url"] for article in crawled.articles}
    assert set(single) < set(peers)
    assert [peers[path] for path in single] == [None, None]
    assert set(twice) & set(peers)
    assert all("closed on Monday" in article["article_body"] for article in crawled.articles)


def test_references_of_earlier_runs_are_peers_until_newer_pages_replace_them(tmp_path, site, store):
    def stories(site: Web, *names: str, template: str = "t") -> None:
        site["/"] = front(*(f"/news/the-story-of-{name}" for name in names))
        for name in names:  # with words of its own: nearly equal texts would be asked again, as one story's
            own = f"<p>{' '.join(f'{name}{number}' for number in range(120))}.</p></div>"
            page = story("bridge", name.title(), template)
            site[f"/news/the-story-of-{name}"] = page.replace(
                "</div><div class=" + template + "-foot", own + "<div class=" + template + "-foot"
            )

    stories(site, "hill", "dale")
    crawl(tmp_path, "site", url=site.url)
    keep_furniture(store, f"{site.url}/news/the-story-of-hill")
    make_due(tmp_path, "hill")
    stories(site, "river")
    site.asked.clear()
    again = crawl(tmp_path, "site", url=site.url)
    asked = [*site.asked]
    stories(site, "coast", "island", "marsh", template="redesign")
    crawl(tmp_path, "site", url=site.url)
    (river,) = (article for article in again.articles if article["url"].endswith("river"))
    assert river["peer_url"].endswith(("hill", "dale"))
    assert "with care" not in river["article_body"]
    assert [path for path in asked if path.endswith(("hill", "dale"))] == ["/news/the-story-of-hill"]
    assert again.stats["newsextract/articles/unchanged"] == 1
    versions = store.read(find_versions, f"{site.url}/news/the-story-of-hill")
    assert ["with care" in version.article_body for version in versions] == [False, True]
    kept = {page.url.rpartition("-")[2] for page in store.read(load_peers, site.url.removeprefix("http://"))}
    assert kept == {"coast", "island", "marsh"}


def keep_furniture(store: Store, url: str) -> None:
    """As if the article had been fetched again, and its template's lines been kept in its text."""
    article = store.article(url)
    lines = ("Written by the desk of t, with care, and read by nobody, or so we fear, in t.", article.article_body)
    article.article_body, article.content_hash = "\n".join(lines), ""
    store.commit(
        [
            PageOutcome(
                url,
                UrlState.stored,
                article=article,
                response=PageResponse(page_hash="of another page"),
                requested=RequestedUrl(revisit=True),
            )
        ]
    )


def test_page_on_which_the_extractor_fails_costs_itself_as_does_one_that_kills_its_worker(tmp_path, site):
    site["/"] = front("/good", "/bad", "/deadly")
    for name, place in (("good", "Bergen"), ("bad", "raise in me"), ("deadly", "kill me")):
        site[f"/{name}"] = article(f"A {name} story", place)
    settings = {"NEWSEXTRACT_EXTRACTOR": "tests.workers.test_workers.Deadly", "NEWSEXTRACT_WORKERS": "1"}
    done = crawl(tmp_path, "site", settings=settings, url=site.url, status=None)
    assert done.paths == {"/good"}, done.stderr
    assert (done.dropped["error"], done.dropped["worker_died"]) == (1, 1)
    assert "as asked" in done.stderr and f"{site.url}/deadly was dropped" in done.stderr
    assert done.status == 0


STORY = article("The bridge is closed", "Tromsø")


def test_duplicate_of_another_site_is_stored_and_marked_in_database_and_feed(tmp_path):
    with web() as one, web() as other:
        for site in (one, other):
            site["/"] = front("/story")
            site["/story"] = STORY
        settings = {"NEWSEXTRACT_EXTRACTOR": "econ"}
        done = crawl(tmp_path, "site", "-O", "feed.jsonl", settings=settings, url=f"{one.url},{other.url}")
    assert "1 of these near-duplicates of other articles" in done.stderr
    (first, original), (second, copied) = ((row["url"], row["duplicate_of"]) for row in done.articles)
    assert {first, second} == {f"{one.url}/story", f"{other.url}/story"}
    assert (original, copied) == (None, first)
    lines = json_lines(tmp_path / "feed.jsonl")
    assert {line["url"]: line["duplicate_of"] for line in lines} == {first: None, second: first}
    assert not any("signature" in line for line in lines)
