"""Publication and modification dates: which of a page's dates, in which zone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from newsextract.items import Listing
from newsextract.metadata import describe
from newsextract.page import Page

FETCHED = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)
BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"


def published(html, url="https://paper.example/a", fetched_at=FETCHED, listing=None):
    page = Page(html, url)
    page.listing = listing
    described = describe(
        page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200], fetched_at=fetched_at
    )
    return described.values.get("date_published"), described.sources.get("date_published")


def article(byline="", head="", lang="en"):
    return f"<html lang={lang}><head>{head}</head><body><h1>Bridge opens after years</h1>{byline}{BODY}</body></html>"


def test_publication_date_of_json_ld_keeps_its_zone():
    value = '{"@type":"NewsArticle","datePublished":"2024-05-03T15:47:42+02:00"}'
    head = f'<script type="application/ld+json">{value}</script>'
    when, source = published(article("<p>4 May 2024</p>", head))
    assert (when.isoformat(), source) == ("2024-05-03T15:47:42+02:00", "json-ld")


def test_publication_date_near_headline_without_declaration():
    when, _ = published(article("<div>By Ann Lee | 4 May 2024</div>"))
    assert when.date().isoformat() == "2024-05-04"


def test_publication_date_of_chinese_page_is_in_shanghai_time():
    html = article("<span>2024-05-04 08:30 来源：日报</span>", lang="zh-CN").replace(
        "The council met on the bridge and talked about the river for hours. ",
        "市政府今天在新桥上召开会议讨论河流的治理问题。" * 3,
    )
    when, _ = published(html)
    assert when.isoformat() == "2024-05-04T08:30:00+08:00"


def chinese(byline, end=""):
    text = "2月27日下午，市政府在新桥上召开会议讨论河流的治理问题，2024年2月27日是通车的日子。" * 6
    when, _ = published(article(byline, lang="zh").replace(BODY, f"<p>{text}</p>{end}"))
    return when and when.date().isoformat()


def test_publication_date_prefers_timestamp_below_headline_to_time_elements():
    assert chinese("<p>2024-03-05 11:10 日报</p><div><time>2024-03-06</time></div>") == "2024-03-05"


def test_publication_date_of_abbreviation_with_a_title_for_machines():
    byline = "<cite class=vcard>Ann Lee <abbr title=2024-06-15T10:56:40Z>1 hr 4 mins ago</abbr></cite>"
    when, source = published(article(byline))
    assert (when.isoformat(), source) == ("2024-06-15T10:56:40+00:00", "time")


def test_publication_date_ignores_dates_of_events_in_paragraphs():
    assert chinese("", "<p>发布日期：2024-03-06 责任编辑：龙慧</p>") == "2024-03-06"


def test_publication_date_of_magazine_is_month_of_issue():
    html = article(lang="zh").replace(
        BODY, "<p>" + "市政府在新桥上召开会议讨论河流的治理问题。" * 12 + "——《北京之春》1996年6月号</p>"
    )
    assert published(html)[0].isoformat() == "1996-06-01T00:00:00+08:00"


def test_publication_date_is_never_an_update():
    when, _ = published(article("<p>Updated 4 May 2024</p>"))
    assert when is None
    when, _ = published(article("<p>Published 1 May 2024. Updated 4 May 2024</p>"))
    assert when.day == 1


def test_publication_date_ignores_copyright_and_comments():
    html = article() + "<footer>© 2 January 2024</footer><div class=comments><time>3 May 2024</time></div>"
    assert published(html)[0] is None


@pytest.mark.parametrize(
    "raw", ["0000-00-00", "20233-01-01", "2024-13-45", "9999-12-31", "1/1/0001", "99999999999999", "now"]
)
def test_publication_date_rejects_impossible_dates(raw):
    head = f'<meta property="article:published_time" content="{raw}">'
    assert published(article(head=head))[0] is None


def test_modification_date_before_publication_is_left_out():
    metas = (("published", "2024-05-03"), ("modified", "2023-01-01"))
    head = "".join(f'<meta name="article:{name}_time" content="{value}">' for name, value in metas)
    page = Page(article(head=head), "https://paper.example/a")
    assert "date_modified" not in describe(page, [1], fetched_at=FETCHED).values


def day(html, url="https://paper.example/a"):
    when, _ = published(html, url)
    return when and when.date().isoformat()


def test_publication_date_in_table_cell_in_language_of_theme():
    text = "Лично на меня этот сербский фильм произвел очень сильное впечатление, посмотрите. " * 6
    html = article("<table><tr><td>Дата: 3 марта 2013</td></tr></table>", lang="ru-RU").replace(BODY, f"<p>{text}</p>")
    assert day(html) == "2013-03-03"
    serbian = "Непријатељ је српски филм у коме се говори о завршетку једног рата и о људима. " * 6
    assert day(html.replace(text, serbian)) == "2013-03-03"


def test_publication_date_is_never_that_of_a_teaser():
    card = '<div class=item><h2><a href="/b">Ferry is closed</a></h2><div><time>2 May 2024</time></div></div>'
    assert day(article() + f"<h3>More</h3>{card}") is None
    own = '<header><h2><a href="/a">Bridge opens after years</a></h2><time>3 May 2024</time></header>'
    assert day(f"<html lang=en><title>Bridge opens after years</title>{own}{BODY}{card}") == "2024-05-03"


@pytest.mark.parametrize(
    "end",
    [
        "<p>By Nicolas – May 3, 2024</p>",
        "<div>Post time: 05-03-2024</div>",
        "<p>May 3, 2024. Updated: June 7, 2024</p>",
        '<footer>Posted on <time datetime="2024-05-03T10:00:00Z">May 3, 2024</time> <time>June 7, 2024</time></footer>',
    ],
)
def test_publication_date_right_behind_article(end):
    html = f"<html lang=en-US><article><h1>Bridge opens after years</h1>{BODY * 9}{end}</article>"
    assert day(f"{html}<h2>Comments</h2><p>May 4, 2024</p>") == "2024-05-03"


@pytest.mark.parametrize(
    ("url", "byline", "wanted"),
    [
        ("https://paper.example/2024/05/bridge", "<span class=date>May 3</span>", "2024-05-03"),
        ("https://paper.example/2024/05/bridge", "<div class=date><b>03</b> <i>May</i></div>", "2024-05-03"),
        ("https://paper.example/2024/06/bridge", "<span class=date>May 3</span>", None),
        ("https://paper.example/bridge", "<span class=date>May 3</span>", None),
        ("https://paper.example/2024/05/bridge", "", None),
        ("https://paper.example/2023/october/03/bridge", "<span class=date>03/10/2023</span>", "2023-10-03"),
    ],
)
def test_publication_date_is_completed_by_url(url, byline, wanted):
    page = Page(article(byline), url)
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    when = describe(page, chosen).values.get("date_published")
    assert (when and when.date().isoformat()) == wanted


@pytest.mark.parametrize(
    ("url", "modified", "wanted"),
    [
        ("https://blog.example/2007-04-30-harmony/", "2007-04-30T07:09:07+00:00", "2007-04-30"),
        ("https://blog.example/2006/harmony/", "2006-10-24T05:56:15+00:00", "2006-10-24"),
        ("https://blog.example/harmony/", "2006-10-24T05:56:15+00:00", "2016-03-03"),
        ("https://blog.example/2007-04-30-harmony/", "2016-03-09T00:00:00+00:00", "2016-03-03"),
    ],
)
def test_publication_date_declared_after_modification_gives_way_to_url(url, modified, wanted):
    metas = (("published", "2016-03-03T00:00:00+00:00"), ("modified", modified))
    head = "".join(f'<meta property="article:{name}_time" content="{value}">' for name, value in metas)
    assert day(article(head=head), url) == wanted


@pytest.mark.parametrize(("byline", "day"), [("<p>COUNCIL</p><p>Ann Lee | 4 May 2024</p>", 4), ("", 9)])
def test_publication_date_is_that_of_an_event_in_the_headline_only_where_there_is_no_other(byline, day):
    html = article(byline).replace("Bridge opens after years", "Bridge opens on 9 May 2024")
    assert published(html)[0].day == day


FEED = Listing("feed", date_published=datetime(2024, 5, 2, 9, tzinfo=UTC))


@pytest.mark.parametrize(
    ("byline", "head", "listing", "day", "source"),
    [
        ("", "", FEED, 2, "feed"),
        ("", "", replace(FEED, source="sitemap"), 2, "sitemap"),
        ("<p>4 May 2024</p>", "", FEED, 2, "feed"),
        ("", "<meta property='article:published_time' content='2024-05-03T08:00:00Z'>", FEED, 3, "meta"),
        ("", "<meta property='article:published_time' content='2024-06-03T08:00:00Z'>", FEED, 2, "feed"),
        ("", "<meta property='article:published_time' content='3024-05-03T08:00:00Z'>", FEED, 2, "feed"),
        ("<p>4 May 2024</p>", "", replace(FEED, date_published=FETCHED + timedelta(days=9)), 4, "text"),
        ("<p>4 May 2024</p>", "", replace(FEED, date_published=datetime(1970, 1, 1, tzinfo=UTC)), 4, "text"),
        ("<p>4 May 2024</p>", "", Listing("sitemap", date_modified=FETCHED), 4, "text"),
    ],
    ids="absent sitemap undeclared declared build-date implausible future epoch modified".split(),
)
def test_publication_date_of_a_feed_is_second_to_a_plausible_declared_one(byline, head, listing, day, source):
    when, found = published(article(byline, head), listing=listing)
    assert (when.day, found) == (day, source)


def declared(when, url, byline="", lang="en"):
    head = f'<meta property="article:published_time" content="{when}">'
    return published(article(byline, head, lang), url)[0]


@pytest.mark.parametrize(
    ("declared_date", "url", "byline", "wanted"),
    [
        ("2024-05-03T23:01:00Z", "https://a.example/bridge", "<p>May 4, 2024, 1:01 a.m.</p>", "2024-05-04"),
        ("2024-05-04T02:18:11Z", "https://a.example/2024/05/03/bridge/", "", "2024-05-04"),
        ("2024-05-04T02:18:11Z", "https://a.example/bridge", "<p>May 3, 2024, 7:18 p.m.</p>", "2024-05-03"),
        ("2024-05-04T12:18:11Z", "https://a.example/2024/05/03/bridge/", "", "2024-05-04"),
    ],
)
def test_publication_date_in_utc_is_of_the_day_that_the_page_shows(declared_date, url, byline, wanted):
    when = declared(declared_date, url, byline)
    assert (when.date().isoformat(), when) == (wanted, datetime.fromisoformat(declared_date))


def test_publication_date_of_ambiguous_digits_is_the_declared_one():
    when = declared("2024-05-02T14:00:00+00:00", None, "<p>02/05/2024 02:00pm GMT</p>")
    assert when.date().isoformat() == "2024-05-02"


def test_publication_date_of_japanese_page_is_in_tokyo_time():
    assert declared("2024-05-04T08:30:00", None, lang="ja").isoformat() == "2024-05-04T08:30:00+09:00"


def test_publication_date_marked_on_the_page_is_preferred_to_a_date_of_no_kind():
    head = '<meta name="date" content="2024-06-01">'
    when, source = published(article('<span itemprop="datePublished" content="2024-05-04">4 May</span>', head))
    assert (when.date().isoformat(), source) == ("2024-05-04", "microdata")


def test_publication_date_in_a_sentence_behind_the_text():
    imprint = "<p>Dieser Artikel wurde am 14. Dezember 2015 um 9:30 von unserer Redaktion geschrieben.</p>"
    when, _ = published(article(lang="de").replace("</body>", f"{imprint}</body>"))
    assert when.date().isoformat() == "2015-12-14"


@pytest.mark.parametrize(
    "byline",
    [
        "<div class=news-teaser_meta><p>By Ann Lee, 4 May 2024</p></div>",
        "<div class=comment-header><b>4 May 2024</b></div>",
        "<ul class=info><li>Date:<span>4 May 2024</span></li></ul>",
    ],
)
def test_publication_date_beside_the_headline_is_the_page_s_own_whatever_its_class(byline):
    when, _ = published(article(byline))
    assert when.date().isoformat() == "2024-05-04"


@pytest.mark.parametrize(
    "shown",
    [
        "<p>PUBLISHED: May 3, 2024 at 5:49 p.m. | UPDATED: May 5, 2024 at 6:17 p.m.</p>",
        "<p>Agency | 3 May 2024</p>",
        "<p>Share</p><p>Tweet</p><p>Mail</p><p>Print</p><p>Save</p><p>Copy</p><p>More</p>"
        "<p>Published May 3, 2024, 10:28 p.m. ET</p>",
    ],
)
def test_declared_instant_falls_on_the_day_that_the_page_shows(shown):
    head = '<meta property="article:published_time" content="2024-05-04T02:28:35+00:00">'
    when, _ = published(article(shown, head))
    assert (when.date().isoformat(), when.astimezone(UTC).isoformat()) == ("2024-05-03", "2024-05-04T02:28:35+00:00")


def test_modification_before_the_publication_is_not_the_publication():
    head = (
        '<meta property="article:published_time" content="2024-05-04T08:00:00+00:00">'
        '<meta property="article:modified_time" content="2024-04-26T08:00:00+00:00">'
    )
    when, _ = published(article("", head), "https://paper.example/2024/05/a/")
    assert when.date().isoformat() == "2024-05-04"


@pytest.mark.parametrize(
    ("paragraph", "wanted"),
    [
        ("Karlsruhe, (12.11.2021).", "2021-11-12"),
        ("Pressemitteilung vom 25. Januar 2022 | Berlin –", "2022-01-25"),
        ("01.02.2022 „Der Strom wird teurer.“", "2022-02-01"),
        ("Am 25. Januar 2022 wurde die Brücke eröffnet.", None),
        ("Seit dem Sturm, der am 25. Januar 2022 – einem Dienstag – kam, ruht die Arbeit.", None),
    ],
)
def test_publication_date_of_a_paragraph_that_begins_with_it(paragraph, wanted):
    begins = BODY.replace("<p>", f"<p>{paragraph} ")
    assert day(article(lang="de").replace(BODY, f"{begins}{BODY}")) == wanted


@pytest.mark.parametrize("glued", ["<a>Ann Lee</a><time>Dec. 3, 2023 11:00 pm EST</time>", "<b>Ann Lee</b>3.12.2023"])
def test_publication_date_is_read_where_it_is_glued_to_a_name(glued):
    assert day(article(f"<div>By <span>{glued}</span></div>")) == "2023-12-03"


def test_publication_date_below_the_headline_is_preferred_to_a_time_far_from_it():
    far = "<div>" + "<p>x</p>" * 60 + "<time datetime=2018-03-12>12. März 2018</time></div>"
    assert day(
        article(f"<div class=ArticleHeaderComment_publishDate>Dienstag, 29. Januar 2019</div>{far}", lang="de")
    ) == ("2019-01-29")


@pytest.mark.parametrize(
    ("changed", "wanted"), [("2024-05-05T12:00:00+02:00", "2024-05-06"), ("2024-05-06", "2024-05-04")]
)
def test_publication_date_of_several_declared_ones_is_the_one_shown(changed, wanted):
    value = f'{{"@type":"NewsArticle","datePublished":"2024-05-04T07:29:00+02:00","dateModified":"{changed}"}}'
    head = f'<script type="application/ld+json">{value}</script>'
    head += '<meta property="article:published_time" content="2024-05-06T08:29:00+02:00">'
    assert day(article("<p>6 May 2024</p>", head)) == wanted


@pytest.mark.parametrize(
    "script",
    [
        '<script>{"@context":"https://schema.org","@type":"NewsArticle","datePublished":"2024-05-04"}</script>',
        '<script type="application/ld+json">{"@type":"NewsArticle","headline":"The "new" bridge",'
        '"datePublished":"2024-05-04"}</script>',
    ],
)
def test_publication_date_of_json_ld_without_type_or_with_quotation_marks_in_a_text(script):
    assert day(article(head=script)) == "2024-05-04"
