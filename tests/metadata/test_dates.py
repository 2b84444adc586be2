"""Publication and modification dates: which of a page's dates, in which zone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from newsextract.items import Listing
from newsextract.metadata.date_readings import DateReader
from newsextract.metadata.dates import DateChoice, dates
from newsextract.metadata.describe import read_evidence
from newsextract.metadata.linear_model import load_model
from newsextract.page import Page
from tests.examples import examples
from tests.metadata.pages import BODIES, BODY, described

FETCHED = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)
URL = "https://paper.example/a"


def article(byline="", head="", lang="en", end="", body=None):
    text = body or BODIES.get(lang[:2], BODY)
    top = f"<html lang={lang}><head>{head}</head><body><h1>Bridge opens after years</h1>"
    return f"{top}{byline}{text}{end}</body></html>"


def meta(name, content):
    return f'<meta property="{name}" content="{content}">'


def json_ld(**values):
    members = ",".join(f'"{name}":"{value}"' for name, value in values.items())
    return f'<script type="application/ld+json">{{"@type":"NewsArticle",{members}}}</script>'


def published(html, url=URL, listing=None):
    found = described(html, url, listing=listing, fetched_at=FETCHED)
    return found.values.get("date_published"), found.sources.get("date_published")


def day(html, url=URL):
    when, _ = published(html, url)
    return when and when.date().isoformat()


TWEET = "<blockquote class=twitter-tweet><p>Wow</p>Bob <time datetime=2019-01-01>1 Jan 2019</time></blockquote>"
CARD = '<div class=item><h2><a href="/b">Ferry is closed</a></h2><div><time>2 May 2024</time></div></div>'
TITLED = (
    '<html lang=en><title>Bridge opens after years</title><header><h2><a href="/a">Bridge opens after years</a></h2>'
)


@pytest.mark.parametrize("page", examples(__file__, "pages"))
def test_publication_date_of_a_page_with_these_parts_is(page):
    parts = {name: text for name, text in page.items() if name != "day"}
    assert day(article(**parts)) == page.get("day")


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            f"<b class=date>5 May 2024</b><nav>Menu</nav><h1>Bridge opens</h1><p>3 May 2024</p>{BODY}",
            "2024-05-03",
        ),
        (
            "<h1>Bridge opens after years</h1><div><time datetime=2024-05-01>1 May</time> "
            f"<a href=/storm>Storm warning for the whole coast</a></div><p>Published: 17.03.2024</p>{BODY}",
            "2024-03-17",
        ),
        (article("<p>COUNCIL</p><p>Ann Lee | 4 May 2024</p>").replace("after years", "on 9 May 2024"), "2024-05-04"),
        (article().replace("after years", "on 9 May 2024"), "2024-05-09"),
        (article("<p>3 May 2024</p>").replace("<h1>", "<div class=today>15 June 2024</div><h1>"), "2024-05-03"),
        (
            article("<div>By <a href=/author/ann>Ann Lee</a> • May 20, 2024 7:00 am</div>").replace(
                "<h1>", "<div><b class=header-date>Friday, May 24, 2024</b><p>Light rain</p></div><h1>"
            ),
            "2024-05-20",
        ),
        (article("<p>Дата: 3 марта 2013</p>", lang="ru-RU", body=BODIES["sr"]), "2013-03-03"),
        (article(end=f"<h3>More</h3>{CARD}"), None),
        (f"{TITLED}<time>3 May 2024</time></header>{BODY}{CARD}", "2024-05-03"),
        (article(body=f"{BODY}{TWEET}{BODY}"), None),
        (article(body=f"{BODY}{TWEET}{BODY}", end="<p>Published: 3 May 2024</p>"), "2024-05-03"),
        (
            article(
                "<div class=ArticleHeaderComment_publishDate>Dienstag, 29. Januar 2019</div><div>"
                + "<p>x</p>" * 60
                + "<time datetime=2018-03-12>12. März 2018</time></div>",
                lang="de",
            ),
            "2019-01-29",
        ),
        # A line with its author above the headline and a menu, and another day below the headline
        (
            "<html lang=en><head><title>Sea</title></head><body><p class=entry-meta>June 16, 2015 By Ann Lee</p>"
            f"<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><h1>Sea</h1>{BODY}"
            f"<p>— Friends of the Sea (@TheSea) December 21, 2014</p>{BODY}",
            "2015-06-16",
        ),
        # JSON-LD in a script without type
        (article(head=json_ld(datePublished="2024-05-04").replace(' type="application/ld+json"', "")), "2024-05-04"),
    ],
)
def test_publication_date_of_a_page_is(html, wanted):
    assert day(html) == wanted


@pytest.mark.parametrize(("paragraph", "wanted"), examples(__file__, "paragraphs"))
def test_publication_date_of_a_paragraph_that_begins_with_it(paragraph, wanted):
    text = BODIES["de"].removeprefix("<p>")
    assert day(article(lang="de", body=f"<p>{paragraph} {text}<p>{text}")) == wanted


@pytest.mark.parametrize(("url", "byline", "wanted"), examples(__file__, "urls"))
def test_publication_date_is_completed_by_url(url, byline, wanted):
    assert day(article(byline), url) == wanted


@pytest.mark.parametrize("page", examples(__file__, "zones"))
def test_publication_date_has_the_zone_of_its_source(page):
    parts = {name: text for name, text in page.items() if name not in ("time", "source")}
    when, source = published(article(**parts))
    assert (when.isoformat(), source) == (page["time"], page["source"])


@pytest.mark.parametrize(("url", "modified", "wanted"), examples(__file__, "modified"))
def test_publication_date_declared_after_modification_gives_way_to_url(url, modified, wanted):
    metas = (("published", "2016-03-03T00:00:00+00:00"), ("modified", modified))
    assert day(article(head="".join(meta(f"article:{name}_time", value) for name, value in metas)), url) == wanted


def test_a_declared_date_is_completed_by_another_declaration_of_the_same_moment():
    head = meta("article:published_time", "2024-05-03 19:08:44") + meta("sailthru.date", "2024-05-04T00:08:44+00:00")
    when, source = published(article(head=head), "https://paper.example/2024/05/03/bridge")
    assert (when.isoformat(), source) == ("2024-05-03T19:08:44-05:00", "meta")


DECLARATION = meta("article:published_time", "2024-05-03T08:00:00Z")


@pytest.mark.parametrize(
    ("parts", "url"),
    [
        ({"byline": "<time datetime=2024-05-09>9 May</time>"}, URL),
        ({"byline": "<p class=date>9 May 2024</p>"}, URL),
        ({"byline": "<p>9 May 2024</p>"}, URL),
        ({"byline": "<p>Published 9 May 2024</p>"}, URL),
        (
            {"byline": "<time datetime=2024-04-09>9 April</time>", "end": "<p>Posted by Ann Lee on 9 April 2024</p>"},
            URL,
        ),
        ({"end": "<p>Published: 1 May 2024</p>"}, URL),
        ({}, "https://paper.example/2024/05/09/bridge"),
    ],
    ids="time class line labelled two-elsewhere behind later-url".split(),
)
def test_a_declared_date_wins_over_others_without_evidence_against_it(parts, url):
    assert day(article(head=DECLARATION, **parts), url) == "2024-05-03"


@pytest.mark.parametrize(
    ("byline", "url"),
    [
        ("<p>1 April 2024</p>", URL),
        ("", "https://paper.example/2024/04/01/bridge"),
        ("<p>1 April 2024</p>", "https://paper.example/2024/04/01/bridge"),
    ],
    ids="shown url both".split(),
)
def test_a_declared_date_gives_way_to_an_earlier_one_unless_a_change_is_declared(byline, url):
    assert day(article(byline, DECLARATION), url) == "2024-04-01"
    changed = DECLARATION + meta("article:modified_time", "2024-05-09T08:00:00Z")
    assert day(article(byline, changed), url) == "2024-05-03"


@pytest.mark.parametrize("name", ["og:modified_time", "article:updated_time", "date_modified", "lastUpdated"])
def test_a_modification_is_read_by_any_of_its_names(name):
    values = described(article(head=DECLARATION + meta(name, "2024-05-09T08:00:00Z")), fetched_at=FETCHED).values
    assert values["date_modified"].date().isoformat() == "2024-05-09"


@pytest.mark.parametrize(
    "parts",
    [
        {"byline": "<p class=date>Updated: 5 May 2024</p>"},
        {"byline": "<div class=box><p>When: 5 May 2024, 10 a.m.</p><p>Where: the town hall</p></div>"},
        {"end": "<p>The next meeting is on <time datetime=2019-03-05>5 March 2019</time> in the town hall.</p>"},
    ],
    ids="change event sentence".split(),
)
def test_a_date_below_the_threshold_is_not_given(parts):
    page = Page(article(**parts), URL)
    evidence, _ = read_evidence(page, [row for row, text in enumerate(page.blocks.texts) if len(text) > 200], FETCHED)
    choice, model = DateChoice(DateReader(evidence)), load_model("dates")
    groups = [group for group in choice.groups() if group]
    assert groups, "the date is a candidate"
    assert max(model.score(choice.features(one, group)) for group in groups for one in group) < model.threshold
    assert dates(evidence)[0] is None


def test_modification_date_before_publication_is_left_out():
    head = meta("article:published_time", "2024-05-03") + meta("article:modified_time", "2023-01-01")
    assert "date_modified" not in described(article(head=head), fetched_at=FETCHED).values


FEED = Listing("feed", date_published=datetime(2024, 5, 2, 9, tzinfo=UTC))


@pytest.mark.parametrize(
    ("byline", "head", "listing", "day", "source"),
    [
        ("", "", FEED, 2, "feed"),
        ("", "", replace(FEED, source="sitemap"), 2, "sitemap"),
        ("<p>4 May 2024</p>", "", FEED, 4, "text"),
        ("<p>2 May 2024</p>", "", FEED, 2, "feed"),
        ("<p>02.05.2024, 12:00</p>", "", FEED, 2, "feed"),
        ("<p>02.05.2024, 12:10</p>", "", FEED, 2, "text"),
        ("<p>5/2/2024</p>", "", FEED, 2, "feed"),
        ("<time datetime='2024-05-02T12:00:00-05:00'>2 May</time>", "", FEED, 2, "time"),
        ("", "<meta property='article:published_time' content='2024-05-03T08:00:00Z'>", FEED, 3, "meta"),
        ("", "<meta property='article:published_time' content='2024-06-03T08:00:00Z'>", FEED, 3, "meta"),
        ("", "<meta property='article:published_time' content='3024-05-03T08:00:00Z'>", FEED, 2, "feed"),
        ("<p>4 May 2024</p>", "", replace(FEED, date_published=FETCHED + timedelta(days=9)), 4, "text"),
        ("<p>4 May 2024</p>", "", replace(FEED, date_published=datetime(1970, 1, 1, tzinfo=UTC)), 4, "text"),
        ("<p>4 May 2024</p>", "", Listing("sitemap", date_modified=FETCHED), 4, "text"),
    ],
    ids=(
        "absent sitemap other-day same-day zone other-time order exact declared later implausible future epoch modified"
    ).split(),
)
def test_publication_date_of_a_feed_fills_gaps_of_the_page(byline, head, listing, day, source):
    when, found = published(article(byline, head), listing=listing)
    assert (when.day, found) == (day, source)


def test_a_feed_that_agrees_with_the_url_decides_if_the_text_contradicts_it():
    page = article("<p>Open day: 20 May 2024</p>")
    assert published(page, "https://a.example/2024/05/02/bridge", FEED) == (FEED.date_published, "feed")
    assert published(page, "https://a.example/bridge", FEED)[0].day == 20


@pytest.mark.parametrize(
    ("declared", "url", "shown", "wanted"),
    [
        ("2024-05-03T23:01:00Z", URL, "<p>May 4, 2024, 1:01 a.m.</p>", "2024-05-04"),
        ("2024-05-04T02:18:11Z", "https://a.example/2024/05/03/bridge/", "", "2024-05-04"),
        ("2024-05-03T18:30:00Z", "https://a.example/bridge-20240418-p5es82.html", "<p>May 4, 2024</p>", "2024-05-04"),
        (
            "2024-05-04T02:28:35Z",
            URL,
            "<p>PUBLISHED: May 3, 2024 at 5:49 p.m. | UPDATED: May 5, 2024</p>",
            "2024-05-03",
        ),
        ("2024-05-04T02:28:35Z", URL, "<p>Agency | 3 May 2024</p>", "2024-05-03"),
        ("2024-05-04T02:28:35Z", URL, "<p>Share</p>" * 7 + "<p>Published May 3, 2024, 10:28 p.m. ET</p>", "2024-05-03"),
    ],
)
def test_publication_date_in_utc_is_of_the_day_that_the_page_shows(declared, url, shown, wanted):
    when, _ = published(article(shown, meta("article:published_time", declared)), url)
    assert (when.date().isoformat(), when) == (wanted, datetime.fromisoformat(declared))


@pytest.mark.parametrize(
    ("changed", "wanted"), [("2024-05-05T12:00:00+02:00", "2024-05-06"), ("2024-05-06", "2024-05-04")]
)
def test_publication_date_of_several_declared_ones_is_the_one_shown(changed, wanted):
    head = json_ld(datePublished="2024-05-04T07:29:00+02:00", dateModified=changed)
    head += meta("article:published_time", "2024-05-06T08:29:00+02:00")
    assert day(article("<p>6 May 2024</p>", head)) == wanted


@pytest.mark.parametrize("end", examples(__file__, "others"))
def test_dates_of_other_parts_behind_the_text_are_not_the_pages(end):
    assert day(article(end=end)) is None
    assert day(article("<p>May 3, 2024</p>", end=end)) == "2024-05-03"


@pytest.mark.parametrize(
    "end",
    [
        "<aside><h3>Published</h3><p>May 3, 2024</p><h3>Topic</h3><p>Rivers</p></aside>",
        f"{'<p><a href=/a>Order a copy</a></p>' * 15}<div><p>Published on</p><p>May 3, 2024</p></div>",
        "<div><footer><p>May 3, 2024 By Ann Lee</p></footer></div>",
    ],
)
def test_a_labelled_date_behind_the_text_is_the_pages(end):
    assert day(f"<article>{article(end=end)}</article>") == "2024-05-03"


def test_a_live_blog_begins_with_its_coverage_and_not_with_its_newest_entry():
    entries = "".join(
        f"<div class=entry><time datetime=2024-05-03T1{i}:45>1{i}:45</time><h3>Update {i}</h3>{BODY}</div>"
        for i in (3, 2, 1)
    )
    assert day(article(body=f"<p>Follow the flood here.</p>{entries}")) is None
    head = (
        '<script type="application/ld+json">{"@type": "LiveBlogPosting", "coverageStartTime": "2024-05-02",'
        '"liveBlogUpdate": [{"@type": "BlogPosting", "datePublished": "2024-05-03T13:45:00Z"}]}</script>'
    )
    assert day(article(head=head, body=entries)) == "2024-05-02"
    assert day(article(head=head.replace('"coverageStartTime": "2024-05-02",', ""), body=entries)) is None


@pytest.mark.parametrize(
    ("host", "zone", "offset"),
    [
        ("paper.com.au", "EST", "+10:00"),
        ("paper.example", "EST", "-05:00"),
        ("paper.example", "ET", "-04:00"),
        ("paper.ie", "IST", "+01:00"),
        ("paper.co.il", "IST", "+02:00"),
    ],
)
def test_ambiguous_names_of_zones_are_those_of_the_country_of_the_host(host, zone, offset):
    when, _ = published(article(f"<p>3 May 2024 10:19 {zone}</p>"), f"https://{host}/a")
    assert when.isoformat() == f"2024-05-03T10:19:00{offset}"
