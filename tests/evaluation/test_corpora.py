"""Corpora: read, sampled, written as a WARC file."""

import gzip

import pytest
from fastwarc.warc import ArchiveIterator

from evaluation import corpora
from evaluation.corpora import find_corpora, find_corpus
from evaluation.warc import write_warc
from newsextract.errors import WrongCall
from tests.examples import examples


def test_corpus_reads_page_bytes_and_gold_rows_with_sites_for_folds_and_groups_for_scores(write_corpus):
    url, page = "https://www.a.example/1", "<p>One.</p>"
    folder = write_corpus(
        {"id": "a", "url": url, "text": "One.", "optional": ["Photo"], "site": "owner/a", "html": page},
        {"id": "b", "with": ["x"], "without": []},
        {"id": "c", "url": url, "page_type": "listing"},
        {"id": "d", "text": "Two.", "kind": "nuxt", "has_article_body": False},
    )
    village = find_corpus(folder)
    assert [row.scored_by for row in village.gold] == ["text", "segments", "type", "text"]
    assert (village.gold[0].optional, village.gold[1].wanted) == (("Photo",), ("x",))
    assert village.html("a") == page.encode()
    assert [row.site for row in village.gold] == ["owner/a", "", "a.example", ""]
    assert [row.groups for row in village.gold] == [(), (), ("listing",), ("without articleBody", "data: nuxt")]
    assert [row.is_article for row in village.gold] == [True, True, False, True]


def test_find_corpora_by_name_below_the_environment_folder(write_corpus, monkeypatch):
    folder = write_corpus({"id": "a", "text": "x"})
    write_corpus({"id": "a", "text": "x"}, name="town")
    monkeypatch.setenv("NEWSEXTRACT_CORPORA", str(folder.parent))
    assert find_corpus("village").folder == folder
    assert [found.name for found in find_corpora([])] == ["town", "village"]
    with pytest.raises(WrongCall, match=r"vilage.*\(town, village\)"):
        find_corpus("vilage")
    with pytest.raises(WrongCall, match="the same name"):
        find_corpora([folder, write_corpus({"id": "a", "text": "x"}, name="two/village")])
    monkeypatch.delenv("NEWSEXTRACT_CORPORA")
    with pytest.raises(WrongCall, match="NEWSEXTRACT_CORPORA"):
        find_corpora([])


@pytest.mark.parametrize(("line", "said"), [*examples(__file__, "wrong"), ("[" * 200_000, "line 2: .*Invalid JSON")])
def test_gold_invalid_row_is_named_with_its_line(write_corpus, line, said):
    folder = write_corpus({"id": "a", "text": "x"})
    with (folder / "gold.jsonl").open("a", encoding="latin-1") as gold:
        gold.write(line + "\n")
    with pytest.raises(WrongCall, match=said):
        _ = find_corpus(folder).gold


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no gzip", r"a\.html\.gz: not a gzip file"),
        (gzip.compress(b"x" * 10_000, mtime=0)[:-12], r"a\.html\.gz: not a gzip file"),
        (b"\x1f\x8b\x08\x00" + b"\xff" * 40, r"a\.html\.gz: not a gzip file"),
        (gzip.compress(b"x" * 20_001), "more than 20,000 bytes"),
    ],
    ids=["text", "truncated", "damaged", "bomb"],
)
def test_html_of_a_damaged_or_too_large_file_names_it(write_corpus, monkeypatch, content, said):
    monkeypatch.setattr(corpora, "MAX_PAGE", 20_000)
    folder = write_corpus({"id": "a", "text": "x"})
    (folder / "pages" / "a.html.gz").write_bytes(content)
    with pytest.raises(WrongCall, match=said):
        find_corpus(folder).html("a")


def test_sample_is_reproducible_and_in_file_order(write_corpus):
    rows = [{"id": f"{i:02}", "text": "x"} for i in range(40)]
    village = find_corpus(write_corpus(*rows))
    sample = [row.id for row in village.sample(10)]
    assert len(sample) == 10 and sample == sorted(sample) == [row.id for row in village.sample(10)]
    assert set(sample) < {row.id for row in village.sample(20)}
    assert village.sample(None) == village.sample(99) == village.gold


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
