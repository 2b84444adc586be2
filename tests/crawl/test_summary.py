"""The summary and the progress of a crawl: lines that a person can add up."""

import re
import subprocess

from tests.crawling import QUICK, Answer, Crawled, article, crawl, crawl_command, environment, free_port, front, web

LINKS = ("/story-1", "/story-2", "/sport/story-2", "/gone", "/sport", "/broken")


def sums(done: Crawled) -> tuple[int, int, dict[str, int]]:
    """The pages of the headline, the sum of what became of them, and the number of each line by its words."""
    head = re.search(r"^(\d+) pages? in .*articles: (\d+) new, (\d+) changed, (\d+) unchanged$", done.stderr, re.M)
    assert head is not None, done.stderr
    lines = {words: int(number) for number, words in re.findall(r"^ +(\d+)  ?([^\d\n].*)$", done.stderr, re.M)}
    kinds = ("duplicate URL", "not stored:")
    others = sum(number for words, number in lines.items() if words.startswith(kinds))
    return int(head[1]), sum(map(int, head.groups()[1:])) + others, lines


def test_second_process_at_the_same_crawl_says_that_it_joins(tmp_path):
    lines: list[str] = []
    with web() as site:
        command = crawl_command("site", settings=QUICK, url=site.url)
        options = {"cwd": tmp_path, "env": environment(), "text": True, "stderr": subprocess.PIPE}
        second: list[subprocess.Popen[str]] = []

        def start_second() -> None:
            if not second:
                second.append(subprocess.Popen(command, **options))
                for line in second[0].stderr or ():
                    lines.append(line)
                    if "joining" in line:
                        return

        site["/"] = front("/story-1", "/slow")
        site["/story-1"] = article("A first story", "Vik")
        site["/slow"] = Answer(article("A slow story", "Oslo"), before=start_second)
        first = crawl(tmp_path, "site", url=site.url)
        rest = second[0].communicate(timeout=300)[1]
    assert "Another process is running this crawl; joining it" in lines[-1]
    assert "another process worked on this crawl" in rest
    assert "nother process" not in first.stderr
    assert len(first.articles) == 2


def test_lines_of_the_summary_add_up_in_a_first_crawl_and_in_a_second(tmp_path):
    with web() as site:
        site["/"] = front(*LINKS)
        site["/story-1"] = article("A first story", "Vik")
        site["/story-2"] = site["/sport/story-2"] = article("A second story", "Oslo")
        site["/sport"], site["/broken"] = front("/story-1"), Answer("broken", status=500)
        site["/feed"] = Answer("<rss version='2.0'><channel/></rss>", content_type="text/xml")
        settings = {"LOGSTATS_INTERVAL": "0.2"}
        first = crawl(tmp_path, "site", url=site.url, settings=settings)
        del site.pages["/story-1"]
        site["/"] = front(*LINKS, "/new")
        second = crawl(tmp_path, "site", url=site.url, settings=settings)
        third = crawl(tmp_path, "site", url=site.url, settings=settings)
    pages, total, lines = sums(first)
    assert pages == total == 7
    assert lines["duplicate URL"] == 1
    assert lines["not found (404)"] == 1
    reasons = ("front", "section", "too short", "pages without", "not found", "HTTP 500")
    assert lines["not stored:"] == sum(number for words, number in lines.items() if words.startswith(reasons))
    assert "feeds, sitemaps and robots.txt: 1 read" in first.stderr
    pages, total, lines = sums(second)
    assert pages == total
    assert "known pages refetched: 1 (1 changed)" in second.stderr
    pages, total, lines = sums(third)
    assert pages == total
    assert lines["of these as at the last fetch"] >= 1
    assert "known pages refetched" not in first.stderr + third.stderr
    rates = [float(rate) for rate in re.findall(r"([\d.]+) pages/s", first.stderr)]
    assert rates and max(rates) > 0, "a rate is shown from the first line on"


def test_crawl_of_an_unchanged_site_and_one_that_does_not_answer_crawled_something(tmp_path):
    with web() as site:
        site["/"] = "<!doctype html><title>The Gazette</title><h1>The Gazette</h1>"
        missing = f"http://127.0.0.1:{free_port()}/"
        for status in (0, 0):
            done = crawl(tmp_path, "site", url=f"{site.url},{missing}", status=status)
            assert f"not crawled: {missing}" in done.stderr and "Nothing was crawled" not in done.stderr
    assert "Nothing was crawled" in crawl(tmp_path, "site", url=missing, status=1).stderr
