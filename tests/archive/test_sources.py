"""Archives on web servers and in object stores: every byte once, whatever the server does; the address guard holds."""

import gzip
from pathlib import Path

import fsspec
import pytest

from newsextract.archive import sources
from newsextract.archive.sources import resolve_files, size_of, sizes_of, source_of
from newsextract.errors import ArchiveError
from tests.archive.range_server import TROUBLES, serve_ranges
from tests.crawling import free_port

CONTENT = bytes(range(256)) * 40


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(sources, "BACKOFF", 0.01)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "a.warc.gz").write_bytes(CONTENT)
    return tmp_path


@pytest.mark.parametrize("trouble", TROUBLES)
def test_remote_file_reads_every_byte_once_despite(folder, trouble):
    with serve_ranges(folder, trouble) as server:
        source = source_of(f"{server.url}/a.warc.gz", allow_private=True)
        assert size_of(source) == len(CONTENT)
        with source.open("rb") as file:
            assert file.read() == CONTENT
            file.seek(5123)
            assert file.read(77) == CONTENT[5123:5200]
        assert all(headers["User-Agent"].startswith("newsextract/") for headers in server.headers)
        spans = [headers.get("Range") for headers in server.headers]
        assert all(span for span, method in zip(spans, server.methods, strict=True) if method == "GET")


def test_remote_file_read_from_the_middle_is_asked_for_each_block_once(folder):
    with serve_ranges(folder) as server:
        source = source_of(f"{server.url}/a.warc.gz", allow_private=True)
        with source.open("rb") as file:
            assert file.read(8) == CONTENT[:8]
            file.seek(5123)
            assert file.read(8) == CONTENT[5123:5131]
        with source.open("rb") as file:
            assert file.read(8) == CONTENT[:8]
        spans = [headers["Range"] for headers in server.headers if "Range" in headers]
        assert spans == ["bytes=0-999", "bytes=5000-5999"]


def test_remote_file_of_a_server_without_ranges_is_refused(folder):
    with serve_ranges(folder, "no ranges") as server, pytest.raises(ArchiveError, match="sends no ranges"):
        source_of(f"{server.url}/a.warc.gz", allow_private=True).open("rb").read()


def test_remote_file_that_is_missing_or_whose_server_is_gone_is_one_sentence(folder):
    with serve_ranges(folder) as server, pytest.raises(ArchiveError, match="answers 404"):
        size_of(source_of(f"{server.url}/b.warc.gz", allow_private=True))
    port = free_port()
    with pytest.raises(ArchiveError, match="can't be read"):
        size_of(source_of(f"http://127.0.0.1:{port}/a.warc.gz", allow_private=True))


@pytest.mark.parametrize(
    ("host", "message"),
    [
        *((host, "--allow-private") for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]")),
        ("2130706433", "not a canonical IPv4 address"),
    ],
)
def test_remote_file_on_an_address_that_is_not_public_is_not_asked_for(folder, host, message):
    with serve_ranges(folder) as server:
        with pytest.raises(ArchiveError, match=message):
            size_of(source_of(f"http://{host}:{server.port}/a.warc.gz"))
        assert server.asked == []


def test_remote_file_that_redirects_to_an_address_that_is_not_public_is_not_asked_for(folder, monkeypatch):
    monkeypatch.setattr(sources, "refusal_of", lambda host: "isn't public" if host == "127.0.0.1" else None)
    with serve_ranges(folder) as server, serve_ranges(folder, redirect_to=server.url, host="127.0.0.2") as first:
        with pytest.raises(ArchiveError, match="--allow-private"):
            size_of(source_of(f"{first.url}/a.warc.gz"))
        assert server.asked == [] and first.asked


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://example.org/a.warc.gz", "--allow-private"),
        ("simplecache::http://127.0.0.1/a.warc.gz", "no such file"),  # a local path that does not exist
    ],
)
def test_remote_file_by_a_protocol_that_the_guard_cannot_check_is_refused(url, message):
    with pytest.raises(ArchiveError, match=message):
        [*sizes_of(resolve_files([url]))]


def test_remote_file_of_a_file_system_that_fsspec_knows(folder):
    with fsspec.open("memory://store/a.warc.gz", "wb") as file:
        file.write(CONTENT)
    source = source_of("memory://store/a.warc.gz")
    assert source.open("rb").read() == CONTENT
    with pytest.raises(ArchiveError, match="no such file"):
        size_of(source_of("memory://store/b.warc.gz"))


@pytest.mark.parametrize("line", ["../secret.warc.gz", "/etc/a.warc.gz", "http://127.0.0.1/a.warc.gz", "a/../../b.gz"])
def test_resolve_files_refuses_a_list_that_leads_out_of_its_folder(tmp_path, line):
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress(f"{line}\n".encode()))
    with pytest.raises(ArchiveError, match="outside its folder"):
        resolve_files([tmp_path / "warc.paths.gz"])
