"""Publication and modification dates: which of a page's dates, in which zone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from newsextract.items import Listing
from tests.metadata.pages import BODY, described

FETCHED = datetime(2024, 6, 15, 12, 0, tzinfo=UTC)
URL = "https://paper.example/a"
#: The text in languages whose dates are read otherwise.
BODIES = {
    "de": "Der Rat sprach auf der Brücke lange über den Fluss und die Stadt und ging dann nach Hause. ",
    "ru": "Лично на меня этот сербский фильм произвел очень сильное впечатление, посмотрите. ",
    "sr": "Непријатељ је српски филм у коме се говори о завршетку једног рата и о људима. ",
    "zh": "2月27日下午，市政府在新桥上召开会议讨论河流的治理问题，2024年2月27日是通车的日子。",
    "ja": "市議会は新しい橋について話し合い、川の治水の問題を検討しました。とても長い会議でした。",
    "ar": "اجتمع المجلس على الجسر وتحدث عن النهر لساعات طويلة ثم عاد الجميع إلى بيوتهم في المدينة. ",
    "vi": "Hội đồng thành phố đã họp trên cây cầu và nói về dòng sông trong nhiều giờ liền hôm đó. ",
}


def article(byline="", head="", lang="en", end="", body=None):
    text = body or f"<p>{BODIES[lang[:2]] * 6}</p>" if lang[:2] in BODIES else body or BODY
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


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        # Near the headline, without a declaration
        (
            "<h1>Bridge opens after years</h1><div><time datetime=2024-05-01>1 May</time> "
            f"<a href=/storm>Storm warning for the whole coast</a></div><p>Published: 17.03.2024</p>{BODY}",
            "2024-03-17",
        ),
        (article("<div>By Ann Lee | 4 May 2024</div>"), "2024-05-04"),
        (article("<p>COUNCIL</p><p>Ann Lee | 4 May 2024</p>").replace("after years", "on 9 May 2024"), "2024-05-04"),
        (article().replace("after years", "on 9 May 2024"), "2024-05-09"),
        (article("<p>3 May 2024</p>").replace("<h1>", "<div class=today>15 June 2024</div><h1>"), "2024-05-03"),
        (article("<div class=news-teaser_meta><p>By Ann Lee, 4 May 2024</p></div>"), "2024-05-04"),
        (article("<div class=comment-header><b>4 May 2024</b></div>"), "2024-05-04"),
        (article("<img src=a><p>A dek.</p><p>By Ann Lee</p><div class=comments-meta>4 May 2024</div>"), "2024-05-04"),
        (article("<nav><span>By Ann Lee</span><time datetime=2024-05-04>4 May</time></nav>"), "2024-05-04"),
        (article("<ul class=info><li>Date:<span>4 May 2024</span></li></ul>"), "2024-05-04"),
        (article("<div>By <span><a>Ann Lee</a><time>Dec. 3, 2023 11:00 pm EST</time></span></div>"), "2023-12-03"),
        (article("<div>By <span><b>Ann Lee</b>3.12.2023</span></div>"), "2023-12-03"),
        (article("<table><tr><td>Дата: 3 марта 2013</td></tr></table>", lang="ru-RU"), "2013-03-03"),
        (article("<p>Дата: 3 марта 2013</p>", lang="ru-RU", body=f"<p>{BODIES['sr'] * 6}</p>"), "2013-03-03"),
        (article("<p>3 أغسطس/آب 2015</p>", lang="ar"), "2015-08-03"),
        (article("<p>Thứ hai, 03/08/2015, 10:20 (GMT+7)</p>", lang="vi"), "2015-08-03"),
        (article("<p>2024-03-05 11:10 日报</p><div><time>2024-03-06</time></div>", lang="zh"), "2024-03-05"),
        # Updates and other events
        (article("<p>Updated 4 May 2024</p>"), None),
        (article("<p>Published 1 May 2024. Updated 4 May 2024</p>"), "2024-05-01"),
        (article("<p>Updated <time>2024-05-04</time> Published <time>2024-05-01</time></p>"), "2024-05-01"),
        (article("<p>Member since <time>2009-03-12</time></p><p><time>2024-05-04</time></p>"), "2024-05-04"),
        (article("<p>آخر تحديث: 5 أغسطس 2015</p><p>تاريخ النشر: 3 أغسطس 2015</p>", lang="ar"), "2015-08-03"),
        (article("<p>Registered: 12 March 2009</p><p>Posted: 4 May 2024</p>"), "2024-05-04"),
        (article(end="<footer>© 2 January 2024</footer><div class=comments><time>3 May 2024</time></div>"), None),
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
        # Declarations of no kind
        (
            article("<span itemprop=datePublished content=2024-05-04>4 May</span>", meta("date", "2024-06-01")),
            "2024-05-04",
        ),
        (article("<time datetime=2024-05-04>4 May</time>", meta("DCTERMS.date", "2024-05-06")), "2024-05-04"),
        (article("", meta("DC.date", "202405041230")), "2024-05-04"),
        # The order of day and month
        (
            article("<p>08/11/2023 02:00pm GMT</p>", meta("article:published_time", "2023-11-08T14:00:00Z")),
            "2023-11-08",
        ),
        (article("<p>08/11/2023</p>", meta("article:modified_time", "2023-11-09T10:00:00Z")), "2023-11-08"),
        # Behind the text
        (article(end="<p>By Nicolas – May 3, 2024</p><h2>Comments</h2><p>May 4, 2024</p>", lang="en-US"), "2024-05-03"),
        (
            article(end="<div>Post time: 05-03-2024</div><h2>Comments</h2><p>May 4, 2024</p>", lang="en-US"),
            "2024-05-03",
        ),
        (article(end="<p>May 3, 2024. Updated: June 7, 2024</p>"), "2024-05-03"),
        (article(end="<p>发布日期：2024-03-06 责任编辑：龙慧</p>", lang="zh"), "2024-03-06"),
        (
            article(lang="de", end="<p>Dieser Artikel wurde am 14. Dezember 2015 um 9:30 von Ann geschrieben.</p>"),
            "2015-12-14",
        ),
        (
            article(end="<p>This entry was posted in Bridges and tagged river on December 14, 2015 by Ann.</p>"),
            "2015-12-14",
        ),
        (
            article(end="<p>Ann Lee on 12/14/2015 in Bridges, Rivers and Boats | Permalink</p>", lang="en-US"),
            "2015-12-14",
        ),
        # JSON-LD that is broken, or in a script without type
        (article(head=json_ld(datePublished="2024-05-04").replace(' type="application/ld+json"', "")), "2024-05-04"),
        (article(head=json_ld(headline='The "new" bridge', datePublished="2024-05-04")), "2024-05-04"),
    ],
)
def test_publication_date_of_a_page_is(html, wanted):
    assert day(html) == wanted


@pytest.mark.parametrize(
    ("paragraph", "wanted"),
    [
        ("Karlsruhe, (12.11.2021).", "2021-11-12"),
        ("Berlin, den 12. November 2021. Der Rat", "2021-11-12"),
        ("NEW YORK, Nov. 12, 2021 /Newswire/ --", "2021-11-12"),
        ("Pressemitteilung vom 25. Januar 2022 | Berlin –", "2022-01-25"),
        ("01.02.2022 „Der Strom wird teurer.“", "2022-02-01"),
        ("Am 25. Januar 2022 wurde die Brücke eröffnet.", None),
        ("Seit dem Sturm, der am 25. Januar 2022 – einem Dienstag – kam, ruht die Arbeit.", None),
    ],
)
def test_publication_date_of_a_paragraph_that_begins_with_it(paragraph, wanted):
    text = BODIES["de"] * 6
    assert day(article(lang="de", body=f"<p>{paragraph} {text}</p><p>{text}</p>")) == wanted


@pytest.mark.parametrize(
    ("url", "byline", "wanted"),
    [
        ("https://paper.example/2024/05/bridge", "<span class=date>May 3</span>", "2024-05-03"),
        ("https://paper.example/2024/05/bridge", "<div class=date><b>03</b> <i>May</i></div>", "2024-05-03"),
        ("https://paper.example/2024/06/bridge", "<span class=date>05/06/2024</span>", "2024-06-05"),
        ("https://paper.example/2024/05/bridge", "", None),
        ("https://paper.example/2023/october/03/bridge", "<span class=date>03/10/2023</span>", "2023-10-03"),
        ("https://paper.example/2024-05/03/bridge", "", "2024-05-03"),
        ("https://paper.example/bridge-opens-03-05-2024.html", "", "2024-05-03"),
    ],
)
def test_publication_date_is_completed_by_url(url, byline, wanted):
    assert day(article(byline), url) == wanted


@pytest.mark.parametrize(
    ("html", "wanted", "source"),
    [
        (
            article("<p>4 May 2024</p>", json_ld(datePublished="2024-05-03T15:47:42+02:00")),
            "2024-05-03T15:47:42+02:00",
            "json-ld",
        ),
        (article("<span>2024-05-04 08:30 来源：日报</span>", lang="zh-CN"), "2024-05-04T08:30:00+08:00", "text"),
        (
            article(head=meta("article:published_time", "2024-05-04T08:30:00"), lang="ja"),
            "2024-05-04T08:30:00+09:00",
            "meta",
        ),
        (article(lang="zh", end="<p>——《北京之春》1996年6月号</p>"), "1996-06-01T00:00:00+08:00", "text"),
        (
            article("<cite><abbr title=2024-06-15T10:56:40Z>1 hr 4 mins ago</abbr></cite>"),
            "2024-06-15T10:56:40+00:00",
            "time",
        ),
    ],
)
def test_publication_date_has_the_zone_of_its_source(html, wanted, source):
    when, found = published(html)
    assert (when.isoformat(), found) == (wanted, source)


@pytest.mark.parametrize(
    ("url", "modified", "wanted"),
    [
        ("https://blog.example/2007-04-30-harmony/", "2007-04-30T07:09:07+00:00", "2007-04-30"),
        ("https://blog.example/2006/harmony/", "2006-10-24T05:56:15+00:00", "2006-10-24"),
        ("https://blog.example/harmony/", "2006-10-24T05:56:15+00:00", "2016-03-03"),
        ("https://blog.example/2016/03/harmony/", "2016-02-24T05:56:15+00:00", "2016-03-03"),
        ("https://blog.example/2007-04-30-harmony/", "2016-03-09T00:00:00+00:00", "2016-03-03"),
    ],
)
def test_publication_date_declared_after_modification_gives_way_to_url(url, modified, wanted):
    metas = (("published", "2016-03-03T00:00:00+00:00"), ("modified", modified))
    assert day(article(head="".join(meta(f"article:{name}_time", value) for name, value in metas)), url) == wanted


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


OTHER_DATES = {
    "teaser": "<aside><a href=/b><time datetime=2019-03-05>5 March 2019</time> The ferry is closed</a></aside>",
    "list": "<h3>More</h3><ul><li><a href=/b>Ferry closed</a> <b class=date>5 March 2019</b>"
    "<li><a href=/c>Mill open</a> <b class=date>18 February 2019</b></ul>",
    "comment": "<ol><li><cite>Bob Ray</cite> <a href=#c1>5 March 2019 at 10:00 am</a><p>I am glad.</p></ol>",
    "sentence": "<p>The next meeting is on <time datetime=2019-03-05>5 March 2019</time> in the town hall.</p>",
    "clock": "<div id=clock>Tuesday, 5 March 2019 10:19</div>",
    "hours": "<p>From 5 March 2019 closed on Friday</p>",
    "copyright": "<p>© 2019 Paper. Published by Bob Ray, 5 March 2019</p>",
    "event": "<div class=event><h4>Open day</h4><time datetime=2019-03-05T10:00>5 March 2019, 10 am</time></div>",
    "ticker": "<div class=ticker><b>09:15</b> <a href=/b>Ferry closed</a> <b>5.3.2019</b></div>",
}


@pytest.mark.parametrize("end", OTHER_DATES.values(), ids=OTHER_DATES)
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


def test_a_machine_readable_date_counts_although_the_line_shows_another():
    assert day(article("<time datetime=2024-05-06>May 3, 2024</time>")) == "2024-05-06"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("<p>Updated 5 May 2024 · First published 3 May 2024</p>", "2024-05-03"),
        ("<p>Updated <time>5 May 2024</time> · First published <time>3 May 2024</time></p>", "2024-05-03"),
        ("<p class=date>Last updated: <time datetime=2024-05-05>5 May 2024</time></p>", None),
        ("<b class=updated>5 May 2024</b>", None),
        ("<p class=date>3 May 2024 8h10 - Atualizado há 3 horas</p>", "2024-05-03"),
        ("<p class=date>3 May 2024. Actualizado a las 10:00 h.</p>", "2024-05-03"),
        ("<p>Stand: 5 May 2024 · Erstveröffentlichung: 3 May 2024</p>", "2024-05-03"),
        ("<div class=box><p>When: 5 May 2024, 10 a.m.</p><p>Where: the town hall</p></div>", None),
        ("<p>Modified: <b class=date>5 May 2024</b></p>", None),
        *((f"<p>{word} 2024-05-05</p>", None) for word in ("Päivitetty", "Оновлено", "به‌روزرسانی:", "עודכן", "수정")),
    ],
)
def test_an_update_is_never_the_publication(line, wanted):
    assert day(article(line)) == wanted


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
