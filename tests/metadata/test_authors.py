"""Authors: names of persons, and nothing that bylines hold besides."""

import json

import pytest

import newsextract
from newsextract.metadata import describe
from newsextract.metadata.names import MAX_NAMES, parse_names
from newsextract.page import Page

BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"


def authors(byline="", head="", lang="en"):
    html = f"<html lang={lang}><head>{head}</head><body><h1>Bridge opens after years</h1>{byline}{BODY}</body></html>"
    page = Page(html, "https://paper.example/a")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    return describe(page, chosen).values.get("authors", [])


def json_ld(author):
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "author": author})}</script>'


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("By Ann Lee", ["Ann Lee"]),
        ("Von Jens Groß und Eva Klein", ["Jens Groß", "Eva Klein"]),
        ("By Ann Lee, Bob Ray and Cy Dow", ["Ann Lee", "Bob Ray", "Cy Dow"]),
        ("Ann Lee, Senior Editor", ["Ann Lee"]),
        ("Ann Lee, MD, PhD", ["Ann Lee"]),
        ("Ann Lee (Brussels) ann.lee@paper.example", ["Ann Lee"]),
        ("By Ann Lee@annlee Dec 10, 2016, 10:20am EST", ["Ann Lee"]),
        ("By JOSEPH HILL, DANIEL CARTER and PAULA REEVES", ["JOSEPH HILL", "DANIEL CARTER", "PAULA REEVES"]),
        ("记者 张楠", ["张楠"]),
        ("作者：王文、李明", ["王文", "李明"]),
        ("LEONARDO GARCIA", ["LEONARDO GARCIA"]),
        ("Ann Lee June 12, 2024", ["Ann Lee"]),
        ("Erstellt von Ann Lee am 12. Juni 2024", ["Ann Lee"]),
        ("par Ann Lee | Reportage Bob Ray et Cy Dow", ["Ann Lee"]),
        ("Reporting by Ann Lee; Editing by Bob Ray", ["Ann Lee"]),
        ("Uncategorized", []),
        ("https://facebook.com/ann.lee", []),
        ("By April Day", ["April Day"]),
        ("BY ANN LEE", ["ANN LEE"]),
        ("ByAnn Lee", ["Ann Lee"]),
        ("Ann Lee1 ; Bob Ray2", ["Ann Lee", "Bob Ray"]),
        ("Ann Lee, Sr. Director of Sales", ["Ann Lee"]),
        ("Ann Lee, Executive Editor, Health Watch, and Bob Ray", ["Ann Lee", "Bob Ray"]),
        ("Ann Lee, Head of Sales and Community Events", ["Ann Lee"]),
        ("This post was written by Ann Lee, MD, gastroenterologist, River Health.", ["Ann Lee"]),
        ("Posted by Ann Lee on 2025-12-18 in City. Tags: bridge, river", ["Ann Lee"]),
        ("Ann Lee in City News", ["Ann Lee"]),
        ("Le Journal et AFP", ["Le Journal et AFP"]),
        ("By ANN LEE and RACHEL METZ - AP Technology Writers", ["ANN LEE", "RACHEL METZ"]),
        ("By ANN LEE 10/ 5/11 09:19 PM ET", ["ANN LEE"]),
        ("Ann (A.B.) Lee", ["Ann Lee"]),
        ("Ann Lee, MD and RN", ["Ann Lee"]),
        ("Bits & b", ["Bits & b"]),
        ("5 min read", []),
        ("Sarah Hauer, Milwaukee Journal Sentinel", ["Sarah Hauer"]),
        ("Ann Lee, GTM Strategy", ["Ann Lee"]),
        ("Ann Lee, New York", ["Ann Lee"]),
        ("Bob Ray, Jr.", ["Bob Ray, Jr."]),
        ("Bob Ray Jr., MD", ["Bob Ray Jr."]),
        ("By Bob Ray, Jr. and Ann Lee", ["Bob Ray, Jr.", "Ann Lee"]),
        ("Center for Bridge Evaluation and Research", ["Center for Bridge Evaluation and Research"]),
        ("River ChecklistsJust EngagedRiver Planning", []),
        ("DeShawn McNally and Fitzgerald MacKenzie", ["DeShawn McNally", "Fitzgerald MacKenzie"]),
        ("BY ANN LEE, BOB RAY AND CY DOW", ["ANN LEE", "BOB RAY", "CY DOW"]),
        ("By A. B. LEE, C.D. RAY and E. DOW", ["A. B. LEE", "C.D. RAY", "E. DOW"]),
        ("ANN LEE, RN BSN", ["ANN LEE"]),
        ("By Ann Leealee@paper.example", ["Ann Lee"]),
        ("By Ann LeeFollow @annlee", ["Ann Lee"]),
        ("By Ann LeeBy Ann Lee", ["Ann Lee"]),
        ("Ann Lee, Bob RayAnn Lee, Bob Ray", ["Ann Lee", "Bob Ray"]),
        ("No Author", []),
        ("New York", []),
        ("Par Le Figaro et AFP", ["Le Figaro et AFP"]),
        ("Agence Science et Santé", ["Agence Science et Santé"]),
        ("By Ann Lee Senior Political Correspondent", ["Ann Lee"]),
        ("By Ann Lee and Bob Ray For Mailonline", ["Ann Lee", "Bob Ray"]),
        ("AAA Travel Editor", ["AAA Travel Editor"]),
        ("Ana Souza — São Paulo", ["Ana Souza"]),
        ("发表于", []),
        ("版权声明", []),
        ("文章目录", []),
    ],
)
def test_parse_names_splits_bylines_and_drops_jobs_and_dates(raw, wanted):
    assert parse_names([raw]) == wanted


def test_parse_names_removes_control_and_direction_characters():
    assert parse_names(["Ann\u202e Lee\x07\u200b"]) == ["Ann Lee"]


def test_authors_of_json_ld_are_bounded():
    persons = [{"@type": "Person", "name": f"Ann {a}{b}xu Lee"} for a in "ABCDEFGHIJKLMNOPQRST" for b in "abcdefghij"]
    assert authors(head=json_ld(persons)) == [person["name"] for person in persons[:MAX_NAMES]]


def test_authors_of_json_ld_are_taken_in_order():
    assert authors(head=json_ld([{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bob Ray"}])) == [
        "Ann Lee",
        "Bob Ray",
    ]


def test_authors_by_json_ld_reference_are_resolved():
    graph = {
        "@graph": [{"@type": "Article", "author": {"@id": "#p"}}, {"@type": "Person", "@id": "#p", "name": "Ann Lee"}]
    }
    assert authors(head=f'<script type="application/ld+json">{json.dumps(graph)}</script>') == ["Ann Lee"]


def test_authors_prefer_person_in_byline_to_declared_organisation():
    head = json_ld({"@type": "Organization", "name": "Paper News"})
    assert authors('<div class="byline">By <a rel="author" href="/authors/ann">Ann Lee</a></div>', head) == ["Ann Lee"]


def test_authors_are_organisation_without_any_person():
    assert authors(head=json_ld({"@type": "Organization", "name": "Paper News"})) == ["Paper News"]


def test_authors_exclude_reviewers():
    assert authors(
        '<div class="author"><span>By</span> <span>Ann Lee</span> <span>Reviewed by Bob Ray</span></div>'
    ) == ["Ann Lee"]


def test_authors_exclude_editors():
    head = json_ld({"@type": "NewsMediaOrganization", "name": "Paper Online"})
    assert authors('<p>Redaktion: Bob Ray und <a href="/redaktion/eva-klein">Eva Klein</a></p>', head) == [
        "Paper Online"
    ]


def test_authors_exclude_commenters():
    assert authors('<div class="comments"><span class="author">Bob Ray</span></div>') == []


@pytest.mark.parametrize(
    ("byline", "wanted"),
    [
        ("<p>By: Ann Lee</p>", ["Ann Lee"]),
        ("<p>Written by</p><p>Ann Lee, Bob Ray, and Cy Dow</p>", ["Ann Lee", "Bob Ray", "Cy Dow"]),
        ("<p>Ann Lee</p><p>3 May 2024</p>", ["Ann Lee"]),
        ("<p>Ann Lee | Senior Writer | July 2, 2025</p>", ["Ann Lee"]),
        ("<p>Ann Lee/Bob Ray</p>", ["Ann Lee", "Bob Ray"]),
        ("<p>May 3, 2024 · Ann Lee on behalf of the council</p>", ["Ann Lee"]),
        ("<p>by Ann · May 3, 2024 at 3:00 am</p>", ["Ann"]),
        ("<p>May 3, 2024 · By River News Online</p>", ["River News Online"]),
        ("<p>3 May 2024 | 13:10 | Ann Lee</p>", ["Ann Lee"]),
        ("<p>VON ANN LEE am 21. April 2020</p>", ["ANN LEE"]),
        ("<nav>Ann Lee | 3 May 2024</nav>", ["Ann Lee"]),
        ("<div class=author><a>Zur Artikelübersicht</a></div>", []),
        ("<p>by Ann Lee, U.S. Institute of Allergy and Infectious Diseases</p>", ["Ann Lee"]),
        ("<p>Council Bridge</p><p>3 May 2024</p>", []),
        ("<p>Public Transport</p>", []),
        ("<p>Greetings World</p><p>3 May 2024</p>", []),
        ("<div class=author>HR Strategy</div><p>3 May 2024</p><p>By Ann Lee</p>", ["Ann Lee"]),
        ("<p>3 May 2024 By <a rel=author href=/author/c>La cocinera</a> 5 Comments</p>", ["La cocinera"]),
        ("<p>3 May 2024 <a rel=author href=/author/c>Ver más</a> 5 Comments</p>", []),
        ("<div class=author-box><b class=author-name>Ann Lee</b> bridges, rivers, boats</div>", ["Ann Lee"]),
        ("<div class=widget-text-editor>Plan Ahead</div>", []),
    ],
)
def test_authors_of_unlabelled_line_below_headline(byline, wanted):
    assert authors(byline) == wanted


def test_authors_are_completed_by_line_with_all_declared_names():
    head = json_ld({"@type": "Person", "name": "Ann Lee"})
    assert authors("<p>Written by Ann Lee, Bob Ray and Cy Dow</p>", head) == ["Ann Lee", "Bob Ray", "Cy Dow"]
    assert authors("<p>Written by Bob Ray and Cy Dow</p>", head) == ["Ann Lee"]


def test_authors_of_list_behind_article():
    after = "<h4>Author(s)</h4><ul><li>Ann Lee</li><li>Bob Ray</li></ul><h4>Related links of the council</h4>"
    page = Page(f"<html lang=en><h1>Bridge opens after years</h1>{BODY}{after}")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    assert describe(page, chosen).values["authors"] == ["Ann Lee", "Bob Ray"]


def test_authors_exclude_bold_text_of_article_with_author_class():
    page = Page(
        f'<html lang=en><h1>Bridge opens after years</h1><div class="author-post"><b>Plan Ahead</b>{BODY}</div>'
    )
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    assert "authors" not in describe(page, chosen).values


def test_authors_below_h1_when_headline_is_another_title():
    title = (
        '<title>River bridge is open at last</title><meta property="og:title" content="River bridge is open at last">'
    )
    above = "".join(f"<p>Notice {i} of the house to its readers</p>" for i in range(9))
    html = f"{title}<h1>Ten years on, a look back</h1><p>By Ann Lee, Bridge Expert & Bob Ray, Boatman</p>{above}{BODY}"
    page = Page(f"<html lang=en>{html}", "https://paper.example/river-bridge-is-open-at-last")
    found = describe(page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]).values
    assert (found["headline"], found["authors"]) == ("River bridge is open at last", ["Ann Lee", "Bob Ray"])


def test_authors_prefer_visible_byline_to_declared_account():
    assert authors("<p>By Ann Lee</p>", '<meta name=author content="Bob Ray">') == ["Ann Lee"]


def test_authors_accept_agency_acronym_before_publisher():
    head = '<meta property="og:site_name" content="Paper News">'
    assert authors("", head + json_ld([{"@type": "Person", "name": "SID"}])) == ["SID"]
    organisation = json_ld({"@type": "Organization", "name": "Paper News"})
    assert authors("", head + organisation + '<meta name=author content="Press Agency">') == ["Press Agency"]


CHINESE = "<p>" + "市政府今天在新桥上召开会议讨论河流的治理问题。" * 12


def chinese(byline="", end="</p>", head=""):
    html = f"<html lang=zh><head>{head}</head><body><h1>新桥十年后终于通车</h1>{byline}{CHINESE}{end}</body></html>"
    page = Page(html)
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    return describe(page, chosen).values.get("authors", [])


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
    ],
)
def test_authors_of_chinese_pages_by_label_or_surname(byline, end, wanted):
    assert chinese(byline, end) == wanted


@pytest.mark.parametrize("name", ["弓之剑者", "中川梓.🫐"])
def test_authors_of_chinese_pages_are_declared_pen_names_where_text_names_nobody(name):
    head = f'<meta property="article:author" content="{name}">'
    assert chinese("<p>发表于 2022-01-22 更新于 2022-01-24 分类于 随笔</p>", "</p><p>文章目录</p>", head) == [name]


def test_authors_of_blog_without_byline_are_its_owner():
    aside = '<aside><p class="site-author-name">龚志强</p><p>技术,小白</p></aside>'
    assert chinese("<p>发表于 2018-02-26</p>", f"</p>{'<p>#随笔</p>' * 90}{aside}") == ["龚志强"]


def test_authors_of_footer_of_article():
    end = "<footer><span class=byline>Author j stone</span> Posted on May 3, 2024</footer>"
    page = Page(f"<html lang=en><article><h1>Bridge opens after years</h1>{BODY * 40}{end}</article>")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    assert describe(page, chosen).values["authors"] == ["j stone"]


def test_authors_of_several_json_ld_articles_are_those_beside_headline():
    objects = [{"@type": "Article", "author": {"@type": "Person", "name": name}} for name in ("Ann Lee", "Bob Ray")]
    head = f'<script type="application/ld+json">{json.dumps(objects)}</script>'
    assert authors("<span class=byline>By Ann Lee on Dec. 19</span>", head) == ["Ann Lee"]
    assert authors("", head) == ["Ann Lee", "Bob Ray"]
    both = json_ld([{"@type": "Person", "name": name} for name in ("Ann Lee", "Bob Ray")])
    assert authors("<span class=byline>By Ann Lee and others</span>", both) == ["Ann Lee", "Bob Ray"]


PARAGRAPHS = "".join(
    f"<p>The council met on the bridge on Monday, item {i}, and talked about the river.</p>" for i in range(8)
)


@pytest.mark.parametrize("written", ["Milo Vance, Jr.", "Milo Vance Jr.", "Milo Vance III"])
def test_jr_belongs_to_a_name_that_is_declared_without_it(written):
    article = newsextract.extract(
        f"{json_ld({'@type': 'Person', 'name': 'Milo Vance'})}<h1>Bridge opens after ten years</h1>"
        f"<p>By {written}</p><p>May 5, 2026</p>{PARAGRAPHS}<p>{written}</p>",
        "https://paper.example/news/bridge-opens-after-ten-years",
    )
    assert article.authors == [written]
    assert "Vance" not in article.article_body


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
    article = newsextract.extract(
        f"<h1>Bridge opens after ten years</h1>{line}<p>May 5, 2026</p>{PARAGRAPHS}",
        "https://paper.example/news/bridge-opens-after-ten-years",
    )
    assert article.authors == []


MENU = (("Inmul", "인물동정"), ("Insa", "인사"), ("Bugo", "부고"))


@pytest.mark.parametrize(
    "byline",
    [
        "<p>Bridge Opens</p><p>12 May 2024</p>",
        "<ul>" + "".join(f"<li><a href=/List/People/{path}>{name}</a></li>" for path, name in MENU) + "</ul>",
    ],
)
def test_words_of_the_headline_and_sections_of_a_menu_are_no_authors(byline):
    assert authors(byline) == []


def test_headings_of_the_text_are_no_authors_and_one_above_it_may_be():
    prose = "The river is high in this year of 2023, and its bridge is low, and nobody who lives beside it slept. " * 3
    html = f"<h1>Bridge opens after ten years</h1>{{}}<p>{prose}</p><h3>Take Note</h3><p>It is 2023. {prose}</p>"
    url = "https://paper.example/news/bridge-opens-after-ten-years"
    assert newsextract.extract(html.format(""), url).authors == []
    assert newsextract.extract(html.format("<h3>Ann Lee</h3><p>12 May 2024</p>"), url).authors == ["Ann Lee"]


@pytest.mark.parametrize(
    ("head", "byline", "wanted"),
    [
        ("<meta name=author content='River Media'><meta property=article:author content='Ann Lee'>", "", ["Ann Lee"]),
        (json_ld({"name": "Tan Hui Min"}), "<div class=author>Bookmark</div>", ["Tan Hui Min"]),
        (
            f'<meta property="og:site_name" content="The Paper">{json_ld({"name": "Ann Lee"})}',
            "<p>by Ann Lee , The Paper</p>",
            ["Ann Lee"],
        ),
        ("<meta name=author content='Die Paper'>", "<p>Ann Lee | 3 May 2024</p>", ["Ann Lee"]),
        ("<meta name=author content='News Desk'>", "<div class=author>Bridge Opens</div>", ["News Desk"]),
    ],
)
def test_authors_are_neither_the_publisher_nor_words_of_the_headline(head, byline, wanted):
    assert authors(byline, head) == wanted


def test_authors_below_the_headline_are_preferred_to_those_of_teasers_above_it():
    teaser = "<h2>Ferry runs again</h2><p>By Bob Ray Nov 13, 2022</p>"
    html = f"<body>{teaser}<h1>Bridge opens after years</h1><div>By<a>Ann Lee</a></div>{BODY}</body>"
    page = Page(html, "https://paper.example/a")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    assert describe(page, chosen).values["authors"] == ["Ann Lee"]


@pytest.mark.parametrize("line", ["3.12.2023 - Ann Lee", "3.12.2023 | Ann Lee"])
def test_author_behind_a_date(line):
    assert authors(f"<p>{line}</p>", lang="de") == ["Ann Lee"]


@pytest.mark.parametrize(
    "end",
    [
        "<p><em>Von Ann Lee</em></p>",
        "<p>Reporting by Ann Lee; Editing by Bob Ray</p>",
        "<p>Autorin: Ann Lee</p>",
        "<div><a href=/ann>Mehr von Ann Lee</a></div>",
    ],
)
def test_author_who_signs_the_end(end):
    html = f"<html lang=de><body><h1>Bridge opens after years</h1>{BODY}{end}</body></html>"
    page = Page(html, "https://paper.example/a")
    assert describe(page, [1, 2]).values["authors"] == ["Ann Lee"]


def test_byline_of_a_headline_that_a_caption_repeats():
    title = "Bridge opens after years"
    gallery = f"<figure><figcaption>{title}</figcaption></figure><figure><figcaption>A ferry</figcaption></figure>"
    html = f"<body><h1>{title}</h1><div class=byline><a>Ann Lee</a> / PNN</div>{gallery * 9}{BODY}</body>"
    page = Page(html, "https://paper.example/a")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    assert describe(page, chosen).values["authors"] == ["Ann Lee"]


def test_author_whom_a_korean_page_declares_for_a_portal():
    assert authors(head='<meta property="dd:author" content="김하늘">', lang="ko") == ["김하늘"]


def test_author_declared_whom_the_page_never_names_gives_way_to_the_one_beside_the_headline():
    head = '<meta name="author" content="Endless Theme Works">'
    byline = '<span itemprop="author"><a rel="author" href="/author/lee">Ann Lee</a></span>'
    assert authors(byline, head) == ["Ann Lee"]
    assert authors(f"{byline}<p>Endless Theme Works</p>", head) == ["Endless Theme Works"]


LABELLED = {
    "ja": ("市議会は新しい橋について話し合い、川の治水の問題を検討しました。", "山田太郎"),
    "ko": ("시의회는 새 다리에서 회의를 열고 강의 치수 문제를 오랫동안 논의했다고 밝혔다. ", "홍길동"),
    "de": ("Der Rat sprach auf der Brücke lange über den Fluss und die Stadt und ging nach Hause. ", "Anna Müller"),
    "id": ("Dewan kota bertemu di jembatan baru dan berbicara tentang sungai itu selama berjam-jam. ", "Budi Santoso"),
    "en": ("The council met on the bridge and talked about the river for hours. ", "Ann Lee"),
}


@pytest.mark.parametrize(
    ("lang", "byline"),
    [
        ("ja", "著者 山田 太郎"),
        ("ja", "取材・文：山田太郎"),
        ("ja", "文● 山田 太郎　編集●佐藤花子"),
        ("ja", "文＝山田太郎 イラスト＝佐藤花子"),
        ("ja", "山田太郎 記者"),
        ("ja", "[山田太郎，Paper]"),
        ("ja", "<span class=author>山田太郎＝東京</span>"),
        ("ko", "홍길동 기자 hong@paper.example"),
        ("ko", "[서울=뉴스] 홍길동 선임기자 = 새 다리"),
        ("de", "Ein Kommentar von Anna Müller"),
        ("id", "Penulis: Budi Santoso | Editor: Siti Aminah"),
        ("en", "Analysis by Ann Lee, CNN"),
        ("en", "Ann Lee | Guest Columnist"),
        ("en", "Reported by: Ann Lee, Edited by: Bob Ray"),
        ("en", "</p><h4>About the author</h4><p>Ann Lee"),
    ],
)
def test_authors_of_a_labelled_line(lang, byline):
    text, name = LABELLED[lang]
    page = Page(f"<html lang={lang}><h1>Bridge opens after years</h1><p>{byline}</p><p>{text * 8}</p>")
    chosen = [i for i, block in enumerate(page.blocks.texts) if len(block) > 200]
    assert describe(page, chosen).values["authors"] == [name]


@pytest.mark.parametrize(
    ("byline", "wanted"),
    [
        ("Ann Lee　著、山田 太郎　監訳、鈴木 花子　訳", ["Ann Lee", "山田太郎", "鈴木花子"]),
        ("山田太郎 鈴木花子", ["山田太郎", "鈴木花子"]),
    ],
)
def test_japanese_names_have_no_roles_and_stay_whole_at_a_space(byline, wanted):
    assert authors(head=f'<meta name="author" content="{byline}">', lang="ja") == wanted
