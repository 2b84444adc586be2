"""The headline: which of a page's titles is chosen."""

import pytest

from newsextract.metadata.describe import describe
from newsextract.page import Page

BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"
URL = "https://paper.example/news/4711"
TITLE = "Bridge opens after ten years"
#: What sites declare for search engines and for sharing.
SHARED = "The best way across the river has opened"


def headline(html, url=URL, anchor=None):
    page = Page(html, url, anchor_text=anchor)
    found = describe(page, [i for i, text in enumerate(page.blocks.texts) if len(text) > 200])
    return found.values["headline"], found.sources["headline"]


def declared(title, site=""):
    json_ld = f'<script type="application/ld+json">{{"@type": "NewsArticle", "headline": "{title}{site}"}}</script>'
    return (
        f'<title>{title}{site or " - The Paper"}</title><meta property="og:type" content="article">'
        f'<meta property="og:title" content="{title}{site}">{json_ld}'
    )


SITE = '<meta property="og:site_name" content="The Paper"><body><h1>The Paper</h1>'
OG = f'<meta property="og:title" content="{TITLE}">'


@pytest.mark.parametrize(
    "html",
    [
        # The site's or section's name
        f"<title>{TITLE} | The Paper</title>{SITE}",
        f"<title>The Paper - {TITLE}</title>{SITE}",
        f"<title>{TITLE}</title>{SITE}",
        f"<title>{TITLE} | City | The Paper</title>{SITE}",
        f"<title>{TITLE} - Paper</title><h1>Menu</h1><h1>{TITLE}</h1>",
        f"<title>{TITLE}</title><h1><a href=/>Notes from the river</a></h1><h2>{TITLE}</h2>",
        f"<title>» {TITLE} Time Flies</title><h1><a href=/>Time Flies</a></h1><h3>{TITLE}</h3>",
        f"<title>The Paper: {TITLE}</title>{SITE}",
        f"<title>{TITLE} | Time Flies</title><h1 class=site-title>Time Flies</h1><h2 class=post-title>{TITLE}</h2>",
        f"<title>{TITLE} | Paper.Example</title><h1>Paper.Example</h1><h2>{TITLE}</h2>",
        f"<title>Dr. River, boats and bridges</title><h2>{TITLE}</h2>",
        f"<title>{TITLE} - Paper</title><h1>Press releases</h1><h2>{TITLE}</h2>",
        f"<title>Harbour Blog: {TITLE}</title><h2>Thursday, 8 November 2012</h2><h3>{TITLE}</h3>",
        f"<title>{TITLE} on Paper.Example</title><div>{TITLE}</div>",
        declared("The Paper") + f"<h1>{TITLE}</h1>",
        f"<article>{declared(TITLE, ' | The Paper')}<h1>{TITLE}</h1></article>",
        # Another title is declared than readers see
        f"{declared(SHARED)}<article><h1>{TITLE}</h1></article>",
        f"{declared('Bridge opens after')}<article><h1>{TITLE}</h1></article>",
        f"{declared(SHARED)}<div><header><h1 class=entry-title>{TITLE}</h1></header></div>",
        # A kicker or label before it
        f'<title>City: {TITLE}</title><meta property="og:title" content="City: {TITLE}"><h1>{TITLE}</h1>',
        f"<title>{TITLE} - Paper</title>{OG}<h1><span class=overline>City traffic</span> <span>{TITLE}</span></h1>",
        *(
            f"<title>City traffic: {TITLE}</title><h1><span class='{kicker}'>City traffic</span> <b>{TITLE}</b></h1>"
            for kicker in ("dachzeile", "topic-label", "article__kicker", "roofline")
        ),
        f"<title>{TITLE}</title>{OG}<h1><a href=/topic/river>River</a> {TITLE}</h1>",
        *(f"<title>Bridge</title><h1>{label}{TITLE}</h1>" for label in ("Title:", "<b>Blog:</b> ", "ARTICLE : ")),
        # Markup within it
        "<title>Paper</title><h1>Bridge opens<br>after <em>ten</em> years</h1>",
        "<title>Paper</title><h1>## **Bridge opens** after ten years</h1>",
        "<title>Paper</title><h1>&lt;span&gt;Bridge opens&lt;/span&gt; after ten years</h1>",
        "<title>Bridge</title><h1><style>.a1{font-size:16px}</style>Bridge opens after <b>ten</b> years</h1>",
    ],
)
def test_headline_is_what_readers_see_without_site_kicker_and_markup(html):
    assert headline(html + BODY)[0] == TITLE


@pytest.mark.parametrize("heading", [f"City traffic: {SHARED}", "City traffic"])
def test_headline_is_the_declared_one_where_the_heading_has_only_a_kicker_more_or_is_a_section(heading):
    assert headline(f"{declared(SHARED)}<article><h1>{heading}</h1>{BODY}</article>")[0] == SHARED


def test_headline_is_not_the_section_that_is_a_heading_too():
    html = f"<title>Traffic - {TITLE} - Paper</title><h1>traffic</h1><h1>{TITLE}</h1>{BODY}"
    assert headline(html, "https://paper.example/traffic/bridge-opens-after-ten-years")[0] == TITLE


def test_headline_of_chinese_title_excludes_section_and_site():
    body = "<p>" + "市政府今天在新桥上召开会议讨论河流的治理问题。" * 10 + "</p>"
    assert headline(f"<title>新桥十年后终于通车_时政_日报网</title><body>{body}", None)[0] == "新桥十年后终于通车"
    assert headline(f"<title>城 | 落秋阁</title><h1>城</h1>{BODY}")[0] == "城"


@pytest.mark.parametrize(
    ("anchor", "wanted"),
    [
        (None, "Ten years on, the bridge opens"),
        ("River bridge is open at last", "River bridge is open at last"),
        ("Read more", "Ten years on, the bridge opens"),
        ("The Paper", "Ten years on, the bridge opens"),
    ],
)
def test_headline_uses_anchor_text_to_choose_among_titles(anchor, wanted):
    html = (
        '<title>River bridge is open at last | Paper</title><meta property="og:title" content="River bridge is open at '
        f'last"><h1>Ten years on, the bridge opens</h1>{BODY}'
    )
    assert headline(html, anchor=anchor)[0] == wanted


def test_headline_is_anchor_text_when_page_has_only_site_name():
    assert headline(f"<title>Paper</title><h1>Paper</h1>{BODY}", anchor=TITLE) == (TITLE, "anchor")
