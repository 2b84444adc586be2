"""The dashboard over 20 simulated days of the demonstration site's stories, in a real browser, and its figures."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urljoin

import pytest

from newsextract.browse.dashboard import PLOTS
from newsextract.browse.figures import update_figures
from newsextract.browse.serve import metadata
from newsextract.demo.month import SITES, simulate
from newsextract.health.run_end import finish_run
from newsextract.index.update import update_index
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.admin import remove_articles
from newsextract.stories.read import list_stories
from newsextract.stories.update import update_stories
from tests.browse.serving import WAIT_SECONDS, browsing, get
from tests.crawling import article, crawl, front, make_due, sql
from tests.store.samples import NOON, later, outcome

DAYS = 20
#: Simulated without copies: only chance gives these sites some.
NO_COPIES = {("copies", "courier.example"), ("copies", "wire.example")}


def update_all(store: Store, database: str, index: Path) -> None:
    update_index(store, database, index)
    update_figures(store, index)


def one(index: Path, query: str, *values: object) -> Any:
    [[value]] = sql(index, query, *values)
    return value


@pytest.fixture(scope="module")
def month(tmp_path_factory) -> Path:
    """A folder with newsextract.db after 20 simulated days."""
    folder = tmp_path_factory.mktemp("month")
    with Store.open(f"sqlite:///{folder}/newsextract.db") as store:
        assert simulate(store, DAYS) > 500
        update_all(store, "sqlite:///newsextract.db", folder / "newsextract-index.db")
        update_stories(store, "sqlite:///newsextract.db", folder / "newsextract-index.db", limit=1)
    return folder


@pytest.fixture(scope="module")
def address(month) -> Iterator[str]:
    with browsing(month) as address:
        yield address


def test_figures_of_a_month_agree_with_the_articles_and_mark_what_went_wrong(month):
    index = month / "newsextract-index.db"
    count = one(index, "SELECT count(*) FROM articles")
    assert one(index, "SELECT sum(number) FROM daily WHERE kind = 'new'") == count
    assert one(index, "SELECT sum(articles) FROM sites") == one(index, "SELECT count(*) FROM figures") == count
    assert len(sql(index, "SELECT DISTINCT day FROM daily")) in (DAYS, DAYS + 1), "a day may begin within the hour"
    assert one(index, "SELECT count(*) FROM yields") == DAYS * len(SITES)
    states = {site: (state, warning) for site, state, warning in sql(index, "SELECT site, state, warning FROM sites")}
    assert {site for site, (state, _) in states.items() if state == "warning"} == {"harbour.example", "valley.example"}
    assert "no new articles for" in states["harbour.example"][1]
    assert {state for state, _ in states.values()} <= {"well", "low", "warning"}
    assert one(index, "SELECT sum(number) FROM refusals WHERE site = 'valley.example' AND reason = 'consent'") > 3
    assert one(index, "SELECT percent_authors FROM sites WHERE site = 'wire.example'") < 50
    assert one(index, "SELECT percent_date FROM sites WHERE site = 'tagebuch.example'") < 98
    delays = dict(sql(index, "SELECT site, median_hours FROM sites"))
    assert delays["wire.example"] < 1.5 < delays["tagebuch.example"] < 20
    copies = "SELECT count(*) FROM articles WHERE site = 'gazette.example' AND original_site = 'courier.example'"
    assert one(index, copies) > 5
    assert {language for (language,) in sql(index, "SELECT DISTINCT language FROM figures")} >= {"en", "zh", "de"}


def test_figures_count_each_change_once_and_outlive_what_is_deleted(store, tmp_path):
    index = tmp_path / "browse.db"
    store.database.clock = lambda connection: NOON
    run = store.frontier("courier", {"url": "https://example.org/"}).run
    for _ in range(2):
        update_all(store, "x", index)
    pages = [outcome(f"https://example.org/{number}") for number in range(3)]
    pages += [PageOutcome("https://example.org/x", UrlState.not_article, "consent", at=NOON)]
    for page in pages:
        page.run = run
    store.commit(pages)
    other = store.frontier("wire", {"url": "https://example.com/"}).run
    store.write(finish_run, other, "finished", {})
    update_all(store, "x", index)
    assert one(index, "SELECT count(*) FROM yields") == 0, "a run that goes on has no yield"
    store.write(finish_run, run, "finished", {})
    store.commit([outcome("https://example.org/0", "Another text by now.", at=later(30))])
    for _ in range(2):
        update_all(store, "x", index)
    assert sql(index, "SELECT new, changed, articles, tried FROM yields") == [(3, 0, 3, 4)]
    assert sql(index, "SELECT day, reason, number FROM refusals") == [("2025-03-01", "consent", 1)]
    expected = [("2025-03-01", "example.org", "new", 3), ("2025-03-02", "example.org", "changed", 1)]
    assert sql(index, "SELECT * FROM daily ORDER BY day") == expected
    store.write(remove_articles, "https://example.org/1")
    update_all(store, "x", index)
    assert sql(index, "SELECT * FROM daily ORDER BY day") == expected
    assert one(index, "SELECT count(*) FROM figures") == 2
    assert one(index, "SELECT state FROM sites") == "new", "there are no days yet to compare with"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_figures_of_postgresql_are_those_of_sqlite(store, tmp_path):
    index = tmp_path / "browse.db"
    simulate(store, 2, datetime(2026, 3, 10, 23, tzinfo=UTC))
    update_all(store, "x", index)
    assert {day for (day,) in sql(index, "SELECT DISTINCT day FROM daily")} == {"2026-03-09", "2026-03-10"}
    assert one(index, "SELECT sum(new) FROM yields") == one(index, "SELECT count(*) FROM articles") > 50
    assert one(index, "SELECT number FROM outcomes WHERE outcome = 'stored' AND site = 'wire.example'") > 10


@pytest.mark.browser
def test_dashboard_in_a_browser_is_whole_at_both_widths_in_light_and_dark(address):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width, scheme, other in ((375, "dark", "light"), (1400, "light", "dark")):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.set_default_timeout(WAIT_SECONDS * 1000)
            asked, errors = listen(page)
            page.goto(address)
            for name in PLOTS:
                page.wait_for_selector(f"#chart-{name} svg [role='graphics-symbol']", state="attached")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, "no sideways scrolling"
            assert errors == []
            assert [url for url in asked if not url.startswith(f"{address}/")] == [], "nothing from elsewhere"
            check_colours(page, scheme)
            page.emulate_media(color_scheme=other)
            check_colours(page, other)
            wide = page.evaluate(
                "[...document.querySelectorAll('.chart svg')].filter(s => s.getBoundingClientRect().right > innerWidth)"
                ".map(s => s.parentElement.id)"
            )
            assert wide == [], "no plot is cut off"
            if width == 1400:
                check_links(page, address)
            page.close()
        browser.close()


def listen(page: Any) -> tuple[list[str], list[str]]:
    """What the page asks for, and its errors, as lists that grow."""
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    return asked, errors


def check_colours(page: Any, scheme: str) -> None:
    """Text and plots have enough contrast with their background (WCAG 2.2: 4.5 for text, 3 for graphics)."""
    for name, least in {"ink": 7, "muted": 4.5, "link": 4.5, "warn": 4.5, "good": 4.5, "series-1": 3}.items():
        colours = page.evaluate(
            f"[getComputedStyle(document.documentElement).getPropertyValue('--{name}'), "
            "getComputedStyle(document.documentElement).getPropertyValue('--card')]"
        )
        lighter, darker = sorted((luminance(colour.strip()) for colour in colours), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= least, (scheme, name)
    shown = page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", shown)[:3])) > 600) == (scheme == "light")
    axis = page.evaluate("getComputedStyle(document.querySelector('.chart svg .role-axis-label text')).fill")
    assert axis == page.evaluate("getComputedStyle(document.querySelector('.note')).color"), "plots follow the scheme"


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def check_links(page: Any, address: str) -> None:
    """A mark leads to its rows, a site to its dashboard, a changed article to its differences; a search is drawn."""
    for name in PLOTS:
        [link] = page.locator(f".card:has(#chart-{name}) .note a").all()
        assert page.request.get(f"{address}{link.get_attribute('href')}").status == 200, name
    harbour = page.locator("#attention dt a", has_text="harbour").get_attribute("href")
    history = page.locator(".articles a[href*='/history']").first.get_attribute("href")
    mark = page.locator("#chart-new_by_site svg path[aria-label*='wire.example']").last
    label = mark.get_attribute("aria-label")
    number = re.search(r"number: (\d+)", label)[1]
    mark.click()
    page.wait_for_url("**/newsextract-index/articles?stored_on=*")
    assert f"{number} row" in page.inner_text("h3"), label
    page.goto(urljoin(address, harbour))
    assert "site=harbour.example" in page.url
    page.wait_for_selector("#chart-new_by_site svg path[aria-label*='harbour.example']", state="attached")
    assert page.locator("#chart-new_by_site svg path[aria-label*='wire.example']").count() == 0
    assert page.locator("#sites tbody tr").count() == 1
    page.goto(urljoin(address, history))
    page.wait_for_selector(".version ins")
    page.goto(f"{address}/-/search?since=2020-01-01&q=harbour")
    page.wait_for_selector("#attention svg [role='graphics-symbol']", state="attached")


def test_every_plot_is_answered_with_rows_and_its_links_with_pages(month, address):
    shown = get(f"{address}/-/dashboards/crawl?site=courier.example")
    assert "courier.example" in shown and "no new articles for" not in shown
    described = json.loads((month / "newsextract-index-metadata.json").read_text("utf-8"))
    for name, chart in described["plugins"]["datasette-dashboards"]["crawl"]["charts"].items():
        for site in ("", "courier.example", "wire.example"):
            query = urlencode({"sql": chart["query"], "site": site, "_shape": "objects"})
            answer = json.loads(get(f"{address}/newsextract-index.json?{query}"))
            assert (answer["ok"], answer["truncated"]) == (True, False), (name, answer.get("error"))
            assert answer["rows"] or (name, site) in NO_COPIES, (name, site)
            if answer["rows"]:
                counted = json.loads(get(address + re.sub(r"\?|$", ".json?", answer["rows"][-1]["rows"], count=1)))
                assert counted["filtered_table_rows_count"] > 0 or name == "usual_band", (name, site)
    outcomes = get(f"{address}/newsextract-index/outcomes?outcome=consent")
    link = re.search(r'href="(/newsextract/urls\?[^"]+)"', outcomes)[1].replace("&amp;", "&")
    assert "consent" in link and "valley.example" in get(f"{address}{link}")


def test_article_has_evidence_and_history_and_the_page_follows_the_crawl(tmp_path, site):
    keep = {"NEWSEXTRACT_KEEP_PAGES": str(tmp_path / "pages")}
    site["/"], site["/a"] = front("/a"), article("A ferry", "Vik")
    crawl(tmp_path, "site", settings=keep, url=site.url)
    with browsing(tmp_path, "--every", "1") as address:
        url = quote(f"{site.url}/a", safe="")
        table = get(f"{address}/newsextract-index/articles")
        assert f'href="/-/article/evidence?url={url}"' in table
        report = get(f"{address}/-/article/evidence?url={url}")
        assert "<title>Evidence: A ferry" in report and "Content-Security-Policy" in report
        site["/a"] = article("A ferry", "Oslo")
        make_due(tmp_path, "/", "/a")
        crawl(tmp_path, "site", settings=keep, url=site.url)
        get(f"{address}/newsextract-index/articles", "2, history")
        history = get(f"{address}/-/article/history?url={url}")
        assert "<del>Vik</del><ins>Oslo</ins>" in history and 'id="v1"' in history
        get(address, "2 versions")
        missing = get(f"{address}/-/article/evidence?url={quote('https://example.org/never')}")
        assert missing.startswith("404") and "has no page of" in missing
        assert get(f"{address}/-/article/history?url=javascript:alert(1)").count('href="javascript:') == 0


def test_configuration_quotes_odd_names_and_holds_no_database_url(tmp_path):
    from newsextract.browse.serve import ServerOptions

    options = ServerOptions("postgresql://user:secret@host/news", "/x/it's 5% new.db", "it's 5% new")
    described = json.dumps(metadata(options))
    assert "secret" not in described
    assert "/it~27s+5~25+new/articles?" in described and "/it's" not in described


def test_pages_of_a_day_and_of_a_story_lead_to_their_articles(month, address):
    with Store.open(f"sqlite:///{month}/newsextract.db") as store:
        story = store.read(list_stories, by="articles", limit=1)[0]
    day = get(f"{address}/-/stories?day={story.last_at:%Y-%m-%d}&by=articles", "First report")
    assert f'<td class="long"><a href="/-/stories/{story.id}"><bdi>' in day, "long headlines wrap, in their direction"
    rows = re.findall(r'href="(/[^"]*id__in[^"]*)"', get(f"{address}/-/stories/{story.id}", "Own texts"))
    assert f"{story.articles} rows" in get(address + rows[0].replace("&amp;", "&"), "rows")
    assert get(f"{address}/-/stories/999999999").startswith("404")
    assert "use a whole number" in get(f"{address}/-/stories?min_sites=x")
