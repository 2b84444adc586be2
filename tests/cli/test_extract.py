"""`newsextract extract` and `report`: one page from a file or stdin, options, errors, other extractors, imports."""

import gzip
import json
import sys

import pytest

from newsextract.demo import Site
from tests.crawling import CHECKOUT, run_command
from tests.examples import examples

#: Runs a command, then prints which of the modules that take long to load it has loaded.
LISTING_MODULES = """
import sys; from newsextract.cli import main
sys.argv = ['newsextract', *sys.argv[1:]]
try: main()
finally: sys.stderr.write(repr(sorted({'scrapy', 'twisted', 'sqlalchemy'} & set(sys.modules))))
"""


@pytest.fixture(scope="module")
def story():
    """An article of the demonstration site: its gold, its page's bytes, and another page of the same template."""
    site = Site()
    gold, other, *_ = (gold for gold in site.gold() if gold.template == "broadsheet")
    return gold, site.page(gold.path).body, site.page(other.path).body


@pytest.fixture
def page(tmp_path, story):
    """The page as story.html, beside the other one."""
    (tmp_path / "other.html").write_bytes(story[2])
    file = tmp_path / "story.html"
    file.write_bytes(story[1])
    return file


@pytest.mark.parametrize("source", ["story.html", "story.html.gz", "-"])
def test_extract_prints_the_text_of_a_file_or_stdin(command, page, tmp_path, story, source):
    (tmp_path / "story.html.gz").write_bytes(gzip.compress(story[1]))
    result = command("extract", source, given=story[1].decode())
    assert result.stderr == ""
    assert {*story[0].text.splitlines()[:1], *story[0].text.splitlines()[-1:]} <= {*result.stdout.splitlines()}


def test_extract_prints_all_fields_as_json_and_headline_and_paragraphs_as_markdown(command, page, story):
    address = "https://courier.example/2026/story.html"
    result = command("extract", page, "--format", "json", "--url", address)
    article = json.loads(result.stdout)
    assert article["url"] == address
    assert article["headline"] == story[0].headline
    assert article["date_published"] == story[0].published.isoformat()
    lines = command("extract", page, "--format", "markdown").stdout.splitlines()
    assert lines[0] == f"# {story[0].headline}" and story[0].text.splitlines()[0] in lines


@pytest.mark.parametrize(("words", "said"), examples(__file__, "extract"))
def test_extract_names_what_is_wrong_with_the_call(complaint, page, words, said):
    assert said in complaint(2, "extract", *words)


@pytest.mark.parametrize(
    ("content", "size"),
    [(b"", 0), (b"%PDF-1.7 \x00\x01", 11), (b"<html><body></body></html>", 26), (b"", 1 << 34)],
    ids=["empty", "pdf", "bare", "large"],
)
def test_extract_fails_in_one_sentence_on_what_is_no_page_or_has_no_article(complaint, tmp_path, content, size):
    with (tmp_path / "page").open("wb") as file:
        file.write(content)
        file.truncate(size)
    said = complaint(1, "extract", "page")
    assert said.startswith("newsextract: page") and len(said.splitlines()) == 1
    assert ("larger" in said) == (size > 100)


def test_extract_of_a_file_never_imports_scrapy(page, tmp_path):
    command = [sys.executable, "-c", LISTING_MODULES, "extract", page, "--format", "json"]
    assert run_command(command, tmp_path).stderr == "[]"


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_extract_prints_no_escape_sequences_of_a_page(command, tmp_path, format):
    evil = "&#27;[2J&#8;&#155;31m \x07\x1b]0;pwned\x07 \x9b1m \u202eb"
    text = f"<p>The ferry runs again from Monday{evil} an hour later than before, and a pier is to be built, they say."
    html = f"<html lang=en><title>Ferry {evil}</title><article><h1>The ferry {evil}</h1>{text * 3}</article>"
    (tmp_path / "page.html").write_text(html, "utf-8")
    result = command("extract", "page.html", "--format", format)
    assert "from Monday" in result.stdout
    assert [character for character in result.stdout if not character.isprintable() and character != "\n"] == []
    if format == "json":
        article = json.loads(result.stdout)
        assert [value for value in article.values() if isinstance(value, str) and "\x1b" in value] == []


def test_report_of_a_file_is_written_with_its_peer_and_extractor(command, page):
    result = command("report", page, "--peer", "other.html", "-e", "tsrec")
    assert result.stdout == ""
    assert result.stderr == f"written: {page.parent / 'report.html'}\n"
    text = (page.parent / "report.html").read_text("utf-8")
    assert text.startswith("<!doctype html>") and "<dd>tsrec<" in text and "other.html" in text


def test_report_reads_stdin_and_writes_stdout(command, story):
    result = command("report", "-", "-o", "-", "-e", "econ", given=story[1].decode())
    assert result.stderr == ""
    assert result.stdout.startswith("<!doctype html>") and result.stdout.rstrip().endswith("</html>")


@pytest.mark.parametrize(("words", "status", "message"), examples(__file__, "report"))
def test_report_error_is_one_line_and_writes_nothing(complaint, page, story, words, status, message):
    said = complaint(status, "report", *words)
    assert message in said and len(said.splitlines()) == 1
    assert page.read_bytes() == story[1]
    assert (page.parent / "other.html").read_bytes() == story[2]
    assert not (page.parent / "report.html").exists()


def test_report_survives_broken_third_party_extractors_and_never_imports_scrapy(tmp_path, page):
    (tmp_path / "broken.py").write_text(
        "class Broken:\n"
        "    name, paper, needs_peer = 'broken', 'none', False\n"
        "    def __call__(self, page, peer=None):\n"
        "        raise RuntimeError('<i>out of order</i>')\n"
    )
    (tmp_path / "broken-1.dist-info").mkdir()
    (tmp_path / "broken-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    points = "[newsextract.extractors]\nbroken = broken:Broken\nmissing = nowhere:Missing\n"
    (tmp_path / "broken-1.dist-info" / "entry_points.txt").write_text(points)
    command = [sys.executable, "-c", LISTING_MODULES, "report", page, "-o", "-"]
    run = run_command(command, tmp_path, PYTHONPATH=f"{CHECKOUT}:{tmp_path}")
    assert run.stderr == "[]"
    assert "<b>broken</b> (failed: RuntimeError: &lt;i&gt;out of order&lt;/i&gt;)" in run.stdout
    assert "<b>missing</b> (extractor &#39;missing&#39; can&#39;t be loaded" in run.stdout
