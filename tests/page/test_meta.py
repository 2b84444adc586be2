"""What a head declares, and the candidates for a headline."""

from newsextract.page import Page
from newsextract.page.titles import parts


def test_names_are_found_in_any_case_and_attribute():
    meta = Page(
        '<html lang=de><meta property="OG:Title" content=" A "><meta name=author content=B>'
        "<meta name=author content=C>"
        '<link rel="Canonical" href=/a><title>T\n U</title>'
        "<base href=/x/><body><meta itemprop=datePublished content=2024>"
    ).meta
    assert (meta.get("og:title"), meta.all("author"), meta.links["canonical"]) == ("A", ["B", "C"], ["/a"])
    assert (meta.title, meta.base, meta.html_lang, meta.get("itemprop:datepublished")) == ("T U", "/x/", "de", "2024")
    assert meta.get("nothing") is None


def test_an_empty_page_declares_nothing():
    meta = Page("").meta
    assert (meta.title, meta.html_lang, meta.all("author")) == ("", None, [])


def test_the_title_of_a_drawing_is_not_the_pages():
    assert Page("<title>Story</title><body><svg><title>Icon</title></svg>").meta.title == "Story"


def test_a_title_falls_into_its_parts():
    assert {"Bridge opens", "City", "The Paper"} <= set(parts("Bridge opens | City - The Paper"))
    assert parts("Anti-corruption law passed") == []
    assert "新桥通车" in parts("新桥通车_时政_日报网")


def test_candidates_say_where_they_stand():
    page = Page("<title>A | B</title><h1>A</h1>", anchor_text="A story")
    assert {("A", "h1"), ("A | B", "title"), ("A", "title-part"), ("A story", "anchor")} <= {
        (title.text, title.source) for title in page.titles
    }


def test_the_language_of_xhtml_is_the_pages():
    assert Page("<html xmlns='http://www.w3.org/1999/xhtml' xml:lang='de'><p>Text").meta.html_lang == "de"
