"""`newsextract report`: input from files and stdin, options, errors, third-party extractors, imports."""

import subprocess
import sys

import pytest

from newsextract.demo import Site


@pytest.fixture(scope="module")
def stories():
    """Three pages of one template."""
    site = Site()
    paths = [gold.path for gold in site.gold() if gold.template == "broadsheet"]
    return [site.page(path).body for path in paths[:3]]


@pytest.fixture
def page(tmp_path, stories):
    file = tmp_path / "story.html"
    file.write_bytes(stories[0])
    (tmp_path / "other.html").write_bytes(stories[1])
    return file


def test_report_of_a_file_is_written_to_report_html(command, page):
    result = command("report", page)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == f"written: {page.parent / 'report.html'}\n"
    assert (page.parent / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_report_uses_peer_and_extractor(command, page):
    result = command("report", page, "--peer", "other.html", "-e", "tsrec", "-o", "why.html")
    assert (result.returncode, result.stdout) == (0, "")
    text = (page.parent / "why.html").read_text("utf-8")
    assert "<dd>tsrec<" in text
    assert "other.html" in text


def test_report_reads_stdin_and_writes_stdout(command, stories):
    result = command("report", "-", "-o", "-", "-e", "econ", given=stories[0].decode())
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("<!doctype html>")
    assert result.stdout.rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["no such file.html"], 2, "no such file.html"),
        (["story.html", "-e", "fusoin"], 2, "did you mean fusion"),
        (["story.html", "--option", "nosuch=1"], 2, "nosuch"),
        (["story.html", "--peer", "nowhere.html"], 2, "nowhere.html"),
        (["story.html", "-e", "tsrec"], 1, "another page of the same site"),
        (["story.html", "-o", "."], 1, "can't be written"),
        (["story.html", "-o", "no/such/folder.html"], 1, "can't be written"),
        (["story.html", "-o", "story.html"], 2, "overwrite"),
        (["story.html", "--peer", "other.html", "-o", "other.html"], 2, "overwrite"),
        (["https://example.org/a", "--database", "sqlite:///news.db"], 1, "there is no such database"),
        (["https://example.org/a", "--database", "sqlite:///news.db", "--peer", "other.html"], 2, "leave out --peer"),
        (["story.html", "--pages", "pages"], 2, "--pages needs --database"),
    ],
)
def test_report_error_is_one_line_and_writes_nothing(command, page, stories, words, status, message):
    result = command("report", *words)
    assert (result.returncode, result.stdout) == (status, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert page.read_bytes() == stories[0]
    assert (page.parent / "other.html").read_bytes() == stories[1]
    assert not (page.parent / "report.html").exists()


def test_report_survives_broken_third_party_extractors_and_never_imports_scrapy(tmp_path, page, variables):
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
    variables["PYTHONPATH"] += f":{tmp_path}"
    code = (
        "import sys; from newsextract.cli import main\n"
        f"sys.argv = ['newsextract', 'report', {str(page)!r}, '-o', '-']\n"
        "try: main()\n"
        "finally: sys.stderr.write(repr(sorted({'scrapy', 'twisted', 'sqlalchemy'} & set(sys.modules))))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=variables)
    assert (run.returncode, run.stderr) == (0, "[]")
    assert "<b>broken</b> (failed: RuntimeError: &lt;i&gt;out of order&lt;/i&gt;)" in run.stdout
    assert "<b>missing</b> (extractor &#39;missing&#39; is installed but can&#39;t be loaded" in run.stdout
