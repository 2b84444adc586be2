"""Bytes to text: the encoding that a page is really in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.page.decode import decode

CHINESE = "记者昨日从市水务局获悉，新建的三座水厂将于明年春天投入使用，供水能力提高一成。"
GERMAN = "Die Bürgermeisterin eröffnete am Montag die größte Brücke der Stadt für Fußgänger."
JAPANESE = "市長は月曜日、新しい橋の開通式に出席し、工事に携わった人々に感謝した。"


def html_with(text: str, declared: str | None = None) -> str:
    meta = f'<meta charset="{declared}">' if declared else ""
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("text", "written", "declared", "decoded_from"),
    [
        (CHINESE, "utf-8", "gb2312", "utf-8"),
        (CHINESE, "utf-8", "iso-8859-1", "utf-8"),
        ("国务院总理朱镕基与陶喆会见㐂田先生。", "gb18030", "gb2312", "gb18030"),
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
def test_decode_decodes_page_with_wrong_or_missing_charset(text, written, declared, decoded_from):
    html, encoding = decode(html_with(text, declared).encode(written))
    assert text in html
    assert encoding == decoded_from


def test_decode_prefers_http_header_to_declaration_in_page():
    html = html_with(GERMAN.replace("ß", "ő"), "iso-8859-1").encode("iso-8859-2", "replace")
    text, encoding = decode(html, declared="iso-8859-2")
    assert encoding in ("iso8859-2", "iso8859_2", "latin2", "cp1250")
    assert "ő" in text


@pytest.mark.parametrize(
    ("encoding", "declared", "cut"), [("utf-8", None, 1), ("utf-8", None, 2), ("gb18030", "gb2312", 1)]
)
def test_decode_reads_page_cut_within_a_character(encoding, declared, cut):
    text, decoded_from = decode(html_with(CHINESE, declared).partition("</p>")[0].encode(encoding)[:-cut])
    assert decoded_from == encoding
    assert CHINESE[:-1] in text


LATE = b"<p>" + b"x" * 30_000 + b'<meta charset="koi8-r">' + GERMAN.encode("cp1252")
DAMAGED = html_with(CHINESE * 20).encode().replace("水厂".encode(), "水厂".encode() + b"\xff", 1)


@pytest.mark.parametrize(
    ("html", "encoding", "part"),
    [
        (DAMAGED, "utf-8", CHINESE * 19),
        (b"<p>The caf\xe9 is open today, says the owner.</p>", "cp1252", "café"),
        (LATE, "cp1252", GERMAN),  # a declaration so late in the page counts for nothing
    ],
)
def test_decode_is_not_misled_by_a_few_bytes(html, encoding, part):
    text, decoded_from = decode(html)
    assert decoded_from == encoding and part in text


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("\ufeff<p>text</p>", ["text"]),
        ("<p>a\ud800b</p>", ["a\ufffdb"]),
        (b"<p>before\x00 the zero</p><p>next</p>", ["before the zero", "next"]),
    ],
)
def test_page_is_text_without_byte_order_mark_surrogates_and_nul_bytes(html, texts):
    assert Page(html).blocks.texts == texts


@given(st.binary(max_size=300), st.sampled_from([None, "gbk", "utf-8", "utf-16", "iso-2022-jp", "nonsense", ""]))
def test_decode_of_any_bytes_is_text_without_surrogates(html, declared):
    text, encoding = decode(html, declared)
    assert text.encode("utf-8") is not None
    assert encoding


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_decode_keeps_valid_utf8_whatever_is_declared(text):
    html = b"<p>" + text.encode()
    if b"\x00" in html or html.startswith((b"\xff\xfe", b"\xfe\xff")):
        html = html.replace(b"\x00", b"")
    assert decode(html, "gbk") == (html.decode(), "utf-8")
