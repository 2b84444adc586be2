"""`newsextract extract`: the article of one page, from a file or from stdin."""

import gzip
import json
import subprocess
import sys

import pytest

from newsextract.demo import Site


@pytest.fixture(scope="module")
def story():
    """An article of the demonstration site: its gold and its page's bytes."""
    site = Site()
    gold = next(gold for gold in site.gold() if gold.template == "broadsheet")
    return gold, site.page(gold.path).body


@pytest.fixture
def page(tmp_path, story):
    file = tmp_path / "a story.html"
    file.write_bytes(story[1])
    return file


def test_extract_prints_the_text_of_a_file(command, page, story):
    result = command("extract", page)
    assert (result.returncode, result.stderr) == (0, "")
    assert story[0].text.splitlines()[0] in result.stdout.splitlines()


def test_extract_as_json_prints_all_fields(command, page, story):
    address = "https://courier.example/2026/story.html"
    result = command("extract", page, "--format", "json", "--url", address)
    article = json.loads(result.stdout)
    assert article["url"] == address
    assert article["headline"] == story[0].headline
    assert article["date_published"] == story[0].published.isoformat()


def test_extract_as_markdown_prints_headline_and_paragraphs(command, page, story):
    lines = command("extract", page, "--format", "markdown").stdout.splitlines()
    assert lines[0] == f"# {story[0].headline}"
    assert story[0].text.splitlines()[0] in lines


def test_extract_reads_a_gzipped_file(command, tmp_path, story):
    (tmp_path / "story.html.gz").write_bytes(gzip.compress(story[1]))
    assert story[0].text.splitlines()[0] in command("extract", "story.html.gz").stdout.splitlines()


def test_extract_reads_stdin(newsextract, story):
    result = newsextract("extract", "-", given=story[1].decode())
    assert result.returncode == 0
    assert story[0].text.splitlines()[-1] in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no such file.html"], "no such file.html"),
        (["."], "."),
        (["a\0b"], "can't be read"),
        (["a story.html", "--extractor", "ecom"], "did you mean econ"),
        (["no such file.html", "--extractor", "ecom"], "did you mean econ"),
        (["https://u:secret@a.example/"], "'https://…@a.example/' has a user name or password"),
        (["a story.html", "--option", "nosuch=1"], "nosuch"),
        (["a story.html", "--option", "nonsense"], "NAME=VALUE"),
        (["a story.html", "--peer", "nowhere.html"], "nowhere.html"),
    ],
)
def test_extract_names_what_is_wrong_with_the_call(command, page, words, said):
    result = command("extract", *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.parametrize(
    "content", [b"", b"%PDF-1.7 \x00\x01", b"<html><body></body></html>"], ids=["empty", "pdf", "bare"]
)
def test_extract_fails_in_one_sentence_on_a_page_without_article(command, tmp_path, content):
    (tmp_path / "page").write_bytes(content)
    result = command("extract", "page")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("newsextract: page")
    assert len(result.stderr.splitlines()) == 1


def test_extract_refuses_a_file_larger_than_a_page_may_be(command, tmp_path):
    with (tmp_path / "page").open("wb") as file:
        file.truncate(1 << 34)
    result = command("extract", "page")
    assert (result.returncode, result.stdout) == (1, "")
    assert "larger" in result.stderr


def test_extract_of_a_file_never_imports_scrapy(page, variables, tmp_path):
    code = (
        "import sys; from newsextract.cli import main\n"
        f"sys.argv = ['newsextract', 'extract', {str(page)!r}, '--format', 'json']\n"
        "try: main()\n"
        "finally: sys.stderr.write(repr(sorted({'scrapy', 'twisted', 'sqlalchemy'} & set(sys.modules))))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=variables)
    assert (run.returncode, run.stderr) == (0, "[]")


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_extract_prints_no_escape_sequences_of_a_page(command, tmp_path, format):
    evil = "&#27;[2J&#8;&#155;31m \x07\x1b]0;pwned\x07 \x9b1m"
    text = (
        f"The ferry runs again from Monday{evil} an hour later than before, and it is said that a pier is to be built."
    )
    (tmp_path / "page.html").write_text(
        f"<html lang=en><title>Ferry {evil}</title><article><h1>The ferry {evil}</h1><p>{text}<p>{text}</article>",
        "utf-8",
    )
    result = command("extract", "page.html", "--format", format)
    assert result.returncode == 0 and "from Monday" in result.stdout
    assert [character for character in result.stdout if not character.isprintable() and character != "\n"] == []
    if format == "json":
        article = json.loads(result.stdout)
        assert [value for value in article.values() if isinstance(value, str) and "\x1b" in value] == []
