"""`newsextract crawl --urls`: the article of each URL of a list, and why others have none."""

import gzip
import signal
import subprocess

import pytest

from newsextract.errors import WrongCall
from newsextract.spiders.url_list import MAX_BYTES, read_url_list
from newsextract.store.schema import LONGEST_URL
from tests import preloaded
from tests.crawling import QUICK, Answer, add_stories, article, crawl_options, environment, newsextract, sql, web, webs
from tests.examples import examples


@pytest.mark.parametrize(("text", "column", "urls", "wrong", "duplicates"), examples(__file__, "lists"))
def test_list_is_read_line_by_line_or_from_a_column(tmp_path, text, column, urls, wrong, duplicates):
    file = tmp_path / "list"
    for content in (text.encode(), gzip.compress(text.encode()), text.removeprefix("\ufeff").encode("utf-16")):
        file.write_bytes(content)
        listed = read_url_list(file, column)
        assert (listed.urls, len(listed.wrong), listed.duplicates) == (urls, wrong, duplicates)


@pytest.mark.parametrize(("text", "column", "sentence"), examples(__file__, "refused"))
def test_unusable_list_is_refused_in_one_sentence(tmp_path, text, column, sentence):
    (tmp_path / "list").write_bytes(text.encode())
    with pytest.raises(WrongCall) as refused:
        read_url_list(tmp_path / "list", column)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_lines_of_any_length_and_bytes_of_any_kind_are_only_wrong_lines(tmp_path):
    file = tmp_path / "list"
    lines = [b"https://a.org/1", b"https://a.org/" + b"x" * 100_000, b"https://a.org/\xff", b"https://a.org/\x00"]
    file.write_bytes(b"\n".join(lines))
    listed = read_url_list(file)
    assert listed.urls == ["https://a.org/1"] and len(listed.wrong) == 3
    assert f"the limit is {LONGEST_URL}" in listed.wrong[0] and len("".join(listed.wrong)) < 600
    file.write_bytes(gzip.compress(b"\n" * (MAX_BYTES // 2_000)))
    with pytest.raises(WrongCall, match="it is empty"):
        read_url_list(file)


def test_equal_lists_are_one_whatever_their_order(tmp_path):
    names = []
    for number, text in enumerate(("https://a.org/1\nhttps://a.org/2", "https://a.org/2\nx\nhttps://a.org/1")):
        (tmp_path / str(number)).mkdir()
        file = tmp_path / str(number) / "list.txt"
        file.write_text(text)
        names.append(str(read_url_list(file)))
    assert names[0] == names[1] and names[0].startswith("list.txt ")


def test_each_url_of_a_list_gives_an_article_or_a_reason(tmp_path):
    with webs(2) as (one, other):
        stories = [site.url + path for site in (one, other) for path in add_stories(site, 2)]
        one["/robots.txt"] = Answer("User-agent: *\nDisallow: /own/\n", content_type="text/plain")
        one["/moved"] = Answer("", 301, headers={"Location": stories[2]})
        one["/lost"] = Answer("", 301, headers={"Location": f"{other.url}/none"})
        others = [f"{one.url}{path}" for path in ("/", "/gone", "/own/x", "/moved", "/lost")]
        rows = [f"{number};{url}" for number, url in enumerate([*stories, *others, f"{stories[0]}?utm_medium=x", "no"])]
        (tmp_path / "list.csv").write_text("number;link\n" + "\n".join(rows))
        words = ("crawl", "--urls", "list.csv", "--column", "link")
        done = newsextract(tmp_path, *words, settings=QUICK)
        reasons = dict(line.split("\t") for line in done.stdout.splitlines())
        assert reasons == {
            others[0]: "front pages",
            others[1]: "not found (404)",
            others[2]: "disallowed by robots.txt",
            others[4]: "not found (404)",
        }
        assert "list.csv, line 12: 'no' has no scheme" in done.stderr
        assert "list.csv: articles at 5 of 9 URLs, 1 duplicate, 1 line without a URL" in done.stderr
        assert "/own/x" not in one.asked and "/2026/05/03" not in "".join(one.asked)  # no links
        asked = len(one.asked) + len(other.asked)
        again = newsextract(tmp_path, *words, settings=QUICK)
        assert again.stdout == done.stdout  # from the database: nothing is due yet
        assert len(one.asked) + len(other.asked) == asked


def test_killed_crawl_of_a_list_resumes_and_no_article_is_fetched_twice(tmp_path):
    with web() as site:
        paths = add_stories(site, 6)
        command = [*preloaded.command("newsextract", safe_path=True), "crawl", "--urls", "-", *crawl_options(QUICK)]
        lines = "\n".join(site.url + path for path in paths).encode()
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        site[paths[3]] = Answer(article("Late", "Late"), before=lambda: process.send_signal(signal.SIGKILL))
        process.communicate(lines)
        stored = len(sql(tmp_path / "newsextract.db", "SELECT 1 FROM articles"))
        assert process.returncode == -signal.SIGKILL and stored < 6
        site[paths[3]] = article("Late", "Late")
        done = subprocess.run(command, cwd=tmp_path, env=environment(), input=lines, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
        assert b"stdin: articles at 6 of 6 URLs" in done.stderr
        assert len(sql(tmp_path / "newsextract.db", "SELECT 1 FROM articles")) == 6
        runs = sql(tmp_path / "newsextract.db", "SELECT spider, finished_at IS NULL FROM runs")
        assert runs == [("pages", 0)]
        assert len([path for path in site.asked if path in paths]) <= 12 - stored


def test_list_without_one_article_ends_with_1(tmp_path):
    with web() as site:
        (tmp_path / "list").write_text(f"{site.url}/none\n")
        done = newsextract(tmp_path, "crawl", "--urls", "list", settings=QUICK, status=1)
        assert done.stdout == f"{site.url}/none\tnot found (404)\n"
