"""Authors: names of persons, and nothing that bylines hold besides."""

import json

import pytest

import newsextract
from newsextract.language.names import parse_names
from newsextract.metadata.author_candidates import AuthorCandidates
from newsextract.metadata.authors import author_features
from newsextract.metadata.describe import read_evidence
from newsextract.metadata.linear_model import load_model
from newsextract.page import Page
from tests.examples import examples
from tests.metadata.pages import BODIES, BODY, described

TITLE = "Bridge opens after years"


def authors(byline="", head="", lang="en", end="", body=None, url="https://paper.example/a"):
    body = body or BODIES.get(lang, BODY)
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


@pytest.mark.parametrize(("raw", "wanted"), examples(__file__, "bylines"))
def test_parse_names_splits_bylines_and_drops_jobs_and_dates(raw, wanted):
    assert parse_names([raw]) == wanted


@pytest.mark.parametrize(
    ("byline", "head", "wanted"),
    [
        *examples(__file__, "pages"),
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
        ("<p>Redaktion: Bob Ray und <a href=/redaktion/eva>Eva Klein</a></p>", json_ld(PAPER), ["Paper News"]),
        ("".join(f"<li><a href=/List/People/{name}>{name}</a></li>" for name in ("인사", "부고", "동정")), "", []),
        # A headline that captions repeat
        (f"<div class=byline><a>Ann Lee</a> / PNN</div>{GALLERY}", "", ["Ann Lee"]),
    ],
)
def test_authors_of_a_page_are(byline, head, wanted):
    assert authors(byline, head) == wanted


@pytest.mark.parametrize(("lang", "byline", "end", "wanted"), examples(__file__, "behind"))
def test_authors_of_a_page_with_names_behind_its_text_are(lang, byline, end, wanted):
    assert authors(byline, lang=lang, end=end) == wanted


def test_authors_in_a_sidebar_behind_the_text():
    end = f"{'<p>#随笔</p>' * 90}<aside><p class=site-author-name>龚志强</p><p>技术,小白</p></aside>"
    assert authors("<p>发表于 2018-02-26</p>", lang="zh", end=end) == ["龚志强"]


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


@pytest.mark.parametrize("name", ["弓之剑者", "中川梓.🫐"])
def test_authors_of_chinese_pages_are_declared_pen_names_where_text_names_nobody(name):
    head = f'<meta property="article:author" content="{name}">'
    byline = "<p>发表于 2022-01-22 更新于 2022-01-24 分类于 随笔</p>"
    assert authors(byline, head, "zh", "</p><p>文章目录</p>", url=None) == [name]


@pytest.mark.parametrize(("lang", "byline", "wanted"), examples(__file__, "languages"))
def test_authors_of_bylines_in_other_languages(lang, byline, wanted):
    assert authors(byline, lang=lang) == wanted


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
    byline = "<h3><a href=/team/ann>Ann Lee</a></h3><p>12 May 2024</p>"
    for above, wanted in (("", []), (byline, ["Ann Lee"])):
        assert newsextract.extract(html.format(above), LONG_URL).authors == wanted


DECLARED = json_ld(person("Ann Lee"))


@pytest.mark.parametrize(
    "parts",
    [
        {"byline": "<p>By Bob Ray</p>"},
        {"byline": "<p><a rel=author href=/b>Bob Ray</a></p>"},
        {"byline": "<p class=byline>Bob Ray</p>"},
        {"byline": "<p>Bob Ray | 3 May 2024</p>", "end": "<p>Bob Ray is a reporter.</p>"},
        {"end": "<p>Written by Bob Ray</p>"},
    ],
    ids="line rel class unlabelled signature".split(),
)
def test_a_declared_person_wins_over_others_without_evidence_against_it(parts):
    assert authors(head=DECLARED, **parts) == ["Ann Lee"]
    assert authors(**parts) == ["Bob Ray"]


def test_the_source_of_the_names_is_named():
    html = f"<html lang=en><body><h1>{TITLE}</h1>%s{BODY}</body></html>"
    more = described(html % f"{DECLARED}<p>Written by Ann Lee and Bob Ray</p>")
    assert (more.values["authors"], more.sources["authors"]) == (["Ann Lee", "Bob Ray"], "text")
    assert described(html % DECLARED).sources["authors"] == "json-ld"


def test_names_below_the_threshold_are_not_given():
    head, byline = json_ld(person("Annabel")), "<p>Bob Ray | 3 May 2024</p>"
    page = Page(f"<html lang=en><head>{head}</head><body><h1>{TITLE}</h1>{byline}{BODY}<p>Bob Ray is a reporter.</p>")
    evidence, _ = read_evidence(page, [row for row, text in enumerate(page.blocks.texts) if len(text) > 200])
    first = next(AuthorCandidates(evidence).groups())
    model = load_model("authors")
    assert [one.names for one in first] == [("Bob Ray",)]
    assert model.score(author_features(first[0], first)) < model.threshold
    assert authors(byline, head, end="<p>Bob Ray is a reporter.</p>") == ["Annabel"]
