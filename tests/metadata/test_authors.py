"""Authors: names of persons, and nothing that bylines hold besides."""

import json

import pytest

import newsextract
from newsextract.metadata.names import parse_names
from tests.metadata.pages import BODY, described

#: The text in other languages.
BODIES = {
    "de": "Der Rat sprach auf der Brücke lange über den Fluss und die Stadt und ging nach Hause. ",
    "id": "Dewan kota bertemu di jembatan baru dan berbicara tentang sungai itu selama berjam-jam. ",
    "ja": "市議会は新しい橋について話し合い、川の治水の問題を検討しました。",
    "ko": "시의회는 새 다리에서 회의를 열고 강의 치수 문제를 오랫동안 논의했다고 밝혔다. ",
    "zh": "市政府今天在新桥上召开会议讨论河流的治理问题。",
}
TITLE = "Bridge opens after years"


def authors(byline="", head="", lang="en", end="", body=None, url="https://paper.example/a"):
    body = body or (f"<p>{BODIES[lang] * 12}" if lang in BODIES else BODY)
    html = f"<html lang={lang}><head>{head}</head><body><h1>{TITLE}</h1>{byline}{body}{end}</body></html>"
    return described(html, url).values.get("authors", [])


def json_ld(*authors):
    """A script with an article per author."""
    things = [{"@type": "NewsArticle", "author": author} for author in authors]
    return f'<script type="application/ld+json">{json.dumps(things)}</script>'


def person(name):
    return {"@type": "Person", "name": name}


PAPER = {"@type": "Organization", "name": "Paper News"}
GRAPH = {"@graph": [{"@type": "Article", "author": {"@id": "#p"}}, {**person("Ann Lee"), "@id": "#p"}]}
GALLERY = f"<figure><figcaption>{TITLE}</figcaption></figure><figure><figcaption>A ferry</figcaption></figure>" * 9


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("Von Jens Groß und Eva Klein", ["Jens Groß", "Eva Klein"]),
        ("Ann Lee (Brussels) ann.lee@paper.example", ["Ann Lee"]),
        ("By Ann Lee@annlee Dec 10, 2016, 10:20am EST", ["Ann Lee"]),
        ("BY ANN LEE, BOB RAY AND CY DOW", ["ANN LEE", "BOB RAY", "CY DOW"]),
        ("By A. B. LEE, C.D. RAY and E. DOW", ["A. B. LEE", "C.D. RAY", "E. DOW"]),
        ("ANN LEE, RN BSN", ["ANN LEE"]),
        ("记者 张楠", ["张楠"]),
        ("作者：王文、李明", ["王文", "李明"]),
        ("Ann Lee June 12, 2024", ["Ann Lee"]),
        ("Erstellt von Ann Lee am 12. Juni 2024", ["Ann Lee"]),
        ("par Ann Lee | Reportage Bob Ray et Cy Dow", ["Ann Lee"]),
        ("Reporting by Ann Lee; Editing by Bob Ray", ["Ann Lee"]),
        ("Uncategorized", []),
        ("No Author", []),
        ("New York", []),
        ("https://facebook.com/ann.lee", []),
        ("By April Day", ["April Day"]),
        ("By Ann Lee for the Tidal Post", ["Ann Lee"]),
        ("Propos recueillis par Anne Lefort", ["Anne Lefort"]),
        ("Door onze redacteur Jan de Boer", ["Jan de Boer"]),
        ("By Staff Reporter", []),
        ("ByAnn Lee", ["Ann Lee"]),
        ("By Ann LeeBy Ann Lee", ["Ann Lee"]),
        ("Ann Lee, Bob RayAnn Lee, Bob Ray", ["Ann Lee", "Bob Ray"]),
        ("By Ann Leealee@paper.example", ["Ann Lee"]),
        ("By Ann LeeFollow @annlee", ["Ann Lee"]),
        ("Ann Lee1 ; Bob Ray2", ["Ann Lee", "Bob Ray"]),
        ("Ann Lee, Sr. Director of Sales", ["Ann Lee"]),
        ("Ann Lee, Executive Editor, Health Watch, and Bob Ray", ["Ann Lee", "Bob Ray"]),
        ("Ann Lee, Head of Sales and Community Events", ["Ann Lee"]),
        ("By Ann Lee Senior Political Correspondent", ["Ann Lee"]),
        ("AAA Travel Editor", ["AAA Travel Editor"]),
        ("This post was written by Ann Lee, MD, gastroenterologist, River Health.", ["Ann Lee"]),
        ("Posted by Ann Lee on 2025-12-18 in City. Tags: bridge, river", ["Ann Lee"]),
        ("Le Journal et AFP", ["Le Journal et AFP"]),
        ("Par Le Figaro et AFP", ["Le Figaro et AFP"]),
        ("Agence Science et Santé", ["Agence Science et Santé"]),
        ("By ANN LEE and RACHEL METZ - AP Technology Writers", ["ANN LEE", "RACHEL METZ"]),
        ("By ANN LEE 10/ 5/11 09:19 PM ET", ["ANN LEE"]),
        ("Ann (A.B.) Lee", ["Ann Lee"]),
        ("Ann Lee, MD and RN", ["Ann Lee"]),
        ("5 min read", []),
        ("By Ann Lee, with Bob Ray and Cy Dow, in Washington", ["Ann Lee", "Bob Ray", "Cy Dow"]),
        ("Ann Lee und Bob Ray, Nairobi", ["Ann Lee", "Bob Ray"]),
        ("Por Ann Lee, G1 RO — Porto Velho", ["Ann Lee"]),
        ("Paper Online, Hamburg, Germany", ["Paper Online"]),
        ("Harbour Design, Inc.", ["Harbour Design, Inc"]),
        ("Previous Post", []),
        ("News4River Staff", ["News4River Staff"]),
        ("MDR SACHSEN-ANHALT", ["MDR SACHSEN-ANHALT"]),
        ("annlee,annlee@paper.example", ["annlee"]),
        ("Posted by: annlee in City News, Harbour", ["annlee"]),
        ("Gespeichert von annlee am 24. Juli 2017 - 18:55", ["annlee"]),
        ("Von der Planung bis hin zu den Gästen", []),
        ("Publicado", []),
        ("WATCH LIVE", []),
        ("Sarah Hauer, Milwaukee Journal Sentinel", ["Sarah Hauer"]),
        ("Ann Lee, GTM Strategy", ["Ann Lee"]),
        ("Ana Souza — São Paulo", ["Ana Souza"]),
        ("Bob Ray Jr., MD", ["Bob Ray Jr."]),
        ("By Bob Ray, Jr. and Ann Lee", ["Bob Ray, Jr.", "Ann Lee"]),
        ("Center for Bridge Evaluation and Research", ["Center for Bridge Evaluation and Research"]),
        ("版权声明", []),
    ],
)
def test_parse_names_splits_bylines_and_drops_jobs_and_dates(raw, wanted):
    assert parse_names([raw]) == wanted


@pytest.mark.parametrize(
    ("byline", "head", "wanted"),
    [
        # Declared in JSON-LD
        ("", json_ld(person("By <a href='/a'>Ann Lee</a>, Bob Ray and Cy Dow")), ["Ann Lee", "Bob Ray", "Cy Dow"]),
        ("", json_ld(person("Lee, Ann")), ["Ann Lee"]),
        ("", json_ld("Lee, Ann; Ray, Bob"), ["Ann Lee", "Bob Ray"]),
        ("", json_ld(person("Ann Lee, Reuters")), ["Ann Lee"]),
        ("", json_ld({"author": {"name": {"@value": "Ann Lee"}}}), ["Ann Lee"]),
        ("", json_ld({"@list": [{"givenName": "Ann", "familyName": "Lee"}, ["Bob Ray"]]}), ["Ann Lee", "Bob Ray"]),
        *(("", json_ld(person(name)), []) for name in ("{{name}}", "undefined", "[object Object]", "%s", "null")),
        ("", json_ld([person("Ann Lee"), person("Bob Ray")]), ["Ann Lee", "Bob Ray"]),
        ("", f'<script type="application/ld+json">{json.dumps(GRAPH)}</script>', ["Ann Lee"]),
        ("", json_ld(PAPER), ["Paper News"]),
        ("<p>Written by Ann Lee, Bob Ray and Cy Dow</p>", json_ld(person("Ann Lee")), ["Ann Lee", "Bob Ray", "Cy Dow"]),
        ("<p>Written by Bob Ray and Cy Dow</p>", json_ld(person("Ann Lee")), ["Ann Lee"]),
        ("<b class=byline>By Ann Lee on Dec. 19</b>", json_ld(person("Ann Lee"), person("Bob Ray")), ["Ann Lee"]),
        ("", json_ld(person("Ann Lee"), person("Bob Ray")), ["Ann Lee", "Bob Ray"]),
        (
            "<b class=byline>By Ann Lee and others</b>",
            json_ld([person("Ann Lee"), person("Bob Ray")]),
            ["Ann Lee", "Bob Ray"],
        ),
        # Persons are preferred to organisations, accounts and the publisher
        (
            "<p class=byline><b>Posted by</b> <a>BeauMill</a> <b>on 3 May 2024</b> <i>from the</i> <b>dept.</b></p>",
            "",
            ["BeauMill"],
        ),
        ("<div class=byline>By <a rel=author href=/authors/ann>Ann Lee</a></div>", json_ld(PAPER), ["Ann Lee"]),
        ("<p>By Ann Lee</p>", "<meta name=author content='Bob Ray'>", ["Ann Lee"]),
        ("", "<meta name=author content='River Media'><meta property=article:author content='Ann Lee'>", ["Ann Lee"]),
        ("<div class=author>Bookmark</div>", json_ld({"name": "Tan Hui Min"}), ["Tan Hui Min"]),
        (
            "<p>by Ann Lee , The Paper</p>",
            '<meta property="og:site_name" content="The Paper">' + json_ld({"name": "Ann Lee"}),
            ["Ann Lee"],
        ),
        ("<p class=byline>Ann Lee | 3 May 2024</p>", "<meta name=author content='Die Paper'>", ["Ann Lee"]),
        ("", f'<meta property="og:site_name" content="Paper News">{json_ld([person("SID")])}', ["SID"]),
        (
            "",
            f'<meta property="og:site_name" content="Paper News">{json_ld(PAPER)}'
            "<meta name=author content='Press Agency'>",
            ["Press Agency"],
        ),
        (
            '<b itemprop="author"><a rel="author" href="/author/lee">Ann Lee</a></b>',
            '<meta name="author" content="Endless Theme Works">',
            ["Ann Lee"],
        ),
        (
            '<b itemprop="author"><a rel="author" href="/author/lee">Ann Lee</a></b><p>Endless Theme Works</p>',
            '<meta name="author" content="Endless Theme Works">',
            ["Endless Theme Works"],
        ),
        # Words of the headline, other roles, other people
        ("<div class=author>Bridge Opens</div>", "<meta name=author content='News Desk'>", ["News Desk"]),
        ("<p>Bridge Opens</p><p>12 May 2024</p>", "", []),
        ("<div class=author><b>By</b> <b>Ann Lee</b> <b>Reviewed by Bob Ray</b></div>", "", ["Ann Lee"]),
        ("<p>Redaktion: Bob Ray und <a href=/redaktion/eva>Eva Klein</a></p>", json_ld(PAPER), ["Paper News"]),
        ("<div class=comments><b class=author>Bob Ray</b></div>", "", []),
        ("<div class=author><a>Zur Artikelübersicht</a></div>", "", []),
        ("".join(f"<li><a href=/List/People/{name}>{name}</a></li>" for name in ("인사", "부고", "동정")), "", []),
        # Lines below the headline
        ("<p>By: Ann Lee</p>", "", ["Ann Lee"]),
        ("<p>Written by</p><p>Ann Lee, Bob Ray, and Cy Dow</p>", "", ["Ann Lee", "Bob Ray", "Cy Dow"]),
        # A name beside a date needs a second sign
        ("<p>Ann Lee</p><p>3 May 2024</p>", "", []),
        ("<p>Special Report</p><p>3 May 2024</p>", "", []),
        ("<p>Climate Change · 3 May 2024</p>", "", []),
        ("<p>By the Numbers</p><p>3 May 2024</p>", "", []),
        ("<p>3 May 2024</p><b>Council Opens New Bridge and Offices for Everyone</b>", "", []),
        ("<p><a href=/author/ann>Ann Lee</a></p><p>3 May 2024</p>", "", ["Ann Lee"]),
        ("<p><img alt='Ann Lee' src=a.jpg>Ann Lee</p><p>3 May 2024</p>", "", ["Ann Lee"]),
        ("<p>Ann Lee, Research Scientist, and Bob Ray, Senior Fellow</p>", "", ["Ann Lee", "Bob Ray"]),
        ("<p>Submitted by <a href=/user/ann>Ann Lee</a> on Fri, 05/03/2024 - 08:00</p>", "", ["Ann Lee"]),
        # Names of other owners
        ("<figure><img src=b.jpg><figcaption>By Bob Ray</figcaption></figure>", "", []),
        ("<figure><img src=b.jpg><figcaption>A ferry. <b class=author>Bob Ray</b></figcaption></figure>", "", []),
        ("<blockquote><p>It is high.</p><p>By Bob Ray</p></blockquote>", "", []),
        ("<p>Ann Lee | Senior Writer | July 2, 2025</p>", "", ["Ann Lee"]),
        ("<p>Ann Lee | Guest Columnist</p>", "", ["Ann Lee"]),
        ("<p>Ann Lee</p><p>Political correspondent</p>", "", ["Ann Lee"]),
        ("<p>Ann Lee/Bob Ray</p>", "", ["Ann Lee", "Bob Ray"]),
        ("<p class=byline>May 3, 2024 · Ann Lee on behalf of the council</p>", "", ["Ann Lee"]),
        ("<p class=byline>3 May 2024 | 13:10 | Ann Lee</p>", "", ["Ann Lee"]),
        ("<p class=byline>3.12.2023 - Ann Lee</p>", "", ["Ann Lee"]),
        ("<p>VON ANN LEE am 21. April 2020</p>", "", ["ANN LEE"]),
        ("<nav class=author>Ann Lee | 3 May 2024</nav>", "", ["Ann Lee"]),
        ("<p>by Ann Lee, U.S. Institute of Allergy and Infectious Diseases</p>", "", ["Ann Lee"]),
        ("<p>by Ann · May 3, 2024 at 3:00 am</p>", "", ["Ann"]),
        ("<p>May 3, 2024 · By River News Online</p>", "", ["River News Online"]),
        ("<p>Analysis by Ann Lee, CNN</p>", "", ["Ann Lee"]),
        ("<p>Reported by: Ann Lee, Edited by: Bob Ray</p>", "", ["Ann Lee"]),
        ("<p>Council Bridge</p><p>3 May 2024</p>", "", []),
        ("<p>Public Transport</p>", "", []),
        ("<p>Greetings World</p><p>3 May 2024</p>", "", []),
        ("<div class=author>HR Strategy</div><p>3 May 2024</p><p>By Ann Lee</p>", "", ["Ann Lee"]),
        ("<p>3 May 2024 By <a rel=author href=/author/c>La cocinera</a> 5 Comments</p>", "", ["La cocinera"]),
        ("<p>3 May 2024 <a rel=author href=/author/c>Ver más</a> 5 Comments</p>", "", []),
        ("<div class=author-box><b class=author-name>Ann Lee</b> bridges, rivers, boats</div>", "", ["Ann Lee"]),
        ("<div class=widget-text-editor>Plan Ahead</div>", "", []),
        ("<div class=editorschoice>Plan Ahead</div>", "", []),
        ("<p><a href=/profile/pages/letters/begin.do>Town Letters</a></p>", "", []),
        ("<p>Dezember 10, 2019 · von annlee · in Stadt</p>", "", ["annlee"]),
        # A headline that captions repeat
        (f"<div class=byline><a>Ann Lee</a> / PNN</div>{GALLERY}", "", ["Ann Lee"]),
    ],
)
def test_authors_of_a_page_are(byline, head, wanted):
    assert authors(byline, head) == wanted


@pytest.mark.parametrize(
    ("lang", "end", "wanted"),
    [
        ("en", "<h4>Author(s)</h4><ul><li>Ann Lee</li><li>Bob Ray</li></ul><h4>Links</h4>", ["Ann Lee", "Bob Ray"]),
        ("en", "<h4>About the author</h4><p>Ann Lee</p>", ["Ann Lee"]),
        ("en", "<p>Reporting by Ann Lee; Editing by Bob Ray</p>", ["Ann Lee"]),
        ("en", "<p>Bridges</p>" * 5 + "<h4>2 Comments</h4><p>Nice!</p><p>Posted by: annlee | May 3, 2024</p>", []),
        ("de", "<p><em>Von Ann Lee</em></p>", ["Ann Lee"]),
        ("de", "<p>Autorin: Ann Lee</p>", ["Ann Lee"]),
        ("de", "<div><a href=/ann>Mehr von Ann Lee</a></div>", ["Ann Lee"]),
    ],
)
def test_authors_behind_the_text(lang, end, wanted):
    assert authors(lang=lang, end=end) == wanted


@pytest.mark.parametrize(
    ("end", "wanted"),
    [
        ("<h5>Ann Lee</h5><p>Writes about rivers.</p>", ["Ann Lee"]),
        ("<p>Ann Lee is a reporter of the Paper.</p>", ["Ann Lee"]),
        ("<p>" + "Of all the ferries on the river the Ann Lee is oldest. " * 3, []),
    ],
)
def test_authors_are_names_below_the_headline_that_stand_behind_the_text_again(end, wanted):
    assert authors("<p>Ann Lee</p>", end=end) == wanted


@pytest.mark.parametrize(
    ("byline", "end", "wanted"),
    [
        ("<p>【論説委員　山田太郎】</p>", "", ["山田太郎"]),
        ("<p>（山田太郎記者）</p>", "", ["山田太郎"]),
        ("", "<p>川は静かになった。（山田太郎、佐藤花子）</p>", ["山田太郎", "佐藤花子"]),
        ("", "<p>【山田太郎】</p>", ["山田太郎"]),
        ("<p>【社会面】</p>", "<p>川は静かになった。（文中敬称略）</p><p>【写真特集】</p>", []),
    ],
)
def test_authors_of_japanese_pages_in_brackets(byline, end, wanted):
    assert authors(byline, lang="ja", end=end) == wanted


def test_authors_stand_next_to_each_other_however_many():
    box = "<div><img alt=''><p><b></b><i></i><span class=author>{}</span></p></div>"
    names = ["Ann Lee", "Bo Chen", "Carla Diaz", "Dan Frost"]
    assert authors("".join(map(box.format, names)) + "<div><p></p></div>" * 9 + box.format("Eve Hall")) == names


def test_authors_exclude_bold_text_of_an_article_whose_class_has_author():
    assert authors(body=f"<div class=author-post><b>Plan Ahead</b>{BODY}</div>") == []


def test_authors_of_footer_of_article():
    end = "<footer><span class=byline>Author j stone</span> Posted on May 3, 2024</footer>"
    assert authors(body=f"<article><h1>{TITLE}</h1>{BODY * 40}{end}</article>", url=None) == ["j stone"]


def test_authors_below_h1_when_headline_is_another_title():
    shared = "River bridge is open at last"
    head = f'<title>{shared}</title><meta property="og:title" content="{shared}">'
    above = "".join(f"<p>Notice {i} of the house to its readers</p>" for i in range(9))
    byline = f"<p>By Ann Lee, Bridge Expert & Bob Ray, Boatman</p>{above}"
    assert authors(byline, head, url="https://paper.example/river-bridge-is-open-at-last") == ["Ann Lee", "Bob Ray"]


def test_authors_below_the_headline_are_preferred_to_those_of_teasers_above_it():
    teaser = "<h2>Ferry runs again</h2><p>By Bob Ray Nov 13, 2022</p>"
    found = described(f"<body>{teaser}<h1>{TITLE}</h1><div>By<a>Ann Lee</a></div>{BODY}")
    assert found.values["authors"] == ["Ann Lee"]


@pytest.mark.parametrize(
    ("byline", "end", "wanted"),
    [
        ("<p>扬子晚报记者 张楠</p>", "", ["张楠"]),
        ("<p>本报实习生 刘国栋 周炜</p><p>本报记者 王燕平</p>", "", ["刘国栋", "周炜", "王燕平"]),
        ("<p>作者：眉间尺</p>", "", ["眉间尺"]),
        ("<p>赵延东、风笑天</p>", "", []),
        ("<p>赵延东、方云凤</p>", "", ["赵延东", "方云凤"]),
        ("", "（记者 胡晓蓉）</p><p>责任编辑：孙重远</p>", ["胡晓蓉"]),
        ("", "（袁源）</p>", ["袁源"]),
        ("", "</p><p>来源：日报 编辑：苏亮</p>", ["苏亮"]),
        ("<p>记者会见了市长</p>", "", []),
        ("<p>文章 单位</p>", "", []),
        ("<p>文章目录</p>", "", []),
        ("<p>发表于 2022-01-22</p>", "</p><p>文章目录</p>", []),
        ("<p>文／张楠</p>", "", ["张楠"]),
        ("<p>文 张楠</p>", "", ["张楠"]),
        ("<p>2019-05-17 · 苏皖城市报道</p>", "", ["苏皖城市报道"]),
        ('<p class="author">违法和不良信息</p>', "</p><p>编辑：苏亮</p>", ["苏亮"]),
        (
            "<p>发表于 2018-02-26</p>",
            f"</p>{'<p>#随笔</p>' * 90}<aside><p class=site-author-name>龚志强</p><p>技术,小白</p></aside>",
            ["龚志强"],
        ),
    ],
)
def test_authors_of_chinese_pages_by_label_or_surname(byline, end, wanted):
    assert authors(byline, lang="zh", end=end or "</p>", url=None) == wanted


@pytest.mark.parametrize("name", ["弓之剑者", "中川梓.🫐"])
def test_authors_of_chinese_pages_are_declared_pen_names_where_text_names_nobody(name):
    head = f'<meta property="article:author" content="{name}">'
    byline = "<p>发表于 2022-01-22 更新于 2022-01-24 分类于 随笔</p>"
    assert authors(byline, head, "zh", "</p><p>文章目录</p>", url=None) == [name]


@pytest.mark.parametrize(
    ("lang", "byline", "wanted"),
    [
        ("ja", "<p>著者 山田 太郎</p>", "山田太郎"),
        ("ja", "<p>取材・文：山田太郎</p>", "山田太郎"),
        ("ja", "<p>文● 山田 太郎　編集●佐藤花子</p>", "山田太郎"),
        ("ja", "<p>文＝山田太郎 イラスト＝佐藤花子</p>", "山田太郎"),
        ("ja", "<p>山田太郎 記者</p>", "山田太郎"),
        ("ja", "<p>[山田太郎，Paper]</p>", "山田太郎"),
        ("ja", "<p>[Ann Lee，Paper]</p>", "Ann Lee"),
        ("ja", "<span class=author>山田太郎＝東京</span>", "山田太郎"),
        ("ja", "<meta name=author content='Ann Lee　著、山田 太郎　監訳、鈴木 花子　訳'>", "Ann Lee,山田太郎,鈴木花子"),
        ("ja", "<meta name=author content='山田太郎 鈴木花子'>", "山田太郎,鈴木花子"),
        ("ko", "<meta property=dd:author content=김하늘>", "김하늘"),
        ("ko", "<p>홍길동 기자 hong@paper.example</p>", "홍길동"),
        ("ko", "<p>[서울=뉴스] 홍길동 선임기자 = 새 다리</p>", "홍길동"),
        ("de", "<p>Ein Kommentar von Anna Müller</p>", "Anna Müller"),
        ("id", "<p>Penulis: Budi Santoso | Editor: Siti Aminah</p>", "Budi Santoso"),
    ],
)
def test_authors_of_other_languages_by_label_without_roles(lang, byline, wanted):
    is_meta = byline.startswith("<meta")
    assert authors("" if is_meta else byline, byline if is_meta else "", lang) == wanted.split(",")


PARAGRAPHS = "".join(
    f"<p>The council met on the bridge on Monday, item {i}, and talked about the river.</p>" for i in range(8)
)
LONG_URL = "https://paper.example/news/bridge-opens-after-ten-years"


@pytest.mark.parametrize(
    "line",
    [
        '<p><a href="/tag/wyoming-cowboys/">Wyoming Cowboys</a>, <a href="/tag/josh-allen/">Josh Allen</a></p>',
        '<p><a rel="category tag" href="/c/digital">Digital Marketing</a></p>',
        "<p>Wyoming Football, Laramie Basketball</p>",
        "<p>KAIST IT 프로그램, 추천 아이템</p>",
        "<p>Imagine your Father, Your Brother, Your Husband Arrested</p>",
    ],
)
def test_teams_topics_and_phrases_below_the_headline_are_no_authors(line):
    html = f"<h1>Bridge opens after ten years</h1>{line}<p>May 5, 2026</p>{PARAGRAPHS}"
    assert newsextract.extract(html, LONG_URL).authors == []


def test_headings_of_the_text_are_no_authors_and_one_above_it_may_be():
    prose = "The river is high in this year of 2023, and its bridge is low, and nobody who lives beside it slept. " * 3
    html = f"<h1>Bridge opens after ten years</h1>{{}}<p>{prose}</p><h3>Take Note</h3><p>It is 2023. {prose}</p>"
    assert newsextract.extract(html.format(""), LONG_URL).authors == []
    assert newsextract.extract(
        html.format("<h3><a href=/team/ann>Ann Lee</a></h3><p>12 May 2024</p>"), LONG_URL
    ).authors == ["Ann Lee"]


OTHERS = {
    "comments": "<h2>2 comments</h2><div><b class=author>Bob Ray</b><p>I am so glad of this.</p></div>"
    "<div><b class=author>Cy Dow</b><p>Too expensive, I think.</p></div>",
    "comment": "<h2>Comments</h2><div><b class=author>Bob Ray</b><p>I am so glad of this.</p></div>",
    "list": "<aside><ul><li><a href=/b>The ferry is closed</a> <b class=byline>By Bob Ray</b></ul></aside>",
    "address": "<address>46 Kelly Drive, West Virginia</address>",
    "company": "<address>Bridge Works AS<br>Storgata 4<br>0155 Arvik</address>",
    "quotation": "<blockquote><p>It is ours.</p><cite class=author>Bob Ray</cite></blockquote>",
    "team": "<div class=authors><h3>Our columnists</h3><ul><li><a href=/author/b>Bob Ray</a> 2024, of rivers and boats"
    "<li><a href=/author/c>Cy Dow</a> 2023, of bridges and ferries</ul></div>",
    "copyright": "<p>© 2019 Bob Ray</p>",
}


@pytest.mark.parametrize("end", OTHERS.values(), ids=OTHERS)
def test_authors_of_other_parts_behind_the_text_are_not_the_pages(end):
    assert authors(end=end) == []


@pytest.mark.parametrize(
    "end",
    [
        "<aside><h6>Date</h6><p>November 2003</p><h6>Author(s)</h6><ul><li>Ann Lee<li>Bob Ray</ul></aside>",
        "<div><h3>Written by Ann Lee and Bob Ray</h3><p>They write about rivers, boats, bridges and ferries.</p></div>",
    ],
)
def test_labelled_authors_behind_the_text_are_the_pages(end):
    assert authors(end=end) == ["Ann Lee", "Bob Ray"]


@pytest.mark.parametrize(
    ("lang", "line", "wanted"),
    [
        ("ko", "<p>김민서 기자 kim@paper.example</p>", ["김민서"]),
        ("ko", "<p>[서울=뉴스] 김민서·이도윤 기자</p>", ["김민서", "이도윤"]),
        ("ko", "<p>김민서 기자, 이도윤 기자</p>", ["김민서", "이도윤"]),
        ("th", "<p>โดย: สมชาย ใจดี</p>", ["สมชาย ใจดี"]),
        ("vi", "<p>Bởi Nguyễn Văn An</p>", ["Nguyễn Văn An"]),
        ("vi", "<p>Theo Nguyễn Văn An</p>", ["Nguyễn Văn An"]),
        ("ko", "<p>글 박지훈</p>", ["박지훈"]),
        ("ja", "<p>記者・佐藤花子</p>", ["佐藤花子"]),
        ("ar", "<p>كتبت - ليلى حسن</p>", ["ليلى حسن"]),
        ("ar", "<p>كتب: أحمد علي</p>", ["أحمد علي"]),
        ("fa", "<p>خبرنگار: مریم کریمی</p>", ["مریم کریمی"]),
        ("he", "<p>מאת יוסי לוי</p>", ["יוסי לוי"]),
        ("el", "<p>Γράφει ο Νίκος Παππάς</p>", ["Νίκος Παππάς"]),
        ("el", "<p class=byline>Της Μαρίας Γεωργίου</p>", ["Μαρίας Γεωργίου"]),
        ("tr", "<p>Haber: Ayşe Yılmaz</p>", ["Ayşe Yılmaz"]),
        ("fi", "<p>Teksti: Maija Virtanen</p>", ["Maija Virtanen"]),
        ("bg", "<p>от Иван Георгиев</p>", ["Иван Георгиев"]),
        ("ru", "<p>Текст: Анна Смирнова</p>", ["Анна Смирнова"]),
        ("hi", "<p>द्वारा: नेहा वर्मा</p>", ["नेहा वर्मा"]),
        ("th", "<p>ผู้เขียน: วรรณา ศรีสุข</p>", ["วรรณา ศรีสุข"]),
    ],
)
def test_authors_of_bylines_in_other_scripts(lang, line, wanted):
    texts = {
        "ko": "섬 의회는 화요일 낡은 부두를 수리하기로 의결했다. ",
        "th": "สภาลงมติให้ซ่อมแซมท่าเรือเก่า ",
        "ja": "市議会は新しい橋について話し合い、川の治水の問題を検討しました。",
        "ar": "اجتمع المجلس على الجسر وتحدث عن النهر لساعات طويلة. ",
        "fa": "شورای شهر درباره پل تازه و رودخانه گفت‌وگو کرد و تصمیم گرفت. ",
        "he": "המועצה דנה במשך שעות ארוכות בנהר ובגשר החדש של העיר. ",
        "el": "Το συμβούλιο συζήτησε για ώρες για το ποτάμι και τη νέα γέφυρα. ",
        "tr": "Meclis saatlerce nehir ve şehrin yeni köprüsü hakkında konuştu. ",
        "fi": "Valtuusto keskusteli tuntikausia joesta ja kaupungin uudesta sillasta. ",
        "bg": "Съветът обсъжда с часове реката и новия мост на града. ",
        "ru": "Совет часами обсуждал реку и новый мост через неё. ",
        "hi": "परिषद ने नदी और शहर के नए पुल पर घंटों चर्चा की। ",
        "vi": "Hội đồng họp về dòng sông. ",
    }
    assert authors(line, lang=lang, body=f"<p>{texts[lang] * 12}</p>" * 3) == wanted
