"""Corpora as a WARC file."""

import gzip

from fastwarc.warc import ArchiveIterator

from evaluation.warc import write_warc


def test_every_page_is_a_response_in_a_gzip_member_of_its_own(write_corpus, tmp_path):
    folder = write_corpus(
        {"id": "a", "url": "https://a.example/story?id=1", "text": "x", "html": "<p>Größe</p>"},
        {"id": "b c#1", "text": "x", "html": ""},
        {"id": "d", "url": "https://a.example/x\r\nWARC-Type: request", "text": "x", "html": "x"},
        {"id": "e", "url": "javascript:alert(1)", "text": "x", "html": "x"},
    )
    output = tmp_path / "pages.warc.gz"
    assert write_warc([folder], output) == 4
    with output.open("rb") as file:
        found = [(one.headers["WARC-Target-URI"], one.http_headers, one.reader.read()) for one in ArchiveIterator(file)]
    names = ("b%20c%231", "d", "e")
    urls = ["https://a.example/story?id=1", *(f"http://village.example/{name}.html" for name in names)]
    assert [url for url, _, _ in found] == urls
    assert [body for _, _, body in found] == ["<p>Größe</p>".encode(), b"", b"x", b"x"]
    assert all(http.status_code == 200 and "charset" not in http["Content-Type"] for _, http, _ in found)
    assert output.read_bytes().count(b"\x1f\x8b\x08") == gzip.decompress(output.read_bytes()).count(b"WARC/1.") == 4
