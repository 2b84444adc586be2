import gzip
from datetime import UTC, datetime

import pytest
from fastwarc.warc import ArchiveIterator

from evaluation.warc import write_warc
from newsextract.errors import StorageError, WrongCall

WHEN = datetime(2026, 3, 5, 9, 12, tzinfo=UTC)


def records(path):
    with path.open("rb") as file:
        return [(record.headers, record.http_headers, record.reader.read()) for record in ArchiveIterator(file)]


def test_write_warc_writes_every_page_as_a_response(write_corpus, tmp_path):
    folder = write_corpus(
        {"id": "a", "url": "https://a.example/story?id=1", "text": "x", "html": "<p>Größe</p>"},
        {"id": "b c#1", "text": "x", "html": ""},
    )
    output = tmp_path / "pages.warc.gz"
    assert write_warc([folder], output, fetched_at=WHEN) == 2
    found = records(output)
    assert [headers["WARC-Target-URI"] for headers, _, _ in found] == [
        "https://a.example/story?id=1",
        "http://village.example/b%20c%231.html",
    ]
    assert [body for _, _, body in found] == ["<p>Größe</p>".encode(), b""]
    assert {headers["WARC-Date"] for headers, _, _ in found} == {"2026-03-05T09:12:00Z"}
    assert len({headers["WARC-Record-ID"] for headers, _, _ in found}) == 2
    assert all(http.status_code == 200 and "charset" not in http["Content-Type"] for _, http, _ in found)


def test_write_warc_writes_each_record_as_a_gzip_member(write_corpus, tmp_path):
    output = tmp_path / "pages.warc.gz"
    write_warc([write_corpus(*[{"id": str(i), "text": "x"} for i in range(3)])], output)
    assert output.read_bytes().count(b"\x1f\x8b\x08") == 3
    assert gzip.decompress(output.read_bytes()).count(b"WARC/1.") == 3


@pytest.mark.parametrize("url", ["https://a.example/x\r\nWARC-Type: request", "javascript:alert(1)", "/relative", ""])
def test_write_warc_replaces_invalid_urls(write_corpus, tmp_path, url):
    output = tmp_path / "pages.warc.gz"
    write_warc([write_corpus({"id": "a", "url": url, "text": "x"})], output)
    assert [headers["WARC-Target-URI"] for headers, _, _ in records(output)] == ["http://village.example/a.html"]


def test_write_warc_of_a_damaged_page_keeps_the_old_file(write_corpus, tmp_path):
    folder = write_corpus({"id": "a", "text": "x"}, {"id": "b", "text": "x"})
    (folder / "pages" / "b.html.gz").write_bytes(b"broken")
    output = tmp_path / "out" / "pages.warc.gz"
    output.parent.mkdir()
    output.write_bytes(b"the old one")
    with pytest.raises(WrongCall, match=r"b\.html\.gz"):
        write_warc([folder], output)
    assert output.read_bytes() == b"the old one"
    assert list(output.parent.iterdir()) == [output]


def test_write_warc_names_a_folder_it_cannot_write_to(write_corpus, tmp_path):
    with pytest.raises(StorageError, match=r"nowhere/pages\.warc\.gz can't be written"):
        write_warc([write_corpus({"id": "a", "text": "x"})], tmp_path / "nowhere" / "pages.warc.gz")
