"""The summary of a crawl that another process joins, and of crawls in which little or nothing was crawled."""

import subprocess

from tests.crawling import QUICK, Answer, article, crawl, crawl_command, environment, free_port, front


def test_second_process_at_the_same_crawl_says_that_it_joins(tmp_path, site):
    lines: list[str] = []
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


def test_crawl_of_an_unchanged_site_and_one_that_does_not_answer_crawled_something(tmp_path, site):
    site["/"] = "<!doctype html><title>The Gazette</title><h1>The Gazette</h1>"
    missing = f"http://127.0.0.1:{free_port()}/"
    for _ in range(2):
        done = crawl(tmp_path, "site", url=f"{site.url},{missing}")
        assert f"not crawled: {missing}: its host refused the connection" in done.stderr
        assert "Nothing was crawled" not in done.stderr
    assert "Nothing was crawled" in crawl(tmp_path, "site", url=missing, status=1).stderr
