"""Declarations of a page in meta, link, title and base."""

from newsextract.page import Page


def test_meta_reads_names_in_any_case_and_attribute():
    meta = Page(
        '<html lang=de><meta property="OG:Title" content=" A "><meta name=author content=B>'
        "<meta name=author content=C>"
        '<link rel="Canonical" href=/a><title>T\n U</title>'
        "<base href=/x/><body><meta itemprop=datePublished content=2024>"
    ).meta
    assert (meta.get("og:title"), meta.all("author"), meta.links["canonical"]) == ("A", ["B", "C"], ["/a"])
    assert (meta.title, meta.base, meta.html_lang, meta.get("itemprop:datepublished")) == ("T U", "/x/", "de", "2024")
    assert meta.get("nothing") is None


def test_meta_of_empty_page_is_empty():
    meta = Page("").meta
    assert (meta.title, meta.html_lang, meta.all("author")) == ("", None, [])


def test_meta_title_is_not_that_of_an_svg():
    assert Page("<title>Story</title><body><svg><title>Icon</title></svg>").meta.title == "Story"


def test_meta_reads_xml_lang():
    assert Page("<html xmlns='http://www.w3.org/1999/xhtml' xml:lang='de'><p>Text").meta.html_lang == "de"
