"""Which encoding a page is really in: valid UTF-8 first, then what it declares, then guesses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.page.decode import str_to_utf8, to_utf8

CHINESE = "记者昨日从市水务局获悉，新建的三座水厂将于明年春天投入使用，供水能力提高一成。"
GERMAN = "Die Bürgermeisterin eröffnete am Montag die größte Brücke der Stadt für Fußgänger."
JAPANESE = "市長は月曜日、新しい橋の開通式に出席し、工事に携わった人々に感謝した。"


def page_of(text: str, declared: str | None = None) -> str:
    meta = f'<meta charset="{declared}">' if declared else ""
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("text", "written", "declared", "read"),
    [
        (CHINESE, "utf-8", "gb2312", "utf-8"),
        (CHINESE, "utf-8", "iso-8859-1", "utf-8"),
        (CHINESE, "gb18030", "gb2312", "gb18030"),
        (CHINESE, "gb18030", "gbk", "gb18030"),
        (CHINESE, "gb18030", None, "gb18030"),
        (CHINESE, "gb18030", "utf-8", "gb18030"),
        (CHINESE, "gb18030", "no-such-charset", "gb18030"),
        (CHINESE, "utf-16", None, "utf-16-le"),
        (CHINESE, "utf-16-le", None, "utf-16-le"),
        (CHINESE, "utf-16-be", None, "utf-16-be"),
        (CHINESE, "utf-16-le", "utf-16", "utf-16-le"),
        (CHINESE, "utf-8", "utf-16", "utf-8"),
        (CHINESE, "utf-8-sig", "gbk", "utf-8"),
        (GERMAN, "cp1252", "iso-8859-1", "cp1252"),
        (GERMAN, "cp1252", None, "cp1252"),
        (GERMAN, "utf-8", None, "utf-8"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", "iso2022_jp"),
        (JAPANESE, "shift_jis", "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc-jp", "euc_jp"),
    ],
)
def test_the_text_of_a_page_survives_a_wrong_or_missing_label(text, written, declared, read):
    html, encoding = to_utf8(page_of(text, declared).encode(written))
    assert text in html.decode()
    assert encoding == read


def test_characters_beyond_gb2312_in_a_page_that_says_gb2312_are_kept():
    text = "国务院总理朱镕基与陶喆会见㐂田先生。"
    assert text in to_utf8(page_of(text, "gb2312").encode("gb18030"))[0].decode()


def test_the_header_counts_before_the_page_itself():
    html = page_of(GERMAN.replace("ß", "ő"), "iso-8859-1").encode("iso-8859-2", "replace")
    text, encoding = to_utf8(html, declared="iso-8859-2")
    assert encoding in ("iso8859-2", "iso8859_2", "latin2", "cp1250")
    assert "ő" in text.decode()


@pytest.mark.parametrize("cut", [1, 2])
def test_a_utf8_page_cut_within_a_character_is_still_utf8(cut):
    html = page_of(CHINESE).partition("</p>")[0].encode()[:-cut]
    text, encoding = to_utf8(html)
    assert encoding == "utf-8"
    assert CHINESE[:-1] in text.decode()


def test_a_gb18030_page_cut_within_a_character_keeps_the_rest():
    html = page_of(CHINESE, "gb2312").partition("</p>")[0].encode("gb18030")[:-1]
    text, encoding = to_utf8(html)
    assert encoding == "gb18030"
    assert CHINESE[:-1] in text.decode()


def test_one_damaged_byte_does_not_cost_a_utf8_page_its_letters():
    html = page_of(CHINESE * 20).encode()
    damaged = html.replace("水厂".encode(), "水厂".encode() + b"\xff", 1)
    text, encoding = to_utf8(damaged)
    assert encoding == "utf-8"
    assert text.decode().count("水务局") == 20


def test_a_stray_byte_in_an_ascii_page_is_no_reason_to_call_it_utf8():
    assert "café" in to_utf8(b"<p>The caf\xe9 is open today, says the owner.</p>")[0].decode()


def test_a_declaration_is_looked_for_in_the_first_bytes_only():
    late = b"<p>" + b"x" * 30_000 + b'<meta charset="koi8-r">' + GERMAN.encode("cp1252")
    assert to_utf8(late)[1] == "cp1252"


def test_lone_surrogates_in_text_do_not_empty_the_page():
    assert str_to_utf8("<p>a\ud800b</p>").decode().count("\ufffd") >= 1
    assert Page("<p>before \udcff after</p>").blocks.texts[0].startswith("before")


def test_a_byte_order_mark_is_no_text():
    assert Page("\ufeff<p>text</p>").blocks.texts == ["text"]
    assert Page(b"\xef\xbb\xbf<p>text</p>").blocks.texts == ["text"]


def test_nul_bytes_cost_no_text():
    page = Page(b"<p>before\x00 after the zero</p><p>next</p>")
    assert page.blocks.texts[-1] == "next"
    assert "after the zero" in page.blocks.texts[0]


@given(st.binary(max_size=300), st.sampled_from([None, "gbk", "utf-8", "utf-16", "iso-2022-jp", "nonsense", ""]))
def test_any_bytes_become_valid_utf8(html, declared):
    text, encoding = to_utf8(html, declared)
    assert text.decode("utf-8") is not None
    assert encoding


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_utf8_is_believed_whatever_is_declared(text):
    html = b"<p>" + text.encode()
    if b"\x00" in html or html.startswith((b"\xff\xfe", b"\xfe\xff")):
        html = html.replace(b"\x00", b"")
    assert to_utf8(html, "gbk") == (html, "utf-8")


@given(st.text(max_size=100))
def test_any_text_becomes_valid_utf8(text):
    str_to_utf8(text).decode("utf-8")
