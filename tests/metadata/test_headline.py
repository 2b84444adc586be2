"""The headline and the other fields of one page: what is chosen, and from where."""

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
def test_site_and_section_are_no_part_of_the_headline(title):
    found = described(
        f'<title>{title}</title><meta property="og:site_name" content="The Paper"><body><h1>The Paper</h1>{BODY}'
    )
    assert found.values["headline"] == "Bridge opens after ten years"


def test_the_headline_is_not_the_first_heading_but_the_articles():
    found = described(
        f"<title>Bridge opens after ten years - Paper</title><h1>Menu</h1><h1>Bridge opens after ten years</h1>{BODY}"
    )
    assert found.values["headline"] == "Bridge opens after ten years"


@pytest.mark.parametrize("label", ["Title:", "<b>Blog:</b> ", "ARTICLE : "])
def test_the_word_that_announces_a_headline_is_no_part_of_it(label):
    found = described(f"<title>Bridge</title><h1>{label}Bridge opens after ten years</h1>{BODY}")
    assert found.values["headline"] == "Bridge opens after ten years"


def test_the_heading_that_is_a_link_is_the_sites():
    found = described(
        "<title>Bridge opens after ten years</title><h1><a href=/>Notes from the river</a></h1>"
        f"<h2>Bridge opens after ten years</h2>{BODY}"
    )
    assert found.values["headline"] == "Bridge opens after ten years"


def test_the_topic_over_a_headline_is_no_part_of_it():
    found = described(
        '<title>Bridge opens after ten years - Paper</title><meta property="og:title" content="Bridge opens after ten '
        'years"><article><h1><span class=overline>City traffic</span> <span>Bridge opens after ten years</span></h1>'
        f"{BODY}</article>"
    )
    assert found.values["headline"] == "Bridge opens after ten years"


def test_a_headline_of_several_elements_is_whole():
    found = described(f"<title>Bridge | Paper</title><h1>Bridge opens<br>after <em>ten</em> long years</h1>{BODY}")
    assert found.values["headline"] == "Bridge opens after ten long years"


def test_the_chinese_title_loses_its_section_and_site():
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
def test_the_link_to_a_page_decides_between_its_titles_and_does_not_replace_them(anchor, wanted):
    html = (
        '<title>River bridge is open at last | Paper</title><meta property="og:title" content="River bridge is open at '
        f'last"><h1>Ten years on, the bridge opens</h1>{BODY}'
    )
    page = Page(html, "https://paper.example/news/4711", anchor_text=anchor)
    assert describe(page, [1]).values["headline"] == wanted


def test_where_the_page_has_only_the_sites_name_the_link_to_it_has_the_headline():
    page = Page(f"<title>Paper</title><h1>Paper</h1>{BODY}", URL, anchor_text="Bridge opens after ten years")
    found = describe(page, [1])
    assert (found.values["headline"], found.sources["headline"]) == ("Bridge opens after ten years", "anchor")


def test_a_canonical_on_another_site_or_of_the_front_page_is_refused():
    for address in ("https://other.example/a", "https://paper.example/", "javascript:alert(1)", "http://[broken"):
        assert "canonical_url" not in described(f'<link rel=canonical href="{address}"><h1>Bridge</h1>{BODY}').values
    found = described(f'<link rel=canonical href="/news/bridge"><h1>Bridge</h1>{BODY}')
    assert found.values["canonical_url"] == "https://paper.example/news/bridge"


def test_the_language_is_the_texts_where_the_declaration_lies():
    german = (
        "<p>" + "Der Rat hat sich am Abend auf der Brücke getroffen und lange über den Fluss gesprochen. " * 20 + "</p>"
    )
    assert described(f"<html lang=fr><body><h1>Brücke</h1>{german}").values["language"] == "de"
    assert described(f"<html lang=en_gb><body><h1>Bridge</h1>{BODY}").values["language"] == "en-GB"


def test_images_are_absolute_and_no_logos_or_pixels():
    html = (
        '<meta property="og:image" content="/pictures/bridge.jpg"><body><article><h1>Bridge</h1>'
        '<img src="/logo.png"><img src="/p.gif" width=1 height=1><figure><img src="river.jpg"><figcaption>The river. '
        f"Photo: Ann Lee</figcaption></figure>{BODY}{BODY}</article>"
    )
    values = described(html).values
    assert values["main_image"].url == "https://paper.example/pictures/bridge.jpg"
    assert [image.url for image in values["images"]] == ["https://paper.example/news/2024/river.jpg"]
    assert values["images"][0].credit == "Ann Lee"


def test_every_value_says_where_it_comes_from():
    found = described(f'<html lang=en><meta property="article:section" content="City"><h1>Bridge</h1>{BODY}')
    assert found.sources["section"] == "meta"
    assert set(found.sources) == set(found.values)


def test_access_is_as_declared():
    html = (
        '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script><h1>B</h1>'
        + BODY
    )
    assert described(html).values["is_accessible_for_free"] is False


@pytest.mark.parametrize("html", ["", " ", "\x00\x01", "<html>", "%PDF-1.4", "<h1></h1>", "<!-- -->"])
def test_a_page_that_is_none_has_no_metadata_and_no_error(html):
    page = Page(html)
    assert "headline" not in describe(page, None).values or html == "%PDF-1.4"
