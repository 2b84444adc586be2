"""Bytes to text: the encoding that a page is really in."""

import tomllib
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

import newsextract
from newsextract import Page
from newsextract.discovery.lists import read_list
from newsextract.page.decode import decode
from newsextract.page.letters import is_garbage

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: Language -> a sentence in it, the country of its sites, and encodings of its pages.
LANGUAGES: dict[str, list[str]] = DATA["languages"]
CHINESE, GERMAN = (LANGUAGES[name][0] for name in ("zh-CN", "de"))


def html_with(text: str, declared: str | None = None) -> str:
    meta = f'<meta charset="{declared}">' if declared else ""
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(("language", "written", "declared", "decoded_from"), DATA["charsets"])
def test_decode_decodes_page_with_wrong_or_missing_charset(language, written, declared, decoded_from):
    text = LANGUAGES[language][0]
    html, encoding = decode(html_with(text, declared).encode(written))
    assert text in html
    assert encoding == decoded_from


def test_decode_prefers_http_header_to_declaration_in_page():
    html = html_with("Hűvös időben őrzik a szülők a gyűlést.", "iso-8859-1").encode("iso-8859-2")
    text, encoding = decode(html, "iso-8859-2")
    assert encoding == "iso-8859-2" and "szülők a gyűlést" in text


@pytest.mark.parametrize(
    ("encoding", "declared", "cut"),
    [("utf-8", None, 1), ("utf-8", None, 2), ("gbk", "gb2312", 1), ("gb18030", None, 1)],
)
def test_decode_reads_page_cut_within_a_character(encoding, declared, cut):
    text, decoded_from = decode(html_with(CHINESE, declared).partition("</p>")[0].encode(encoding)[:-cut])
    assert decoded_from == encoding
    assert CHINESE[:-1] in text


LATE = b"<p>" + b"x" * 30_000 + b'<meta charset="koi8-r">' + GERMAN.encode("cp1252")
RARE = "国务院总理朱镕基与陶喆会见㐂田先生。"
DAMAGED = html_with(CHINESE * 20).encode().replace("水厂".encode(), "水厂".encode() + b"\xff", 1)


@pytest.mark.parametrize(
    ("html", "encoding", "part"),
    [
        (DAMAGED, "utf-8", CHINESE * 19),
        (html_with(CHINESE).encode().decode("latin-1").encode(), "utf-8", CHINESE),  # encoded twice
        (html_with(GERMAN * 3).encode().decode("cp1252").encode(), "utf-8", GERMAN),
        (b"<p>The caf\xe9 is open today, says the owner.</p>", "windows-1252", "café"),
        (LATE, "windows-1252", GERMAN),  # a declaration so late in the page counts for nothing
        (html_with(RARE, "gb2312").encode("gb18030"), "gbk", RARE),  # characters that the declared charset lacks
    ],
)
def test_decode_is_not_misled_by_a_few_bytes_or_characters(html, encoding, part):
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


PAIRS = [(language, encoding) for language, row in LANGUAGES.items() for encoding in row[2].split()]


def encoded(text: str, encoding: str) -> bytes:
    """The text in an encoding; in that of Vietnamese, with the tones that it writes as signs of their own."""
    tones = "\u0300\u0301\u0303\u0309\u0323" if encoding == "cp1258" else ""
    apart = (normalize("NFD", char) for char in text) if tones else ()
    letters = str.maketrans("", "", tones)
    spelled = [normalize("NFC", sign.translate(letters)) + "".join(set(sign) & set(tones)) for sign in apart]
    return ("".join(spelled) or text).encode(encoding)


@pytest.mark.parametrize(("language", "encoding"), PAIRS)
@pytest.mark.parametrize("declared", ["nothing", "language", "utf-8", "iso-8859-1"])
def test_decode_reads_legacy_encodings_that_nobody_or_a_wrong_one_declares(language, encoding, declared):
    text, country, _ = LANGUAGES[language]
    lang = f' lang="{language}"' if declared == "language" else ""
    page = f"<html{lang}><head><title>{text}</title></head><body><p>{text}</p></body></html>"
    charset = declared if "-" in declared else None
    assert text in decode(encoded(page, encoding), charset, f"https://news.example.{country}/a")[0]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ('<?xml version="1.0" encoding="windows-1251"?><rss><title>Порт</title></rss>'.encode("cp1251"), "Порт"),
        ('<?xml version="1.0" encoding="UTF-16"?><rss><title>Порт</title></rss>'.encode(), "Порт"),
        ('<?xml version="1.0" encoding="UTF-16"?><rss><title>Порт</title></rss>'.encode("utf-16-be"), "Порт"),
        ("User-agent: *\nDisallow: /поиск\n".encode("utf-16-le"), "/поиск"),
        (b"User-agent: *\nDisallow: /caf\xe9\n", "/café"),
        (f"<p>{LANGUAGES['ru'][0]}</p>".encode() + "<p>Комментарий</p>".encode("cp1251"), "Комментарий"),
    ],
)
def test_decode_reads_lists_and_mixed_bytes(body, part):
    assert part in decode(body)[0]


@pytest.mark.parametrize("wrong", ["cp1252", "latin-1", "koi8-r"])
@pytest.mark.parametrize("language", ["ru", "el", "ar", "th", "zh-CN", "ja", "ko"])
def test_text_in_a_wrong_encoding_is_garbage(language, wrong):
    text = LANGUAGES[language][0]
    assert is_garbage(text.encode().decode(wrong, "replace"))
    assert is_garbage("".join("?" if char.isalpha() else char for char in text))
    assert not is_garbage(text) and not is_garbage(f"{'An English story quotes it in a line. ' * 9}{text}")


def test_article_of_garbage_is_not_an_article():
    text = LANGUAGES["ru"][0]
    page = f"<html lang=ru><body><article><h1>{text}</h1>{f'<p>{text * 3}</p>' * 5}</article></body></html>"
    url = "https://news.example.ru/2026/05/01/port"
    assert newsextract.extract(page.encode("cp866"), url).article_body.startswith(text)
    article = newsextract.extract(page.encode().decode("latin-1"), url)
    assert (article.is_article, article.not_article_because) == (False, "garbage")


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


@pytest.mark.parametrize(("language", "encoding"), PAIRS)
def test_decoded_encoding_reads_lists_in_pieces(language, encoding):
    text, country, _ = LANGUAGES[language]
    url = f"https://news.example.{country}/a"
    feed = f"<rss><channel><item><title>{text}</title><link>{url}</link></item></channel></rss>"
    entries = read_list(encoded(feed, encoding), url).pages
    assert [entry.listing.title for entry in entries] == [text]
