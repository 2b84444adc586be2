"""The headline: which of a page's titles is chosen."""

import pytest

from newsextract.page import Page
from tests.metadata.pages import BODY, described

URL = "https://paper.example/news/4711"
TITLE = "Bridge opens after ten years"
#: What sites declare for search engines and for sharing.
SHARED = "The best way across the river has opened"


def headline(html, url=URL, anchor=None):
    found = described(html, url, anchor)
    return found.values["headline"]


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
        f"<title>{TITLE}, The Paper</title>{SITE}",
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
    assert headline(html + BODY) == TITLE


SECTION_URL = "https://paper.example/traffic/bridge-opens-after-ten-years"
CHINESE = "<p>" + "市政府今天在新桥上召开会议讨论河流的治理问题。" * 10
SEVERAL = f'<title>{SHARED} | Paper</title><meta property="og:title" content="{SHARED}"><h1>{TITLE}</h1>'


@pytest.mark.parametrize(
    ("html", "url", "anchor", "wanted"),
    [
        # The heading has only a kicker more, or is a section
        (f"{declared(SHARED)}<article><h1>City traffic: {SHARED}</h1>", URL, None, SHARED),
        (f"{declared(SHARED)}<article><h1>City traffic</h1>", URL, None, SHARED),
        (f"<title>Traffic - {TITLE} - Paper</title><h1>traffic</h1><h1>{TITLE}</h1>", SECTION_URL, None, TITLE),
        (f"<title>新桥十年后终于通车_时政_日报网</title><body>{CHINESE}", None, None, "新桥十年后终于通车"),
        ("<title>城 | 落秋阁</title><h1>城</h1>", URL, None, "城"),
        # The words of the link that leads to the page
        *((SEVERAL, URL, anchor, TITLE) for anchor in (None, "Read more", "The Paper")),
        (SEVERAL, URL, SHARED, SHARED),
        ("<title>Paper</title><h1>Paper</h1>", URL, TITLE, TITLE),
    ],
)
def test_headline_is_chosen_among_titles_by_declaration_url_and_anchor_text(html, url, anchor, wanted):
    assert headline(html + BODY, url, anchor) == wanted


@pytest.mark.parametrize(
    "heading",
    [
        'Bridge opens<a class="headerlink" href="#b">¶</a>',
        '<a class="anchor" href="#b">#</a> Bridge opens',
        "Bridge opens <button>Share</button>",
        'Bridge opens <a href="#b" aria-label="Permalink">🔗</a>',
        'Bridge opens <a class="header-anchor" href="https://paper.example/a#b">Link</a>',
        '<a href="#b">Bridge opens</a>',
    ],
)
def test_signs_of_permalinks_are_no_part_of_the_headline(heading):
    assert described(f"<title>Bridge opens</title><h1>{heading}</h1>{BODY}").values["headline"] == "Bridge opens"


@pytest.mark.parametrize("tag", ["h2", "h4"])
@pytest.mark.parametrize(
    "sign", ['<a class=anchor href="#w">#</a>', '<a href="#w">¶</a>', '<a class=permalink href="#w">Permalink</a>']
)
def test_signs_of_permalinks_are_no_part_of_subheadings(tag, sign):
    page = Page(f"<h1>Bridge opens</h1>{BODY}<{tag}>Who pays {sign}</{tag}>{BODY}<p>Note<a href='#n'>*</a></p>")
    assert "Who pays" in page.blocks.texts and "Note*" in page.blocks.texts
