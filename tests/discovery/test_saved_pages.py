"""Pages that a browser saved as one file: MHTML and webarchives; and what isn't a page at all."""

import base64
import plistlib
import quopri
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import newsextract
from newsextract.discovery.saved_pages import unpack_saved_page
from newsextract.errors import WrongCall
from tests import preloaded
from tests.crawling import article

URL = "https://gazette.example/pier"
PAGE = article("The pier – überholt", "Bergen")
ENCODE = {"quoted-printable": quopri.encodestring, "base64": base64.encodebytes, "8bit": bytes}


def mhtml(encoding: str, charset: str = "utf-8") -> bytes:
    head = f"From: <Saved>\nSnapshot-Content-Location: {URL}\nMIME-Version: 1.0\nContent-Type: multipart/related;\n"
    head += '\ttype="text/html";\n\tboundary="--x"\n\n\n----x\n'
    head += f"Content-Type: text/html; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    return head.encode() + ENCODE[encoding](PAGE.encode(charset, "xmlcharrefreplace")) + b"\n----x--\n"


def with_frame(start: bool) -> bytes:
    """A page behind a part of a frame; it is named by its id, or has the URL of the file."""
    head = "From: <Saved>\nContent-Type: multipart/related; boundary=x"
    head += '; start="<page@x>"\n' if start else f"\nSnapshot-Content-Location: {URL}\n"
    frame = "\n\n--x\nContent-Type: text/html\nContent-Location: https://ads.example/\n\n<p>Buy umbrellas</p>\n\n--x\n"
    part = "Content-Type: text/html; charset=utf-8\nContent-ID: <page@x>\nContent-Location: " + URL + "\n\n"
    return (head + frame + part + PAGE + "\n--x--\n").encode()


def webarchive(form=plistlib.FMT_BINARY) -> bytes:
    main = {"WebResourceData": PAGE.encode(), "WebResourceURL": URL, "WebResourceTextEncodingName": "UTF-8"}
    frames = [{"WebMainResource": {**main, "WebResourceData": b"<p>Buy umbrellas</p>"}}]
    return plistlib.dumps({"WebMainResource": main, "WebSubframeArchives": frames}, fmt=form)


SAVED = {
    "quoted-printable": mhtml("quoted-printable"),
    "base64": mhtml("base64"),
    "8bit, latin": mhtml("8bit", "iso-8859-1"),
    "CRLF": mhtml("quoted-printable").replace(b"\n", b"\r\n"),
    "frame first, id of the page": with_frame(True),
    "frame first, URL of the page": with_frame(False),
    "webarchive": webarchive(),
    "webarchive, XML": webarchive(plistlib.FMT_XML),
}


@pytest.mark.parametrize("body", SAVED.values(), ids=SAVED)
def test_page_saved_as_one_file_is_read_with_its_url(body):
    read, plain = newsextract.extract(body), newsextract.extract(PAGE, URL)
    assert (read.headline, read.article_body, read.url) == (plain.headline, plain.article_body, URL)


def test_extract_command_reads_a_page_saved_as_one_file(tmp_path):
    (tmp_path / "pier.mhtml").write_bytes(SAVED["base64"])
    done = subprocess.check_output(
        [*preloaded.command("newsextract"), "extract", "pier.mhtml"], cwd=tmp_path, text=True
    )
    assert done.strip() == newsextract.extract(PAGE, URL).article_body


@pytest.mark.parametrize("body", [b"bplist00", b"bplist00" + b"\xff" * 64, PAGE.encode()])
def test_damaged_and_other_files_are_none(body):
    assert unpack_saved_page(body) is None


XML = b'<?xml version="1.0"?><!DOCTYPE plist SYSTEM "x"><plist>'


@given(st.binary(max_size=300), st.sampled_from([b"bplist00", XML, b"Content-Type: multipart/related\n\n", b""]))
def test_any_bytes_are_a_saved_page_or_none(body, start):
    unpack_saved_page(start + body)


@pytest.mark.parametrize(
    "text",
    [
        URL,
        "story.html",
        "folder/story.HTM",
        " https://gazette.example/a.html\n",
        "a.mhtml",
        "www.gazette.example/a",
        Path("x"),
    ],
)
def test_address_given_as_a_page_is_refused_in_a_sentence(text):
    with pytest.raises(WrongCall, match="is an address, not a page"):
        newsextract.extract(text)


@pytest.mark.parametrize("text", ["", "A line of text about story.html", "<p>story.html", "ferry"])
def test_short_text_is_a_page(text):
    assert not newsextract.extract(text).is_article
