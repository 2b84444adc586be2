"""Publication and modification dates: which of a page's dates, in which zone."""

from datetime import UTC, datetime

import pytest

from newsextract.metadata import describe
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
