import gzip
from pathlib import Path

from tests.crawling import article, crawl


def record(url: str, body: str) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
    head += "WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http; msgtype=response\r\n"
    head += f"Content-Length: {len(http)}"
    return gzip.compress(head.encode() + b"\r\n\r\n" + http + b"\r\n\r\n")


def test_archive_keeps_the_fetch_time_of_warc_records(tmp_path: Path) -> None:
    warc = tmp_path / "pages.warc.gz"
    records = [record(f"https://example.org/{n}.html", article(f"Story {n}", f"Place {n}")) for n in range(60)]
    records.insert(30, b"\x1f\x8b\x08broken")
    warc.write_bytes(b"".join(records))
    done = crawl(tmp_path, "archive", path=str(warc), quick=False)
    assert done.status == 0, done.stderr
    assert done.urls == {f"https://example.org/{n}.html" for n in range(60)}
    assert {found["fetched_at"] for found in done.articles} == {"2026-01-02T03:04:05+00:00"}
    assert done.dropped["broken"] == 1


def test_archive_reads_saved_pages_and_fails_on_an_empty_folder(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    empty = crawl(tmp_path, "archive", path=str(folder), quick=False)
    assert empty.status == 1
    assert "holds no page" in empty.stderr
    for n in range(5):
        head = f"<link rel=canonical href=https://example.org/{n}>"
        (folder / f"{n}.html").write_text(article(f"Story {n}", f"Place {n}", head=head), "utf-8")
    done = crawl(tmp_path, "archive", path=str(folder), max_pages="3", quick=False)
    assert done.status == 0
    assert done.urls == {f"https://example.org/{n}" for n in range(3)}
