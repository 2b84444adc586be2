"""The headline: which of a page's titles is chosen."""

import pytest

from newsextract.metadata import describe
from newsextract.page import Page

BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"
URL = "https://paper.example/news/2024/bridge-opens-after-ten-years"


def described(html, url=URL):
    page = Page(html, url)
    return describe(page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200])


@pytest.mark.parametrize(
    "title",
    [
        "Bridge opens after ten years | The Paper",
        "The Paper - Bridge opens after ten years",
        "Bridge opens after ten years",
        "Bridge opens after ten years | City | The Paper",
    ],
)
def test_headline_excludes_site_and_section(title):
    found = described(
        f'<title>{title}</title><meta property="og:site_name" content="The Paper"><body><h1>The Paper</h1>{BODY}'
    )
    assert found.values["headline"] == "Bridge opens after ten years"


def test_headline_is_heading_of_article_not_first_heading():
    found = described(
        f"<title>Bridge opens after ten years - Paper</title><h1>Menu</h1><h1>Bridge opens after ten years</h1>{BODY}"
    )
    assert found.values["headline"] == "Bridge opens after ten years"


@pytest.mark.parametrize("label", ["Title:", "<b>Blog:</b> ", "ARTICLE : "])
def test_headline_excludes_label_before_it(label):
    found = described(f"<title>Bridge</title><h1>{label}Bridge opens after ten years</h1>{BODY}")
    assert found.values["headline"] == "Bridge opens after ten years"


def test_headline_is_not_linked_heading_of_site():
    found = described(
        "<title>Bridge opens after ten years</title><h1><a href=/>Notes from the river</a></h1>"
        f"<h2>Bridge opens after ten years</h2>{BODY}"
    )
    assert found.values["headline"] == "Bridge opens after ten years"


SHARED = "The best way across the river has opened"
DECLARES_OTHER_TITLES = (
    f'<title>{SHARED} - The Paper</title><meta property="og:type" content="article"><meta property="og:title" '
    f'content="{SHARED}"><script type="application/ld+json">{{"@type": "NewsArticle", "headline": "{SHARED}"}}</script>'
)


@pytest.mark.parametrize(
    ("heading", "headline"),
    [
        ("Bridge opens after ten years of work", "Bridge opens after ten years of work"),
        (f"City traffic: {SHARED}", SHARED),  # only a kicker more
        ("City traffic", SHARED),  # a section
    ],
)
def test_headline_is_the_heading_that_readers_see_where_titles_for_sharing_differ(heading, headline):
    found = described(
        f"{DECLARES_OTHER_TITLES}<article><h1>{heading}</h1>{BODY}</article>", "https://paper.example/a/1"
    )
    assert found.values["headline"] == headline


def test_headline_excludes_topic_above_it():
    found = described(
        '<title>Bridge opens after ten years - Paper</title><meta property="og:title" content="Bridge opens after ten '
        'years"><article><h1><span class=overline>City traffic</span> <span>Bridge opens after ten years</span></h1>'
        f"{BODY}</article>"
    )
    assert found.values["headline"] == "Bridge opens after ten years"


def test_headline_of_several_elements_is_joined():
    found = described(f"<title>Bridge | Paper</title><h1>Bridge opens<br>after <em>ten</em> long years</h1>{BODY}")
    assert found.values["headline"] == "Bridge opens after ten long years"


def test_headline_of_chinese_title_excludes_section_and_site():
    body = "<p>" + "市政府今天在新桥上召开会议讨论河流的治理问题。" * 10 + "</p>"
    found = described(f"<title>新桥十年后终于通车_时政_日报网</title><body>{body}", None)
    assert found.values["headline"] == "新桥十年后终于通车"


@pytest.mark.parametrize(
    ("anchor", "wanted"),
    [
        (None, "Ten years on, the bridge opens"),
        ("River bridge is open at last", "River bridge is open at last"),
        ("Ten years on, the bridge opens", "Ten years on, the bridge opens"),
        ("Read more", "Ten years on, the bridge opens"),
        ("The Paper", "Ten years on, the bridge opens"),
    ],
)
def test_headline_uses_anchor_text_to_choose_among_titles(anchor, wanted):
    html = (
        '<title>River bridge is open at last | Paper</title><meta property="og:title" content="River bridge is open at '
        f'last"><h1>Ten years on, the bridge opens</h1>{BODY}'
    )
    page = Page(html, "https://paper.example/news/4711", anchor_text=anchor)
    assert describe(page, [1]).values["headline"] == wanted


def test_headline_is_anchor_text_when_page_has_only_site_name():
    page = Page(f"<title>Paper</title><h1>Paper</h1>{BODY}", URL, anchor_text="Bridge opens after ten years")
    found = describe(page, [1])
    assert (found.values["headline"], found.sources["headline"]) == ("Bridge opens after ten years", "anchor")


@pytest.mark.parametrize(
    "html",
    [
        "<title>» Bridge opens after ten years Time Flies</title><h1><a href=/>Time Flies</a></h1>"
        "<h3>Bridge opens after ten years</h3>",
        "<title>Time Flies: Bridge opens after ten years</title><meta property=og:site_name content='Time Flies'>"
        "<h1>Time Flies</h1>",
        "<title>Bridge opens after ten years | Time Flies</title><h1 class=site-title>Time Flies</h1>"
        "<h2 class=post-title>Bridge opens after ten years</h2>",
        "<title>Bridge opens after ten years | Paper.Example</title><h1>Paper.Example</h1>"
        "<h2>Bridge opens after ten years</h2>",
        "<title>Dr. River, boats and bridges</title><h2>Bridge opens after ten years</h2>",
    ],
)
def test_headline_is_not_name_of_site_in_its_only_heading(html):
    assert (
        described(html + BODY, "https://paper.example/news/4711").values["headline"] == "Bridge opens after ten years"
    )


@pytest.mark.parametrize(
    "marked", ["## **Bridge opens** after ten years", "&lt;span&gt;Bridge opens&lt;/span&gt; after ten years"]
)
def test_headline_excludes_marks_of_markup_languages(marked):
    assert (
        described(f"<title>Paper</title><h1>{marked}</h1>{BODY}").values["headline"] == "Bridge opens after ten years"
    )


def test_headline_may_be_one_character_of_chinese():
    assert described(f"<title>城 | 落秋阁</title><h1>城</h1>{BODY}").values["headline"] == "城"


@pytest.mark.parametrize("kicker", ["dachzeile", "topic-label", "article__kicker", "roofline"])
def test_headline_excludes_a_kicker_within_the_heading(kicker):
    heading = f"<h1><span class='{kicker}'>City traffic</span> <span>Bridge opens after ten years</span></h1>"
    found = described(f"<title>City traffic: Bridge opens after ten years</title>{heading}<p>By Ann Lee</p>{BODY}")
    assert found.values["headline"] == "Bridge opens after ten years"
    assert found.values["authors"] == ["Ann Lee"]


def test_headline_excludes_style_within_the_heading():
    heading = "<h1><style>.a1{font-size:16px}</style>Bridge opens after <b>ten</b> years</h1>"
    assert described(f"<title>Bridge</title>{heading}{BODY}").values["headline"] == "Bridge opens after ten years"


def test_headline_is_not_the_section_that_is_a_heading_too():
    title = "Bridge opens after ten years"
    html = f"<title>Traffic - {title} - Paper</title><h1>traffic</h1><h1>{title}</h1>{BODY}"
    found = described(html, "https://paper.example/traffic/bridge-opens-after-ten-years")
    assert found.values["headline"] == "Bridge opens after ten years"
