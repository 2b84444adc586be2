"""Publication and modification dates: which of a page's dates, in which zone."""

from datetime import UTC, datetime, timedelta

import pytest

from newsextract.metadata import date_parser, describe
from newsextract.page import Page

FETCHED = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)
BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"


def published(html, url="https://paper.example/a", fetched_at=FETCHED):
    page = Page(html, url)
    described = describe(
        page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200], fetched_at=fetched_at
    )
    return described.values.get("date_published"), described.sources.get("date_published")


def article(byline="", head="", lang="en"):
    return f"<html lang={lang}><head>{head}</head><body><h1>Bridge opens after years</h1>{byline}{BODY}</body></html>"


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("Published 12 March 2024 at 14:05 GMT", "en", "2024-03-12T14:05:00+00:00"),
        ("March 3, 2021 5:30 pm EST", "en", "2021-03-03T17:30:00-05:00"),
        ("3. März 2024, 12:30 Uhr", "de", "2024-03-03T12:30:00"),
        ("12 de enero de 2023", "es", "2023-01-12T00:00:00"),
        ("8 января 2024, 17:46", "ru", "2024-01-08T17:46:00"),
        ("2021年03月23日 12时30分", "zh", "2021-03-23T12:30:00"),
        ("2024. január 5.", "hu", "2024-01-05T00:00:00"),
        ("05/06/2024", "en-GB", "2024-06-05T00:00:00"),
        ("05/06/2024", "en-US", "2024-05-06T00:00:00"),
        ("20.08.2023", "de", "2023-08-20T00:00:00"),
    ],
)
def test_dates_are_read_as_people_write_them(text, language, wanted):
    assert date_parser.find(text, language)[0].when.isoformat() == wanted


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("3 hours ago", "en", FETCHED - timedelta(hours=3)),
        ("vor 3 Stunden", "de", FETCHED - timedelta(hours=3)),
        ("2天前", "zh", FETCHED - timedelta(days=2)),
    ],
)
def test_relative_dates_count_from_the_fetch(text, language, wanted):
    assert date_parser.find(text, language, FETCHED)[0].when == wanted
    assert date_parser.find(text, language) == []


def test_a_date_without_year_is_the_last_such_day_before_the_fetch():
    assert date_parser.find("5 November", "en", FETCHED)[0].when.year == 2023
    assert date_parser.find("5 June", "en", FETCHED)[0].when.year == 2024


def test_the_declared_date_is_taken_with_its_zone():
    value = '{"@type":"NewsArticle","datePublished":"2024-05-03T15:47:42+02:00"}'
    head = f'<script type="application/ld+json">{value}</script>'
    when, source = published(article("<p>4 May 2024</p>", head))
    assert (when.isoformat(), source) == ("2024-05-03T15:47:42+02:00", "json-ld")


def test_a_visible_date_near_the_headline_serves_where_nothing_is_declared():
    when, _ = published(article("<div>By Ann Lee | 4 May 2024</div>"))
    assert when.date().isoformat() == "2024-05-04"


def test_a_chinese_page_without_zone_is_in_shanghai_time():
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


def test_a_stamp_below_the_headline_beats_the_times_of_other_pages_links():
    assert chinese("<p>2024-03-05 11:10 日报</p><div><time>2024-03-06</time></div>") == "2024-03-05"


def test_what_a_paragraph_tells_of_is_not_the_day_of_its_publication():
    assert chinese("", "<p>发布日期：2024-03-06 责任编辑：龙慧</p>") == "2024-03-06"


def test_a_magazines_article_has_the_month_of_its_issue():
    html = article(lang="zh").replace(
        BODY, "<p>" + "市政府在新桥上召开会议讨论河流的治理问题。" * 12 + "——《北京之春》1996年6月号</p>"
    )
    assert published(html)[0].isoformat() == "1996-06-01T00:00:00+08:00"


def test_the_day_of_an_update_never_becomes_the_publication():
    when, _ = published(article("<p>Updated 4 May 2024</p>"))
    assert when is None
    when, _ = published(article("<p>Published 1 May 2024. Updated 4 May 2024</p>"))
    assert when.day == 1


def test_the_copyright_and_comments_give_no_date():
    html = article() + "<footer>© 2 January 2024</footer><div class=comments><time>3 May 2024</time></div>"
    assert published(html)[0] is None


@pytest.mark.parametrize(
    "raw", ["0000-00-00", "20233-01-01", "2024-13-45", "9999-12-31", "1/1/0001", "99999999999999", "now"]
)
def test_an_impossible_date_is_no_date(raw):
    head = f'<meta property="article:published_time" content="{raw}">'
    assert published(article(head=head))[0] is None


def test_a_modification_before_the_publication_is_left_out():
    metas = (("published", "2024-05-03"), ("modified", "2023-01-01"))
    head = "".join(f'<meta name="article:{name}_time" content="{value}">' for name, value in metas)
    page = Page(article(head=head), "https://paper.example/a")
    assert "date_modified" not in describe(page, [1], fetched_at=FETCHED).values
